//! JSON functions.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringViewBuilder};
use growler_schema::{DataType, Value as Typed};
use serde_json::Value;

use super::{
    json_match::json_match,
    json_scalar::{Otherwise, extract_scalar, extracting, parse_path, source},
    registry::Entry,
};
use crate::{
    error::Error,
    expr::{
        KeyView,
        call::Call,
        json::{Extractor, scalar},
        node::Node,
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("jsonextractscalar", extract_scalar),
    ("jsonextractscalarfast", extract_scalar),
    ("jsonextractscalarfirstmatch", extract_scalar),
    ("jsonextractkey", extract_key),
    ("jsonextractindex", |call| {
        Err(needs_index(call, "JSON_EXTRACT_INDEX"))
    }),
    ("json_match", json_match),
    ("jsonmatch", json_match),
    ("jsonformat", format),
    ("isjson", is_json),
    ("jsonpath", |call| path_as(call, DataType::String, None)),
    ("jsonpathstring", |call| {
        path_as(call, DataType::String, None)
    }),
    ("jsonpathlong", |call| {
        path_as(call, DataType::Long, Some(Typed::Long(i64::MIN)))
    }),
    ("jsonpathint", |call| {
        path_as(call, DataType::Int, Some(Typed::Int(i32::MIN)))
    }),
    ("jsonpathdouble", |call| {
        path_as(call, DataType::Double, Some(Typed::Double(f64::NAN)))
    }),
    ("jsonpathboolean", |call| {
        path_as(call, DataType::Boolean, Some(Typed::Boolean(false)))
    }),
    ("jsonpathexists", path_exists),
    ("jsonpatharray", path_array),
    ("jsonpatharraydefaultempty", path_array),
];

pub(super) fn needs_index(call: &Call<'_, '_>, what: &str) -> Error {
    let column = call
        .args
        .first()
        .map(crate::expr::describe::describe)
        .unwrap_or_default();
    Error::Validation(format!(
        "Cannot apply {what} on column: {column} without json index"
    ))
}

/// `jsonPathLong(json, path[, default])` and its like; without a default the function's own.
fn path_as(
    call: &mut Call<'_, '_>,
    data_type: DataType,
    own_default: Option<Typed>,
) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let path = parse_path(call)?;
    let otherwise = match (call.args.len(), own_default) {
        (3, _) => {
            let node = call.node(2)?;
            let node = call.cast(node, data_type)?;
            match node.as_constant() {
                Some(Some(value)) => Otherwise::Value(value.clone()),
                Some(None) => Otherwise::Null,
                None => return Err(call.invalid("the default must be a literal")),
            }
        }
        (_, Some(default)) => Otherwise::Value(default),
        (_, None) => Otherwise::Null,
    };
    let (node, extractor) = source(call, path, &otherwise)?;
    extracting(call, node, extractor, data_type.single(), otherwise)
}

fn path_exists(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let path = parse_path(call)?;
    let (node, extractor) = source(call, path, &Otherwise::Value(Typed::Boolean(false)))?;
    call.strict(vec![node], DataType::Boolean.single(), move |args| {
        let texts = args.texts(0)?;
        Ok(args.collect_bool(|row| extractor.find(texts.at(row)).is_some()))
    })
}

/// `jsonPathArray(json, path)`: the values as text; one that is no array is a list of itself.
fn path_array(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let path = parse_path(call)?;
    let (node, extractor) = source(call, path, &Otherwise::Fail)?;
    call.strict(vec![node], DataType::String.multi(), move |args| {
        let texts = args.texts(0)?;
        let mut lists = ListBuilder::new(StringViewBuilder::new());
        let mut text = String::new();
        for row in 0..args.row_count() {
            let found = if args.is_valid(row) {
                extractor.find(texts.at(row))
            } else {
                None
            };
            let values = match found {
                Some(Value::Array(values)) => values,
                other => other.into_iter().collect(),
            };
            for value in values {
                text.clear();
                scalar::write_text(&value, &mut text);
                lists.values().append_value(&text);
            }
            lists.append(args.is_valid(row));
        }
        Ok(Arc::new(lists.finish()))
    })
}

/// `jsonExtractKey(json, path[, 'maxDepth=2;dotNotation=true'])`: the paths that match.
fn extract_key(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let text = call.constant_text(1)?;
    let text = if text.is_empty() || text == "$.." {
        "$..**".to_owned()
    } else {
        text
    };
    let extractor = Extractor::parse(&text)
        .ok_or_else(|| call.invalid(format!("Illegal JSON path: {text}")))?;
    let parameters = call.optional_text(2)?.unwrap_or_default();
    let parameter = |name: &str| {
        let pairs = parameters
            .split(';')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .filter(|(key, _)| key.trim().eq_ignore_ascii_case(name))
            .map(|(_, v)| v.trim())
            .next()
    };
    let max_depth = parameter("maxDepth")
        .and_then(|n| n.parse().ok())
        .filter(|n| *n > 0);
    let max_depth: usize = max_depth.unwrap_or(usize::MAX);
    let dotted = parameter("dotNotation").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let node = call.string(0)?;
    call.strict(vec![node], DataType::String.multi(), move |args| {
        let texts = args.texts(0)?;
        let mut lists = ListBuilder::new(StringViewBuilder::new());
        for row in 0..args.row_count() {
            let valid = args.is_valid(row);
            let paths = if valid {
                extractor.find_paths(texts.at(row))
            } else {
                None
            };
            for path in paths.unwrap_or_default() {
                if path.matches('[').count() > max_depth {
                    continue;
                }
                lists
                    .values()
                    .append_value(if dotted { dot_notation(&path) } else { path });
            }
            lists.append(valid);
        }
        Ok(Arc::new(lists.finish()))
    })
}

/// Turns `$['a'][0]['b']` into `a.0.b`.
fn dot_notation(path: &str) -> String {
    let inner = path.trim_start_matches("$[").trim_end_matches(']');
    let steps = inner.split("][").map(|step| step.trim_matches('\''));
    steps.collect::<Vec<_>>().join(".")
}

/// `jsonFormat(x)`: JSON as compact text; anything else as a JSON value.
fn format(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.single(0, KeyView::Own)?;
    let from = node.column_type.data_type;
    let plain = from.is_numeric() || from == DataType::Boolean;
    let is_json = matches!(from, DataType::Json | DataType::Map | DataType::OpenStruct);
    let node = call.cast(node, DataType::String)?;
    if plain {
        return Ok(node);
    }
    call.strict(vec![node], DataType::String.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect_text(|row, out| {
            let text = texts.at(row);
            let value = if is_json {
                serde_json::from_str(text).ok()
            } else {
                None
            };
            out.push_str(
                &value
                    .unwrap_or_else(|| Value::String(text.to_owned()))
                    .to_string(),
            );
            Ok(true)
        })
    })
}

fn is_json(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::Boolean.single(), |args| {
        let texts = args.texts(0)?;
        let valid = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        Ok(args.collect_bool(|row| valid(texts.at(row))))
    })
}
