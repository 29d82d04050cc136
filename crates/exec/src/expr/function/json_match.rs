//! JSON_MATCH over a column of JSON text.

use std::cell::OnceCell;

use growler_schema::DataType;

use super::json::needs_index;
use crate::{
    error::Error,
    expr::{KeyView, call::Call, json::matching::Matcher, node::Node},
    sql::ast::Expr,
};

/// `json_match(column, 'filter')`: whether the filter holds for the document.
///
/// As in Pinot the column itself must be JSON text: not a VARIANT, one of its keys, or an expression.
pub(super) fn json_match(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let is_column = matches!(call.arg(0)?, Expr::Column(_));
    if !is_column {
        return Err(needs_index(call, "JSON_MATCH"));
    }
    let node = call.viewed(0, KeyView::Own)?;
    let is_text = matches!(
        node.column_type.data_type,
        DataType::String | DataType::Json | DataType::Map
    );
    if node.column_type.multi_value || !is_text {
        return Err(needs_index(call, "JSON_MATCH"));
    }
    let matcher = Matcher::parse(&call.constant_text(1)?)?;
    let node = call.cast(node, DataType::String)?;
    call.strict(vec![node], DataType::Boolean.single(), move |args| {
        let texts = args.texts(0)?;
        let failed = OnceCell::new();
        let array = args.collect_bool(|row| {
            if failed.get().is_some() {
                return false;
            }
            let matches = matcher.matches(texts.at(row));
            matches.unwrap_or_else(|error| {
                failed.get_or_init(|| error);
                false
            })
        });
        failed.into_inner().map_or(Ok(array), Err)
    })
}
