//! Operators by precedence.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::parser::{Parser, Tree, unsupported};
use crate::error::Error;
use crate::sql::ast::{Expr, Literal};

/// How tightly an operator binds, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    /// `IS [NOT] NULL` and the like; the operand of NOT goes this far.
    Is,
    /// `=`, `<`, IN, BETWEEN, LIKE.
    Compare,
    Add,
    Multiply,
    /// `::TYPE`, `['key']`.
    Postfix,
}

impl Parser {
    /// Reads an expression.
    pub(super) fn expr(&mut self) -> Result<Tree, Error> {
        self.nested(|parser| parser.operators(Level::Or))
    }

    /// Reads an expression that is all there is.
    pub(in crate::sql) fn condition(&mut self) -> Result<Expr, Error> {
        let tree = self.expr()?;
        match self.tokens.peek() {
            Token::EOF => Ok(tree.expr),
            _ => Err(self.tokens.unexpected("the end")),
        }
    }

    /// Reads operands joined by operators that bind at least as tightly as `loosest`.
    pub(super) fn operators(&mut self, loosest: Level) -> Result<Tree, Error> {
        let mut left = self.operand()?;
        while let Some(level) = self.operator_level() {
            if level < loosest {
                break;
            }
            left = match level {
                Level::Or => self.logical("or", Keyword::OR, Level::And, left)?,
                Level::And => self.logical("and", Keyword::AND, Level::Is, left)?,
                Level::Is => self.is(left)?,
                Level::Compare => self.comparison(left)?,
                Level::Add => self.arithmetic(left, Level::Multiply)?,
                Level::Multiply => self.arithmetic(left, Level::Postfix)?,
                Level::Postfix => self.postfix(left)?,
            };
        }
        Ok(left)
    }

    fn operator_level(&self) -> Option<Level> {
        use Keyword as K;
        Some(match self.tokens.peek() {
            Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => {
                Level::Compare
            }
            Token::Plus | Token::Minus => Level::Add,
            Token::Mul | Token::Div | Token::Mod | Token::StringConcat => Level::Multiply,
            Token::DoubleColon | Token::LBracket => Level::Postfix,
            Token::Word(word) => match word.keyword {
                K::OR => Level::Or,
                K::AND => Level::And,
                K::IS => Level::Is,
                K::IN | K::BETWEEN | K::LIKE => Level::Compare,
                K::NOT => match self.tokens.keyword_at(1) {
                    K::IN | K::BETWEEN | K::LIKE => Level::Compare,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Reads a chain of AND or OR into one call; what is such a call already joins it.
    fn logical(
        &mut self,
        name: &str,
        keyword: Keyword,
        operand: Level,
        left: Tree,
    ) -> Result<Tree, Error> {
        let mut args = vec![left];
        while self.tokens.accept_keyword(keyword) {
            args.push(self.operators(operand)?);
        }
        let mut tree = self.call(name, args)?;
        if let Expr::Call { args, .. } = &mut tree.expr {
            let nested = std::mem::take(args);
            for arg in nested {
                match arg {
                    Expr::Call {
                        name: inner,
                        args: inner_args,
                    } if inner == name => {
                        args.extend(inner_args);
                    }
                    other => args.push(other),
                }
            }
        }
        Ok(tree)
    }

    fn is(&mut self, subject: Tree) -> Result<Tree, Error> {
        self.tokens.expect_keyword(Keyword::IS)?;
        let negated = self.tokens.accept_keyword(Keyword::NOT);
        let word = self.tokens.keyword_at(0);
        match word {
            Keyword::NULL | Keyword::UNKNOWN => {
                self.tokens.skip();
                self.call(
                    if negated { "is_not_null" } else { "is_null" },
                    vec![subject],
                )
            }
            Keyword::TRUE | Keyword::FALSE => {
                self.tokens.skip();
                let known = self.is_truth(subject, word == Keyword::TRUE)?;
                if negated {
                    self.call("not", vec![known])
                } else {
                    Ok(known)
                }
            }
            Keyword::DISTINCT => {
                self.tokens.skip();
                self.tokens.expect_keyword(Keyword::FROM)?;
                let other = self.operators(Level::Compare)?;
                let name = if negated {
                    "isnotdistinctfrom"
                } else {
                    "isdistinctfrom"
                };
                self.call(name, vec![subject, other])
            }
            _ => Err(self.tokens.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")),
        }
    }

    /// Makes `x IS TRUE`, which is false where x is null: `x AND x IS NOT NULL`.
    fn is_truth(&mut self, subject: Tree, truth: bool) -> Result<Tree, Error> {
        let (height, constant, aggregate) = (subject.height, subject.constant, subject.aggregate);
        // The copy is counted, so that IS TRUE inside IS TRUE cannot double without bound.
        self.count_copies(&subject.expr)?;
        let copy = Tree {
            expr: subject.expr.clone(),
            height,
            constant,
            aggregate,
        };
        let known = self.call("is_not_null", vec![copy])?;
        let holds = if truth {
            subject
        } else {
            self.call("not", vec![subject])?
        };
        self.call("and", vec![holds, known])
    }

    fn comparison(&mut self, left: Tree) -> Result<Tree, Error> {
        let name = match self.tokens.peek() {
            Token::Eq => "equals",
            Token::Neq => "not_equals",
            Token::Lt => "less_than",
            Token::LtEq => "less_than_or_equal",
            Token::Gt => "greater_than",
            Token::GtEq => "greater_than_or_equal",
            _ => return self.word_comparison(left),
        };
        self.tokens.skip();
        let right = self.operators(Level::Add)?;
        self.call(name, vec![left, right])
    }

    fn word_comparison(&mut self, subject: Tree) -> Result<Tree, Error> {
        let negated = self.tokens.accept_keyword(Keyword::NOT);
        if self.tokens.accept_keyword(Keyword::IN) {
            let mut args = vec![subject];
            args.extend(self.members()?);
            return self.predicate(if negated { "not_in" } else { "in" }, args);
        }
        let tree = if self.tokens.accept_keyword(Keyword::BETWEEN) {
            let low = self.operators(Level::Add)?;
            self.tokens.expect_keyword(Keyword::AND)?;
            let high = self.operators(Level::Add)?;
            self.predicate("between", vec![subject, low, high])?
        } else {
            self.tokens.expect_keyword(Keyword::LIKE)?;
            let pattern = self.like_pattern()?;
            self.predicate("like", vec![subject, pattern])?
        };
        if negated {
            self.call("not", vec![tree])
        } else {
            Ok(tree)
        }
    }

    fn members(&mut self) -> Result<Vec<Tree>, Error> {
        self.tokens.expect(&Token::LParen)?;
        let mut members = vec![self.expr()?];
        while self.tokens.accept(&Token::Comma) {
            members.push(self.expr()?);
        }
        self.tokens.expect(&Token::RParen)?;
        Ok(members)
    }

    fn like_pattern(&mut self) -> Result<Tree, Error> {
        let pattern = self.operators(Level::Add)?;
        if !self.tokens.accept_keyword(Keyword::ESCAPE) {
            return Ok(pattern);
        }
        let escape = match self.tokens.peek() {
            Token::SingleQuotedString(escape) => {
                let mut characters = escape.chars();
                characters.next().filter(|_| characters.next().is_none())
            }
            _ => None,
        };
        let Some(escape) = escape else {
            return Err(self
                .tokens
                .unexpected("one character in quotes after ESCAPE"));
        };
        self.tokens.skip();
        let Expr::Literal(Literal::String(text)) = pattern.expr else {
            return Err(unsupported("ESCAPE after a pattern that is no literal"));
        };
        let text = with_backslashes(&text, escape).ok_or_else(|| {
            Error::Validation(format!(
                "LIKE pattern ends in its escape character: pattern={text}"
            ))
        })?;
        self.leaf(Expr::text(text))
    }

    /// Makes a predicate whose right side has to be the same for every row.
    pub(super) fn predicate(&mut self, name: &str, args: Vec<Tree>) -> Result<Tree, Error> {
        if args.iter().skip(1).any(|arg| !arg.constant) {
            return Err(Error::Validation(format!(
                "column or function of a column on the right-hand side of {} is not supported",
                name.to_uppercase()
            )));
        }
        self.call(name, args)
    }

    fn arithmetic(&mut self, left: Tree, operand: Level) -> Result<Tree, Error> {
        let name = match self.tokens.take() {
            Token::Plus => "plus",
            Token::Minus => "minus",
            Token::Mul => "times",
            Token::Div => "divide",
            Token::Mod => "mod",
            _ => "concat",
        };
        let right = self.operators(operand)?;
        self.call(name, vec![left, right])
    }

    fn postfix(&mut self, operand: Tree) -> Result<Tree, Error> {
        if self.tokens.accept(&Token::DoubleColon) {
            let data_type = self.data_type()?;
            return self.call("cast", vec![operand, data_type]);
        }
        self.tokens.expect(&Token::LBracket)?;
        let key = self.expr()?;
        self.tokens.expect(&Token::RBracket)?;
        self.item(operand, key)
    }

    /// Makes `column['key']`.
    pub(super) fn item(&mut self, column: Tree, key: Tree) -> Result<Tree, Error> {
        let Expr::Column(column) = column.expr else {
            return Err(Error::Validation(
                "Map Item: Left operand must be an identifier".to_owned(),
            ));
        };
        let Expr::Literal(Literal::String(key)) = key.expr else {
            return Err(Error::Validation(
                "Map Item: Right operand must be a literal".to_owned(),
            ));
        };
        self.leaf(Expr::Item { column, key })
    }
}

/// Rewrites a LIKE pattern so that `\` is its escape character; none when it ends in one.
fn with_backslashes(pattern: &str, escape: char) -> Option<String> {
    let mut text = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        if character == escape {
            match characters.next()? {
                wildcard @ ('%' | '_') => text.extend(['\\', wildcard]),
                other => text.push(other),
            }
        } else if character == '\\' && matches!(characters.peek(), Some('%' | '_')) {
            text.push_str("\\\\");
        } else {
            text.push(character);
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_backslashes() {
        let cases = [
            ("a!%b%", '!', Some(r"a\%b%")),
            ("a!_b!!", '!', Some(r"a\_b!")),
            (r"a\%", '\\', Some(r"a\%")),
            (r"a\%", '!', Some(r"a\\%")),
            ("a%%", '%', Some(r"a\%")),
            ("a!", '!', None),
            ("", '!', Some("")),
        ];
        for (pattern, escape, expected) in cases {
            assert_eq!(
                with_backslashes(pattern, escape).as_deref(),
                expected,
                "{pattern}"
            );
        }
    }
}
