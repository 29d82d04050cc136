//! Building a filter.

use arrow_array::{Array, DictionaryArray, cast::AsArray, types};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_base::limits;
use growler_schema::DataType;
use growler_schema::index_plan::BloomOptions;

use super::{BLOCK_BYTES, Layout, block, key};
use crate::{Error, order::of_i64, range::code::of_f64};

/// Takes the values of a subject and makes the filter.
///
/// It is made for as many distinct values as there are rows, and folded in the end to what was in fact
/// needed; so values may repeat, and their number need not be known.
#[derive(Debug)]
pub struct BloomBuilder {
    data_type: DataType,
    layout: Layout,
    blocks: Vec<[u32; 8]>,
    hashes: Vec<u64>,
}

impl BloomBuilder {
    /// Begins the filter of a subject of at most `row_count` distinct values.
    pub fn new(data_type: DataType, row_count: u32, options: BloomOptions) -> Self {
        let layout = Layout(options);
        Self {
            data_type,
            layout,
            blocks: vec![[0; 8]; layout.block_count(row_count)],
            hashes: Vec::new(),
        }
    }

    /// Returns how many bytes a filter of so many rows holds while it is built.
    pub fn building_bytes(row_count: u32, options: BloomOptions) -> usize {
        Layout(options).block_count(row_count) * BLOCK_BYTES
    }

    /// Adds values of the type; text may come as `Dictionary(Int32, Utf8)`. Nulls are passed over.
    ///
    /// # Errors
    /// Internal, when the array is of another type.
    pub fn push(&mut self, values: &dyn Array) -> Result<(), Error> {
        if let Some(dictionary) = values.as_dictionary_opt::<types::Int32Type>() {
            return self.push_dictionary(dictionary);
        }
        let is_right = match values.data_type() {
            ArrowType::Utf8 => self.data_type.is_text(),
            other => *other == self.data_type.arrow_type(),
        };
        if !is_right {
            let array = values.data_type();
            return Err(Error::internal(format!(
                "array is not of the indexed type: array={array}"
            )));
        }
        self.push_values(values, |_| true)
    }

    /// Returns the filter as bytes.
    ///
    /// # Errors
    /// Internal, when there are more blocks than a filter can have.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let mut blocks = self.blocks;
        while let Some(folded) = folded(&blocks, self.layout) {
            blocks = folded;
        }
        let words = blocks.as_flattened();
        let mut bytes = Vec::with_capacity(4 * words.len() + Layout::FOOTER_BYTES);
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let count = u32::try_from(blocks.len());
        let count = count.map_err(|_| Error::internal("bloom filter is too large"))?;
        self.layout.append_footer(count, &mut bytes);
        Ok(bytes)
    }

    /// Adds the entries of a dictionary that rows use.
    fn push_dictionary(&mut self, array: &DictionaryArray<types::Int32Type>) -> Result<(), Error> {
        let mut is_used = vec![false; array.values().len()];
        for key in array.keys().iter().flatten() {
            let key = usize::try_from(key).unwrap_or(usize::MAX);
            if let Some(is_used) = is_used.get_mut(key) {
                *is_used = true;
            }
        }
        self.push_values(array.values(), |idx| is_used.get(idx) == Some(&true))
    }

    /// Adds the values that are not null and wanted.
    fn push_values(
        &mut self,
        values: &dyn Array,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let nulls = values.logical_nulls();
        let is_valid = |idx: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*idx));
        for start in (0..values.len()).step_by(limits::BATCH_ROWS) {
            let end = values.len().min(start + limits::BATCH_ROWS);
            let rows = (start..end).filter(|idx| is_valid(idx) && is_wanted(*idx));
            // Hashes first: the accesses to the filter, which misses the cache, then overlap.
            self.hashes.clear();
            append_hashes(values, rows, &mut self.hashes)
                .ok_or_else(|| Error::internal("values have no hash"))?;
            block::insert(&mut self.blocks, &self.hashes);
        }
        Ok(())
    }
}

/// Returns the filter of half the size, unless more of its bits would be set than may be.
fn folded(blocks: &[[u32; 8]], layout: Layout) -> Option<Vec<[u32; 8]>> {
    let (pairs, []) = blocks.as_chunks::<2>() else {
        return None;
    };
    let join = |[a, b]: &[[u32; 8]; 2]| {
        let mut joined = *a;
        for (word, other) in joined.iter_mut().zip(b) {
            *word |= other;
        }
        joined
    };
    let joined: Vec<[u32; 8]> = pairs.iter().map(join).collect();
    let words = joined.as_flattened().iter();
    let set: u64 = words.map(|word| u64::from(word.count_ones())).sum();
    let bits = joined.len() * BLOCK_BYTES * 8;
    (set as f64 <= bits as f64 * layout.most_set()).then_some(joined)
}

/// Appends the hashes of some values of an array; none for a type that has none.
fn append_hashes(
    values: &dyn Array,
    rows: impl Iterator<Item = usize>,
    hashes: &mut Vec<u64>,
) -> Option<()> {
    macro_rules! codes {
        ($native:ty, $code:expr) => {{
            let values = values.as_primitive_opt::<$native>()?;
            hashes.extend(rows.map(|idx| key::of_code($code(values.value(idx)))));
        }};
    }
    match values.data_type() {
        ArrowType::Int32 => codes!(types::Int32Type, |value| of_i64(i64::from(value))),
        ArrowType::Int64 => codes!(types::Int64Type, of_i64),
        ArrowType::Float32 => codes!(types::Float32Type, |value| of_f64(f64::from(value))),
        ArrowType::Float64 => codes!(types::Float64Type, of_f64),
        ArrowType::Timestamp(ArrowUnit::Millisecond, _) => {
            codes!(types::TimestampMillisecondType, of_i64);
        }
        ArrowType::Timestamp(ArrowUnit::Microsecond, _) => {
            codes!(types::TimestampMicrosecondType, of_i64);
        }
        ArrowType::Timestamp(ArrowUnit::Nanosecond, _) => {
            codes!(types::TimestampNanosecondType, of_i64);
        }
        ArrowType::Boolean => {
            let values = values.as_boolean_opt()?;
            hashes.extend(rows.map(|idx| key::of_code(u64::from(values.value(idx)))));
        }
        ArrowType::Decimal128(..) => {
            let values = values.as_primitive_opt::<types::Decimal128Type>()?;
            hashes.extend(rows.map(|idx| key::of_unscaled(values.value(idx))));
        }
        ArrowType::Utf8 => {
            let values = values.as_string_opt::<i32>()?;
            hashes.extend(rows.map(|idx| key::of_bytes(values.value(idx).as_bytes())));
        }
        ArrowType::Utf8View => {
            let values = values.as_string_view_opt()?;
            hashes.extend(rows.map(|idx| key::of_bytes(values.value(idx).as_bytes())));
        }
        ArrowType::BinaryView => {
            let values = values.as_binary_view_opt()?;
            hashes.extend(rows.map(|idx| key::of_bytes(values.value(idx))));
        }
        _ => return None,
    }
    Some(())
}
