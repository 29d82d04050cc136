//! BIG_DECIMAL.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use foldhash::HashMap;

use super::{Admission, NULL, OTHER, sort_ids};

#[derive(Debug, Default)]
pub(super) struct Wide {
    pub values: Vec<i128>,
    ids: HashMap<i128, u32>,
}

impl Wide {
    pub fn ids(
        &mut self,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        for value in values.as_primitive_opt::<Decimal128Type>()? {
            ids.push(match value {
                Some(value) => self.id(value, admission),
                None => NULL,
            });
        }
        Some(())
    }

    fn id(&mut self, value: i128, admission: Admission) -> u32 {
        if let Some(id) = self.ids.get(&value) {
            return *id;
        }
        let id = u32::try_from(self.values.len()).unwrap_or(OTHER);
        if id >= admission.distinct_count {
            return OTHER;
        }
        self.ids.insert(value, id);
        self.values.push(value);
        id
    }

    pub fn sort(&mut self) -> Vec<u32> {
        self.ids = HashMap::default();
        sort_ids(&self.values)
    }
}
