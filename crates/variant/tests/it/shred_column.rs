//! Variant groups as arrays: their layout, what a reader would leave of them, and their cells.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_schema::{DataType as ArrowType, Field, TimeUnit as ArrowUnit};
use growler_base::LeafIdx;
use growler_schema::TimeUnit;
use growler_variant::shred::{Group, Layout, LeafFacts, ScalarType, ShreddedField, Typed};

/// Returns the layout of a whole variant group, leaves numbered depth first.
pub fn layout_of(column: &StructArray) -> Layout {
    let mut next = 0;
    let metadata = LeafIdx(next);
    assert_eq!(column.column_names().first(), Some(&"metadata"));
    next += 1;
    Layout {
        metadata,
        root: group_of(column, &mut next),
    }
}

fn group_of(array: &StructArray, next: &mut u32) -> Group {
    let mut group = Group {
        value: None,
        typed: None,
    };
    for (name, child) in array.column_names().into_iter().zip(array.columns()) {
        match name {
            "value" => group.value = Some(leaf(next)),
            "typed_value" => group.typed = Some(typed_of(child, next)),
            _ => {}
        }
    }
    group
}

fn typed_of(array: &ArrayRef, next: &mut u32) -> Typed {
    if let Some(fields) = array.as_struct_opt() {
        let names = fields.column_names().into_iter().map(str::to_owned);
        let fields = names
            .zip(fields.columns())
            .map(|(name, group)| ShreddedField {
                name,
                group: group_of(group.as_struct(), next),
            });
        return Typed::Object(fields.collect());
    }
    if let Some(list) = array.as_list_opt::<i32>() {
        return Typed::List(Box::new(group_of(list.values().as_struct(), next)));
    }
    Typed::Scalar {
        leaf: leaf(next),
        scalar: scalar_of(array.data_type()),
    }
}

fn leaf(next: &mut u32) -> LeafIdx {
    let leaf = LeafIdx(*next);
    *next += 1;
    leaf
}

fn scalar_of(arrow: &ArrowType) -> ScalarType {
    match arrow {
        ArrowType::Boolean => ScalarType::Boolean,
        ArrowType::Int8 => ScalarType::Int8,
        ArrowType::Int16 => ScalarType::Int16,
        ArrowType::Int32 => ScalarType::Int32,
        ArrowType::Int64 => ScalarType::Int64,
        ArrowType::Float32 => ScalarType::Float,
        ArrowType::Float64 => ScalarType::Double,
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale) => ScalarType::Decimal {
            precision: *precision,
            scale: u8::try_from(*scale).unwrap(),
        },
        ArrowType::Date32 => ScalarType::Date,
        ArrowType::Time64(_) => ScalarType::Time,
        ArrowType::Timestamp(ArrowUnit::Microsecond, zone) => ScalarType::Timestamp {
            unit: TimeUnit::Micros,
            utc: zone.is_some(),
        },
        ArrowType::Timestamp(_, zone) => ScalarType::Timestamp {
            unit: TimeUnit::Nanos,
            utc: zone.is_some(),
        },
        ArrowType::Binary | ArrowType::BinaryView => ScalarType::Binary,
        ArrowType::FixedSizeBinary(16) => ScalarType::Uuid,
        ArrowType::Utf8 | ArrowType::Utf8View | ArrowType::Dictionary(..) => ScalarType::String,
        other => panic!("no scalar: {other}"),
    }
}

/// Returns what a reader of those leaves alone makes of the group.
pub fn prune(column: &StructArray, leaves: &[LeafIdx]) -> StructArray {
    let mut next = 0;
    let pruned = prune_array(&(Arc::new(column.clone()) as ArrayRef), leaves, &mut next);
    pruned
        .unwrap_or_else(|| panic!("no leaf of {leaves:?}"))
        .as_struct()
        .clone()
}

fn prune_array(array: &ArrayRef, leaves: &[LeafIdx], next: &mut u32) -> Option<ArrayRef> {
    if let Some(group) = array.as_struct_opt() {
        let mut kept: Vec<(Arc<Field>, ArrayRef)> = Vec::new();
        for (field, child) in group.fields().iter().zip(group.columns()) {
            if let Some(child) = prune_array(child, leaves, next) {
                let field = field
                    .as_ref()
                    .clone()
                    .with_data_type(child.data_type().clone());
                kept.push((Arc::new(field), child));
            }
        }
        if kept.is_empty() {
            return None;
        }
        let (fields, arrays): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
        let group = StructArray::new(fields.into(), arrays, group.nulls().cloned());
        return Some(Arc::new(group));
    }
    if let Some(list) = array.as_list_opt::<i32>() {
        let values = prune_array(list.values(), leaves, next)?;
        let field = Arc::new(Field::new("element", values.data_type().clone(), true));
        let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
        return Some(Arc::new(ListArray::new(field, offsets, values, nulls)));
    }
    leaves.contains(&leaf(next)).then(|| Arc::clone(array))
}

/// Returns what the footer would tell: which leaves are all null.
pub fn facts_of(column: &StructArray) -> LeafFacts {
    let mut flags = Vec::new();
    push_flags(&(Arc::new(column.clone()) as ArrayRef), &mut flags);
    LeafFacts::new(flags.into())
}

fn push_flags(array: &ArrayRef, flags: &mut Vec<bool>) {
    if let Some(group) = array.as_struct_opt() {
        group
            .columns()
            .iter()
            .for_each(|child| push_flags(child, flags));
    } else if let Some(list) = array.as_list_opt::<i32>() {
        push_flags(list.values(), flags);
    } else {
        flags.push(array.null_count() == array.len());
    }
}

/// Returns every cell as text, to compare arrays of different forms.
pub fn cells(array: &ArrayRef) -> Vec<Option<String>> {
    let cell = |row| match array.data_type() {
        ArrowType::Boolean => array.as_boolean().value(row).to_string(),
        ArrowType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        ArrowType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        ArrowType::Float32 => format!("{:?}", array.as_primitive::<Float32Type>().value(row)),
        ArrowType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        ArrowType::Decimal128(38, scale) => {
            format!(
                "{}/{scale}",
                array.as_primitive::<Decimal128Type>().value(row)
            )
        }
        ArrowType::Timestamp(ArrowUnit::Microsecond, None) => array
            .as_primitive::<TimestampMicrosecondType>()
            .value(row)
            .to_string(),
        ArrowType::Utf8View => array.as_string_view().value(row).to_owned(),
        ArrowType::BinaryView => format!("{:?}", array.as_binary_view().value(row)),
        ArrowType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            let key = usize::try_from(dictionary.keys().value(row)).unwrap();
            dictionary.values().as_string::<i32>().value(key).to_owned()
        }
        other => panic!("no key is read as {other}"),
    };
    (0..array.len())
        .map(|row| array.is_valid(row).then(|| cell(row)))
        .collect()
}
