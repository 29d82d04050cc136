//! `SELECT .. FROM .. WHERE .. GROUP BY .. HAVING .. ORDER BY .. LIMIT ..`

use std::collections::BTreeMap;

use growler_base::limits;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::parser::{Parser, unsupported};
use super::words::ends_expression;
use crate::error::Error;
use crate::sql::ast::{Expr, OrderBy, Query, SelectItem};
use crate::sql::lex::Mark;

/// Rows of an answer when the query has no LIMIT.
const DEFAULT_LIMIT: u64 = 10;

/// The FROM clause.
struct Table {
    name: String,
    /// The word FROM.
    begins: Mark,
    /// Behind the clause.
    ends: Mark,
}

impl Parser {
    /// Reads a query up to, and without, OPTION and the end.
    pub(in crate::sql) fn query(&mut self) -> Result<Query, Error> {
        self.expect_select()?;
        let distinct = self.tokens.accept_keyword(Keyword::DISTINCT);
        if !distinct {
            self.tokens.accept_keyword(Keyword::ALL);
        }
        // The table comes first, so that a name's first part is known to be the table or not.
        let table = self.table()?;
        let select = self.list(Self::select_item)?;
        let mut query = Query {
            explain: false,
            options: BTreeMap::new(),
            table: None,
            select,
            distinct,
            filter: None,
            group_by: Vec::new(),
            having: None,
            order_by: Vec::new(),
            limit: DEFAULT_LIMIT,
            offset: 0,
        };
        if let Some(table) = table {
            if self.tokens.mark() != table.begins {
                return Err(self.tokens.unexpected("',' or FROM"));
            }
            self.tokens.seek(table.ends);
            query.table = Some(table.name);
        }
        self.conditions(&mut query)?;
        if self.tokens.accept_keyword(Keyword::ORDER) {
            self.tokens.expect_keyword(Keyword::BY)?;
            query.order_by = self.list(Self::order_key)?;
        }
        self.limits(&mut query)?;
        self.reject_set_operations()?;
        Ok(query)
    }

    fn expect_select(&mut self) -> Result<(), Error> {
        use Keyword as K;
        match self.tokens.keyword_at(0) {
            K::WITH => return Err(unsupported("WITH")),
            K::VALUES => return Err(unsupported("VALUES")),
            word @ (K::INSERT
            | K::UPDATE
            | K::DELETE
            | K::MERGE
            | K::CREATE
            | K::DROP
            | K::ALTER
            | K::TRUNCATE
            | K::SHOW
            | K::DESCRIBE
            | K::USE) => {
                return Err(unsupported(&format!("{word:?}")));
            }
            _ => {}
        }
        if self.tokens.peek() == &Token::LParen && self.tokens.keyword_at(1) == K::SELECT {
            return Err(unsupported("query in parentheses"));
        }
        self.tokens.expect_keyword(K::SELECT)
    }

    /// Looks ahead for the table, and comes back to the select list.
    fn table(&mut self) -> Result<Option<Table>, Error> {
        let Some(begins) = self.tokens.find_from() else {
            return Ok(None);
        };
        let select_list = self.tokens.mark();
        self.tokens.seek(begins);
        self.tokens.skip();
        let name = self.table_name()?;
        self.tokens.accept_keyword(Keyword::AS);
        if self.is_alias() {
            let alias = self.tokens.expect_word("a table alias")?;
            self.qualifiers.push(alias.value);
        }
        self.reject_further_tables()?;
        let ends = self.tokens.mark();
        self.tokens.seek(select_list);
        Ok(Some(Table { name, begins, ends }))
    }

    fn table_name(&mut self) -> Result<String, Error> {
        if self.tokens.peek() == &Token::LParen {
            return Err(unsupported("subquery"));
        }
        let mut parts = vec![self.tokens.expect_word("a table name")?.value];
        while self.tokens.accept(&Token::Period) {
            parts.push(self.tokens.expect_word("a table name")?.value);
        }
        if self.tokens.peek() == &Token::LParen {
            return Err(unsupported("table function"));
        }
        if parts.first().is_some_and(|database| database == "default") && parts.len() > 1 {
            parts.remove(0);
        }
        let full = parts.join(".");
        let name = full.strip_suffix("_OFFLINE").unwrap_or(&full).to_owned();
        let last = parts.pop().unwrap_or_default();
        self.qualifiers.extend([full, last, name.clone()]);
        Ok(name)
    }

    fn reject_further_tables(&self) -> Result<(), Error> {
        use Keyword as K;
        match (self.tokens.peek(), self.tokens.keyword_at(0)) {
            (Token::Comma, _) => Err(unsupported("more than one table")),
            (_, K::JOIN | K::INNER | K::LEFT | K::RIGHT | K::FULL | K::CROSS | K::NATURAL) => {
                Err(unsupported("JOIN"))
            }
            _ => Ok(()),
        }
    }

    fn reject_set_operations(&self) -> Result<(), Error> {
        use Keyword as K;
        match self.tokens.keyword_at(0) {
            word @ (K::UNION | K::EXCEPT | K::INTERSECT | K::WINDOW | K::QUALIFY) => {
                Err(unsupported(&format!("{word:?}")))
            }
            _ => Ok(()),
        }
    }

    fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut items = vec![read(self)?];
        while self.tokens.accept(&Token::Comma) {
            items.push(read(self)?);
        }
        Ok(items)
    }

    fn select_item(&mut self) -> Result<SelectItem, Error> {
        if self.tokens.accept(&Token::Mul) {
            return Ok(SelectItem::All);
        }
        if self.is_qualified_star() {
            (0..3).for_each(|_| self.tokens.skip());
            return Ok(SelectItem::All);
        }
        let expr = self.expr()?.expr;
        let alias = if self.tokens.accept_keyword(Keyword::AS) {
            Some(self.tokens.expect_word("an alias")?.value)
        } else if self.is_alias() {
            self.tokens.accept_word().map(|word| word.value)
        } else {
            None
        };
        Ok(SelectItem::Expr { expr, alias })
    }

    fn is_qualified_star(&self) -> bool {
        let Token::Word(word) = self.tokens.peek() else {
            return false;
        };
        self.tokens.peek_at(1) == &Token::Period
            && self.tokens.peek_at(2) == &Token::Mul
            && self.qualifiers.contains(&word.value)
    }

    /// Tells whether the next token is an alias without `AS`.
    fn is_alias(&self) -> bool {
        matches!(self.tokens.peek(), Token::Word(word) if !ends_expression(word.keyword))
    }

    fn conditions(&mut self, query: &mut Query) -> Result<(), Error> {
        if self.tokens.accept_keyword(Keyword::WHERE) {
            let filter = self.expr()?;
            if filter.aggregate {
                return Err(Error::Validation(
                    "aggregation functions are not allowed in WHERE clause".to_owned(),
                ));
            }
            query.filter = Some(filter.expr);
        }
        if self.tokens.accept_keyword(Keyword::GROUP) {
            self.tokens.expect_keyword(Keyword::BY)?;
            self.tokens.accept_keyword(Keyword::ALL);
            query.group_by = self.list(Self::group_key)?;
        }
        if self.tokens.accept_keyword(Keyword::HAVING) {
            query.having = Some(self.expr()?.expr);
        }
        Ok(())
    }

    fn group_key(&mut self) -> Result<Expr, Error> {
        use Keyword as K;
        let opens = self.tokens.peek_at(1) == &Token::LParen;
        match self.tokens.keyword_at(0) {
            word @ (K::ROLLUP | K::CUBE) if opens => Err(unsupported(&format!("{word:?}"))),
            K::GROUPING if self.tokens.keyword_at(1) == K::SETS => {
                Err(unsupported("GROUPING SETS"))
            }
            _ => Ok(self.expr()?.expr),
        }
    }

    fn order_key(&mut self) -> Result<OrderBy, Error> {
        let expr = self.expr()?.expr;
        let descending = self.tokens.accept_keyword(Keyword::DESC);
        if !descending {
            self.tokens.accept_keyword(Keyword::ASC);
        }
        let nulls_first = if self
            .tokens
            .accept_keywords(&[Keyword::NULLS, Keyword::FIRST])
        {
            Some(true)
        } else if self
            .tokens
            .accept_keywords(&[Keyword::NULLS, Keyword::LAST])
        {
            Some(false)
        } else {
            None
        };
        Ok(OrderBy {
            expr,
            descending,
            nulls_first,
        })
    }

    /// Reads `LIMIT n`, `LIMIT n OFFSET m`, `LIMIT m, n`, `OFFSET m ROWS FETCH NEXT n ROWS ONLY`.
    fn limits(&mut self, query: &mut Query) -> Result<(), Error> {
        let mut offset = None;
        if self.tokens.accept_keyword(Keyword::OFFSET) {
            offset = Some(self.offset()?);
        }
        if self.tokens.accept_keyword(Keyword::LIMIT) {
            query.limit = self.row_count()?;
            if offset.is_none() && self.tokens.accept(&Token::Comma) {
                offset = Some(std::mem::replace(&mut query.limit, 0));
                query.limit = self.row_count()?;
            }
        } else if self.tokens.accept_keyword(Keyword::FETCH) {
            let first = self.tokens.accept_keyword(Keyword::FIRST);
            if !first {
                self.tokens.expect_keyword(Keyword::NEXT)?;
            }
            query.limit = self.row_count()?;
            self.accept_rows();
            self.tokens.expect_keyword(Keyword::ONLY)?;
        }
        if offset.is_none() && self.tokens.accept_keyword(Keyword::OFFSET) {
            offset = Some(self.offset()?);
        }
        query.offset = offset.unwrap_or(0);
        check_row_count("LIMIT", query.limit)?;
        check_row_count("OFFSET", query.offset)
    }

    fn offset(&mut self) -> Result<u64, Error> {
        let offset = self.row_count()?;
        self.accept_rows();
        Ok(offset)
    }

    fn accept_rows(&mut self) {
        if !self.tokens.accept_keyword(Keyword::ROWS) {
            self.tokens.accept_keyword(Keyword::ROW);
        }
    }

    fn row_count(&mut self) -> Result<u64, Error> {
        let Token::Number(digits, _) = self.tokens.peek() else {
            return Err(self.tokens.unexpected("a row count"));
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.tokens.unexpected("a whole row count"));
        }
        // Too many digits for 64 bits are far beyond the limit anyway.
        let count = digits.parse().unwrap_or(u64::MAX);
        self.tokens.skip();
        Ok(count)
    }
}

fn check_row_count(clause: &str, count: u64) -> Result<(), Error> {
    if count <= limits::QUERY_LIMIT {
        return Ok(());
    }
    Err(Error::Validation(format!(
        "Value for '{clause}' ({count}) exceeds maximum allowed value of {}",
        limits::QUERY_LIMIT
    )))
}
