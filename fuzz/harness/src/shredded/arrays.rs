//! Rows as the arrays that a Parquet reader returns, whole or of some leaves only.

use std::sync::Arc;

use arrow_array::builder::{BinaryDictionaryBuilder, StringDictionaryBuilder};
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BinaryViewArray, BooleanArray,
    Decimal128Array, ListArray, PrimitiveArray, StringArray, StringViewArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use growler_base::LeafIdx;
use growler_schema::TimeUnit;
use growler_variant::shred::{Group, Layout, LeafFacts, ScalarType, Typed};

use super::cell::{Cell, Raw, Row, TypedCell};

/// Which of Arrow's forms bytes and text take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Offsets,
    Views,
    /// For text and metadata; residuals take views.
    Dictionary,
}

/// Makes the arrays of the leaves that are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker<'l> {
    pub(super) form: Form,
    pub(super) kept: Option<&'l [LeafIdx]>,
}

type Children = Vec<(Arc<Field>, ArrayRef)>;

impl Maker<'_> {
    pub(super) fn column(self, layout: &Layout, rows: &[Row]) -> StructArray {
        let cells: Vec<&Cell> = rows.iter().map(|row| &row.cell).collect();
        let mut children = Children::new();
        if self.keeps(layout.metadata) {
            let metadata = rows.iter().map(|row| row.metadata.as_deref());
            let metadata = metadata
                .zip(&cells)
                .map(|(m, cell)| m.filter(|_| cell.present));
            children.push(child(
                "metadata",
                self.metadata(&metadata.collect::<Vec<_>>()),
            ));
        }
        children.extend(self.parts(&layout.root, &cells));
        group(children, &cells).expect("a leaf of every column is read")
    }

    fn keeps(self, leaf: LeafIdx) -> bool {
        self.kept.is_none_or(|kept| kept.contains(&leaf))
    }

    fn parts(self, of: &Group, cells: &[&Cell]) -> Children {
        let mut children = Children::new();
        if of.value.is_some_and(|leaf| self.keeps(leaf)) {
            let values: Vec<Option<&[u8]>> =
                cells.iter().map(|cell| cell.value.as_deref()).collect();
            children.push(child("value", self.bytes(&values)));
        }
        let typed = of.typed.as_ref().and_then(|typed| self.typed(typed, cells));
        children.extend(typed.map(|typed| child("typed_value", typed)));
        children
    }

    fn typed(self, typed: &Typed, cells: &[&Cell]) -> Option<ArrayRef> {
        match typed {
            Typed::Scalar { leaf, scalar } => {
                let raws: Vec<Option<&Raw>> = cells.iter().map(|cell| scalar_of(cell)).collect();
                self.keeps(*leaf).then(|| self.scalar(*scalar, &raws))
            }
            Typed::Object(fields) => {
                let absent = Cell::default();
                let mut children = Children::new();
                for (number, field) in fields.iter().enumerate() {
                    let below = cells.iter().map(|cell| match &cell.typed {
                        Some(TypedCell::Object(cells)) => &cells[number],
                        _ => &absent,
                    });
                    let below: Vec<&Cell> = below.collect();
                    let parts = self.parts(&field.group, &below);
                    let part = group(parts, &below);
                    children.extend(part.map(|part| child(&field.name, Arc::new(part))));
                }
                let valid = cells.iter().map(|cell| cell.typed.is_some());
                let array = structure(children, valid.collect())?;
                Some(Arc::new(array))
            }
            Typed::List(element) => self.list(element, cells),
        }
    }

    fn list(self, element: &Group, cells: &[&Cell]) -> Option<ArrayRef> {
        let lists: Vec<&[Cell]> = cells.iter().map(|cell| list_of(cell)).collect();
        let below: Vec<&Cell> = lists.iter().copied().flatten().collect();
        let values = group(self.parts(element, &below), &below)?;
        let valid: Vec<bool> = cells.iter().map(|cell| cell.typed.is_some()).collect();
        let array = ListArray::new(
            Arc::new(Field::new("element", values.data_type().clone(), true)),
            OffsetBuffer::from_lengths(lists.iter().map(|list| list.len())),
            Arc::new(values),
            Some(NullBuffer::from(valid)),
        );
        Some(Arc::new(array))
    }

    fn metadata(self, rows: &[Option<&[u8]>]) -> ArrayRef {
        if self.form != Form::Dictionary {
            return self.bytes(rows);
        }
        let mut builder = BinaryDictionaryBuilder::<Int32Type>::new();
        rows.iter().for_each(|row| builder.append_option(*row));
        Arc::new(builder.finish())
    }

    fn bytes(self, rows: &[Option<&[u8]>]) -> ArrayRef {
        match self.form {
            Form::Offsets => Arc::new(BinaryArray::from_iter(rows)),
            _ => Arc::new(BinaryViewArray::from_iter(rows.iter().copied())),
        }
    }

    fn texts(self, rows: &[Option<&str>]) -> ArrayRef {
        match self.form {
            Form::Offsets => Arc::new(StringArray::from_iter(rows)),
            Form::Views => Arc::new(StringViewArray::from_iter(rows.iter().copied())),
            Form::Dictionary => {
                let mut builder = StringDictionaryBuilder::<Int32Type>::new();
                rows.iter().for_each(|row| builder.append_option(*row));
                Arc::new(builder.finish())
            }
        }
    }

    fn scalar(self, scalar: ScalarType, rows: &[Option<&Raw>]) -> ArrayRef {
        use ScalarType as S;
        match scalar {
            S::Boolean => Arc::new(BooleanArray::from_iter(pick(rows, |raw| match raw {
                Raw::Boolean(value) => Some(*value),
                _ => None,
            }))),
            S::Int8 => integers::<Int8Type>(rows),
            S::Int16 => integers::<Int16Type>(rows),
            S::Int32 => integers::<Int32Type>(rows),
            S::Int64 => integers::<Int64Type>(rows),
            S::Date => integers::<Date32Type>(rows),
            S::Time => integers::<Time64MicrosecondType>(rows),
            S::Timestamp {
                unit: TimeUnit::Nanos,
                ..
            } => integers::<TimestampNanosecondType>(rows),
            S::Timestamp { .. } => integers::<TimestampMicrosecondType>(rows),
            S::Float => Arc::new(PrimitiveArray::<Float32Type>::from_iter(pick(
                rows,
                |raw| match raw {
                    Raw::Float(value) => Some(*value),
                    _ => None,
                },
            ))),
            S::Double => Arc::new(PrimitiveArray::<Float64Type>::from_iter(pick(
                rows,
                |raw| match raw {
                    Raw::Double(value) => Some(*value),
                    _ => None,
                },
            ))),
            S::Decimal { precision, scale } => decimals(precision, scale, rows),
            S::String => self.texts(&pick(rows, |raw| match raw {
                Raw::Text(text) => Some(text.as_str()),
                _ => None,
            })),
            S::Binary | S::Uuid => self.bytes(&pick(rows, |raw| match raw {
                Raw::Bytes(bytes) => Some(bytes.as_slice()),
                _ => None,
            })),
        }
    }
}

/// Returns what a footer would tell: which leaves hold nothing.
pub(super) fn facts(layout: &Layout, rows: &[Row]) -> LeafFacts {
    let mut held = vec![false; layout.leaves().len()];
    held[0] = rows.iter().any(|row| row.metadata.is_some());
    rows.iter()
        .for_each(|row| mark(&layout.root, &row.cell, &mut held));
    LeafFacts::new(held.iter().map(|held| !held).collect())
}

fn mark(group: &Group, cell: &Cell, held: &mut [bool]) {
    if let (Some(leaf), true) = (group.value, cell.value.is_some()) {
        held[leaf.index()] = true;
    }
    match (&group.typed, &cell.typed) {
        (Some(Typed::Scalar { leaf, .. }), Some(_)) => held[leaf.index()] = true,
        (Some(Typed::Object(fields)), Some(TypedCell::Object(cells))) => {
            let pairs = fields.iter().zip(cells);
            pairs.for_each(|(field, cell)| mark(&field.group, cell, held));
        }
        (Some(Typed::List(element)), Some(TypedCell::List(cells))) => {
            cells.iter().for_each(|cell| mark(element, cell, held));
        }
        _ => {}
    }
}

fn scalar_of(cell: &Cell) -> Option<&Raw> {
    match &cell.typed {
        Some(TypedCell::Scalar(raw, _)) => Some(raw),
        _ => None,
    }
}

fn list_of(cell: &Cell) -> &[Cell] {
    match &cell.typed {
        Some(TypedCell::List(cells)) => cells,
        _ => &[],
    }
}

fn child(name: &str, array: ArrayRef) -> (Arc<Field>, ArrayRef) {
    let field = Field::new(name, array.data_type().clone(), true);
    (Arc::new(field), array)
}

fn group(children: Children, cells: &[&Cell]) -> Option<StructArray> {
    structure(children, cells.iter().map(|cell| cell.present).collect())
}

/// Without children there is nothing to tell that there is a group.
fn structure(children: Children, valid: Vec<bool>) -> Option<StructArray> {
    if children.is_empty() {
        return None;
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = children.into_iter().unzip();
    Some(StructArray::new(
        fields.into(),
        arrays,
        Some(NullBuffer::from(valid)),
    ))
}

fn pick<'r, T>(rows: &[Option<&'r Raw>], value: impl Fn(&'r Raw) -> Option<T>) -> Vec<Option<T>> {
    rows.iter().map(|row| row.and_then(&value)).collect()
}

fn integers<T: ArrowPrimitiveType>(rows: &[Option<&Raw>]) -> ArrayRef
where
    T::Native: TryFrom<i64>,
{
    let values = pick(rows, |raw| match raw {
        Raw::Integer(value) => T::Native::try_from(*value).ok(),
        _ => None,
    });
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

fn decimals(precision: u8, scale: u8, rows: &[Option<&Raw>]) -> ArrayRef {
    let values = pick(rows, |raw| match raw {
        Raw::Decimal(value) => Some(*value),
        _ => None,
    });
    let array = Decimal128Array::from_iter(values);
    let scale = i8::try_from(scale).expect("a small scale");
    Arc::new(
        array
            .with_precision_and_scale(precision, scale)
            .expect("digits that fit"),
    )
}
