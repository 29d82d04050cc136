//! Forms with keywords inside their parentheses.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::parser::{Parser, Tree, unsupported};
use crate::error::Error;
use crate::sql::ast::Expr;

impl Parser {
    /// Reads `CASE WHEN c THEN r ..` and `CASE x WHEN v THEN r ..`.
    pub(super) fn case(&mut self) -> Result<Tree, Error> {
        self.tokens.expect_keyword(Keyword::CASE)?;
        let operand = match self.tokens.is_keyword(Keyword::WHEN) {
            true => None,
            false => Some(self.expr()?),
        };
        let mut args = Vec::new();
        while self.tokens.accept_keyword(Keyword::WHEN) {
            let when = self.expr()?;
            let condition = match &operand {
                None => when,
                Some(operand) => {
                    self.count_copies(&operand.expr)?;
                    let copy = Tree {
                        expr: operand.expr.clone(),
                        ..*operand
                    };
                    self.call("equals", vec![copy, when])?
                }
            };
            self.tokens.expect_keyword(Keyword::THEN)?;
            args.extend([condition, self.expr()?]);
        }
        if args.is_empty() {
            return Err(self.tokens.unexpected("WHEN"));
        }
        if self.tokens.accept_keyword(Keyword::ELSE) {
            args.push(self.expr()?);
        }
        self.tokens.expect_keyword(Keyword::END)?;
        self.call("case", args)
    }

    /// Reads `CAST(x AS TYPE)`.
    pub(super) fn cast(&mut self) -> Result<Tree, Error> {
        self.open()?;
        let operand = self.expr()?;
        self.tokens.expect_keyword(Keyword::AS)?;
        let data_type = self.data_type()?;
        self.tokens.expect(&Token::RParen)?;
        self.call("cast", vec![operand, data_type])
    }

    /// Reads a type's name as a literal in upper case; a length or precision says nothing, as in
    /// Pinot, and `T ARRAY` is `T_ARRAY`.
    pub(super) fn data_type(&mut self) -> Result<Tree, Error> {
        let mut name = self.tokens.expect_word("a type")?.value.to_uppercase();
        if name == "DOUBLE" {
            self.tokens.accept_keyword(Keyword::PRECISION);
        }
        if self.tokens.accept(&Token::LParen) {
            loop {
                if !matches!(self.tokens.peek(), Token::Number(..)) {
                    return Err(self.tokens.unexpected("a length or precision"));
                }
                self.tokens.skip();
                if !self.tokens.accept(&Token::Comma) {
                    break;
                }
            }
            self.tokens.expect(&Token::RParen)?;
        }
        if self.tokens.accept_keyword(Keyword::ARRAY) {
            name.push_str("_ARRAY");
        }
        self.leaf(Expr::text(name))
    }

    /// Reads `EXTRACT(FIELD FROM x)` and `EXTRACT('FIELD', x)`.
    pub(super) fn extract(&mut self) -> Result<Tree, Error> {
        self.open()?;
        let field = match self.tokens.peek() {
            Token::Word(word) => word.value.to_uppercase(),
            Token::SingleQuotedString(text) => text.to_uppercase(),
            _ => return Err(self.tokens.unexpected("a field such as YEAR")),
        };
        self.tokens.skip();
        if !self.tokens.accept(&Token::Comma) {
            self.tokens.expect_keyword(Keyword::FROM)?;
        }
        let field = self.leaf(Expr::text(field))?;
        let operand = self.expr()?;
        self.tokens.expect(&Token::RParen)?;
        self.call("extract", vec![field, operand])
    }

    /// Reads `TRIM(x)` and `TRIM(LEADING|TRAILING|BOTH FROM x)`.
    pub(super) fn trim(&mut self) -> Result<Tree, Error> {
        self.open()?;
        let name = if self.tokens.accept_keyword(Keyword::LEADING) {
            "ltrim"
        } else if self.tokens.accept_keyword(Keyword::TRAILING) {
            "rtrim"
        } else {
            self.tokens.accept_keyword(Keyword::BOTH);
            "trim"
        };
        self.tokens.accept_keyword(Keyword::FROM);
        let operand = self.expr()?;
        if self.tokens.is_keyword(Keyword::FROM) || self.tokens.peek() == &Token::Comma {
            return Err(unsupported("TRIM of given characters"));
        }
        self.tokens.expect(&Token::RParen)?;
        self.call(name, vec![operand])
    }

    /// Reads `SUBSTRING(x FROM n FOR m)` and `SUBSTRING(x, n, m)`.
    pub(super) fn substring(&mut self) -> Result<Tree, Error> {
        self.open()?;
        let mut args = vec![self.expr()?];
        if self.tokens.accept_keyword(Keyword::FROM) {
            args.push(self.expr()?);
            if self.tokens.accept_keyword(Keyword::FOR) {
                args.push(self.expr()?);
            }
        } else {
            while self.tokens.accept(&Token::Comma) {
                args.push(self.expr()?);
            }
        }
        self.tokens.expect(&Token::RParen)?;
        self.call("substring", args)
    }

    /// Reads `TIMESTAMP '..'` and `DATE '..'`.
    pub(super) fn typed_text(&mut self) -> Result<Tree, Error> {
        self.tokens.skip();
        let text = self.operand()?;
        let data_type = self.leaf(Expr::text("TIMESTAMP"))?;
        self.call("cast", vec![text, data_type])
    }

    /// Steps over a word and its opening parenthesis.
    fn open(&mut self) -> Result<(), Error> {
        self.tokens.skip();
        self.tokens.expect(&Token::LParen)
    }
}
