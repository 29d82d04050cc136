//! Text and bytes.

use std::hash::BuildHasher;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType as ArrowType;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Admission, NULL, OTHER};

/// Spreads 32 bits of a hash over 64.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Half of a value's hash, and its id: growing asks no value for its hash.
    table: HashTable<(u32, u32)>,
    state: RandomState,
}

impl Text {
    pub fn ids(
        &mut self,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        ids.reserve(values.len());
        match values.data_type() {
            ArrowType::Utf8View => {
                for value in values.as_string_view_opt()? {
                    ids.push(self.id(value.map(str::as_bytes), admission));
                }
            }
            ArrowType::BinaryView => {
                for value in values.as_binary_view_opt()? {
                    ids.push(self.id(value, admission));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the id of one value of an array.
    pub fn id_at(&mut self, values: &dyn Array, at: usize, admission: Admission) -> Option<u32> {
        let value = match values.data_type() {
            _ if values.is_null(at) => None,
            ArrowType::Utf8 => Some(values.as_string_opt::<i32>()?.value(at).as_bytes()),
            ArrowType::Utf8View => Some(values.as_string_view_opt()?.value(at).as_bytes()),
            ArrowType::BinaryView => Some(values.as_binary_view_opt()?.value(at)),
            _ => return None,
        };
        Some(self.id(value, admission))
    }

    fn id(&mut self, value: Option<&[u8]>, admission: Admission) -> u32 {
        let Some(value) = value else { return NULL };
        if value.len() > admission.value_len_bytes {
            return OTHER;
        }
        let [.., a, b, c, d] = self.state.hash_one(value).to_le_bytes();
        let hash = u32::from_le_bytes([a, b, c, d]);
        let spread = |hash: u32| u64::from(hash).wrapping_mul(SPREAD);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let entry = self.table.entry(
            spread(hash),
            |(other, id)| *other == hash && text(bytes, ends, *id) == Some(value),
            |(other, _)| spread(*other),
        );
        match entry {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let id = u32::try_from(ends.len()).unwrap_or(OTHER);
                if id >= admission.distinct_count {
                    return OTHER;
                }
                entry.insert((hash, id));
                self.bytes.extend_from_slice(value);
                self.ends.push(self.bytes.len());
                id
            }
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn value_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn held_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub fn value(&self, id: u32) -> Option<&[u8]> {
        text(&self.bytes, &self.ends, id)
    }

    pub fn sort(&mut self) -> Vec<u32> {
        self.table = HashTable::new();
        let value = |id: u32| self.value(id).unwrap_or_default();
        let shared = self.shared_len();
        // Most comparisons are decided by eight bytes behind what all values share.
        let prefix = |id: u32| {
            let rest = value(id).get(shared..).unwrap_or_default();
            let mut prefix = [0; 8];
            for (slot, byte) in prefix.iter_mut().zip(rest) {
                *slot = *byte;
            }
            u64::from_be_bytes(prefix)
        };
        let ids = (0..).take(self.ends.len());
        let mut pairs: Vec<(u64, u32)> = ids.map(|id| (prefix(id), id)).collect();
        pairs.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| value(*x).cmp(value(*y))));
        pairs.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns how many first bytes all values share.
    fn shared_len(&self) -> usize {
        let mut ids = (0..).take(self.ends.len());
        let Some(first) = ids.next().and_then(|id| self.value(id)) else {
            return 0;
        };
        ids.fold(first.len(), |shared, id| {
            let pairs = first.iter().zip(self.value(id).unwrap_or_default());
            pairs.take(shared).take_while(|(a, b)| a == b).count()
        })
    }
}

fn text<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> Option<&'a [u8]> {
    let at = id as usize;
    let from = match at.checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => 0,
    };
    bytes.get(from..*ends.get(at)?)
}
