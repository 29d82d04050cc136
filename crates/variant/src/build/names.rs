//! The dictionary of names while it grows; the layout of its bytes is at [`crate::metadata`].

use std::collections::HashMap;
use std::sync::Arc;

use growler_base::limits;

use super::container::{put_uint, uint_width};
use crate::Error;
use crate::bytes::index;

const SORTED: u8 = 0x10;

/// Names in the order in which they were first used, each once.
#[derive(Debug, Clone, Default)]
pub struct NameTable {
    names: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, u32>,
    len_bytes: usize,
}

impl NameTable {
    /// Makes a table of names in byte order, so that the dictionary is a sorted one as long as no
    /// further name is used.
    ///
    /// # Errors
    /// `LimitExceeded` when the names are too many or too long.
    pub fn sorted<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, Error> {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        let mut table = Self::default();
        for name in names {
            table.id_of(name)?;
        }
        Ok(table)
    }

    /// Returns the id of a name, a new one where the name is new.
    ///
    /// # Errors
    /// `LimitExceeded` when the names are too many or too long.
    pub fn id_of(&mut self, name: &str) -> Result<u32, Error> {
        if let Some(id) = self.ids.get(name) {
            return Ok(*id);
        }
        let too_long = || Error::ValueLength {
            limit_bytes: limits::VARIANT_LEN_BYTES,
        };
        let len_bytes = self.len_bytes.saturating_add(name.len());
        let id = u32::try_from(self.names.len()).map_err(|_| too_long())?;
        // Each name costs at most four bytes of offset besides its own.
        let tables = self.names.len().saturating_mul(4);
        if len_bytes.saturating_add(tables) > limits::VARIANT_LEN_BYTES {
            return Err(too_long());
        }
        let name: Arc<str> = Arc::from(name);
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, id);
        self.len_bytes = len_bytes;
        Ok(id)
    }

    /// Returns the name of an id.
    pub fn name(&self, id: u32) -> Option<&str> {
        self.names.get(index(id)).map(AsRef::as_ref)
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Tells whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the metadata bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let is_sorted = self.names.is_sorted_by(|a, b| a < b);
        let width = uint_width(self.len_bytes.max(self.names.len()));
        let width_bits = u8::try_from(width).unwrap_or(4).saturating_sub(1) << 6;
        let mut bytes = vec![1 | width_bits | if is_sorted { SORTED } else { 0 }];
        put_uint(&mut bytes, self.names.len(), width);
        let mut end = 0_usize;
        put_uint(&mut bytes, end, width);
        for name in &self.names {
            end = end.saturating_add(name.len());
            put_uint(&mut bytes, end, width);
        }
        for name in &self.names {
            bytes.extend_from_slice(name.as_bytes());
        }
        bytes
    }
}
