//! The leaves in which one file keeps a variant column.

use growler_base::LeafIdx;
use growler_schema::{DataType, TimeUnit};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Leaves of one variant column of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Names of all object fields of a row; shared by every residual in that row.
    pub metadata: LeafIdx,
    /// The whole value.
    pub root: Group,
}

/// One value, split into a residual and a typed part; either may be absent from the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Residual bytes: what the typed part does not hold.
    pub value: Option<LeafIdx>,
    /// The typed part.
    pub typed: Option<Typed>,
}

/// What a `typed_value` is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Typed {
    /// A primitive column.
    Scalar {
        /// The column.
        leaf: LeafIdx,
        /// Variant type its values become.
        scalar: ScalarType,
    },
    /// A group with one field per shredded key.
    Object(Vec<ShreddedField>),
    /// A list; each element is a group of its own.
    List(Box<Group>),
}

/// A key that has a group of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShreddedField {
    /// Name of the key, exactly as written.
    pub name: String,
    /// Where its value is.
    pub group: Group,
}

/// Variant type that a typed leaf's values become (VariantShredding.md, "Shredded Value Types").
///
/// The column decides, not what the writer was given: an int8 stored in an int64 column is an int64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScalarType {
    /// BOOLEAN.
    Boolean,
    /// INT(8, signed).
    Int8,
    /// INT(16, signed).
    Int16,
    /// INT32, bare or INT(32, signed).
    Int32,
    /// INT64, bare or INT(64, signed).
    Int64,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// DECIMAL of up to 38 digits.
    Decimal {
        /// Most digits.
        precision: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// DATE.
    Date,
    /// TIME(not UTC, micros).
    Time,
    /// TIMESTAMP in micros or nanos.
    Timestamp {
        /// Micros or nanos.
        unit: TimeUnit,
        /// Whether the values are points in time; else local date-times.
        utc: bool,
    },
    /// BYTE_ARRAY without annotation.
    Binary,
    /// STRING.
    String,
    /// UUID.
    Uuid,
}

/// One shredded key of a layout, for reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShreddedKey {
    /// Names of the keys on the way, joined by dots.
    pub path: String,
    /// What its typed part is.
    pub kind: KeyKind,
    /// Its residual leaf.
    pub value: Option<LeafIdx>,
}

/// What the typed part of a shredded key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// There is none; every value is in the residual.
    Residual,
    /// A primitive column.
    Scalar {
        /// The column.
        leaf: LeafIdx,
        /// Its type.
        scalar: ScalarType,
    },
    /// An object with shredded keys of its own.
    Object,
    /// An array.
    List,
}

impl Layout {
    /// Returns every leaf of the column, `metadata` first.
    pub fn leaves(&self) -> Vec<LeafIdx> {
        let mut leaves = vec![self.metadata];
        self.root.push_leaves(&mut leaves);
        leaves
    }

    /// Lists the shredded keys at every depth, parents before their children. Nothing inside an
    /// array is a key.
    pub fn keys(&self) -> Vec<ShreddedKey> {
        let mut keys = Vec::new();
        push_keys(&self.root, "", &mut keys);
        keys
    }
}

impl Group {
    /// Makes the group of a value that is not shredded.
    pub fn unshredded(value: LeafIdx) -> Self {
        Self {
            value: Some(value),
            typed: None,
        }
    }

    /// Returns the shredded field of that name, if the typed part is an object that has it.
    pub fn field(&self, name: &str) -> Option<&ShreddedField> {
        match &self.typed {
            Some(Typed::Object(fields)) => fields.iter().find(|field| field.name == name),
            _ => None,
        }
    }

    /// Returns the typed leaf, if the typed part is a scalar.
    pub fn scalar(&self) -> Option<(LeafIdx, ScalarType)> {
        match self.typed {
            Some(Typed::Scalar { leaf, scalar }) => Some((leaf, scalar)),
            _ => None,
        }
    }

    /// Appends every leaf of the group, in the order of the file: the residual, then the typed part.
    pub fn push_leaves(&self, leaves: &mut Vec<LeafIdx>) {
        leaves.extend(self.value);
        self.push_typed_leaves(leaves);
    }

    /// Appends every leaf of the typed part.
    pub(crate) fn push_typed_leaves(&self, leaves: &mut Vec<LeafIdx>) {
        match &self.typed {
            None => {}
            Some(Typed::Scalar { leaf, .. }) => leaves.push(*leaf),
            Some(Typed::Object(fields)) => {
                fields
                    .iter()
                    .for_each(|field| field.group.push_leaves(leaves));
            }
            Some(Typed::List(element)) => element.push_leaves(leaves),
        }
    }
}

impl KeyKind {
    fn of(group: &Group) -> Self {
        match group.typed {
            None => Self::Residual,
            Some(Typed::Scalar { leaf, scalar }) => Self::Scalar { leaf, scalar },
            Some(Typed::Object(_)) => Self::Object,
            Some(Typed::List(_)) => Self::List,
        }
    }
}

fn push_keys(group: &Group, prefix: &str, keys: &mut Vec<ShreddedKey>) {
    let Some(Typed::Object(fields)) = &group.typed else {
        return;
    };
    for field in fields {
        let path = format!("{prefix}{}", field.name);
        let below = format!("{path}.");
        keys.push(ShreddedKey {
            path,
            kind: KeyKind::of(&field.group),
            value: field.group.value,
        });
        push_keys(&field.group, &below, keys);
    }
}

impl ScalarType {
    /// Returns the type a key has by virtue of this leaf; date, time and uuid read as their text.
    pub fn key_type(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int8 | Self::Int16 | Self::Int32 => DataType::Int,
            Self::Int64 => DataType::Long,
            Self::Float => DataType::Float,
            Self::Double => DataType::Double,
            Self::Decimal { scale, .. } => DataType::BigDecimal {
                scale: i8::try_from(scale).unwrap_or(i8::MAX),
            },
            Self::Timestamp { unit, .. } => DataType::Timestamp { unit },
            Self::Binary => DataType::Bytes,
            Self::String | Self::Date | Self::Time | Self::Uuid => DataType::String,
        }
    }

    /// Returns the name of a value's type in error texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float => "float",
            Self::Double => "double",
            Self::Decimal { .. } => "decimal",
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp { utc: true, .. } => "timestamp",
            Self::Timestamp { utc: false, .. } => "timestamp_ntz",
            Self::Binary => "binary",
            Self::String => "string",
            Self::Uuid => "uuid",
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            Self::Timestamp {
                unit: TimeUnit::Nanos,
                ..
            } => write!(f, "{}(nanos)", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(value: Option<u32>, leaf: u32, scalar: ScalarType) -> Group {
        let typed = Some(Typed::Scalar {
            leaf: LeafIdx(leaf),
            scalar,
        });
        Group {
            value: value.map(LeafIdx),
            typed,
        }
    }

    fn object(value: Option<u32>, fields: Vec<(&str, Group)>) -> Group {
        let fields = fields.into_iter();
        let field = |(name, group): (&str, Group)| ShreddedField {
            name: name.to_owned(),
            group,
        };
        Group {
            value: value.map(LeafIdx),
            typed: Some(Typed::Object(fields.map(field).collect())),
        }
    }

    fn list(value: u32, element: Group) -> Group {
        Group {
            value: Some(LeafIdx(value)),
            typed: Some(Typed::List(Box::new(element))),
        }
    }

    #[test]
    fn walks_leaves_and_keys_in_schema_order() {
        let device = object(
            Some(4),
            vec![("os", scalar(Some(5), 6, ScalarType::String))],
        );
        let tags = list(7, Group::unshredded(LeafIdx(8)));
        let root = object(
            Some(1),
            vec![
                ("latency", scalar(Some(2), 3, ScalarType::Int32)),
                ("device", device),
                ("tags", tags),
            ],
        );
        let layout = Layout {
            metadata: LeafIdx(0),
            root,
        };
        assert_eq!(layout.leaves(), (0..9).map(LeafIdx).collect::<Vec<_>>());
        let keys: Vec<(String, KeyKind)> = layout
            .keys()
            .into_iter()
            .map(|key| (key.path, key.kind))
            .collect();
        let expected = [
            (
                "latency",
                KeyKind::Scalar {
                    leaf: LeafIdx(3),
                    scalar: ScalarType::Int32,
                },
            ),
            ("device", KeyKind::Object),
            (
                "device.os",
                KeyKind::Scalar {
                    leaf: LeafIdx(6),
                    scalar: ScalarType::String,
                },
            ),
            ("tags", KeyKind::List),
        ];
        assert_eq!(keys, expected.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn leaf_types_become_key_types() {
        let micros = TimeUnit::Micros;
        let cases = [
            (ScalarType::Boolean, DataType::Boolean),
            (ScalarType::Int8, DataType::Int),
            (ScalarType::Int32, DataType::Int),
            (ScalarType::Int64, DataType::Long),
            (ScalarType::Float, DataType::Float),
            (ScalarType::Double, DataType::Double),
            (
                ScalarType::Decimal {
                    precision: 9,
                    scale: 2,
                },
                DataType::BigDecimal { scale: 2 },
            ),
            (
                ScalarType::Timestamp {
                    unit: micros,
                    utc: false,
                },
                DataType::Timestamp { unit: micros },
            ),
            (ScalarType::Date, DataType::String),
            (ScalarType::Time, DataType::String),
            (ScalarType::Uuid, DataType::String),
            (ScalarType::Binary, DataType::Bytes),
        ];
        for (scalar, expected) in cases {
            assert_eq!(scalar.key_type(), expected, "{scalar}");
        }
    }
}
