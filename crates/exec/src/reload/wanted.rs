//! Which columns and keys one segment is to have indexes on.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use growler_base::limits;
use growler_index::{Kind, Kinds, Reading, Subject};
use growler_schema::index_plan::{
    BloomOptions, ColumnIndexes, IndexKinds, JsonPlan, RemainderPlan, VariantIndexes, json_path,
};
use growler_schema::{DataType, Field, IndexPlan, KeyType};
use growler_segment::{
    DiscoveredPath, KeyOutput, KeyPath, NonObjectRoot, ResidualPaths, Segment, Source, ValueClass,
};

use super::Error;
use super::documents::{Documents, Root};
use super::walk::NAMED_DISTINCT;
use super::watch::Watch;
use crate::table::View;

/// Most distinct values of a key without a typed column; rows of further ones are found by scan.
const REMAINDER_DISTINCT: u32 = 1_000_000;
/// As that, for keys with objects or arrays, whose texts are long and mostly differ.
const CONTAINER_DISTINCT: u32 = 16_384;
/// Such a key has at least so many distinct values.
const CONTAINER_LEAST: u32 = 128;
/// Rows for each distinct value of such a key.
const CONTAINER_ROWS: u32 = 1024;

/// Rows for each distinct value of a path into an array that the config does not name.
const ARRAY_ROWS: u32 = 256;
/// Such a path may have at least so many distinct values.
const ARRAY_LEAST: u32 = 4096;
/// And at most so many: arrays of ids would take more than their Parquet bytes.
const ARRAY_DISTINCT: u32 = 65_536;

/// One column or key that is to have indexes.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) subject: Subject,
    pub(super) data_type: DataType,
    pub(super) kinds: Kinds,
    pub(super) bloom: BloomOptions,
    /// What is read; none where it is known that no row has a value.
    pub(super) source: Option<Source>,
    /// Whether the key has no typed column.
    pub(super) remainder: bool,
    pub(super) distinct_count: Option<u32>,
    pub(super) value_len_bytes: usize,
}

/// What a segment is to have.
#[derive(Debug, Default)]
pub(super) struct WantedSet {
    pub(super) wanted: Vec<Wanted>,
    /// Columns with indexes of what their JSON has inside.
    pub(super) documents: Vec<Documents>,
    /// VARIANT columns with indexes on what is not typed, and whether these are on every such key.
    pub(super) remainders: Vec<(Arc<str>, bool)>,
    /// Longest texts are bounded by the config, so that another one gives other dictionaries.
    pub(super) bounds_texts: bool,
}

/// What wanted indexes are worked out of.
pub(super) struct Survey<'a> {
    pub(super) view: &'a View,
    pub(super) segment: &'a Segment,
    pub(super) watch: &'a Watch<'a>,
}

impl Survey<'_> {
    /// Works out what a segment is to have. Where keys without a typed column are wanted, the
    /// residuals are walked once to find them.
    pub(super) fn wanted(&self, plan: &IndexPlan) -> Result<WantedSet, Error> {
        let mut set = WantedSet::default();
        for (name, indexes) in plan.columns() {
            let Some(field) = self.view.schema().field(name) else {
                continue;
            };
            match indexes {
                ColumnIndexes::Values(kinds) => set.wanted.push(self.column(field, *kinds)?),
                ColumnIndexes::Variant(variant) => {
                    self.typed_keys(field, variant, &mut set)?;
                    if let Some(remainder) = &variant.remainder {
                        self.remainder(field, remainder, &mut set)?;
                    }
                }
            }
        }
        for (name, documents) in plan.documents() {
            if let Some(field) = self.view.schema().field(name) {
                self.documents(field, documents, &mut set)?;
            }
        }
        Ok(set)
    }

    /// Adds the documents of a column of JSON text, and the rows without any.
    fn documents(&self, field: &Field, plan: &JsonPlan, set: &mut WantedSet) -> Result<(), Error> {
        let column: Arc<str> = field.name.as_str().into();
        let values = self.column(field, IndexKinds::default())?;
        let source = values.source.clone();
        if !set
            .wanted
            .iter()
            .any(|other| other.subject == values.subject)
        {
            set.wanted.push(values);
        }
        set.remainders
            .push((Arc::clone(&column), plan.is_everything()));
        set.documents.extend(source.map(|source| Documents {
            column,
            roots: vec![Root {
                source,
                path: json_path::ROOT.to_owned(),
            }],
            plan: plan.clone(),
            distinct_count: NAMED_DISTINCT,
            is_variant: false,
        }));
        Ok(())
    }

    /// Adds the keys of a VARIANT column that have arrays somewhere inside.
    fn arrays(
        &self,
        field: &Field,
        plan: &RemainderPlan,
        found: &ResidualPaths,
        set: &mut WantedSet,
    ) -> Result<(), Error> {
        let has_arrays = |path: &&DiscoveredPath| path.classes.contains(ValueClass::Array);
        let outer = |path: &DiscoveredPath| path.path.split('.').next().map(str::to_owned);
        let keys: BTreeSet<String> = found
            .paths
            .iter()
            .filter(has_arrays)
            .filter_map(outer)
            .collect();
        let mut roots = Vec::new();
        for text in keys.iter().filter(|key| !key.is_empty()) {
            if plan.arrays().is_without_arrays() || roots.len() >= limits::INDEX_JSON_KEYS {
                break;
            }
            let key = self.key(field, text)?;
            let source =
                self.segment
                    .bind_key(field, &key.path, KeyOutput::Json, NonObjectRoot::Fail);
            let subject = Subject::key(field.name.as_str(), text.as_str(), Reading::Json);
            let mut path = json_path::ROOT.to_owned();
            json_path::push_name(&mut path, text);
            roots.push(Root {
                source: source.map_err(|source| self.unreadable(&subject, source))?,
                path,
            });
        }
        if !roots.is_empty() {
            let row_count = u32::try_from(self.segment.row_count()).unwrap_or(u32::MAX);
            set.documents.push(Documents {
                column: field.name.as_str().into(),
                roots,
                plan: plan.arrays().clone(),
                distinct_count: (row_count / ARRAY_ROWS).clamp(ARRAY_LEAST, ARRAY_DISTINCT),
                is_variant: true,
            });
        }
        Ok(())
    }

    fn column(&self, field: &Field, wanted: IndexKinds) -> Result<Wanted, Error> {
        let subject = Subject::column(field.name.as_str());
        let bound = self.segment.bind_column(field);
        Ok(Wanted {
            source: Some(bound.map_err(|source| self.unreadable(&subject, source))?),
            subject,
            data_type: field.column_type.data_type,
            kinds: kinds(wanted),
            bloom: wanted.bloom_options,
            remainder: false,
            distinct_count: None,
            value_len_bytes: limits::INDEX_VALUE_LEN_BYTES,
        })
    }

    fn typed_keys(
        &self,
        field: &Field,
        variant: &VariantIndexes,
        set: &mut WantedSet,
    ) -> Result<(), Error> {
        let column = Subject::column(field.name.as_str());
        let layout = self.segment.field_layout(field);
        let Some(layout) = layout.map_err(|source| self.unreadable(&column, source))? else {
            return Ok(());
        };
        let paths: BTreeSet<String> = layout.keys().into_iter().map(|key| key.path).collect();
        for text in paths {
            let Some(wanted) = variant.key(&text) else {
                continue;
            };
            let key = self.key(field, &text)?;
            let Some(own) = key.own_type else {
                continue;
            };
            let mut outputs = vec![KeyOutput::Typed(key.key_type)];
            if key.key_type.data_type.is_text() && own.is_numeric() {
                outputs.push(KeyOutput::Number);
            }
            for output in outputs {
                let mut values = key.wanted(self, kinds(wanted), output)?;
                values.bloom = wanted.bloom_options;
                set.wanted.push(values);
            }
        }
        Ok(())
    }

    fn remainder(
        &self,
        field: &Field,
        plan: &RemainderPlan,
        set: &mut WantedSet,
    ) -> Result<(), Error> {
        let Some(found) = self.discover(field)? else {
            return Ok(());
        };
        let complete = found.complete && plan.is_everything();
        let name = field.name.as_str().into();
        set.remainders.push((name, complete));
        set.bounds_texts |= plan.max_value_bytes().is_some();
        self.arrays(field, plan, &found, set)?;
        let before = set.wanted.len();
        let listed = plan.listed().into_iter().flatten();
        let mut absent: BTreeSet<&str> = listed.map(String::as_str).collect();
        for path in &found.paths {
            absent.remove(path.path.as_str());
            let Some(wanted) = plan.kinds(&path.path) else {
                continue;
            };
            let key = self.key(field, &path.path)?;
            if key.own_type.is_some() {
                continue;
            }
            self.untyped_key(&key, path, kinds(wanted), plan, set)?;
        }
        if set.wanted.len() == before {
            // A column of roots that are no objects fails every read of a key: so one is read.
            let probe = self.key(field, "")?;
            let output = KeyOutput::Typed(probe.key_type);
            let mut probe = probe.wanted(self, Kinds::NONE.with(Kind::Nulls), output)?;
            probe.remainder = true;
            // A file may type that very key, and the config may want it.
            let mut wanted = set.wanted.iter();
            if !wanted.any(|other| other.subject == probe.subject) {
                set.wanted.push(probe);
            }
        }
        for path in absent.iter().filter(|_| found.complete) {
            let (Some(wanted), key) = (plan.kinds(path), self.key(field, path)?) else {
                continue;
            };
            if key.own_type.is_none() {
                let mut wanted = key.wanted(self, kinds(wanted), KeyOutput::Typed(key.key_type))?;
                (wanted.source, wanted.remainder) = (None, true);
                set.wanted.push(wanted);
            }
        }
        Ok(())
    }

    fn untyped_key(
        &self,
        key: &Key<'_>,
        path: &DiscoveredPath,
        kinds: Kinds,
        plan: &RemainderPlan,
        set: &mut WantedSet,
    ) -> Result<(), Error> {
        let has = |class| path.classes.contains(class);
        let row_count = u32::try_from(self.segment.row_count()).unwrap_or(u32::MAX);
        let distinct_count = if has(ValueClass::Object) || has(ValueClass::Array) {
            (row_count / CONTAINER_ROWS).clamp(CONTAINER_LEAST, CONTAINER_DISTINCT)
        } else {
            REMAINDER_DISTINCT
        };
        let longest = limits::INDEX_VALUE_LEN_BYTES;
        let mut push = |output| {
            let mut wanted = key.wanted(self, kinds, output)?;
            wanted.remainder = true;
            wanted.distinct_count = Some(distinct_count);
            wanted.value_len_bytes = plan
                .max_value_bytes()
                .map_or(longest, |most| most.min(longest));
            set.wanted.push(wanted);
            Ok(())
        };
        push(KeyOutput::Typed(key.key_type))?;
        if key.key_type.data_type.is_text() && has(ValueClass::Number) {
            push(KeyOutput::Number)?;
        }
        Ok(())
    }

    fn discover(&self, field: &Field) -> Result<Option<ResidualPaths>, Error> {
        let mut advance = |rows: usize| {
            self.watch.advance(rows as u64);
            match self.watch.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let most = limits::INDEX_REMAINDER_PATHS;
        self.watch.expect(self.segment.row_count() as u64);
        let found = self.segment.residual_paths(field, most, &mut advance);
        self.watch.check(self.segment)?;
        let column = Subject::column(field.name.as_str());
        found.map_err(|source| self.unreadable(&column, source))
    }

    fn key<'f>(&self, field: &'f Field, text: &str) -> Result<Key<'f>, Error> {
        let subject = Subject::key(field.name.as_str(), text, Reading::Values);
        let refused = |source: crate::Error| Error::Types {
            segment: self.segment.id().clone(),
            subject: subject.to_string().into(),
            source: Box::new(source),
        };
        let path = KeyPath::parse(text)
            .map_err(|error| refused(crate::Error::Validation(error.to_string())))?;
        let key_type = self.view.key_type(field, &path).map_err(refused)?;
        let own_type = self.segment.key_type(field, &path);
        let own_type = own_type.map_err(|source| self.unreadable(&subject, source))?;
        Ok(Key {
            field,
            path,
            key_type,
            own_type,
        })
    }

    fn unreadable(&self, subject: &Subject, source: growler_segment::Error) -> Error {
        Error::Read {
            segment: self.segment.id().clone(),
            subject: subject.to_string().into(),
            source: Box::new(source),
        }
    }
}

/// A key of a VARIANT column.
struct Key<'f> {
    field: &'f Field,
    path: KeyPath,
    /// In queries.
    key_type: KeyType,
    /// Of its typed column in the file.
    own_type: Option<DataType>,
}

impl Key<'_> {
    fn wanted(
        &self,
        survey: &Survey<'_>,
        kinds: Kinds,
        output: KeyOutput,
    ) -> Result<Wanted, Error> {
        let reading = match output {
            KeyOutput::Number => Reading::Numbers,
            _ => Reading::Values,
        };
        let subject = Subject::key(self.field.name.as_str(), self.path.text(), reading);
        let roots = NonObjectRoot::Fail;
        let bound = survey
            .segment
            .bind_key(self.field, &self.path, output, roots);
        Ok(Wanted {
            source: Some(bound.map_err(|source| survey.unreadable(&subject, source))?),
            subject,
            data_type: output.data_type(),
            kinds,
            bloom: BloomOptions::default(),
            remainder: false,
            distinct_count: None,
            value_len_bytes: limits::INDEX_VALUE_LEN_BYTES,
        })
    }
}

fn kinds(wanted: IndexKinds) -> Kinds {
    let all = [
        (true, Kind::Nulls),
        (wanted.dictionary || wanted.inverted, Kind::Dictionary),
        (wanted.inverted, Kind::Inverted),
        (wanted.range, Kind::Range),
        (wanted.bloom, Kind::Bloom),
    ];
    all.into_iter()
        .filter_map(|(is_wanted, kind)| is_wanted.then_some(kind))
        .collect()
}
