//! Rows of one data page: which have a value, and the ids of those.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;
use growler_base::Cursor;
use parquet::basic::Encoding;
use parquet::column::page::Page;

use super::bits::Bits;
use super::hybrid::Hybrid;
use super::id_set::IdSet;
use super::spread::spread;
use super::test::test;

/// A data page of a leaf that does not repeat; its rows are taken from the first on.
#[derive(Debug)]
pub(super) struct EncodedPage {
    /// Not there where every row has a value.
    levels: Option<Hybrid>,
    ids: Hybrid,
    pub rows_left: usize,
}

/// Room for what is worked out of a page.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    valid: Bits,
    values: Bits,
}

/// What a page's levels mean.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    /// Level of rows with a value.
    most: u32,
    /// The same as a set.
    with_value: IdSet,
    /// Levels of rows of which the leaf does not tell all.
    untold: Option<IdSet>,
}

impl Meaning {
    /// Takes the level of rows with a value, and those of rows of which the leaf does not tell all.
    pub fn new(most: u32, untold: &[u32]) -> Self {
        let len = (most as usize).saturating_add(1);
        let is_untold = |level| untold.iter().any(|untold| *untold as usize == level);
        Self {
            most,
            with_value: IdSet::one(most, len),
            untold: (!untold.is_empty())
                .then(|| IdSet::new(&BooleanBuffer::collect_bool(len, is_untold))),
        }
    }
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
        let mut valid = Bits::default();
        let value_count = self.validity(row_count, meaning, &mut valid)?;
        ids.clear();
        self.ids.take(value_count, ids).map_err(|_| FEWER_IDS)?;
        let greatest = ids.iter().fold(0, |greatest: u32, id| greatest.max(*id));
        check_id(greatest, value_count, id_count)?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        let validity = (value_count < row_count).then(|| NullBuffer::new(valid.into()));
        Ok(validity)
    }

    /// Takes the next rows: a bit for each, whether its id is in the set, and one whether it has a
    /// value.
    pub fn test(
        &mut self,
        row_count: usize,
        set: &IdSet,
        meaning: &Meaning,
        scratch: &mut Scratch,
        (passed, valid): (&mut Bits, &mut Bits),
    ) -> Result<(), Refused> {
        scratch.valid.clear();
        let value_count = self.validity(row_count, meaning, &mut scratch.valid)?;
        let greatest = if value_count == row_count {
            valid.push_n(row_count, true);
            test(&mut self.ids, value_count, set, passed)
        } else {
            scratch.values.clear();
            let greatest = test(&mut self.ids, value_count, set, &mut scratch.values);
            valid.append(&scratch.valid);
            spread(&scratch.valid, &scratch.values, passed);
            greatest
        };
        check_id(greatest.map_err(|_| FEWER_IDS)?, value_count, set.len())?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(())
    }

    /// Passes over the next rows.
    pub fn skip(
        &mut self,
        row_count: usize,
        meaning: &Meaning,
        scratch: &mut Scratch,
    ) -> Result<(), Refused> {
        scratch.valid.clear();
        let value_count = self.validity(row_count, meaning, &mut scratch.valid)?;
        self.ids.skip(value_count).map_err(|_| FEWER_IDS)?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(())
    }

    /// Appends whether each of the next rows has a value, unless all have and there are no levels;
    /// returns how many have.
    fn validity(
        &mut self,
        row_count: usize,
        meaning: &Meaning,
        valid: &mut Bits,
    ) -> Result<usize, Refused> {
        let Some(levels) = &mut self.levels else {
            return Ok(row_count);
        };
        let fewer = |_| Refused::Damaged("page has fewer levels than rows");
        if let Some(untold) = &meaning.untold {
            let mut ahead = levels.clone();
            test(&mut ahead, row_count, untold, valid).map_err(fewer)?;
            if valid.count_ones() > 0 {
                return Err(Refused::Untold);
            }
            valid.clear();
        }
        test(levels, row_count, &meaning.with_value, valid).map_err(fewer)?;
        Ok(valid.count_ones())
    }
}

const FEWER_IDS: Refused = Refused::Damaged("page has fewer ids than values");

fn check_id(greatest: u32, value_count: usize, id_count: usize) -> Result<(), Refused> {
    if value_count > 0 && greatest as usize >= id_count {
        return Err(Refused::Damaged(
            "page has an id that the dictionary has not",
        ));
    }
    Ok(())
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
