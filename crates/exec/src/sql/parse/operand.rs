//! What stands between operators: names, literals, parentheses, prefixes.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::literal;
use super::operators::Level;
use super::parser::{Parser, Tree, unsupported};
use super::words::is_reserved;
use crate::error::Error;
use crate::sql::ast::{Expr, Literal};

impl Parser {
    pub(super) fn operand(&mut self) -> Result<Tree, Error> {
        match self.tokens.peek() {
            Token::Word(word) if word.quote_style.is_none() => self.word(word.keyword),
            Token::Word(_) => self.name(),
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::NationalStringLiteral(_)
            | Token::HexStringLiteral(_) => {
                let literal = literal::read(self.tokens.take())?;
                self.leaf(Expr::Literal(literal))
            }
            Token::Minus => {
                self.tokens.skip();
                let operand = self.nested(|parser| parser.operators(Level::Postfix))?;
                self.negate(operand)
            }
            Token::Plus => {
                self.tokens.skip();
                self.nested(|parser| parser.operators(Level::Postfix))
            }
            Token::LParen => self.parentheses(),
            _ => Err(self.tokens.unexpected("an expression")),
        }
    }

    fn word(&mut self, keyword: Keyword) -> Result<Tree, Error> {
        use Keyword as K;
        let opens = self.tokens.peek_at(1) == &Token::LParen;
        let text_follows = matches!(self.tokens.peek_at(1), Token::SingleQuotedString(_));
        match keyword {
            K::NULL => self.literal_word(Literal::Null),
            K::TRUE => self.literal_word(Literal::Boolean(true)),
            K::FALSE => self.literal_word(Literal::Boolean(false)),
            K::NOT => {
                self.tokens.skip();
                let operand = self.nested(|parser| parser.operators(Level::Is))?;
                self.call("not", vec![operand])
            }
            K::CASE => self.case(),
            K::CAST if opens => self.cast(),
            K::EXTRACT if opens => self.extract(),
            K::TRIM if opens => self.trim(),
            K::SUBSTRING if opens => self.substring(),
            K::TIMESTAMP | K::DATE if text_follows => self.typed_text(),
            K::INTERVAL if text_follows => Err(unsupported("INTERVAL")),
            K::ARRAY if self.tokens.peek_at(1) == &Token::LBracket => {
                Err(unsupported("ARRAY literal"))
            }
            K::EXISTS if opens => Err(unsupported("EXISTS")),
            K::SELECT | K::WITH => Err(unsupported("subquery")),
            keyword if is_reserved(keyword) => Err(self.tokens.unexpected("an expression")),
            _ => self.name(),
        }
    }

    fn literal_word(&mut self, literal: Literal) -> Result<Tree, Error> {
        self.tokens.skip();
        self.leaf(Expr::Literal(literal))
    }

    fn parentheses(&mut self) -> Result<Tree, Error> {
        self.tokens.expect(&Token::LParen)?;
        let inner = self.expr()?;
        if self.tokens.peek() == &Token::Comma {
            return Err(unsupported("row of several values"));
        }
        self.tokens.expect(&Token::RParen)?;
        Ok(inner)
    }

    /// Reads a column, which may be qualified by its table, or a call.
    fn name(&mut self) -> Result<Tree, Error> {
        let first = self.tokens.expect_word("a name")?;
        if self.tokens.peek() == &Token::LParen {
            return self.function(&first.value);
        }
        let mut parts = vec![first.value];
        while self.tokens.accept(&Token::Period) {
            parts.push(self.tokens.expect_word("a column name")?.value);
        }
        let mut column = parts.join(".");
        for qualifier in &self.qualifiers {
            let rest = column
                .strip_prefix(qualifier)
                .and_then(|rest| rest.strip_prefix('.'));
            if let Some(rest) = rest.filter(|_| parts.len() > 1) {
                column = rest.to_owned();
                break;
            }
        }
        self.leaf(Expr::Column(column))
    }

    fn negate(&mut self, operand: Tree) -> Result<Tree, Error> {
        if let Expr::Literal(literal) = &operand.expr
            && let Some(negative) = literal::negative(literal)
        {
            return Ok(Tree {
                expr: Expr::Literal(negative),
                ..operand
            });
        }
        let zero = self.leaf(Expr::Literal(Literal::Int(0)))?;
        self.call("minus", vec![zero, operand])
    }
}
