//! A query as the engine sees it: Pinot's, with every operator a function call.

use std::collections::BTreeMap;

/// One parsed SQL statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Whether the plan is asked for instead of the rows (`EXPLAIN PLAN FOR`).
    pub explain: bool,
    /// `SET k = v;` and `OPTION(k=v)`, keys lower case; the last one wins.
    pub options: BTreeMap<String, String>,
    /// Table name without a `_OFFLINE` suffix; none for a literal-only query.
    pub table: Option<String>,
    /// What to return, in order.
    pub select: Vec<SelectItem>,
    /// `SELECT DISTINCT`, or a `GROUP BY` of just the selected expressions.
    pub distinct: bool,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// `GROUP BY`, ordinals and aliases already replaced.
    pub group_by: Vec<Expr>,
    /// `HAVING`, aliases already replaced.
    pub having: Option<Expr>,
    /// `ORDER BY`, ordinals and aliases already replaced.
    pub order_by: Vec<OrderBy>,
    /// `LIMIT`, 10 by default.
    pub limit: u64,
    /// `OFFSET`.
    pub offset: u64,
}

/// One item of the select list.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// `*`: all columns of the schema in name order.
    All,
    /// An expression, with its alias if it has one.
    Expr {
        /// What to compute.
        expr: Expr,
        /// `AS name`.
        alias: Option<String>,
    },
}

/// One key of `ORDER BY`.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderBy {
    /// What to sort on.
    pub expr: Expr,
    /// `DESC`.
    pub descending: bool,
    /// `NULLS FIRST` is true, `NULLS LAST` false; by default null is largest.
    pub nulls_first: Option<bool>,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A column, or a virtual one such as `$docId`.
    Column(String),
    /// `column['key']`: a VARIANT key by dotted path.
    Item {
        /// The VARIANT column.
        column: String,
        /// Dotted path, as written.
        key: String,
    },
    /// A literal.
    Literal(Literal),
    /// A function or operator; aggregates stand in [`Expr::Aggregate`].
    ///
    /// `name` is Pinot's canonical name in lower case with `_` removed, save for the operators
    /// below, which keep Pinot's spelling: `plus minus times divide mod`, `equals not_equals
    /// less_than less_than_or_equal greater_than greater_than_or_equal`, `between(x,lo,hi)`,
    /// `in(x,a,b,..)` `not_in`, `like(x,p)` `not_like`, `regexp_like`, `is_null` `is_not_null`,
    /// `and or not`, `case(when1,then1,..,else?)`, `cast(x,'TYPE')`, `json_match`.
    Call {
        /// Canonical name.
        name: String,
        /// Arguments in order.
        args: Vec<Expr>,
    },
    /// An aggregate function.
    Aggregate(Box<AggregateCall>),
}

/// A call of an aggregate function.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregateCall {
    /// Canonical name in lower case with `_` removed: `count sum min max avg minmaxrange
    /// distinctcount distinctcounthll percentile percentiletdigest mode stddevpop stddevsamp varpop
    /// varsamp booland boolor firstwithtime lastwithtime arrayagg sumlong minlong maxlong minstring
    /// maxstring ..`; `COUNT(DISTINCT x)` is `distinctcount`.
    pub name: String,
    /// Arguments; empty for `COUNT(*)`.
    pub args: Vec<Expr>,
    /// `FILTER (WHERE ..)`.
    pub filter: Option<Expr>,
}

/// A literal as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `NULL`.
    Null,
    /// `TRUE`, `FALSE`.
    Boolean(bool),
    /// An integer that fits 32 bits.
    Int(i32),
    /// An integer that fits 64 bits only.
    Long(i64),
    /// A number with a fraction or exponent, or an integer beyond 64 bits (its text is kept for
    /// exact decimals).
    Double(f64, String),
    /// Quoted text.
    String(String),
}
