//! A shredding shape for the rows of one file.

use std::collections::{BTreeMap, HashSet};

use growler_schema::TimeUnit;

use super::layout::ScalarType;
use super::shape::{Shape, ShapeField, TypedShape};
use crate::value::TimestampUnit;
use crate::{Error, Metadata, Node};

/// Bounds on what is shredded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InferOptions {
    /// Most typed columns of one file.
    pub max_columns: usize,
    /// Deepest nesting of objects and lists; 0 shreds nothing but a root of one type.
    pub max_depth: usize,
    /// Least share of rows (of elements, inside a list) that must have a value of the one type
    /// which a column would hold.
    pub min_fill_rate: f64,
    /// Most different names that are looked at, so that documents whose names are data stay cheap.
    pub max_names: usize,
}

impl Default for InferOptions {
    fn default() -> Self {
        Self {
            max_columns: 300,
            max_depth: 4,
            min_fill_rate: 0.1,
            max_names: 10_000,
        }
    }
}

/// Looks at rows and says how their file is best shredded.
#[derive(Debug)]
pub struct Inference {
    options: InferOptions,
    root: Seen,
    name_count: usize,
}

/// What was seen at one place.
#[derive(Debug, Default)]
struct Seen {
    /// Values of each class.
    counts: BTreeMap<Class, usize>,
    /// Widest integer, in bits.
    int_bits: u32,
    /// Most digits of a decimal, by scale.
    digits: BTreeMap<u8, u32>,
    fields: BTreeMap<Box<str>, Seen>,
    element: Option<Box<Seen>>,
}

/// Values of which one typed column holds all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Boolean,
    Int,
    Float,
    Double,
    Decimal(u8),
    Date,
    Time,
    Timestamp { nanos: bool, utc: bool },
    Binary,
    String,
    Uuid,
    Object,
    List,
}

impl Inference {
    /// Starts with no row seen.
    pub fn new(options: InferOptions) -> Self {
        Self {
            options,
            root: Seen::default(),
            name_count: 0,
        }
    }

    /// Looks at a row.
    ///
    /// # Errors
    /// `Corrupt` when its bytes cannot be taken apart; what was seen before stays.
    pub fn see(&mut self, metadata: &[u8], value: &[u8]) -> Result<(), Error> {
        let metadata = Metadata::try_new(metadata)?;
        let room = self.options.max_names.saturating_sub(self.name_count);
        let mut look = Look {
            metadata,
            max_depth: self.options.max_depth,
            room,
        };
        let seen = look.see(&mut self.root, value, 0);
        let used = room.saturating_sub(look.room);
        self.name_count = self.name_count.saturating_add(used);
        seen
    }

    /// Returns the shape for the rows seen.
    pub fn shape(&self) -> Shape {
        let mut columns_left = self.options.max_columns;
        let rows = self.root.counts.values().sum();
        self.decide(&self.root, rows, &mut columns_left)
    }

    fn decide(&self, seen: &Seen, of: usize, columns_left: &mut usize) -> Shape {
        let Some((class, count)) = seen.most() else {
            return Shape::unshredded();
        };
        let needed = (of as f64) * self.options.min_fill_rate;
        if (count as f64) < needed || count == 0 {
            return Shape::unshredded();
        }
        match class {
            Class::Object => self.decide_object(seen, of, columns_left),
            Class::List => {
                let Some(element) = &seen.element else {
                    return Shape::unshredded();
                };
                let elements = element.counts.values().sum();
                let element = self.decide(element, elements, columns_left);
                match element.typed {
                    // A list of residuals saves nothing.
                    None => Shape::unshredded(),
                    Some(_) => Shape::list(element),
                }
            }
            scalar => match (scalar.scalar(seen), columns_left.checked_sub(1)) {
                (Some(scalar), Some(left)) => {
                    *columns_left = left;
                    Shape::scalar(scalar)
                }
                _ => Shape::unshredded(),
            },
        }
    }

    /// Keys that are there most often come first, should the columns not do for all.
    fn decide_object(&self, seen: &Seen, of: usize, columns_left: &mut usize) -> Shape {
        let mut names: Vec<(&str, &Seen)> = seen
            .fields
            .iter()
            .map(|(name, seen)| (name.as_ref(), seen))
            .collect();
        names.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.most().map(|(_, count)| count)));
        let mut fields: Vec<ShapeField> = Vec::new();
        let mut taken: HashSet<String> = HashSet::new();
        for (name, seen) in names {
            // Readers that take columns regardless of case would mix up two keys.
            if taken.contains(&name.to_lowercase()) {
                continue;
            }
            let shape = self.decide(seen, of, columns_left);
            if shape.typed.is_some() {
                taken.insert(name.to_lowercase());
                let name = name.to_owned();
                fields.push(ShapeField { name, shape });
            }
        }
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        if fields.is_empty() {
            return Shape::unshredded();
        }
        Shape::typed(TypedShape::Object(fields))
    }
}

/// One row being looked at.
struct Look<'m> {
    metadata: Metadata<'m>,
    max_depth: usize,
    /// How many names may still be remembered.
    room: usize,
}

impl Look<'_> {
    fn see(&mut self, seen: &mut Seen, bytes: &[u8], depth: usize) -> Result<(), Error> {
        let node = Node::try_new(bytes)?;
        let class = seen.note(&node);
        let Some(class) = class else {
            // A null says nothing of a type, but its row counts.
            return Ok(());
        };
        let count = seen.counts.entry(class).or_default();
        *count = count.saturating_add(1);
        if depth >= self.max_depth {
            return Ok(());
        }
        let below = depth.saturating_add(1);
        match node {
            Node::Object(object) => {
                for position in 0..object.len() {
                    let (id, bytes) = object.field(position)?;
                    let name = self.metadata.name(id)?;
                    if !seen.fields.contains_key(name) {
                        let Some(room) = self.room.checked_sub(1) else {
                            continue;
                        };
                        self.room = room;
                        seen.fields.insert(name.into(), Seen::default());
                    }
                    if let Some(field) = seen.fields.get_mut(name) {
                        self.see(field, bytes, below)?;
                    }
                }
            }
            Node::List(list) => {
                let element = seen.element.get_or_insert_default();
                for position in 0..list.len() {
                    self.see(element, list.get(position)?, below)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Seen {
    /// Returns the class that most values are of.
    fn most(&self) -> Option<(Class, usize)> {
        let counts = self.counts.iter().map(|(class, count)| (*class, *count));
        counts.max_by_key(|(class, count)| (*count, std::cmp::Reverse(*class)))
    }

    /// Notes what a column must hold; returns the class, none for a null.
    fn note(&mut self, node: &Node<'_>) -> Option<Class> {
        Some(match node {
            Node::Null => return None,
            Node::Boolean(_) => Class::Boolean,
            Node::Int8(value) => self.int(i64::from(*value)),
            Node::Int16(value) => self.int(i64::from(*value)),
            Node::Int32(value) => self.int(i64::from(*value)),
            Node::Int64(value) => self.int(*value),
            Node::Float(_) => Class::Float,
            Node::Double(_) => Class::Double,
            Node::Decimal {
                unscaled, scale, ..
            } => {
                let digits = unscaled.unsigned_abs().checked_ilog10();
                let digits = digits.map_or(1, |digits| digits.saturating_add(1));
                let most = self.digits.entry(*scale).or_default();
                *most = (*most).max(digits);
                Class::Decimal(*scale)
            }
            Node::Date(_) => Class::Date,
            Node::Time(_) => Class::Time,
            Node::Timestamp { unit, utc, .. } => Class::Timestamp {
                nanos: *unit == TimestampUnit::Nanos,
                utc: *utc,
            },
            Node::Binary(_) => Class::Binary,
            Node::String(_) => Class::String,
            Node::Uuid(_) => Class::Uuid,
            Node::Object(_) => Class::Object,
            Node::List(_) => Class::List,
        })
    }

    fn int(&mut self, value: i64) -> Class {
        // The sign takes a bit of its own.
        let magnitude = if value < 0 { !value } else { value };
        let bits = i64::BITS
            .saturating_sub(magnitude.leading_zeros())
            .saturating_add(1);
        self.int_bits = self.int_bits.max(bits);
        Class::Int
    }
}

impl Class {
    fn scalar(self, seen: &Seen) -> Option<ScalarType> {
        Some(match self {
            Self::Boolean => ScalarType::Boolean,
            Self::Int => match seen.int_bits {
                0..=8 => ScalarType::Int8,
                9..=16 => ScalarType::Int16,
                17..=32 => ScalarType::Int32,
                _ => ScalarType::Int64,
            },
            Self::Float => ScalarType::Float,
            Self::Double => ScalarType::Double,
            Self::Decimal(scale) => {
                let digits = seen.digits.get(&scale).copied().unwrap_or(1);
                let digits = u8::try_from(digits).ok()?.clamp(1, 38);
                ScalarType::Decimal {
                    precision: digits.max(scale),
                    scale,
                }
            }
            Self::Date => ScalarType::Date,
            Self::Time => ScalarType::Time,
            Self::Timestamp { nanos, utc } => ScalarType::Timestamp {
                unit: if nanos {
                    TimeUnit::Nanos
                } else {
                    TimeUnit::Micros
                },
                utc,
            },
            Self::Binary => ScalarType::Binary,
            Self::String => ScalarType::String,
            Self::Uuid => ScalarType::Uuid,
            Self::Object | Self::List => return None,
        })
    }
}
