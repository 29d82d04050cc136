//! Batches of unshredded documents, and their keys read by either side.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, Int64Array, StringArray, StringViewArray,
    StructArray,
};
use arrow_schema::{DataType, Field};
use growler_variant::cache::PathCache;
use growler_variant::{Found, Node};
use parquet_variant::{Variant, VariantPath};
use parquet_variant_compute::{GetOptions, json_to_variant, variant_get};

/// Unshredded documents, in the forms that the two sides take.
pub struct Batch {
    /// The whole column, as the twin's key function takes it.
    pub variant: ArrayRef,
    metadata: BinaryViewArray,
    value: BinaryViewArray,
}

impl Batch {
    /// Makes variants of JSON texts, each with a dictionary of its own bytes.
    pub fn of_json(documents: impl Iterator<Item = String>) -> Self {
        let documents: ArrayRef = Arc::new(StringArray::from_iter_values(documents));
        let variant = json_to_variant(&documents).unwrap();
        let child = |name: &str| {
            let child = variant.inner().column_by_name(name).unwrap();
            child
                .as_any()
                .downcast_ref::<BinaryViewArray>()
                .unwrap()
                .clone()
        };
        Self {
            metadata: child("metadata"),
            value: child("value"),
            variant: ArrayRef::from(variant),
        }
    }

    /// The same with all rows pointing to one dictionary, as a dictionary-encoded page decodes.
    #[must_use]
    pub fn with_one_dictionary(mut self) -> Self {
        let first = *self.metadata.views().first().unwrap();
        let views = vec![first; self.metadata.len()];
        let buffers = self.metadata.data_buffers().to_vec();
        self.metadata = BinaryViewArray::try_new(views.into(), buffers, None).unwrap();
        self
    }

    /// The twin's text function takes plain binary only, in version 59.
    pub fn as_binary(&self) -> ArrayRef {
        let binary = |array: &BinaryViewArray| -> ArrayRef {
            Arc::new(BinaryArray::from_iter_values(array.iter().flatten()))
        };
        let fields: Vec<Arc<Field>> = ["metadata", "value"]
            .map(|name| Arc::new(Field::new(name, DataType::Binary, false)))
            .into();
        let columns = vec![binary(&self.metadata), binary(&self.value)];
        Arc::new(StructArray::new(fields.into(), columns, None))
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Returns the column as our readers take it.
    pub fn column(&self) -> StructArray {
        self.variant.as_struct().clone()
    }

    /// Returns the dictionary and the value of every row.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (0..self.value.len()).map(|row| (self.metadata.value(row), self.value.value(row)))
    }
}

/// A page view of ten keys, one of them nested; `extra` keys come on top.
pub fn page_view(row: usize, extra: &str) -> String {
    let tier = ["gold", "silver", "bronze"][row % 3];
    format!(
        "{{\"user_tier\":\"{tier}\",\"latency_ms\":{row},\"page_type\":\"product\",\"url\":\
         \"https://shop.example/item/{row}\",\"device\":{{\"os\":\"ios\",\"model\":\"m{}\"}},\
         \"price\":{}.25,\"in_stock\":true,\"tags\":[\"a\",\"common\"],\"session\":\"s-{row}\",\
         \"referrer\":null{extra}}}",
        row % 7,
        row % 100,
    )
}

/// Page views that all have one set of names; each row has its own copy of the dictionary.
pub fn shared(rows: usize) -> Batch {
    Batch::of_json((0..rows).map(|row| page_view(row, "")))
}

/// Page views with one more key, which no other row has.
pub fn per_row(rows: usize) -> Batch {
    Batch::of_json((0..rows).map(|row| page_view(row, &format!(",\"key{row}\":1"))))
}

/// Objects with a given number of integer keys; only the first has a key `last` as well.
pub fn wide(keys: usize, rows: usize) -> Batch {
    wide_with(keys, rows, |row| (row == 0).then(|| "last".to_owned()))
}

/// Objects with a given number of integer keys and one more, which no other row has.
pub fn wide_per_row(keys: usize, rows: usize) -> Batch {
    wide_with(keys, rows, |row| Some(format!("own{row:04}")))
}

fn wide_with(keys: usize, rows: usize, extra: impl Fn(usize) -> Option<String>) -> Batch {
    let names: Vec<String> = (0..keys).map(|key| format!("key{key:04}")).collect();
    Batch::of_json((0..rows).map(|row| {
        let fields: Vec<String> = names
            .iter()
            .cloned()
            .chain(extra(row))
            .map(|name| format!("\"{name}\":{}", row * 100_000))
            .collect();
        format!("{{{}}}", fields.join(","))
    }))
}

fn read<'b>(batch: &'b Batch, cache: &mut PathCache, mut put: impl FnMut(Option<Node<'b>>)) {
    let mut rows = cache.rows();
    for (metadata, value) in batch.rows() {
        put(match rows.find(metadata, value) {
            Ok(Found::Value(bytes)) => Node::try_new(bytes).ok(),
            _ => None,
        });
    }
}

/// Reads a key as texts.
pub fn strings(batch: &Batch, cache: &mut PathCache) -> StringViewArray {
    let mut builder = StringViewBuilder::with_capacity(batch.value.len());
    read(batch, cache, |node| {
        builder.append_option(node.and_then(|node| node.to_str()))
    });
    builder.finish()
}

/// Reads a key as integers.
pub fn integers(batch: &Batch, cache: &mut PathCache) -> Int64Array {
    let mut builder = Int64Builder::with_capacity(batch.value.len());
    read(batch, cache, |node| {
        builder.append_option(node.and_then(|node| node.to_i64()))
    });
    builder.finish()
}

/// Reads a key by the twin's function.
pub fn twin(batch: &Batch, path: &str, data_type: &DataType) -> ArrayRef {
    let field = Arc::new(Field::new("key", data_type.clone(), true));
    let path = VariantPath::try_from(path).unwrap();
    let options = GetOptions::new_with_path(path).with_as_type(Some(field));
    variant_get(&batch.variant, options).unwrap()
}

/// Reads a top-level key as the twin does row by row: each value validated, then looked into.
pub fn twin_by_row(batch: &Batch, key: &str, data_type: &DataType) -> ArrayRef {
    let rows = batch.rows().map(|(metadata, value)| {
        let variant = Variant::try_new(metadata, value).unwrap();
        variant.get_object_field(key)
    });
    if *data_type == DataType::Int64 {
        let mut builder = Int64Builder::with_capacity(batch.len());
        rows.for_each(|found| builder.append_option(found.and_then(|found| found.as_int64())));
        Arc::new(builder.finish())
    } else {
        let mut builder = StringViewBuilder::with_capacity(batch.len());
        rows.for_each(|found| {
            builder.append_option(found.as_ref().and_then(|found| found.as_string()));
        });
        Arc::new(builder.finish())
    }
}
