//! What is wanted against what the present file has.

use std::collections::HashMap;

use growler_index::{Entry, Kind, Reading, SegmentIndexes, Subject};
use growler_schema::{DataType, IndexPlan};
use growler_segment::KeyPath;

use super::wanted::Wanted;
use crate::table::View;

/// The indexes of a file, by what they are of.
#[derive(Debug)]
pub(super) struct Present<'p> {
    pub(super) file: &'p SegmentIndexes,
    by_subject: HashMap<&'p Subject, Vec<&'p Entry>>,
}

impl<'p> Present<'p> {
    pub(super) fn new(file: &'p SegmentIndexes) -> Self {
        let mut by_subject: HashMap<_, Vec<_>> = HashMap::new();
        for entry in file.entries() {
            by_subject.entry(&entry.subject).or_default().push(entry);
        }
        Self { file, by_subject }
    }

    /// Returns the indexes of a wanted subject that are there and can stay; none when it is to be
    /// built.
    pub(super) fn kept(&self, wanted: &Wanted) -> Option<Vec<&'p Entry>> {
        let entries = self.by_subject.get(&wanted.subject)?;
        let has = |kind| entries.iter().any(|entry| entry.kind == kind);
        let is_same = |entry: &&Entry| entry.data_type == wanted.data_type;
        // A subject without any value has nothing that other kinds could hold.
        let is_empty = entries
            .iter()
            .any(|entry| entry.null_count == Some(entry.row_count));
        let has_all = has(Kind::Nulls) && (is_empty || wanted.kinds.iter().all(has));
        let values = self.file.of_subject(&wanted.subject);
        let bloom = values.and_then(|values| values.bloom_options());
        let other_bloom = wanted.kinds.contains(Kind::Bloom)
            && bloom.is_some_and(|options| options != wanted.bloom);
        if !entries.iter().all(is_same) || !has_all || other_bloom {
            return None;
        }
        let stays = |entry: &&Entry| match entry.kind {
            // These come along with what is made of ranks.
            Kind::Dictionary | Kind::Others => of_dictionary(wanted),
            kind => wanted.kinds.contains(kind),
        };
        Some(entries.iter().copied().filter(stays).collect())
    }
}

fn of_dictionary(wanted: &Wanted) -> bool {
    let kinds = [Kind::Dictionary, Kind::Inverted, Kind::Range];
    kinds.into_iter().any(|kind| wanted.kinds.contains(kind))
}

/// Tells whether a file was made for a plan, and the types of the view are still those it was made
/// with.
pub(super) fn is_current(file: &SegmentIndexes, plan: &IndexPlan, view: &View) -> bool {
    let fits = |entry: &Entry| view_type(view, &entry.subject) == Some(entry.data_type);
    file.config_hash() == plan.hash() && file.entries().iter().all(fits)
}

/// Returns the type that queries over the view read a subject as; none for one they cannot read.
fn view_type(view: &View, subject: &Subject) -> Option<DataType> {
    let field = view.schema().field(&subject.column)?;
    if subject.reading == Reading::Json {
        let is_text = field.column_type.data_type.is_text() && !field.column_type.multi_value;
        return is_text.then_some(DataType::Json);
    }
    let Some(path) = &subject.path else {
        let is_single = !field.column_type.multi_value;
        return is_single.then_some(field.column_type.data_type);
    };
    let is_variant = field.column_type.data_type == DataType::OpenStruct;
    let path = KeyPath::parse(path).ok().filter(|_| is_variant)?;
    let own = view.key_type(field, &path).ok()?.data_type;
    match subject.reading {
        Reading::Values => Some(own),
        Reading::Numbers => own.is_text().then_some(DataType::Double),
        Reading::Json => None,
    }
}
