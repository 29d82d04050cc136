//! Text to tokens, and a cursor over them.

use growler_base::limits;
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Word};

use crate::error::Error;

/// Pinot's lexical rules: names in double quotes, `''` inside text, `$` in names.
#[derive(Debug)]
struct PinotDialect;

impl Dialect for PinotDialect {
    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '"'
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_' || ch == '$'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || ch == '_' || ch == '$'
    }
}

/// Splits SQL text into tokens by Pinot's lexical rules; whitespace and comments are left out.
///
/// # Errors
/// [`Error::Parse`] for text that is no SQL or longer than growler reads.
pub fn tokens(text: &str) -> Result<Vec<TokenWithSpan>, Error> {
    if text.len() > limits::SQL_LEN_BYTES {
        return Err(Error::Parse(format!(
            "SQL text is too long: lenBytes={} limit={}",
            text.len(),
            limits::SQL_LEN_BYTES
        )));
    }
    let mut tokens = Vec::new();
    let lexed = Tokenizer::new(&PinotDialect, text).tokenize_with_location_into_buf(&mut tokens);
    lexed.map_err(|error| Error::Parse(format!("{}{}", error.message, error.location)))?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    for token in &tokens {
        if let Token::Word(word) = &token.token
            && word.value.len() > limits::IDENTIFIER_LEN
            && word.value.chars().count() > limits::IDENTIFIER_LEN
        {
            return Err(Error::Parse(format!(
                "identifier is too long: length={} limit={}",
                word.value.chars().count(),
                limits::IDENTIFIER_LEN
            )));
        }
    }
    Ok(tokens)
}

/// Longest piece of SQL text that a message repeats, in characters.
const EXCERPT_LEN: usize = 200;

/// The tokens of a text and how far they are read. Whitespace and comments are gone.
#[derive(Debug)]
pub(super) struct Tokens {
    tokens: Vec<TokenWithSpan>,
    end: TokenWithSpan,
    next: usize,
}

/// A place between two tokens to come back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(usize);

impl Tokens {
    /// Reads all tokens of a text.
    pub(super) fn try_new(text: &str) -> Result<Self, Error> {
        Ok(Self {
            tokens: tokens(text)?,
            end: TokenWithSpan::new_eof(),
            next: 0,
        })
    }

    /// Returns the next token without taking it; at the end, [`Token::EOF`] again and again.
    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// Returns the token `ahead` places behind the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        &self
            .tokens
            .get(self.next + ahead)
            .unwrap_or(&self.end)
            .token
    }

    /// Takes the next token. It is gone afterwards: no token is read twice.
    pub(super) fn take(&mut self) -> Token {
        let Some(token) = self.tokens.get_mut(self.next) else {
            return Token::EOF;
        };
        self.next += 1;
        std::mem::replace(&mut token.token, Token::EOF)
    }

    /// Steps over the next token.
    pub(super) fn skip(&mut self) {
        self.next = self.tokens.len().min(self.next + 1);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.next)
    }

    pub(super) fn seek(&mut self, mark: Mark) {
        self.next = mark.0;
    }

    /// Finds the FROM of this query: outside of parentheses, and not part of `IS DISTINCT FROM`.
    pub(super) fn find_from(&self) -> Option<Mark> {
        let mut depth = 0_usize;
        for (idx, token) in self.tokens.iter().enumerate().skip(self.next) {
            match &token.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
                Token::SemiColon => return None,
                Token::Word(word)
                    if depth == 0
                        && word.keyword == Keyword::FROM
                        && !self.ends_is_distinct(idx) =>
                {
                    return Some(Mark(idx));
                }
                _ => {}
            }
        }
        None
    }

    /// Tells whether `IS [NOT] DISTINCT` stands before a token.
    fn ends_is_distinct(&self, idx: usize) -> bool {
        let keyword_before = |places: usize| {
            let token = idx.checked_sub(places).and_then(|idx| self.tokens.get(idx));
            match token.map(|token| &token.token) {
                Some(Token::Word(word)) => word.keyword,
                _ => Keyword::NoKeyword,
            }
        };
        keyword_before(1) == Keyword::DISTINCT
            && matches!(keyword_before(2), Keyword::IS | Keyword::NOT)
    }

    /// Returns the keyword that the token `ahead` is, or none for anything else.
    pub(super) fn keyword_at(&self, ahead: usize) -> Keyword {
        match self.peek_at(ahead) {
            Token::Word(word) => word.keyword,
            _ => Keyword::NoKeyword,
        }
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.keyword_at(0) == keyword
    }

    /// Takes the next token if it is this keyword.
    pub(super) fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.skip();
        }
        found
    }

    /// Takes the next tokens if they are these keywords, all of them.
    pub(super) fn accept_keywords(&mut self, keywords: &[Keyword]) -> bool {
        let found = keywords
            .iter()
            .enumerate()
            .all(|(idx, &word)| self.keyword_at(idx) == word);
        if found {
            keywords.iter().for_each(|_| self.skip());
        }
        found
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword) -> Result<(), Error> {
        if self.accept_keyword(keyword) {
            return Ok(());
        }
        Err(self.unexpected(&format!("{keyword:?}")))
    }

    /// Takes the next token if it is this one.
    pub(super) fn accept(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.skip();
        }
        found
    }

    pub(super) fn expect(&mut self, token: &Token) -> Result<(), Error> {
        if self.accept(token) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{token}'")))
    }

    /// Takes the next token if it is a word, quoted or not.
    pub(super) fn accept_word(&mut self) -> Option<Word> {
        if !matches!(self.peek(), Token::Word(_)) {
            return None;
        }
        match self.take() {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn expect_word(&mut self, expected: &str) -> Result<Word, Error> {
        self.accept_word().ok_or_else(|| self.unexpected(expected))
    }

    /// Makes the error of a token that does not fit.
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let found = match self.peek() {
            Token::EOF => "end of query".to_owned(),
            token => format!("'{}'", excerpt(&token.to_string())),
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

/// Returns the beginning of a text for a message.
pub(super) fn excerpt(text: &str) -> String {
    let mut characters = text.chars();
    let mut excerpt: String = characters.by_ref().take(EXCERPT_LEN).collect();
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
