//! Shreds an unshredded column: values to typed columns where they belong, the rest to residuals.
//!
//! ```text
//! value -> typed part takes it whole            value = null, typed_value = it
//!       -> object beside an object              typed_value = its shredded keys, value = the others
//!       -> anything else                        value = its bytes, typed_value = null
//! ```
//!
//! The metadata stay as they are, so that residuals keep their ids.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, Fields};

use super::arrays::{BytesArray, METADATA, TYPED_VALUE, VALUE, unexpected};
use super::layout::ScalarType;
use super::shape::{Shape, TypedShape};
use super::typed_column::TypedColumn;
use crate::build::bytes_column::BytesColumn;
use crate::build::container::put_object_header;
use crate::{Error, List, Metadata, Node, Object, value};

/// Key of the field metadata that names an Arrow extension type.
const EXTENSION: &str = "ARROW:extension:name";

/// Shreds a column of `metadata` and `value` into `metadata`, `value` and `typed_value`.
///
/// A value never changes its type class, nor anything that its JSON text shows: only integers go
/// from one width to another. What does not belong into a typed column stays in the residual beside
/// it, byte by byte.
///
/// # Errors
/// `Corrupt` when the bytes of a row cannot be taken apart or the shape is none, `LimitExceeded`
/// when a column gets too long, `Internal` when the array is no such column.
pub fn split(column: &StructArray, shape: &Shape) -> Result<StructArray, Error> {
    shape.check()?;
    let bytes = |name| {
        let child = column.column_by_name(name);
        child.ok_or_else(|| unexpected("metadata and value", column.data_type()))
    };
    let metadata_array = bytes(METADATA)?;
    let metadata = BytesArray::try_new(metadata_array)?;
    let values = BytesArray::try_new(bytes(VALUE)?)?;
    let mut root = GroupColumn::new(shape);
    for row in 0..column.len() {
        match (metadata.get(row), values.get(row)) {
            (Some(metadata), Some(value)) if column.is_valid(row) => {
                root.push(&Metadata::try_new(metadata)?, value)?;
            }
            _ if column.is_null(row) => root.push_missing()?,
            _ => return Err(Error::Truncated { part: "value" }),
        }
    }
    let metadata = (METADATA, Arc::clone(metadata_array), false);
    root.finish(Some(metadata), column.nulls().cloned())
}

/// A group of residual and typed part.
struct GroupColumn {
    value: BytesColumn,
    typed: Option<TypedGroup>,
    is_idle: bool,
}

enum TypedGroup {
    Scalar(TypedColumn, ScalarType),
    Object(ObjectColumn),
    List(ListColumn),
}

struct ObjectColumn {
    fields: Vec<(String, GroupColumn)>,
    positions: HashMap<String, usize>,
    validity: Vec<bool>,
}

struct ListColumn {
    element: Box<GroupColumn>,
    element_count: i32,
    offsets: Vec<i32>,
    validity: Vec<bool>,
}

impl GroupColumn {
    fn new(shape: &Shape) -> Self {
        let typed = shape.typed.as_ref().map(|typed| match typed {
            TypedShape::Scalar(scalar) => TypedGroup::Scalar(TypedColumn::new(*scalar), *scalar),
            TypedShape::Object(fields) => {
                let group = |field: &super::shape::ShapeField| {
                    (field.name.clone(), Self::new(&field.shape))
                };
                let names = fields.iter().map(|field| field.name.clone());
                TypedGroup::Object(ObjectColumn {
                    fields: fields.iter().map(group).collect(),
                    positions: names.zip(0..).collect(),
                    validity: Vec::new(),
                })
            }
            TypedShape::List(element) => TypedGroup::List(ListColumn {
                element: Box::new(Self::new(element)),
                element_count: 0,
                offsets: vec![0],
                validity: Vec::new(),
            }),
        });
        Self {
            value: BytesColumn::default(),
            typed,
            is_idle: shape.is_idle,
        }
    }

    /// Appends a row that is not there: null in both columns.
    fn push_missing(&mut self) -> Result<(), Error> {
        self.push_typed_null()?;
        self.value.push(None)
    }

    fn push(&mut self, metadata: &Metadata<'_>, bytes: &[u8]) -> Result<(), Error> {
        if self.is_idle {
            return self.push_residual(bytes);
        }
        match (&mut self.typed, Node::try_new(bytes)?) {
            (Some(TypedGroup::Object(object)), Node::Object(value)) => {
                let rest = object.push(metadata, &value)?;
                self.value.push(rest.as_deref())
            }
            (Some(TypedGroup::List(list)), Node::List(value)) => {
                list.push(metadata, &value)?;
                self.value.push(None)
            }
            (Some(TypedGroup::Scalar(column, _)), node) => {
                let rest = (!column.push(&node)?).then(|| whole(bytes)).transpose()?;
                self.value.push(rest)
            }
            _ => self.push_residual(bytes),
        }
    }

    fn push_residual(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.push_typed_null()?;
        self.value.push(Some(whole(bytes)?))
    }

    fn push_typed_null(&mut self) -> Result<(), Error> {
        match &mut self.typed {
            None => Ok(()),
            Some(TypedGroup::Scalar(column, _)) => {
                column.push_null();
                Ok(())
            }
            Some(TypedGroup::Object(object)) => object.push_null(),
            Some(TypedGroup::List(list)) => {
                list.offsets.push(list.element_count);
                list.validity.push(false);
                Ok(())
            }
        }
    }

    /// Returns the group as a struct, behind a first child if there is one.
    fn finish(
        self,
        first: Option<(&str, ArrayRef, bool)>,
        nulls: Option<NullBuffer>,
    ) -> Result<StructArray, Error> {
        let mut fields: Vec<Field> = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        if let Some((name, array, is_nullable)) = first {
            fields.push(Field::new(name, array.data_type().clone(), is_nullable));
            arrays.push(array);
        }
        let value: ArrayRef = Arc::new(self.value.finish());
        // Without a typed part the residual is required.
        let is_nullable = self.typed.is_some() || value.null_count() > 0;
        fields.push(Field::new(VALUE, value.data_type().clone(), is_nullable));
        arrays.push(value);
        if let Some(typed) = self.typed {
            let (array, is_uuid) = typed.finish()?;
            let field = Field::new(TYPED_VALUE, array.data_type().clone(), true);
            let uuid = [(EXTENSION.to_owned(), "arrow.uuid".to_owned())];
            fields.push(if is_uuid {
                field.with_metadata(uuid.into())
            } else {
                field
            });
            arrays.push(array);
        }
        StructArray::try_new(Fields::from(fields), arrays, nulls).map_err(refused)
    }
}

impl TypedGroup {
    fn finish(self) -> Result<(ArrayRef, bool), Error> {
        Ok(match self {
            Self::Scalar(column, scalar) => (column.finish(), scalar == ScalarType::Uuid),
            Self::Object(object) => (object.finish()?, false),
            Self::List(list) => (list.finish()?, false),
        })
    }
}

impl ObjectColumn {
    /// Appends an object; returns the bytes of an object of those fields that have no group.
    fn push(
        &mut self,
        metadata: &Metadata<'_>,
        object: &Object<'_>,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut taken: Vec<Option<&[u8]>> = vec![None; self.fields.len()];
        let mut rest: Vec<(&str, u32, &[u8])> = Vec::new();
        for position in 0..object.len() {
            let (id, bytes) = object.field(position)?;
            let name = metadata.name(id)?;
            match self.positions.get(name).and_then(|at| taken.get_mut(*at)) {
                Some(Some(_)) => return Err(Error::DuplicateName { id }),
                Some(free) => *free = Some(bytes),
                None => rest.push((name, id, bytes)),
            }
        }
        for ((_, group), bytes) in self.fields.iter_mut().zip(taken) {
            match bytes {
                Some(bytes) => group.push(metadata, bytes)?,
                None => group.push_missing()?,
            }
        }
        self.validity.push(true);
        if rest.is_empty() {
            return Ok(None);
        }
        residual_object(rest).map(Some)
    }

    fn push_null(&mut self) -> Result<(), Error> {
        self.validity.push(false);
        self.fields
            .iter_mut()
            .try_for_each(|(_, group)| group.push_missing())
    }

    fn finish(self) -> Result<ArrayRef, Error> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (name, group) in self.fields {
            let group = group.finish(None, None)?;
            fields.push(Field::new(name, group.data_type().clone(), false));
            arrays.push(Arc::new(group));
        }
        let nulls = Some(NullBuffer::from(self.validity));
        let object = StructArray::try_new(Fields::from(fields), arrays, nulls).map_err(refused)?;
        Ok(Arc::new(object))
    }
}

impl ListColumn {
    fn push(&mut self, metadata: &Metadata<'_>, list: &List<'_>) -> Result<(), Error> {
        for position in 0..list.len() {
            self.element.push(metadata, list.get(position)?)?;
            let count = self.element_count.checked_add(1);
            self.element_count = count.ok_or_else(|| Error::ColumnLength {
                limit_bytes: crate::bytes::index(i32::MAX.unsigned_abs()),
            })?;
        }
        self.offsets.push(self.element_count);
        self.validity.push(true);
        Ok(())
    }

    fn finish(self) -> Result<ArrayRef, Error> {
        let element = self.element.finish(None, None)?;
        let field = Arc::new(Field::new("element", element.data_type().clone(), false));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        let nulls = Some(NullBuffer::from(self.validity));
        let list = ListArray::try_new(field, offsets, Arc::new(element), nulls);
        Ok(Arc::new(list.map_err(refused)?))
    }
}

fn residual_object(mut rest: Vec<(&str, u32, &[u8])>) -> Result<Vec<u8>, Error> {
    rest.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
    let twice = rest
        .iter()
        .zip(rest.iter().skip(1))
        .find(|(a, b)| a.0 == b.0);
    if let Some((_, (_, id, _))) = twice {
        return Err(Error::DuplicateName { id: *id });
    }
    let mut area = Vec::new();
    let mut fields = Vec::with_capacity(rest.len());
    for (_, id, bytes) in rest {
        fields.push((id, area.len()));
        area.extend_from_slice(whole(bytes)?);
    }
    let mut object = Vec::new();
    put_object_header(&fields, area.len(), &mut object)?;
    object.extend_from_slice(&area);
    Ok(object)
}

/// Cuts off what follows a value.
fn whole(bytes: &[u8]) -> Result<&[u8], Error> {
    let len = value::len_bytes(bytes)?;
    bytes
        .get(..len)
        .ok_or_else(|| Error::Truncated { part: "value" })
}

fn refused(error: arrow_schema::ArrowError) -> Error {
    Error::Arrow {
        reason: error.to_string().into(),
    }
}
