//! The type that several arguments share.

use growler_schema::{DataType, Value};

use crate::{
    error::Error,
    expr::{
        call::Call,
        convert::{decimal::Decimal, number, timestamp::Instant},
        node::Node,
    },
    sql::ast::Literal,
};

/// Finds the type of the branches of a CASE or the arguments of COALESCE, and converts them to it.
///
/// NULL literals have any type; all of them NULL gives STRING. Numbers widen: INT, LONG, DOUBLE;
/// FLOAT with another number is DOUBLE; BIG_DECIMAL with whole numbers and literals is BIG_DECIMAL,
/// with FLOAT and DOUBLE values, which may be infinite, DOUBLE. Timestamps take the finer unit. A
/// text literal becomes what the others are if it can be read so. All other mixes are refused.
///
/// # Errors
/// [`Error::Validation`] `Cannot upcast from .. to ..`.
pub(super) fn unify(call: &mut Call<'_, '_>, nodes: Vec<Node>) -> Result<Vec<Node>, Error> {
    let to = common_type(call, &nodes)?;
    nodes.into_iter().map(|node| call.cast(node, to)).collect()
}

/// Finds the type that the nodes share.
pub(super) fn common_type(call: &Call<'_, '_>, nodes: &[Node]) -> Result<DataType, Error> {
    if nodes.iter().any(|node| node.column_type.multi_value) {
        return Err(call.invalid("multi-value arguments are not supported"));
    }
    let typed = || nodes.iter().filter(|node| !node.is_null_literal());
    let is_text_literal = |node: &&Node| matches!(node.as_literal(), Some(Literal::String(_)));
    let mut common: Option<DataType> = None;
    for node in typed().filter(|node| !is_text_literal(node)) {
        common = Some(match common {
            None => node.column_type.data_type,
            Some(have) => pair(have, node.column_type.data_type)
                .ok_or_else(|| upcast(call, node.column_type.data_type, have))?,
        });
    }
    let Some(common) = common else {
        return Ok(DataType::String);
    };
    let common = widen_for_literals(common, nodes);
    for node in typed().filter(is_text_literal) {
        if let Some(Literal::String(text)) = node.as_literal()
            && !reads_as(text, common)
        {
            return Err(upcast(call, DataType::String, common));
        }
    }
    Ok(common)
}

fn upcast(call: &Call<'_, '_>, from: DataType, to: DataType) -> Error {
    call.invalid(format!(
        "Cannot upcast from {} to {}",
        from.name(),
        to.name()
    ))
}

fn pair(a: DataType, b: DataType) -> Option<DataType> {
    use DataType as T;
    Some(match (a, b) {
        (a, b) if a == b => a,
        (T::Int, T::Long) | (T::Long, T::Int) => T::Long,
        (T::BigDecimal { scale: a }, T::BigDecimal { scale: b }) => {
            T::BigDecimal { scale: a.max(b) }
        }
        (T::BigDecimal { scale }, T::Int | T::Long)
        | (T::Int | T::Long, T::BigDecimal { scale }) => T::BigDecimal { scale },
        (a, b) if a.is_numeric() && b.is_numeric() => T::Double,
        (T::Timestamp { unit: a }, T::Timestamp { unit: b }) => T::Timestamp { unit: a.max(b) },
        (a, b) if a.is_text() && b.is_text() => T::String,
        _ => return None,
    })
}

/// A DOUBLE that only comes from literals beside decimals is a decimal, as written.
fn widen_for_literals(common: DataType, nodes: &[Node]) -> DataType {
    let mut scale: Option<i8> = None;
    for node in nodes {
        let of_node = match (node.column_type.data_type, node.as_literal()) {
            (DataType::BigDecimal { scale }, _) => Some(scale),
            (DataType::Int | DataType::Long, _) => None,
            (DataType::Double, Some(Literal::Double(_, text))) => {
                match Decimal::parse(text).map(Decimal::normalized) {
                    Some(number) => Some(number.scale),
                    None => return common,
                }
            }
            (DataType::Float | DataType::Double, _) => return common,
            _ => None,
        };
        scale = scale.max(of_node);
    }
    let has_decimal = nodes
        .iter()
        .any(|node| matches!(node.column_type.data_type, DataType::BigDecimal { .. }));
    match scale {
        Some(scale) if has_decimal && common.is_numeric() => DataType::BigDecimal { scale },
        _ => common,
    }
}

fn reads_as(text: &str, to: DataType) -> bool {
    match to {
        DataType::Int => text.trim().parse::<i32>().is_ok(),
        DataType::Long => text.trim().parse::<i64>().is_ok(),
        DataType::Float | DataType::Double => number::parse_f64(text).is_some(),
        DataType::BigDecimal { scale } => {
            Decimal::parse(text.trim()).is_some_and(|n| n.rescale_exact(scale).is_some())
        }
        DataType::Boolean => matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "1" | "0"
        ),
        DataType::Timestamp { .. } => Instant::parse(text).is_some(),
        DataType::Bytes => number::parse_hex(text).is_some(),
        DataType::Uuid => crate::expr::convert::cast::parse_uuid(text).is_some(),
        DataType::String | DataType::Json => true,
        DataType::Map | DataType::OpenStruct => false,
    }
}

/// Turns a constant into the literal it could have been written as.
pub(super) fn literal_of(node: &Node) -> Option<Literal> {
    if let Some(literal) = node.as_literal() {
        return Some(literal.clone());
    }
    Some(match node.as_constant()? {
        None => Literal::Null,
        Some(Value::Int(v)) => Literal::Int(*v),
        Some(Value::Long(v)) => match i32::try_from(*v) {
            Ok(v) => Literal::Int(v),
            Err(_) => Literal::Long(*v),
        },
        Some(Value::Float(v)) => double_literal(f64::from(*v)),
        Some(Value::Double(v)) => double_literal(*v),
        Some(Value::BigDecimal(unscaled, scale)) => {
            let number = Decimal {
                unscaled: *unscaled,
                scale: *scale,
            };
            Literal::Double(number.to_f64(), number.text())
        }
        Some(Value::Boolean(v)) => Literal::Boolean(*v),
        Some(value) => Literal::String(crate::expr::convert::cast::text_of(value)),
    })
}

fn double_literal(value: f64) -> Literal {
    let mut text = String::new();
    number::write_f64(value, &mut text);
    Literal::Double(value, text)
}
