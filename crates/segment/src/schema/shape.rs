//! The shape of one column: which leaves make it up, and how its arrays nest.

use std::sync::Arc;

use growler_base::{FieldId, LeafIdx};
use growler_schema::SourceType;
use growler_variant::shred::Layout;
use parquet::schema::types::Type;

use super::Refusal;
use super::columns::field_id;
use super::group::{Element, Group, group, is_repeated, plain};
use super::layout::layout;
use super::leaf_type::leaf_type;

/// A column's nesting; arrays of the reader nest the same way.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A primitive column.
    Leaf(SourceType),
    /// Fields.
    Struct(Vec<ShapeField>),
    /// Elements.
    List(Box<Shape>),
    /// Keys and values.
    Map(Box<Shape>, Box<Shape>),
    /// A variant.
    Variant(Arc<Layout>),
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub(crate) struct ShapeField {
    pub(crate) name: Box<str>,
    pub(crate) id: Option<FieldId>,
    pub(crate) shape: Shape,
}

/// Hands out leaf indexes in the depth-first order of a schema.
#[derive(Debug)]
pub(crate) struct LeafCounter(u32);

impl LeafCounter {
    pub(crate) fn new(first: LeafIdx) -> Self {
        Self(first.0)
    }

    pub(crate) fn next(&mut self) -> LeafIdx {
        let leaf = LeafIdx(self.0);
        self.0 = self.0.saturating_add(1);
        leaf
    }

    pub(crate) fn skip(&mut self, field: &Type) {
        if field.is_primitive() {
            self.next();
        } else {
            field.get_fields().iter().for_each(|child| self.skip(child));
        }
    }
}

impl Shape {
    /// Returns the shape of a column; `leaves` stands before its first leaf.
    pub(crate) fn of(field: &Type, leaves: &mut LeafCounter) -> Result<Self, Refusal> {
        if is_repeated(field) {
            return Self::list(Element::Repeated(field), leaves);
        }
        if field.is_primitive() {
            leaves.next();
            return Ok(Self::Leaf(leaf_type(field)?));
        }
        Self::of_group(group(field)?, leaves)
    }

    fn of_group(group: Group<'_>, leaves: &mut LeafCounter) -> Result<Self, Refusal> {
        Ok(match group {
            Group::Struct(group) => {
                let named = |field: &Arc<Type>, leaves: &mut LeafCounter| {
                    Ok(ShapeField {
                        name: field.name().into(),
                        id: field_id(field).map(FieldId),
                        shape: Self::of(field, leaves)?,
                    })
                };
                let fields = group.get_fields().iter().map(|field| named(field, leaves));
                Self::Struct(fields.collect::<Result<_, Refusal>>()?)
            }
            Group::List(element) => Self::list(element, leaves)?,
            Group::Map(key, value) => {
                let key = Self::of(key, leaves)?;
                Self::Map(Box::new(key), Box::new(Self::of(value, leaves)?))
            }
            Group::Variant(group) => Self::Variant(Arc::new(layout(group, leaves)?)),
        })
    }

    fn list(element: Element<'_>, leaves: &mut LeafCounter) -> Result<Self, Refusal> {
        let element = match element {
            Element::Inner(element) => Self::of(element, leaves)?,
            Element::Repeated(element) if element.is_primitive() => {
                leaves.next();
                Self::Leaf(leaf_type(element)?)
            }
            Element::Repeated(element) => Self::of_group(plain(element)?, leaves)?,
        };
        Ok(Self::List(Box::new(element)))
    }

    /// Returns the column's type, free of how the file spells it.
    pub(crate) fn source_type(&self) -> SourceType {
        match self {
            Self::Leaf(source) => source.clone(),
            Self::Struct(_) => SourceType::Struct,
            Self::List(element) => SourceType::List(Box::new(element.source_type())),
            Self::Map(key, value) => SourceType::Map {
                key: Box::new(key.source_type()),
                value: Box::new(value.source_type()),
            },
            Self::Variant(_) => SourceType::Variant,
        }
    }
}
