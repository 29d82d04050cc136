//! Rows with multi-value keys, one row for each combination of their values.

use arrow_array::{Array, ArrayRef, UInt32Array, cast::AsArray};
use arrow_schema::DataType as ArrowType;

use crate::error::Error;

/// Keys that are all single-value, and the row each came from.
#[derive(Debug)]
pub struct Exploded {
    /// One array a key.
    pub keys: Vec<ArrayRef>,
    /// Row of the batch for each row of the keys.
    pub rows: UInt32Array,
}

/// Takes apart the lists among `keys`; none when there are none. A row whose list is null or empty
/// has the null in its place.
///
/// # Errors
/// [`Error::Internal`] on a broken invariant.
pub fn explode(keys: &[ArrayRef], row_count: usize) -> Result<Option<Exploded>, Error> {
    if !keys
        .iter()
        .any(|key| matches!(key.data_type(), ArrowType::List(_)))
    {
        return Ok(None);
    }
    let mut rows: Vec<u32> = (0..u32::try_from(row_count).unwrap_or(u32::MAX)).collect();
    let mut picks: Vec<Option<Vec<Option<u32>>>> = vec![None; keys.len()];
    for idx in 0..keys.len() {
        let Some(list) = keys.get(idx).and_then(|key| key.as_list_opt::<i32>()) else {
            continue;
        };
        let mut wider = Vec::with_capacity(rows.len());
        let mut from = Vec::with_capacity(rows.len());
        let mut items = Vec::with_capacity(rows.len());
        for (position, &row) in rows.iter().enumerate() {
            for item in items_of(list, row as usize) {
                wider.push(row);
                from.push(position);
                items.push(item);
            }
        }
        for earlier in picks.iter_mut().flatten() {
            *earlier = from
                .iter()
                .map(|&at| earlier.get(at).copied().flatten())
                .collect();
        }
        if let Some(pick) = picks.get_mut(idx) {
            *pick = Some(items);
        }
        rows = wider;
    }
    let rows = UInt32Array::from(rows);
    let taken = keys
        .iter()
        .zip(picks)
        .map(|(key, pick)| match (pick, key.as_list_opt::<i32>()) {
            (Some(pick), Some(list)) => take(list.values(), &UInt32Array::from(pick)),
            _ => take(key, &rows),
        });
    let keys = taken.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Exploded { keys, rows }))
}

/// Yields the positions of a row's values in the list's child; one null for a list without values.
fn items_of(list: &arrow_array::ListArray, row: usize) -> impl Iterator<Item = Option<u32>> {
    let offsets = list.value_offsets();
    let bound = |at: usize| {
        offsets
            .get(at)
            .and_then(|&offset| u32::try_from(offset).ok())
            .unwrap_or(0)
    };
    let items = if list.is_valid(row) {
        bound(row)..bound(row + 1)
    } else {
        0..0
    };
    let missing = items.is_empty().then_some(None);
    missing.into_iter().chain(items.map(Some))
}

fn take(values: &ArrayRef, rows: &UInt32Array) -> Result<ArrayRef, Error> {
    arrow_select::take::take(values, rows, None).map_err(|error| Error::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int32Array, ListArray, types::Int32Type};
    use std::sync::Arc;

    #[test]
    fn lists_multiply_and_empty_ones_leave_a_null() -> Result<(), Error> {
        let list = |rows: Vec<Option<Vec<Option<i32>>>>| -> ArrayRef {
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
        };
        let keys = [
            list(vec![Some(vec![Some(1), Some(2)]), Some(vec![]), None]),
            Arc::new(Int32Array::from(vec![10, 20, 30])) as ArrayRef,
            list(vec![
                Some(vec![Some(7), Some(8)]),
                Some(vec![Some(9)]),
                Some(vec![None]),
            ]),
        ];
        let exploded = explode(&keys, 3)?.unwrap();
        let column = |idx: usize| {
            exploded.keys[idx]
                .as_primitive::<Int32Type>()
                .iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(exploded.rows.values().to_vec(), [0, 0, 0, 0, 1, 2]);
        assert_eq!(column(0), [Some(1), Some(1), Some(2), Some(2), None, None]);
        assert_eq!(column(1), [10, 10, 10, 10, 20, 30].map(Some));
        assert_eq!(
            column(2),
            [Some(7), Some(8), Some(7), Some(8), Some(9), None]
        );
        assert!(explode(&keys[1..2], 3)?.is_none());
        Ok(())
    }
}
