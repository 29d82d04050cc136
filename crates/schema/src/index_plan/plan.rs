//! What each column, key and remainder of a table wants.

use std::collections::BTreeMap;

use super::{BloomOptions, JsonPlan, RemainderPlan, bloom, hash::PlanHash};
use crate::table_config::{FieldConfig, IndexConfigs};
use crate::{DataType, TableConfig, TableSchema};

/// Raised when the same plan has to be built anew.
const VERSION: u64 = 2;

/// The indexes that a table wants; empty for a table without any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexPlan {
    columns: BTreeMap<String, ColumnIndexes>,
    /// Of columns that are no VARIANT.
    documents: BTreeMap<String, JsonPlan>,
    notes: Vec<String>,
}

/// The indexes that one column wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnIndexes {
    /// On the values of a column that is no VARIANT.
    Values(IndexKinds),
    /// On the keys of a VARIANT column.
    Variant(Box<VariantIndexes>),
}

/// The indexes that the keys of a VARIANT column want.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariantIndexes {
    /// On keys, in files that shred them into a typed column.
    pub keys: BTreeMap<String, IndexKinds>,
    /// On such keys without an entry of their own.
    pub default_key: Option<IndexKinds>,
    /// On everything that has no typed column.
    pub remainder: Option<Box<RemainderPlan>>,
}

/// The kinds of index on one column or key. Where any is wanted, the rows without a value are kept too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct IndexKinds {
    /// The distinct values in order.
    pub dictionary: bool,
    /// The rows of each value; brings a dictionary with it.
    pub inverted: bool,
    /// The rows of any interval of values.
    pub range: bool,
    /// A quick proof that no row has a value.
    pub bloom: bool,
    /// How that is laid out.
    pub bloom_options: BloomOptions,
}

impl IndexPlan {
    /// Makes the plan of a table.
    pub fn new(config: &TableConfig, schema: &TableSchema) -> Self {
        let mut plan = Self::default();
        for (name, field_config) in &config.fields {
            let Some(field) = schema.field(name) else {
                continue;
            };
            plan.note_heap(name, field_config);
            let column_type = field.column_type;
            if column_type.data_type == DataType::OpenStruct {
                let variant = VariantIndexes::of(field_config);
                if !variant.is_empty() {
                    plan.columns
                        .insert(name.clone(), ColumnIndexes::Variant(Box::new(variant)));
                }
                continue;
            }
            let kinds = IndexKinds::of(&field_config.indexes);
            if column_type.multi_value && (!kinds.is_empty() || has_json(&field_config.indexes)) {
                plan.notes.push(format!(
                    "column '{name}' has lists of values, which are not indexed"
                ));
                continue;
            }
            if let Some(documents) = JsonPlan::of(&field_config.indexes)
                && column_type.data_type.is_text()
            {
                plan.documents.insert(name.clone(), documents);
            }
            if !kinds.is_empty() {
                plan.columns
                    .insert(name.clone(), ColumnIndexes::Values(kinds));
            }
        }
        plan
    }

    fn note_heap(&mut self, name: &str, config: &FieldConfig) {
        let mut all = std::iter::once(&config.indexes)
            .chain(config.keys.values())
            .chain(&config.default_key);
        if all.any(bloom::is_on_heap) {
            self.notes.push(format!(
                "column '{name}' has loadOnHeap configured for a bloom filter, which has no effect: all \
                 indexes are mapped"
            ));
        }
    }

    /// Tells whether no index is wanted.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.documents.is_empty()
    }

    /// Iterates over the columns of JSON text whose documents are indexed, in the order of their
    /// names.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &JsonPlan)> {
        self.documents
            .iter()
            .map(|(name, plan)| (name.as_str(), plan))
    }

    /// Iterates over the columns with indexes, in the order of their names.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &ColumnIndexes)> {
        self.columns
            .iter()
            .map(|(name, indexes)| (name.as_str(), indexes))
    }

    /// Returns what a column wants.
    pub fn column(&self, name: &str) -> Option<&ColumnIndexes> {
        self.columns.get(name)
    }

    /// Returns what was asked for and is not built, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns a fingerprint: files of indexes made for another plan have another one.
    pub fn hash(&self) -> u64 {
        let mut hash = PlanHash::default();
        hash.number(VERSION);
        for (name, indexes) in &self.columns {
            hash.text(name);
            match indexes {
                ColumnIndexes::Values(kinds) => kinds.hash(&mut hash),
                ColumnIndexes::Variant(variant) => variant.hash(&mut hash),
            }
        }
        for (name, documents) in &self.documents {
            hash.text(name);
            hash.text(&format!("{documents:?}"));
        }
        hash.finish()
    }
}

impl VariantIndexes {
    fn of(config: &FieldConfig) -> Self {
        let keys = config.keys.iter();
        Self {
            keys: keys
                .map(|(key, configs)| (key.clone(), IndexKinds::of(configs)))
                .collect(),
            default_key: config
                .default_key
                .as_ref()
                .map(IndexKinds::of)
                .filter(|kinds| !kinds.is_empty()),
            remainder: RemainderPlan::of(&config.remainder).map(Box::new),
        }
    }

    fn is_empty(&self) -> bool {
        self.keys.values().all(|kinds| kinds.is_empty())
            && self.default_key.is_none()
            && self.remainder.is_none()
    }

    /// Returns what a key with a typed column wants: by its own entry, else by the one for all.
    pub fn key(&self, path: &str) -> Option<IndexKinds> {
        let kinds = self.keys.get(path).copied().or(self.default_key)?;
        (!kinds.is_empty()).then_some(kinds)
    }

    fn hash(&self, hash: &mut PlanHash) {
        hash.number(self.keys.len() as u64);
        for (key, kinds) in &self.keys {
            hash.text(key);
            kinds.hash(hash);
        }
        match self.default_key {
            Some(kinds) => kinds.hash(hash),
            None => hash.number(u64::MAX),
        }
        match &self.remainder {
            Some(remainder) => remainder.hash(hash),
            None => hash.number(0),
        }
    }
}

impl IndexKinds {
    /// Reads the kinds off the configs of a column or key.
    pub fn of(configs: &IndexConfigs) -> Self {
        let has = |name| configs.contains_key(name);
        Self {
            dictionary: has("dictionary") || has("inverted"),
            inverted: has("inverted"),
            range: has("range"),
            bloom: has("bloom"),
            bloom_options: BloomOptions::of(configs),
        }
    }

    /// Tells whether none is wanted.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn hash(self, hash: &mut PlanHash) {
        hash.number(self.bits());
        let options = self.bloom_options;
        if !options.is_usual() {
            // Beyond all bits, so that they are none of what comes next.
            hash.number(u64::MAX - 1);
            hash.number(options.false_positives.into());
            hash.number(options.most_bytes.into());
        }
    }

    fn bits(self) -> u64 {
        let flags = [self.dictionary, self.inverted, self.range, self.bloom];
        flags
            .iter()
            .fold(0, |bits, flag| bits << 1 | u64::from(*flag))
    }
}

fn has_json(configs: &IndexConfigs) -> bool {
    configs.contains_key("json") || configs.contains_key("compositeJson")
}
