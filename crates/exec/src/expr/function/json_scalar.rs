//! JSON_EXTRACT_SCALAR: where the text comes from, and values as types.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, ListArray, types};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use growler_schema::{ColumnType, DataType, TimeUnit, Value as Typed};
use serde_json::Value;

use super::arithmetic::with_scale;
use crate::{
    error::Error,
    expr::{
        KeyView,
        args::Args,
        call::{COMPUTED_SCALE, Call},
        json::{
            Extractor, Found,
            path::{Path, Step},
            scalar,
        },
        node::{Node, internal},
    },
    sql::ast::Expr,
};

/// What a row gets whose path leads nowhere, or to what does not convert.
#[derive(Debug, Clone)]
pub(super) enum Otherwise {
    /// The query fails.
    Fail,
    /// Null.
    Null,
    /// The default.
    Value(Typed),
}

/// `jsonExtractScalar(json, path, type[, default])`.
///
/// A value that does not convert to the type counts as unresolved.
pub(super) fn extract_scalar(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=4)?;
    let path = parse_path(call)?;
    let column_type = result_type(call)?;
    let otherwise = if call.args.len() < 4 {
        Otherwise::Fail
    } else {
        default(call, column_type)?
    };
    let (node, extractor) = match walked(call, &path, &otherwise)? {
        Some(found) => found,
        None => source(call, path, &otherwise)?,
    };
    extracting(call, node, extractor, column_type, otherwise)
}

/// Reads the path, the second argument.
pub(super) fn parse_path(call: &mut Call<'_, '_>) -> Result<Path, Error> {
    let text = call.constant_text(1)?;
    Path::parse(&text).ok_or_else(|| call.invalid(format!("Illegal JSON path: {text}")))
}

fn result_type(call: &mut Call<'_, '_>) -> Result<ColumnType, Error> {
    let name = call.constant_text(2)?.to_ascii_uppercase();
    let (base, multi_value) = match name.strip_suffix("_ARRAY") {
        Some(base) => (base, true),
        None => (name.as_str(), false),
    };
    let data_type = match DataType::parse(base) {
        Some(DataType::BigDecimal { .. }) => DataType::BigDecimal {
            scale: COMPUTED_SCALE,
        },
        Some(DataType::Json | DataType::Bytes) if multi_value => {
            return Err(wrong_type(call, &name));
        }
        Some(DataType::Uuid | DataType::Map | DataType::OpenStruct) | None => {
            return Err(wrong_type(call, &name));
        }
        Some(other) => other,
    };
    Ok(ColumnType {
        data_type,
        multi_value,
    })
}

fn wrong_type(call: &Call<'_, '_>, name: &str) -> Error {
    call.invalid(format!(
        "Unsupported results type: {name} for jsonExtractScalar function. Supported types are: \
         INT/LONG/FLOAT/DOUBLE/BIG_DECIMAL/BOOLEAN/TIMESTAMP/STRING/JSON/BYTES/INT_ARRAY/LONG_ARRAY/\
         FLOAT_ARRAY/DOUBLE_ARRAY/BIG_DECIMAL_ARRAY/BOOLEAN_ARRAY/TIMESTAMP_ARRAY/STRING_ARRAY"
    ))
}

fn default(call: &mut Call<'_, '_>, column_type: ColumnType) -> Result<Otherwise, Error> {
    let node = call.node(3)?;
    if node.is_null_literal() {
        return Ok(Otherwise::Null);
    }
    let node = call.cast(node, column_type.data_type)?;
    match node.as_constant() {
        Some(Some(value)) => Ok(Otherwise::Value(value.clone())),
        Some(None) => Ok(Otherwise::Null),
        None => Err(call.invalid("the default must be a literal of the results type")),
    }
}

/// Finds a key of a VARIANT column whose objects and arrays are walked to what the path leads to, so
/// that no text is made of the rest; none when that cannot be, or need not.
fn walked(
    call: &mut Call<'_, '_>,
    path: &Path,
    otherwise: &Otherwise,
) -> Result<Option<(Node, Extractor)>, Error> {
    let (column, key, view, steps) = match call.arg(0)? {
        Expr::Item { column, key } => (column, key.as_str(), KeyView::Own, &*path.steps),
        Expr::Column(column) => match key_of_document(call, path, otherwise) {
            Some((key, steps)) => (column, key, KeyView::Json, steps),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let Some(inside) = Extractor::inside(steps) else {
        return Ok(None);
    };
    let found = call
        .compiler
        .inside_key((column, key), view, &inside)?
        .map(|node| {
            let steps = steps.to_vec();
            (node, Extractor::walked(Path { steps }))
        });
    Ok(found)
}

/// Splits a path into a document into the key that may be read in its place, and the rest; see
/// [`source`].
fn key_of_document<'p>(
    call: &Call<'_, '_>,
    path: &'p Path,
    otherwise: &Otherwise,
) -> Option<(&'p str, &'p [Step])> {
    let alike = !call.compiler.null_handling || matches!(otherwise, Otherwise::Null);
    match path.steps.split_first() {
        Some((Step::Name(key), rest)) if alike && !key.is_empty() && !key.contains('.') => {
            Some((key, rest))
        }
        _ => None,
    }
}

/// Finds where the JSON text comes from.
///
/// A path into a VARIANT column that starts with a name reads that key instead of the document, when
/// that gives the same: the name has no dot (so that no nested key can answer to it), and a missing
/// document need not be told from a missing key.
pub(super) fn source(
    call: &mut Call<'_, '_>,
    path: Path,
    otherwise: &Otherwise,
) -> Result<(Node, Extractor), Error> {
    if let (Expr::Column(column), Some((key, rest))) =
        (call.arg(0)?, key_of_document(call, &path, otherwise))
    {
        match call.compiler.key_as_json(column, key) {
            Ok(node) => {
                return Ok((
                    node,
                    Extractor::new(Path {
                        steps: rest.to_vec(),
                    }),
                ));
            }
            // The column is no VARIANT, or the key is none.
            Err(Error::Validation(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let node = call.single(0, KeyView::Own)?;
    let node = match node.column_type.data_type {
        DataType::Bytes => utf8(call, node)?,
        _ => call.cast(node, DataType::String)?,
    };
    Ok((node, Extractor::new(path)))
}

/// Reads bytes as text; what is no UTF-8 is no JSON either.
fn utf8(call: &mut Call<'_, '_>, node: Node) -> Result<Node, Error> {
    call.strict(vec![node], DataType::String.single(), |args| {
        let bytes = args.bytes(0)?;
        args.collect_text(|row, out| {
            out.push_str(std::str::from_utf8(bytes.value(row)).unwrap_or_default());
            Ok(true)
        })
    })
}

/// Makes the function that finds values and converts them.
pub(super) fn extracting(
    call: &mut Call<'_, '_>,
    node: Node,
    extractor: Extractor,
    column_type: ColumnType,
    otherwise: Otherwise,
) -> Result<Node, Error> {
    let data_type = column_type.data_type;
    if column_type.multi_value {
        return call.strict(vec![node], column_type, move |args| {
            lists(args, &extractor, data_type, &otherwise)
        });
    }
    if data_type == DataType::String {
        return call.strict(vec![node], column_type, move |args| {
            strings(args, &extractor, &otherwise)
        });
    }
    call.strict(vec![node], column_type, move |args| {
        let texts = args.texts(0)?;
        scalars(
            args,
            &|row| extractor.find(texts.at(row)),
            data_type,
            &otherwise,
        )
    })
}

type Find<'a> = &'a dyn Fn(usize) -> Option<Value>;

/// Makes an array of the values found.
fn scalars(
    args: &Args<'_>,
    find: Find<'_>,
    data_type: DataType,
    otherwise: &Otherwise,
) -> Result<ArrayRef, Error> {
    use types::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
    match data_type {
        DataType::Int => numbers::<Int32Type>(args, find, otherwise, scalar::to_i32, |v| match v {
            Typed::Int(v) => Some(*v),
            _ => None,
        }),
        DataType::Long => {
            numbers::<Int64Type>(args, find, otherwise, scalar::to_i64, |v| match v {
                Typed::Long(v) => Some(*v),
                _ => None,
            })
        }
        DataType::Float => {
            numbers::<Float32Type>(args, find, otherwise, scalar::to_f32, |v| match v {
                Typed::Float(v) => Some(*v),
                _ => None,
            })
        }
        DataType::Double => {
            numbers::<Float64Type>(args, find, otherwise, scalar::to_f64, |v| match v {
                Typed::Double(v) => Some(*v),
                _ => None,
            })
        }
        DataType::Timestamp { .. } => {
            numbers::<TimestampMillisecondType>(args, find, otherwise, scalar::to_millis, |v| {
                match v {
                    Typed::Timestamp(v, TimeUnit::Millis) => Some(*v),
                    _ => None,
                }
            })
        }
        DataType::BigDecimal { scale } => {
            let convert = |value: &Value| scalar::to_decimal(value, scale);
            let array =
                numbers::<types::Decimal128Type>(args, find, otherwise, convert, |v| match v {
                    Typed::BigDecimal(v, _) => Some(*v),
                    _ => None,
                })?;
            with_scale(&array, scale)
        }
        DataType::Boolean => {
            let convert = |value: &Value| scalar::to_bool(value).map(i32::from);
            let array = numbers::<Int32Type>(args, find, otherwise, convert, |v| match v {
                Typed::Boolean(v) => Some(i32::from(*v)),
                _ => None,
            })?;
            arrow_cast::cast(&array, &arrow_schema::DataType::Boolean).map_err(internal)
        }
        DataType::Bytes => bytes(args, find, otherwise),
        DataType::Json => texts(args, find, otherwise, scalar::write_json),
        _ => texts(args, find, otherwise, scalar::write_text),
    }
}

fn numbers<T: ArrowPrimitiveType>(
    args: &Args<'_>,
    find: Find<'_>,
    otherwise: &Otherwise,
    convert: impl Fn(&Value) -> Option<T::Native>,
    default: impl Fn(&Typed) -> Option<T::Native>,
) -> Result<ArrayRef, Error> {
    args.collect::<T>(|row| match find(row).as_ref().and_then(&convert) {
        Some(value) => Ok(Some(value)),
        None => match otherwise {
            Otherwise::Fail => Err(unresolved()),
            Otherwise::Null => Ok(None),
            Otherwise::Value(value) => Ok(default(value)),
        },
    })
}

fn texts(
    args: &Args<'_>,
    find: Find<'_>,
    otherwise: &Otherwise,
    write: impl Fn(&Value, &mut String),
) -> Result<ArrayRef, Error> {
    args.collect_text(|row, out| match (find(row), otherwise) {
        (Some(value), _) => {
            write(&value, out);
            Ok(true)
        }
        (None, Otherwise::Fail) => Err(unresolved()),
        (None, Otherwise::Null) => Ok(false),
        (None, Otherwise::Value(value)) => {
            out.push_str(&crate::expr::convert::cast::text_of(value));
            Ok(true)
        }
    })
}

/// Makes an array of text as [`texts`] does; most values are strings, which are copied once.
fn strings(
    args: &Args<'_>,
    extractor: &Extractor,
    otherwise: &Otherwise,
) -> Result<ArrayRef, Error> {
    let texts = args.texts(0)?;
    let default = match otherwise {
        Otherwise::Value(value) => Some(crate::expr::convert::cast::text_of(value)),
        Otherwise::Fail | Otherwise::Null => None,
    };
    args.collect_text(|row, out| {
        match (extractor.find_in(texts.at(row)), otherwise) {
            (Some(Found::Text(text)), _) => out.push_str(text),
            (Some(Found::Value(value)), _) => scalar::write_text(&value, out),
            (None, Otherwise::Fail) => return Err(unresolved()),
            (None, _) => match &default {
                Some(default) => out.push_str(default),
                None => return Ok(false),
            },
        }
        Ok(true)
    })
}

fn bytes(args: &Args<'_>, find: Find<'_>, otherwise: &Otherwise) -> Result<ArrayRef, Error> {
    let mut failed = false;
    let array = args.collect_bytes(|row| {
        let found = find(row).as_ref().and_then(scalar::to_bytes);
        match (found, otherwise) {
            (Some(bytes), _) => Some(bytes),
            (None, Otherwise::Value(Typed::Bytes(default))) => Some(default.clone()),
            (None, Otherwise::Fail) => {
                failed = true;
                None
            }
            (None, _) => None,
        }
    });
    if failed { Err(unresolved()) } else { Ok(array) }
}

fn unresolved() -> Error {
    Error::Execution(
        "Cannot resolve JSON path on some records. Consider setting a default value.".to_owned(),
    )
}

/// Makes a list array; what is no JSON array gives an empty list.
fn lists(
    args: &Args<'_>,
    extractor: &Extractor,
    data_type: DataType,
    otherwise: &Otherwise,
) -> Result<ArrayRef, Error> {
    let texts = args.texts(0)?;
    let mut elements: Vec<Option<Value>> = Vec::new();
    let mut lengths = Vec::with_capacity(args.row_count());
    for row in 0..args.row_count() {
        let before = elements.len();
        if args.is_valid(row)
            && let Some(Value::Array(found)) = extractor.find(texts.at(row))
        {
            elements.extend(
                found
                    .into_iter()
                    .map(|value| Some(value).filter(|v| !v.is_null())),
            );
        }
        lengths.push(elements.len() - before);
    }
    let every = Args::new(&[], elements.len());
    let find = |row: usize| elements.get(row).cloned().flatten();
    let values = scalars(&every, &find, data_type, otherwise).map_err(|error| match error {
        Error::Execution(_) => Error::Execution(
            "At least one of the resolved JSON arrays include nulls, which is not supported in Pinot. \
             Consider setting a default value as the fourth argument of jsonExtractScalar."
                .to_owned(),
        ),
        other => other,
    })?;
    list_array(data_type, lengths, values, args.nulls().cloned())
}

fn list_array(
    data_type: DataType,
    lengths: Vec<usize>,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, Error> {
    let field = Arc::new(Field::new_list_field(data_type.arrow_type(), true));
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(
        ListArray::try_new(field, offsets, values, nulls).map_err(internal)?,
    ))
}
