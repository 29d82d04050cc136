//! CAST.

use growler_schema::{ColumnType, DataType, TimeUnit, Value};

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{
        KeyView,
        call::{COMPUTED_SCALE, Call},
        convert::decimal::Decimal,
        node::Node,
    },
    sql::ast::Literal,
};

pub(super) const TABLE: &[Entry] = &[("cast", cast)];

fn cast(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let name = call.constant_text(1)?.to_ascii_uppercase();
    let to = parse_type(&name)
        .ok_or_else(|| call.invalid(format!("Unable to cast expression to type - {name}")))?;
    let node = call.viewed(0, KeyView::Own)?;
    if node.column_type.multi_value != to.multi_value {
        return Err(call.invalid(format!("Unable to cast expression to type - {name}")));
    }
    let to = match (to.data_type, node.column_type.data_type) {
        (DataType::BigDecimal { .. }, _) => DataType::BigDecimal {
            scale: decimal_scale(&node),
        },
        (DataType::Timestamp { .. }, from @ DataType::Timestamp { .. }) => from,
        (to, _) => to,
    };
    call.cast(node, to)
}

/// Digits behind the point of a value's decimal: its own where they are known.
fn decimal_scale(node: &Node) -> i8 {
    let constant = match (node.as_literal(), node.as_constant()) {
        (Some(Literal::Double(_, text)), _) => Decimal::parse(text),
        (_, Some(Some(Value::String(text)))) => Decimal::parse(text.trim()),
        (_, Some(Some(Value::Double(value)))) => Decimal::from_f64(*value),
        _ => None,
    };
    if let Some(number) = constant {
        return number.scale;
    }
    match node.column_type.data_type {
        DataType::BigDecimal { scale } => scale,
        DataType::Int | DataType::Long | DataType::Boolean | DataType::Timestamp { .. } => 0,
        _ => COMPUTED_SCALE,
    }
}

/// Parses the name of a type to cast to, with its SQL synonyms.
pub(super) fn parse_type(name: &str) -> Option<ColumnType> {
    let (base, multi_value) = match name.strip_suffix("_ARRAY") {
        Some(base) => (base, true),
        None => (name, false),
    };
    let data_type = match base {
        "INT" | "INTEGER" => DataType::Int,
        "LONG" | "BIGINT" => DataType::Long,
        "FLOAT" | "REAL" => DataType::Float,
        "DOUBLE" => DataType::Double,
        "DECIMAL" | "BIGDECIMAL" | "BIG_DECIMAL" => DataType::BigDecimal { scale: 0 },
        "BOOL" | "BOOLEAN" => DataType::Boolean,
        "TIMESTAMP" => DataType::Timestamp {
            unit: TimeUnit::Millis,
        },
        "STRING" | "VARCHAR" => DataType::String,
        "JSON" => DataType::Json,
        "BYTES" | "VARBINARY" => DataType::Bytes,
        "UUID" => DataType::Uuid,
        _ => return None,
    };
    Some(ColumnType {
        data_type,
        multi_value,
    })
}
