//! Queries without a table: expressions of literals.

use crate::{
    error::Error,
    explain,
    expr::{CompileOptions, Input, InputBatch, Inputs, KeyView},
    options::QueryOptions,
    plan::{Operand, operand::Nulls},
    response::{BrokerResponse, ResultTable},
    sql::{
        ast::{Expr, Query, SelectItem},
        names::result_name,
    },
};

/// Answers a query without a table, or explains it.
///
/// # Errors
/// [`Error::Validation`] when it names a column, [`Error::Execution`] when a value cannot be computed.
pub fn evaluate_only(query: &Query, options: &QueryOptions) -> Result<BrokerResponse, Error> {
    if query.explain {
        let table = explain::evaluate_only().table;
        return Ok(BrokerResponse {
            result_table: Some(table),
            ..BrokerResponse::default()
        });
    }
    let compile = CompileOptions {
        null_handling: options.null_handling,
        now_ms: crate::engine::now_ms(),
    };
    let batch = InputBatch {
        columns: Vec::new(),
        row_count: 1,
    };
    let (mut names, mut types, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for item in &query.select {
        let SelectItem::Expr { expr, alias } = item else {
            return Err(no_table("*"));
        };
        let operand = Operand::compile(expr, KeyView::Own, &mut NoInputs, &compile)?;
        names.push(result_name(
            query,
            expr,
            alias.as_deref(),
            options.null_handling,
        ));
        types.push(operand.column_type());
        columns.push(operand.evaluate(&batch, Nulls::Keep)?);
    }
    let result_table = Some(ResultTable::try_new(names, types, columns)?);
    Ok(BrokerResponse {
        result_table,
        ..BrokerResponse::default()
    })
}

fn no_table(name: &str) -> Error {
    Error::Validation(format!(
        "Data source (FROM clause) not found: expression={name}"
    ))
}

struct NoInputs;

impl Inputs for NoInputs {
    fn column(&mut self, name: &str) -> Result<Input, Error> {
        Err(no_table(name))
    }

    fn item(&mut self, column: &str, key: &str, _view: KeyView) -> Result<Input, Error> {
        let item = Expr::Item {
            column: column.to_owned(),
            key: key.to_owned(),
        };
        Err(no_table(&crate::sql::names::expr_text(&item, true)))
    }
}
