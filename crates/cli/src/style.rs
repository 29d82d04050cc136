//! Colour, where a terminal shows it and nobody asked for none.

use std::fmt::{self, Display};
use std::io::IsTerminal;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

/// Text in a colour; shown bare when the style has none.
#[derive(Debug, Clone, Copy)]
pub struct Painted<T> {
    text: T,
    code: Option<&'static str>,
}

impl Style {
    /// Colours text when `stream` is a terminal and `NO_COLOR` is not set.
    pub fn of(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            colour: !refused && stream.is_terminal(),
        }
    }

    /// Never colours.
    #[cfg(test)]
    pub fn plain() -> Self {
        Self { colour: false }
    }

    /// Headings.
    pub fn bold<T: Display>(self, text: T) -> Painted<T> {
        self.paint(text, "1")
    }

    /// What matters less.
    pub fn dim<T: Display>(self, text: T) -> Painted<T> {
        self.paint(text, "2")
    }

    /// Good, fast.
    pub fn green<T: Display>(self, text: T) -> Painted<T> {
        self.paint(text, "32")
    }

    /// Worth a look, slower.
    pub fn yellow<T: Display>(self, text: T) -> Painted<T> {
        self.paint(text, "33")
    }

    /// Wrong.
    pub fn red<T: Display>(self, text: T) -> Painted<T> {
        self.paint(text, "1;31")
    }

    fn paint<T: Display>(self, text: T, code: &'static str) -> Painted<T> {
        Painted {
            text,
            code: self.colour.then_some(code),
        }
    }
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            // The width applies to the text, not to the codes around it.
            Some(code) => {
                write!(f, "\x1b[{code}m")?;
                self.text.fmt(f)?;
                f.write_str("\x1b[0m")
            }
            None => self.text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pads_the_text_and_not_the_codes() {
        assert_eq!(format!("{:>4}|", Style::plain().bold("ab")), "  ab|");
        let colour = Style { colour: true };
        assert_eq!(
            format!("{:>4}|", colour.green("ab")),
            "\x1b[32m  ab\x1b[0m|"
        );
    }
}
