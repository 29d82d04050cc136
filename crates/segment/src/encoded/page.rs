//! Rows of one data page: which have a value, and the ids of those.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;
use growler_base::Cursor;
use parquet::basic::Encoding;
use parquet::column::page::Page;

use super::hybrid::Hybrid;

/// A data page of a leaf that does not repeat; its rows are taken from the first on.
#[derive(Debug)]
pub(super) struct EncodedPage {
    /// Not there where every row has a value.
    levels: Option<Hybrid>,
    ids: Hybrid,
    pub rows_left: usize,
    numbers: Vec<u32>,
}

/// What a page's levels mean.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    /// Level of rows with a value.
    pub most: u32,
    /// Levels of rows of which the leaf does not tell all.
    pub untold: Vec<u32>,
}

/// Why rows of a page were not taken.
#[derive(Debug)]
pub(super) enum Refused {
    /// The page is not encoded as expected, or the leaf does not tell all of some row.
    Untold,
    /// The bytes are damaged.
    Damaged(&'static str),
}

impl EncodedPage {
    /// Finds levels and ids of a page.
    pub fn try_new(page: &Page, meaning: &Meaning) -> Result<Self, Refused> {
        let is_ids = matches!(
            page.encoding(),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY
        );
        if !is_ids {
            return Err(Refused::Untold);
        }
        let (levels, ids) = streams(page, meaning.most)?;
        let damaged = || Refused::Damaged("numbers of a page have too many bits");
        let (id_bits, ids) = match ids.split_first() {
            Some((bits, rest)) => (u32::from(*bits), ids.slice_ref(rest)),
            // No row has a value.
            None => (0, Bytes::new()),
        };
        let level_bits = u32::BITS.saturating_sub(meaning.most.leading_zeros());
        let levels = levels.map(|levels| Hybrid::try_new(levels, level_bits).ok_or_else(damaged));
        Ok(Self {
            levels: levels.transpose()?,
            ids: Hybrid::try_new(ids, id_bits).ok_or_else(damaged)?,
            rows_left: usize::try_from(page.num_values()).unwrap_or(usize::MAX),
            numbers: Vec::new(),
        })
    }

    /// Takes the next rows: an id below `id_count` for each that has a value, into `ids`; returns
    /// which those are, none when all are.
    pub fn take(
        &mut self,
        row_count: usize,
        id_count: usize,
        meaning: &Meaning,
        ids: &mut Vec<u32>,
    ) -> Result<Option<NullBuffer>, Refused> {
        let validity = self.validity(row_count, meaning)?;
        let valid = validity.as_ref().map_or(row_count, |validity| {
            row_count.saturating_sub(validity.null_count())
        });
        ids.clear();
        self.ids
            .take(valid, ids)
            .map_err(|_| Refused::Damaged("page has fewer ids than values"))?;
        let greatest = ids.iter().fold(0, |greatest: u32, id| greatest.max(*id));
        if !ids.is_empty() && greatest as usize >= id_count {
            return Err(Refused::Damaged(
                "page has an id that the dictionary has not",
            ));
        }
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(validity)
    }

    fn validity(
        &mut self,
        row_count: usize,
        meaning: &Meaning,
    ) -> Result<Option<NullBuffer>, Refused> {
        let Some(levels) = &mut self.levels else {
            return Ok(None);
        };
        self.numbers.clear();
        levels
            .take(row_count, &mut self.numbers)
            .map_err(|_| Refused::Damaged("page has fewer levels than rows"))?;
        let numbers = self.numbers.as_slice();
        if numbers.iter().all(|level| *level == meaning.most) {
            return Ok(None);
        }
        if numbers.iter().any(|level| meaning.untold.contains(level)) {
            return Err(Refused::Untold);
        }
        let most = meaning.most;
        let mut rows = numbers.iter();
        let valid = |_| rows.next().is_some_and(|level| *level == most);
        let validity = BooleanBuffer::collect_bool(numbers.len(), valid);
        Ok(Some(NullBuffer::new(validity)))
    }
}

/// Finds the bytes of definition levels, none where there are none, and of ids.
fn streams(page: &Page, most: u32) -> Result<(Option<Bytes>, Bytes), Refused> {
    let damaged = |_| Refused::Damaged("levels do not fit their page");
    let buffer = page.buffer();
    let mut cursor = Cursor::new(buffer);
    let levels = match page {
        Page::DataPage {
            def_level_encoding, ..
        } => {
            if most == 0 {
                return Ok((None, buffer.clone()));
            }
            if *def_level_encoding != Encoding::RLE {
                return Err(Refused::Untold);
            }
            let len = cursor.uint(4).map_err(damaged)?;
            cursor.take(len.into()).map_err(damaged)?
        }
        Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let repetition = u64::from(*rep_levels_byte_len);
            cursor.take(repetition).map_err(damaged)?;
            let definition = u64::from(*def_levels_byte_len);
            cursor.take(definition).map_err(damaged)?
        }
        Page::DictionaryPage { .. } => return Err(Refused::Untold),
    };
    let ids = buffer.slice_ref(cursor.rest());
    let levels = (most > 0).then(|| buffer.slice_ref(levels));
    Ok((levels, ids))
}
