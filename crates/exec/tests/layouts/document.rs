//! Documents: what a row means, whatever file it lies in.

use growler_variant::Node;
use growler_variant::value::TimestampUnit;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Doc {
    Null,
    Boolean(bool),
    /// With the bytes of its type: 1, 2, 4 or 8.
    Int(i64, u8),
    Float(f32),
    Double(f64),
    Decimal(i128, u8),
    Date(i32),
    Time(i64),
    Timestamp(i64, TimestampUnit, bool),
    Binary(Vec<u8>),
    Text(String),
    Uuid([u8; 16]),
    Object(Vec<(String, Doc)>),
    List(Vec<Doc>),
}

/// What a row of the VARIANT column is.
#[derive(Debug, Clone)]
pub enum Row {
    /// SQL NULL.
    Null,
    /// A value, most of the time an object.
    Doc(Doc),
    /// Bytes beside a sound dictionary that are no value.
    Malformed(&'static [u8]),
}

impl Row {
    /// Returns the value, whatever it is.
    pub fn value(&self) -> Option<&Doc> {
        match self {
            Self::Doc(doc) => Some(doc),
            Self::Null | Self::Malformed(_) => None,
        }
    }

    /// Returns the document that queries see.
    pub fn document(&self) -> Option<&Doc> {
        self.value().filter(|doc| matches!(doc, Doc::Object(_)))
    }
}

/// Keys that queries ask for. Some are two ways to write one text: a literal name, or a path; the
/// last one no row has.
pub const KEYS: [&str; 10] = [
    "k", "k.x", "o.n", "o.p.q", "", "ключ", "it's", "q\"uote", "😀.z", "no.such",
];

impl Doc {
    /// Returns the value as the codec has scalars.
    pub fn node(&self) -> Option<Node<'_>> {
        Some(match self {
            Self::Null => Node::Null,
            Self::Boolean(value) => Node::Boolean(*value),
            Self::Int(value, 1) => Node::Int8(*value as i8),
            Self::Int(value, 2) => Node::Int16(*value as i16),
            Self::Int(value, 4) => Node::Int32(*value as i32),
            Self::Int(value, _) => Node::Int64(*value),
            Self::Float(value) => Node::Float(*value),
            Self::Double(value) => Node::Double(*value),
            Self::Decimal(unscaled, scale) => Node::Decimal {
                unscaled: *unscaled,
                scale: *scale,
                width: 16,
            },
            Self::Date(days) => Node::Date(*days),
            Self::Time(micros) => Node::Time(*micros),
            Self::Timestamp(value, unit, utc) => Node::Timestamp {
                value: *value,
                unit: *unit,
                utc: *utc,
            },
            Self::Binary(bytes) => Node::Binary(bytes),
            Self::Text(text) => Node::String(text),
            Self::Uuid(uuid) => Node::Uuid(*uuid),
            Self::Object(_) | Self::List(_) => return None,
        })
    }

    /// Finds the value of a key: the literal name first, then step by step through objects.
    pub fn find(&self, key: &str) -> Option<&Doc> {
        self.field(key).or_else(|| {
            let (first, rest) = key.split_once('.')?;
            self.field(first)?.find(rest)
        })
    }

    /// Finds a field of an object.
    pub fn field(&self, name: &str) -> Option<&Doc> {
        match self {
            Self::Object(fields) => fields.iter().find(|(of, _)| of == name).map(|(_, doc)| doc),
            _ => None,
        }
    }

    /// Calls a function with every name in the document.
    pub fn each_name(&self, seen: &mut impl FnMut(&str)) {
        match self {
            Self::Object(fields) => fields.iter().for_each(|(name, doc)| {
                seen(name);
                doc.each_name(seen);
            }),
            Self::List(items) => items.iter().for_each(|item| item.each_name(seen)),
            _ => {}
        }
    }
}
