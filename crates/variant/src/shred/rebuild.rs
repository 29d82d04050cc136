//! Puts a shredded value back together as JSON text.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType as ArrowType;
use growler_base::limits::VARIANT_DEPTH;

use super::arrays::{BytesArray, MetadataArray, TYPED_VALUE, child_group, residual, unexpected};
use super::leaf::LeafArray;
use super::walk::refusal;
use super::{Group, ShreddedField, Typed};
use crate::inside::{InsideStep, find_inside};
use crate::json::write_json_in;
use crate::names::{Dictionary, DictionaryCache, Form, Names, field_order};
use crate::text::{write_json_scalar, write_json_string};
use crate::value::BasicType;
use crate::{Budget, Error, Metadata, Node, Object};

/// The arrays of one group, matched with its layout. What was not read counts as null.
#[derive(Debug)]
pub(super) struct GroupView<'a> {
    nulls: Option<&'a NullBuffer>,
    value: Option<BytesArray<'a>>,
    typed: Option<TypedView<'a>>,
}

#[derive(Debug)]
struct TypedView<'a> {
    nulls: Option<&'a NullBuffer>,
    kind: TypedKind<'a>,
}

#[derive(Debug)]
enum TypedKind<'a> {
    Scalar(LeafArray<'a>),
    /// In byte order of the names.
    Object(Vec<FieldView<'a>>),
    List(Offsets<'a>, Box<GroupView<'a>>),
}

#[derive(Debug)]
struct FieldView<'a> {
    name: &'a str,
    /// The name as JSON, with its colon.
    label: Vec<u8>,
    /// Hides the name in the residual even if it was not read.
    group: Option<GroupView<'a>>,
}

#[derive(Debug)]
enum Offsets<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
}

impl<'a> GroupView<'a> {
    /// Matches an array with the layout of its group.
    pub(super) fn try_new(group: &'a Group, array: &'a StructArray) -> Result<Self, Error> {
        Self::nested(group, array, 0)
    }

    fn nested(group: &'a Group, array: &'a StructArray, depth: usize) -> Result<Self, Error> {
        if depth > VARIANT_DEPTH {
            return Err(Error::Depth {
                limit: VARIANT_DEPTH,
            });
        }
        let typed = match (&group.typed, array.column_by_name(TYPED_VALUE)) {
            (Some(typed), Some(column)) => {
                let kind = TypedKind::try_new(typed, column, depth.saturating_add(1))?;
                Some(TypedView {
                    nulls: some_null(column.nulls()),
                    kind,
                })
            }
            _ => None,
        };
        Ok(Self {
            nulls: some_null(array.nulls()),
            value: residual(array)?.filter(BytesArray::has_values),
            typed,
        })
    }

    /// Returns the residual of a row, if there is one.
    pub(super) fn residual(&self, row: usize) -> Option<&'a [u8]> {
        self.value?.get(row)
    }

    /// Tells what the typed part of a row is, if there is one.
    pub(super) fn typed_name(&self, row: usize) -> Option<&'static str> {
        let typed = self
            .typed
            .as_ref()
            .filter(|typed| is_valid(typed.nulls, row))?;
        Some(match &typed.kind {
            TypedKind::Scalar(leaf) => leaf.node(row).map_or("scalar", |node| node.type_name()),
            TypedKind::Object(_) => "object",
            TypedKind::List(..) => "array",
        })
    }

    /// Appends the JSON text of a row's value, or of what steps lead to inside of it. Appends nothing
    /// and returns false if that is missing.
    ///
    /// After an error the text is incomplete; the caller cuts it off.
    pub(super) fn write(
        &self,
        (row, steps): (usize, &[InsideStep]),
        metadata: Option<MetadataArray<'a>>,
        cache: &mut DictionaryCache,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let budget = Budget::new();
        let cache = Some(cache);
        Writer {
            row,
            metadata,
            cache,
            parsed: None,
            prepared: None,
            budget,
            out,
        }
        .inside(self, row, steps)
    }
}

impl<'a> TypedKind<'a> {
    fn try_new(typed: &'a Typed, column: &'a ArrayRef, depth: usize) -> Result<Self, Error> {
        match typed {
            Typed::Scalar { scalar, .. } => LeafArray::try_new(column, *scalar).map(Self::Scalar),
            Typed::Object(fields) => {
                let group = column.as_struct_opt();
                let group = group.ok_or_else(|| unexpected("a group", column.data_type()))?;
                let views = fields
                    .iter()
                    .map(|field| FieldView::try_new(field, group, depth));
                let mut views = views.collect::<Result<Vec<_>, _>>()?;
                views.sort_unstable_by_key(|field| field.name);
                Ok(Self::Object(views))
            }
            Typed::List(element) => {
                let (offsets, values) = list(column)?;
                let group = values.as_struct_opt();
                let group = group.ok_or_else(|| unexpected("a group", values.data_type()))?;
                let element = GroupView::nested(element, group, depth)?;
                Ok(Self::List(offsets, Box::new(element)))
            }
        }
    }
}

impl<'a> FieldView<'a> {
    fn try_new(
        field: &'a ShreddedField,
        fields: &'a StructArray,
        depth: usize,
    ) -> Result<Self, Error> {
        let mut label = Vec::new();
        write_json_string(field.name.as_bytes(), &mut label);
        label.push(b':');
        let array = child_group(fields, &field.name)?;
        let group = array.map(|array| GroupView::nested(&field.group, array, depth));
        Ok(Self {
            name: &field.name,
            label,
            group: group.transpose()?,
        })
    }
}

impl Offsets<'_> {
    fn range(&self, row: usize) -> Range<usize> {
        let next = row.saturating_add(1);
        let (start, end) = match self {
            Self::Small(offsets) => (
                offsets.get(row).map(|offset| offset.as_usize()),
                offsets.get(next).map(|offset| offset.as_usize()),
            ),
            Self::Large(offsets) => (
                offsets.get(row).map(|offset| offset.as_usize()),
                offsets.get(next).map(|offset| offset.as_usize()),
            ),
        };
        start.unwrap_or(0)..end.unwrap_or(0)
    }
}

fn list(column: &ArrayRef) -> Result<(Offsets<'_>, &ArrayRef), Error> {
    match column.data_type() {
        ArrowType::List(_) => {
            let list = column.as_list_opt::<i32>();
            list.map(|list| (Offsets::Small(list.value_offsets()), list.values()))
        }
        ArrowType::LargeList(_) => {
            let list = column.as_list_opt::<i64>();
            list.map(|list| (Offsets::Large(list.value_offsets()), list.values()))
        }
        _ => None,
    }
    .ok_or_else(|| unexpected("a list", column.data_type()))
}

/// Returns the nulls if there are any, so that rows of a batch without them need not look.
fn some_null(nulls: Option<&NullBuffer>) -> Option<&NullBuffer> {
    nulls.filter(|nulls| nulls.null_count() > 0)
}

fn is_valid(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_none_or(|nulls| nulls.is_valid(row))
}

/// Returns the error for a residual that was read without the dictionaries of names.
#[cold]
pub(super) fn needs_names(row: usize) -> Error {
    Error::NeedsResidual {
        row,
        residuals: Box::default(),
    }
}

/// Fields that a residual is brought together with.
struct Union<'f, 'a> {
    /// Where the text of the first field starts.
    start: usize,
    fields: &'f [FieldView<'a>],
    /// Position in the arrays of the fields.
    at: usize,
}

/// Writes the value of one row of the column.
struct Writer<'w, 'a> {
    row: usize,
    metadata: Option<MetadataArray<'a>>,
    /// Taken for the row's dictionary, once.
    cache: Option<&'w mut DictionaryCache>,
    parsed: Option<Metadata<'a>>,
    prepared: Option<Dictionary<'w>>,
    budget: Budget,
    out: &'w mut Vec<u8>,
}

impl<'w, 'a: 'w> Writer<'w, 'a> {
    /// Writes the value at a position of a group's arrays; inside lists that is not the row.
    fn group(&mut self, group: &GroupView<'a>, at: usize) -> Result<bool, Error> {
        if !is_valid(group.nulls, at) {
            return Ok(false);
        }
        let value = group.residual(at);
        let typed = group
            .typed
            .as_ref()
            .filter(|typed| is_valid(typed.nulls, at));
        match (value, typed.map(|typed| &typed.kind)) {
            (None, None) => return Ok(false),
            (Some(value), None) => self.residual(value)?,
            (value, Some(TypedKind::Object(fields))) => self.object(fields, value, at)?,
            (Some(_), Some(_)) => return Err(Error::Contradiction { row: self.row }),
            (None, Some(TypedKind::Scalar(LeafArray::String(texts)))) => {
                write_json_string(texts.value(at).as_bytes(), self.out);
            }
            (None, Some(TypedKind::Scalar(leaf))) => {
                let written = write_json_scalar(&leaf.node(at)?, self.out);
                debug_assert!(written, "a typed leaf holds scalars only");
            }
            (None, Some(TypedKind::List(offsets, element))) => {
                self.list(offsets.range(at), element)?;
            }
        }
        Ok(true)
    }

    /// Writes what steps lead to from the value at a position of a group's arrays.
    fn inside(
        &mut self,
        group: &GroupView<'a>,
        at: usize,
        steps: &[InsideStep],
    ) -> Result<bool, Error> {
        let Some((step, below)) = steps.split_first() else {
            return self.group(group, at);
        };
        if !is_valid(group.nulls, at) {
            return Ok(false);
        }
        let value = group.residual(at);
        let typed = group
            .typed
            .as_ref()
            .filter(|typed| is_valid(typed.nulls, at));
        match (value, typed.map(|typed| &typed.kind), step) {
            (Some(value), None, _) => self.inside_residual(value, steps),
            (value, Some(TypedKind::Object(fields)), InsideStep::Name(name)) => {
                if let Some(field) = fields.iter().find(|field| *field.name == **name) {
                    let group = field.group.as_ref();
                    return group.map_or(Ok(false), |group| self.inside(group, at, below));
                }
                match value {
                    Some(value) => {
                        self.residual_object(value)?;
                        self.inside_residual(value, steps)
                    }
                    None => Ok(false),
                }
            }
            (None, Some(TypedKind::List(offsets, element)), InsideStep::At(position)) => {
                let elements = offsets.range(at);
                let at = elements.start.saturating_add(position.as_usize());
                Ok(at < elements.end && self.inside(element, at, below)?)
            }
            (Some(_), Some(TypedKind::Scalar(_) | TypedKind::List(..)), _) => {
                Err(Error::Contradiction { row: self.row })
            }
            _ => Ok(false),
        }
    }

    fn inside_residual(&mut self, value: &'a [u8], steps: &[InsideStep]) -> Result<bool, Error> {
        match find_inside(&self.parsed()?, steps, value)? {
            Some(found) => self.residual(found).map(|()| true),
            None => Ok(false),
        }
    }

    fn list(&mut self, elements: Range<usize>, group: &GroupView<'a>) -> Result<(), Error> {
        self.out.push(b'[');
        for at in elements.clone() {
            if at > elements.start {
                self.out.push(b',');
            }
            if !self.group(group, at)? {
                self.out.extend_from_slice(b"null");
            }
        }
        self.out.push(b']');
        Ok(())
    }

    /// Writes an object of shredded fields, and those of the residual beside them.
    fn object(
        &mut self,
        fields: &[FieldView<'a>],
        value: Option<&'a [u8]>,
        at: usize,
    ) -> Result<(), Error> {
        self.out.push(b'{');
        let start = self.out.len();
        let residual = value.map(|value| self.residual_object(value)).transpose()?;
        if let Some(object) = residual.filter(|object| !object.is_empty()) {
            let place = Union { start, fields, at };
            match self.dictionary()?.0 {
                Form::Plain(names) => self.union(&names, &object, &place)?,
                Form::Prepared(names) => self.union(names, &object, &place)?,
            }
        } else {
            for field in fields {
                self.shredded_field(start, field, at)?;
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    fn residual_object(&self, value: &'a [u8]) -> Result<Object<'a>, Error> {
        match BasicType::of(value) {
            Some(BasicType::Object) => Object::try_new(value),
            _ => Err(refusal(value, self.row)),
        }
    }

    /// Writes shredded and residual fields in byte order of their names; of two with one name the
    /// shredded one, be it missing.
    fn union(
        &mut self,
        names: &impl Names,
        object: &Object<'a>,
        place: &Union<'_, 'a>,
    ) -> Result<(), Error> {
        let metadata = self.parsed()?;
        let order = field_order(names, object)?;
        let mut fields = place.fields.iter().peekable();
        for number in 0..object.len() {
            let ordered = order
                .as_ref()
                .and_then(|order| order.get(number.as_usize()));
            let (id, value) = object.field(ordered.copied().unwrap_or(number))?;
            let name = metadata.name_bytes(id)?;
            while let Some(field) = fields.next_if(|field| field.name.as_bytes() < name) {
                self.shredded_field(place.start, field, place.at)?;
            }
            if let Some(field) = fields.next_if(|field| field.name.as_bytes() == name) {
                self.shredded_field(place.start, field, place.at)?;
                continue;
            }
            self.separate(place.start);
            names.write_key(id, self.out)?;
            self.residual(value)?;
        }
        for field in fields {
            self.shredded_field(place.start, field, place.at)?;
        }
        Ok(())
    }

    fn shredded_field(
        &mut self,
        start: usize,
        field: &FieldView<'a>,
        at: usize,
    ) -> Result<(), Error> {
        let Some(group) = &field.group else {
            return Ok(());
        };
        let before = self.out.len();
        self.separate(start);
        self.out.extend_from_slice(&field.label);
        if !self.group(group, at)? {
            self.out.truncate(before);
        }
        Ok(())
    }

    fn separate(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.push(b',');
        }
    }

    /// Writes a value that is whole in a residual.
    fn residual(&mut self, value: &'a [u8]) -> Result<(), Error> {
        if let Some(BasicType::Object | BasicType::Array) = BasicType::of(value) {
            let dictionary = self.dictionary()?;
            return write_json_in(dictionary, value, self.out, &mut self.budget);
        }
        let start = self.out.len();
        write_json_scalar(&Node::try_new(value)?, self.out);
        self.budget
            .spend_bytes(self.out.len().saturating_sub(start))
    }

    fn bytes(&self) -> Result<&'a [u8], Error> {
        match self.metadata {
            Some(metadata) => metadata.get(self.row),
            None => Err(needs_names(self.row)),
        }
    }

    fn parsed(&mut self) -> Result<Metadata<'a>, Error> {
        if let Some(parsed) = self.parsed {
            return Ok(parsed);
        }
        let parsed = Metadata::try_new(self.bytes()?)?;
        self.parsed = Some(parsed);
        Ok(parsed)
    }

    fn dictionary(&mut self) -> Result<Dictionary<'w>, Error> {
        if let Some(prepared) = self.prepared {
            return Ok(prepared);
        }
        let bytes = self.bytes()?;
        let prepared = match self.cache.take() {
            Some(cache) => cache.get(bytes)?,
            None => self.parsed()?.into(),
        };
        self.prepared = Some(prepared);
        Ok(prepared)
    }
}
