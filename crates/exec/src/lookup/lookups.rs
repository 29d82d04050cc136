//! All that the indexes of one segment say about a query.

use growler_index::{SegmentIndexes, ValueIndex};
use growler_segment::Source;

use super::{Answer, Found, Place, SkipIndexes, document::DocumentLookup};
use crate::{
    error::Error,
    filter::{Filter, Leaf, Predicate},
    plan::Slot,
    run::Context,
};

/// Answers to the predicates of a query in one segment, and the values of its slots.
#[derive(Debug, Default)]
pub struct Lookups {
    indexes: Option<SegmentIndexes>,
    /// One a slot.
    places: Vec<Option<Place>>,
    /// One a predicate of the filter.
    answers: Vec<Option<Answer>>,
}

/// What a query asks of the indexes of a segment.
pub struct Asking<'q> {
    /// What it reads.
    pub slots: &'q [Slot],
    /// Which rows it wants.
    pub filter: &'q Filter,
    /// Indexes it does without.
    pub skip: &'q SkipIndexes,
    /// Its limits.
    pub context: &'q Context,
}

impl Lookups {
    /// Asks the indexes of a segment, whose sources of the slots are given one by one.
    ///
    /// # Errors
    /// The query's limits.
    pub fn ask<'s>(
        asking: &Asking<'_>,
        indexes: &SegmentIndexes,
        source: impl Fn(usize) -> Option<&'s Source>,
    ) -> Result<Self, Error> {
        let place = |slot: usize| {
            let (slot, source) = (asking.slots.get(slot)?, source(slot)?);
            Place::of(slot, source, asking.skip)
        };
        let mut leaves: Vec<&Leaf> = Vec::new();
        asking.filter.visit(&mut |leaf| leaves.push(leaf));
        let mut answers = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let slot = match &leaf.predicate {
                Predicate::Test { operand, .. } | Predicate::IsNull { operand, .. } => {
                    operand.bare_slot()
                }
                Predicate::Boolean(_) => None,
            };
            let answer = match slot.and_then(&place) {
                Some(place) => Answer::of(leaf, place, indexes, asking.context)?,
                None => DocumentLookup::of(leaf, asking, indexes, &source)?,
            };
            if let Some(id) = leaf.id {
                let len = answers.len().max(id + 1);
                answers.resize_with(len, || None);
                if let Some(known) = answers.get_mut(id) {
                    *known = answer;
                }
            }
        }
        Ok(Self {
            indexes: Some(indexes.clone()),
            places: (0..asking.slots.len()).map(place).collect(),
            answers,
        })
    }

    /// Returns the answer to a predicate of the filter.
    pub fn answer(&self, leaf: &Leaf) -> Option<&Answer> {
        self.answers.get(leaf.id?)?.as_ref()
    }

    /// Tells whether every predicate of a filter is answered for every row.
    pub fn covers(&self, filter: &Filter) -> bool {
        let mut covers = !self.answers.is_empty();
        filter.visit(&mut |leaf| {
            covers &= self.answer(leaf).is_some_and(Answer::is_exact);
        });
        covers
    }

    /// Returns what is indexed of a slot's values.
    pub fn values(&self, slot: usize) -> Option<(&Place, ValueIndex<'_>)> {
        let place = self.places.get(slot)?.as_ref()?;
        match place.find(self.indexes.as_ref()?)? {
            Found::Values(values) => Some((place, values)),
            Found::Nowhere => None,
        }
    }
}
