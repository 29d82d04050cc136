//! How a variant is to be shredded: a layout without leaves, before a file is written.

use std::collections::HashSet;

use growler_base::limits;

use super::layout::{Group, Layout, ScalarType, Typed};
use crate::Error;
use crate::value::DECIMAL_SCALE;

/// How one value is written. It always has a residual column besides the typed part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// The typed part, if there is one.
    pub typed: Option<TypedShape>,
    /// Whether the typed part stays empty and every value goes to the residual, as some writers
    /// have it; legal, and of use for tests of readers.
    pub is_idle: bool,
}

/// What a typed part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedShape {
    /// A primitive column.
    Scalar(ScalarType),
    /// One group a key.
    Object(Vec<ShapeField>),
    /// A list; each element is a group of its own.
    List(Box<Shape>),
}

/// A key that gets a group of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeField {
    /// Name of the key.
    pub name: String,
    /// How its value is written.
    pub shape: Shape,
}

impl Shape {
    /// Makes the shape of a value that is not shredded.
    pub fn unshredded() -> Self {
        Self::default()
    }

    /// Makes the shape of a value with a typed part.
    pub fn typed(typed: TypedShape) -> Self {
        Self {
            typed: Some(typed),
            is_idle: false,
        }
    }

    /// Makes the shape of a primitive value.
    pub fn scalar(scalar: ScalarType) -> Self {
        Self::typed(TypedShape::Scalar(scalar))
    }

    /// Makes the shape of a list.
    pub fn list(element: Self) -> Self {
        Self::typed(TypedShape::List(Box::new(element)))
    }

    /// Makes the shape of an object.
    pub fn object(fields: impl IntoIterator<Item = (impl Into<String>, Self)>) -> Self {
        let field = |(name, shape): (_, Self)| ShapeField {
            name: Into::into(name),
            shape,
        };
        Self::typed(TypedShape::Object(fields.into_iter().map(field).collect()))
    }

    /// Returns the same shape with its typed part left empty.
    #[must_use]
    pub fn idle(self) -> Self {
        Self {
            is_idle: true,
            ..self
        }
    }

    /// Returns the shape that a file has.
    pub fn of_layout(layout: &Layout) -> Self {
        Self::of_group(&layout.root)
    }

    fn of_group(group: &Group) -> Self {
        let typed = group.typed.as_ref().map(|typed| match typed {
            Typed::Scalar { scalar, .. } => TypedShape::Scalar(*scalar),
            Typed::List(element) => TypedShape::List(Box::new(Self::of_group(element))),
            Typed::Object(fields) => {
                let field = |field: &super::ShreddedField| ShapeField {
                    name: field.name.clone(),
                    shape: Self::of_group(&field.group),
                };
                TypedShape::Object(fields.iter().map(field).collect())
            }
        });
        Self {
            typed,
            is_idle: false,
        }
    }

    /// Checks that a file can have this shape.
    ///
    /// # Errors
    /// `Corrupt` for an object without fields or with a name twice, or a decimal that no column
    /// holds; `LimitExceeded` for its depth.
    pub fn check(&self) -> Result<(), Error> {
        self.check_at(0, "")
    }

    fn check_at(&self, depth: usize, path: &str) -> Result<(), Error> {
        // Two levels of Parquet schema a level here; a file deeper than its bound is not read.
        let limit = limits::SCHEMA_DEPTH / 8;
        if depth > limit {
            return Err(Error::Depth { limit });
        }
        let refused = |reason| Error::Layout {
            group: path.into(),
            reason,
        };
        let below = depth.saturating_add(1);
        match &self.typed {
            None => Ok(()),
            Some(TypedShape::Scalar(ScalarType::Decimal { precision, scale })) => {
                if !(1..=DECIMAL_SCALE).contains(precision) || scale > precision {
                    return Err(refused("a decimal that no column holds"));
                }
                Ok(())
            }
            Some(TypedShape::Scalar(ScalarType::Timestamp { unit, .. }))
                if *unit == growler_schema::TimeUnit::Millis =>
            {
                Err(refused("a timestamp in milliseconds"))
            }
            Some(TypedShape::Scalar(_)) => Ok(()),
            Some(TypedShape::List(element)) => element.check_at(below, path),
            Some(TypedShape::Object(fields)) => {
                if fields.is_empty() {
                    return Err(refused("an object without fields"));
                }
                let mut names = HashSet::new();
                for field in fields {
                    if !names.insert(&field.name) {
                        return Err(refused("a key twice"));
                    }
                    field.shape.check_at(below, &field.name)?;
                }
                Ok(())
            }
        }
    }
}
