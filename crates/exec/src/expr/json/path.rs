//! A path's text to its steps.

use super::filter::Filter;
use super::parse_filter;

/// Most steps of a path, filters' own paths included.
const MAX_STEPS: usize = 128;

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// `.name`, `['name']`.
    Name(String),
    /// `[3]`; negative ones count from the end.
    Index(i64),
    /// `.*`, `[*]`.
    Wildcard,
    /// `['a','b']`.
    Names(Vec<String>),
    /// `[0,2]`.
    Indices(Vec<i64>),
    /// `[from:to]`.
    Slice(Option<i64>, Option<i64>),
    /// `[?(..)]`.
    Filter(Filter),
    /// `..`: the value itself and everything below it.
    Descend,
}

/// A parsed path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    /// Steps from the root.
    pub steps: Vec<Step>,
}

impl Path {
    /// Parses a path; it starts at `$`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scanner = Scanner {
            text: text.trim(),
            at: 0,
        };
        if !scanner.eat('$') {
            return None;
        }
        let steps = scanner.steps()?;
        scanner.at_end().then_some(Self { steps })
    }

    /// Tells whether the path leads to at most one value.
    pub fn is_definite(&self) -> bool {
        self.steps
            .iter()
            .all(|step| matches!(step, Step::Name(_) | Step::Index(_)))
    }
}

/// A place in a path's text.
pub(super) struct Scanner<'t> {
    /// The whole text.
    pub text: &'t str,
    /// Byte position.
    pub at: usize,
}

impl<'t> Scanner<'t> {
    /// Returns what is left.
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Tells whether nothing is left.
    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Skips blanks.
    pub fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Skips a character if it is next.
    pub fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Skips a text if it is next.
    pub fn eat_text(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Takes characters as long as they fit.
    pub fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Parses the steps that follow a root.
    pub fn steps(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.eat('.') {
                if self.eat('.') {
                    steps.push(Step::Descend);
                    if self.peek() == Some('[') {
                        continue;
                    }
                }
                steps.push(self.dotted()?);
            } else if self.eat('[') {
                steps.push(self.bracket()?);
            } else {
                break;
            }
            if steps.len() > MAX_STEPS {
                return None;
            }
        }
        // A path does not end in `..`.
        (steps.last() != Some(&Step::Descend)).then_some(steps)
    }

    fn dotted(&mut self) -> Option<Step> {
        if self.eat('*') {
            // `**` is what Pinot's users write behind `..`.
            self.take_while(|c| c == '*');
            return Some(Step::Wildcard);
        }
        let name = self.take_while(|c| !".[]()=!<>&|,~'\"?".contains(c) && !c.is_whitespace());
        (!name.is_empty()).then(|| Step::Name(name.to_owned()))
    }

    fn bracket(&mut self) -> Option<Step> {
        self.skip_blanks();
        let step = match self.peek()? {
            '*' => {
                self.eat('*');
                Step::Wildcard
            }
            '?' => {
                self.eat('?');
                self.skip_blanks();
                Step::Filter(parse_filter::bracketed(self)?)
            }
            '\'' | '"' => self.names()?,
            _ => self.numbers()?,
        };
        self.skip_blanks();
        self.eat(']').then_some(step)
    }

    fn names(&mut self) -> Option<Step> {
        let mut names = Vec::new();
        loop {
            self.skip_blanks();
            names.push(self.quoted()?);
            self.skip_blanks();
            if !self.eat(',') {
                break;
            }
        }
        match names.len() {
            1 => names.pop().map(Step::Name),
            _ => Some(Step::Names(names)),
        }
    }

    /// Parses a quoted text; a backslash keeps the next character.
    pub fn quoted(&mut self) -> Option<String> {
        let quote = self.peek().filter(|c| matches!(c, '\'' | '"'))?;
        self.eat(quote);
        let mut text = String::new();
        loop {
            let c = self.peek()?;
            self.eat(c);
            if c == quote {
                return Some(text);
            }
            if c == '\\' {
                let escaped = self.peek()?;
                self.eat(escaped);
                text.push(escaped);
            } else {
                text.push(c);
            }
        }
    }

    fn numbers(&mut self) -> Option<Step> {
        let inner = self.take_while(|c| c != ']');
        let number = |text: &str| text.trim().parse::<i64>().ok();
        if let Some((from, to)) = inner.split_once(':') {
            let bound = |text: &str| match text.trim() {
                "" => Some(None),
                text => number(text).map(Some),
            };
            return Some(Step::Slice(bound(from)?, bound(to)?));
        }
        if inner.contains(',') {
            let indices = inner.split(',').map(number).collect::<Option<Vec<_>>>();
            return indices.map(Step::Indices);
        }
        number(inner).map(Step::Index)
    }
}
