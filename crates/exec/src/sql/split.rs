//! What stands around the query: `SET k = v;` before, `EXPLAIN PLAN FOR`, `OPTION(k=v)` after.

use std::collections::BTreeMap;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::lex::Tokens;
use crate::error::Error;

/// What was read before the query itself.
#[derive(Debug, Default)]
pub(super) struct Prefix {
    pub(super) explain: bool,
    pub(super) options: BTreeMap<String, String>,
}

/// Reads `SET` statements and `EXPLAIN PLAN FOR`; the tokens then stand at the query.
pub(super) fn read_prefix(tokens: &mut Tokens) -> Result<Prefix, Error> {
    let mut prefix = Prefix::default();
    loop {
        while tokens.accept(&Token::SemiColon) {}
        if !tokens.accept_keyword(Keyword::SET) {
            break;
        }
        let key = read_key(tokens)?;
        tokens.expect(&Token::Eq)?;
        let value = read_value(tokens, |token| matches!(token, Token::SemiColon))?;
        if tokens.peek() == &Token::EOF {
            return Err(tokens.unexpected("';' and a query after SET"));
        }
        prefix.options.insert(key, value);
    }
    if tokens.accept_keyword(Keyword::EXPLAIN) {
        if !tokens.accept_keywords(&[Keyword::PLAN, Keyword::FOR]) {
            return Err(tokens.unexpected("PLAN FOR"));
        }
        prefix.explain = true;
    }
    Ok(prefix)
}

/// Reads any number of `OPTION(k=v,k2=v2)` and the end of the text.
pub(super) fn read_suffix(
    tokens: &mut Tokens,
    options: &mut BTreeMap<String, String>,
) -> Result<(), Error> {
    while tokens.accept_keyword(Keyword::OPTION) {
        tokens.expect(&Token::LParen)?;
        loop {
            let key = read_key(tokens)?;
            tokens.expect(&Token::Eq)?;
            let value = read_value(tokens, |token| {
                matches!(token, Token::Comma | Token::RParen)
            })?;
            options.insert(key, value);
            if !tokens.accept(&Token::Comma) {
                break;
            }
        }
        tokens.expect(&Token::RParen)?;
    }
    let ended = tokens.accept(&Token::SemiColon);
    while tokens.accept(&Token::SemiColon) {}
    match tokens.peek() {
        Token::EOF => Ok(()),
        _ if ended => Err(tokens.unexpected("a single query")),
        _ => Err(tokens.unexpected("end of query")),
    }
}

/// Reads a key, which may be quoted or have dots, in lower case.
fn read_key(tokens: &mut Tokens) -> Result<String, Error> {
    let mut key = String::new();
    loop {
        match tokens.peek() {
            Token::Word(_) | Token::SingleQuotedString(_) => key.push_str(&text(tokens.take())),
            _ => return Err(tokens.unexpected("an option name")),
        }
        if !tokens.accept(&Token::Period) {
            return Ok(key.to_lowercase());
        }
        key.push('.');
    }
}

/// Reads the tokens of a value, which need no quotes.
fn read_value(tokens: &mut Tokens, ends: impl Fn(&Token) -> bool) -> Result<String, Error> {
    let mut value = String::new();
    if ends(tokens.peek()) || tokens.peek() == &Token::EOF {
        return Err(tokens.unexpected("an option value"));
    }
    while !ends(tokens.peek()) && tokens.peek() != &Token::EOF {
        value.push_str(&text(tokens.take()));
    }
    Ok(value)
}

fn text(token: Token) -> String {
    match token {
        Token::Word(word) => word.value,
        Token::SingleQuotedString(text) => text,
        other => other.to_string(),
    }
}
