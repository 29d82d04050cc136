//! A cursor over tokens.

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::error::Error;

/// Longest piece of text that a message repeats, in characters.
const EXCERPT_LEN: usize = 100;

/// The tokens of a statement and how far they are read.
pub(super) struct Cursor {
    tokens: Vec<TokenWithSpan>,
    end: TokenWithSpan,
    next: usize,
}

impl Cursor {
    pub(super) fn try_new(text: &str) -> Result<Self, Error> {
        Ok(Self {
            tokens: growler_exec::sql::tokens(text)?,
            end: TokenWithSpan::new_eof(),
            next: 0,
        })
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens.get(self.next).unwrap_or(&self.end).token
    }

    pub(super) fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = self.tokens.len().min(self.next + 1);
        token
    }

    /// Takes the next token if it is this one.
    pub(super) fn accept(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.take();
        }
        found
    }

    pub(super) fn expect(&mut self, token: &Token) -> Result<(), Error> {
        if self.accept(token) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{token}'")))
    }

    /// Takes the next token if it is this word, not in quotes.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found)
            if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word));
        if found {
            self.take();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Error> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// Takes a name, in quotes or not.
    pub(super) fn name(&mut self, what: &str) -> Result<String, Error> {
        match self.peek() {
            Token::Word(word) if !word.value.is_empty() => {
                let name = word.value.clone();
                self.take();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Makes the error of a token that does not fit. A text may be a credential, so it is not repeated.
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let found = match self.peek() {
            Token::EOF => "end of statement".to_owned(),
            Token::SingleQuotedString(_) => "a text".to_owned(),
            token => {
                let text: String = token.to_string().chars().take(EXCERPT_LEN).collect();
                format!("'{text}'")
            }
        };
        Error::Parse(format!(
            "expected {expected}, found {found}{}",
            self.location()
        ))
    }

    fn location(&self) -> Location {
        let token = self.tokens.get(self.next).or(self.tokens.last());
        token.map_or(self.end.span.start, |token| token.span.start)
    }
}
