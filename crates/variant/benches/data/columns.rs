//! Shredded columns, made by the twin, and the layouts that a file of them would have.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, StructArray};
use arrow_schema::{DataType, Field};
use growler_base::LeafIdx;
use growler_variant::shred::{Group, Layout, ScalarType, ShreddedField, Typed};
use parquet_variant_compute::{VariantArray, shred_variant};

/// One dictionary entry per shape of document, as a dictionary-encoded metadata page has.
pub fn with_metadata_dictionary(column: &StructArray) -> StructArray {
    let metadata = column.column(0).as_binary_view();
    let mut distinct: Vec<&[u8]> = Vec::new();
    let keys: Int32Array = (0..metadata.len())
        .map(|row| {
            let bytes = metadata.value(row);
            let known = distinct.iter().position(|known| *known == bytes);
            let key = known.unwrap_or_else(|| {
                distinct.push(bytes);
                distinct.len() - 1
            });
            Some(i32::try_from(key).unwrap())
        })
        .collect();
    let values = Arc::new(BinaryArray::from_iter_values(distinct));
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let mut fields = column.fields().to_vec();
    fields[0] = Arc::new(Field::new(
        "metadata",
        dictionary.data_type().clone(),
        false,
    ));
    let mut arrays = column.columns().to_vec();
    arrays[0] = dictionary;
    StructArray::new(fields.into(), arrays, column.nulls().cloned())
}

/// Returns the layout of a column: each of its arrays as a leaf, in order.
pub fn layout_of(column: &StructArray) -> Layout {
    let mut leaves = Leaves(0);
    Layout {
        metadata: leaves.next(),
        root: leaves.group(column),
    }
}

struct Leaves(u32);

impl Leaves {
    fn next(&mut self) -> LeafIdx {
        let leaf = LeafIdx(self.0);
        self.0 += 1;
        leaf
    }

    fn group(&mut self, group: &StructArray) -> Group {
        let value = group.column_by_name("value").map(|_| self.next());
        let typed = group.column_by_name("typed_value");
        Group {
            value,
            typed: typed.map(|typed| self.typed(typed)),
        }
    }

    fn typed(&mut self, typed: &ArrayRef) -> Typed {
        let scalar = match typed.data_type() {
            DataType::Struct(fields) => {
                let groups = fields.iter().zip(typed.as_struct().columns());
                let fields = groups.map(|(field, group)| ShreddedField {
                    name: field.name().clone(),
                    group: self.group(group.as_struct()),
                });
                return Typed::Object(fields.collect());
            }
            DataType::List(_) => {
                let element = self.group(typed.as_list::<i32>().values().as_struct());
                return Typed::List(Box::new(element));
            }
            DataType::Boolean => ScalarType::Boolean,
            DataType::Int64 => ScalarType::Int64,
            DataType::Float64 => ScalarType::Double,
            DataType::Utf8View => ScalarType::String,
            other => panic!("no bench has this type: {other}"),
        };
        Typed::Scalar {
            leaf: self.next(),
            scalar,
        }
    }
}

/// Returns the type of an object with the given fields.
pub fn object(fields: &[(&str, DataType)]) -> DataType {
    let field = |(name, arrow): &(&str, DataType)| Field::new(*name, arrow.clone(), true);
    DataType::Struct(fields.iter().map(field).collect())
}

/// Shreds the given fields of a column.
pub fn shred_as(column: &StructArray, fields: &[(&str, DataType)]) -> StructArray {
    let variant = VariantArray::try_new(column).unwrap();
    shred_variant(&variant, &object(fields))
        .unwrap()
        .into_inner()
}
