//! Calls of functions and aggregates.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::function_names::{canonical, is_aggregate, split_percentile, takes};
use super::parser::{Parser, Tree, unsupported};
use crate::error::Error;
use crate::sql::ast::{Expr, Literal};

/// A call as written.
struct Written {
    /// Canonical name.
    name: String,
    args: Vec<Tree>,
    /// `f(*)`.
    star: bool,
    /// `f(DISTINCT ..)`.
    distinct: bool,
    /// `f(..) FILTER (WHERE ..)`.
    filter: Option<Tree>,
}

impl Parser {
    /// Reads a call whose name is taken already.
    pub(super) fn function(&mut self, name: &str) -> Result<Tree, Error> {
        self.tokens.expect(&Token::LParen)?;
        let mut written = Written {
            name: canonical(name),
            args: Vec::new(),
            star: self.tokens.accept(&Token::Mul),
            distinct: self.tokens.accept_keyword(Keyword::DISTINCT),
            filter: None,
        };
        if !written.distinct {
            self.tokens.accept_keyword(Keyword::ALL);
        }
        if !written.star && self.tokens.peek() != &Token::RParen {
            written.args.push(self.expr()?);
            while self.tokens.accept(&Token::Comma) {
                written.args.push(self.expr()?);
            }
        }
        self.tokens.expect(&Token::RParen)?;
        written.filter = self.aggregate_filter()?;
        self.reject_window()?;
        if is_aggregate(&written.name) || split_percentile(&written.name).is_some() {
            return self.aggregate_call(written);
        }
        if written.star || written.distinct || written.filter.is_some() {
            return Err(Error::Validation(format!(
                "'*', DISTINCT and FILTER need an aggregation function: function={}",
                written.name
            )));
        }
        self.function_call(written.name, written.args)
    }

    fn aggregate_filter(&mut self) -> Result<Option<Tree>, Error> {
        let follows =
            self.tokens.is_keyword(Keyword::FILTER) && self.tokens.peek_at(1) == &Token::LParen;
        if !follows {
            return Ok(None);
        }
        self.tokens.skip();
        self.tokens.skip();
        self.tokens.expect_keyword(Keyword::WHERE)?;
        let filter = self.expr()?;
        self.tokens.expect(&Token::RParen)?;
        Ok(Some(filter))
    }

    fn reject_window(&self) -> Result<(), Error> {
        match (self.tokens.keyword_at(0), self.tokens.keyword_at(1)) {
            (Keyword::OVER, _) => Err(unsupported("window function")),
            (Keyword::WITHIN, Keyword::GROUP) => Err(unsupported("WITHIN GROUP")),
            (Keyword::IGNORE | Keyword::RESPECT, Keyword::NULLS) => {
                Err(unsupported("IGNORE NULLS"))
            }
            _ => Ok(()),
        }
    }

    fn aggregate_call(&mut self, written: Written) -> Result<Tree, Error> {
        let Written {
            mut name,
            mut args,
            star,
            distinct,
            filter,
        } = written;
        if star && name != "count" {
            return Err(unsupported(&format!("'*' in {}", name.to_uppercase())));
        }
        if args.is_empty() && !star {
            return Err(Error::Validation(format!(
                "aggregation function has no argument: {name}()"
            )));
        }
        if let Some((family, percentile)) = split_percentile(&name) {
            args.push(self.leaf(Expr::Literal(Literal::Int(percentile)))?);
            name = family.to_owned();
        }
        if distinct {
            name = match name.as_str() {
                "count" if args.len() == 1 => "distinctcount",
                "sum" => "distinctsum",
                "avg" => "distinctavg",
                "count" => return Err(unsupported("COUNT(DISTINCT ..) of several expressions")),
                _ => return Err(unsupported(&format!("DISTINCT in {}", name.to_uppercase()))),
            }
            .to_owned();
        }
        // COUNT(1) counts rows, like COUNT(*).
        if name == "count"
            && let [
                Tree {
                    expr: Expr::Literal(literal),
                    ..
                },
            ] = args.as_slice()
            && literal != &Literal::Null
        {
            args.clear();
        }
        self.aggregate(name, args, filter)
    }

    fn function_call(&mut self, name: String, mut args: Vec<Tree>) -> Result<Tree, Error> {
        if !takes(&name, args.len()) {
            return Err(Error::Validation(format!(
                "wrong number of arguments: function={name} arguments={}",
                args.len()
            )));
        }
        match (name.as_str(), args.len()) {
            ("item", 2) => {
                let key = args.swap_remove(1);
                let column = args.swap_remove(0);
                self.item(column, key)
            }
            ("in" | "not_in" | "between" | "like" | "regexp_like", _) => {
                self.predicate(&name, args)
            }
            ("plus" | "times", 3..) => {
                let others = args.split_off(2);
                let first = self.call(name.as_str(), args)?;
                let add = |sum, arg| self.call(name.as_str(), vec![sum, arg]);
                others.into_iter().try_fold(first, add)
            }
            _ => self.call(name, args),
        }
    }
}
