//! What is known of a column's leaves in one row group before they are read.

use std::sync::Arc;

use growler_base::LeafIdx;

/// What footer and dictionary pages tell of one row group. Saying less than is known is always
/// right; it only reads more.
#[derive(Debug, Clone)]
pub struct LeafFacts {
    all_null: Arc<[bool]>,
    literals: bool,
    /// Residuals asked for, few.
    residuals: Vec<LeafIdx>,
    names: bool,
    objects_typed: bool,
    /// Residuals beside typed parts that no row lacks, few.
    typed: Vec<LeafIdx>,
    /// Residuals that hold nothing in rows that lack the typed part, few.
    empty: Vec<LeafIdx>,
}

impl LeafFacts {
    /// Knows nothing.
    pub fn unknown() -> Self {
        Self::new(Arc::new([]))
    }

    /// Knows which leaves hold no value at all: one flag a leaf, in leaf order; a leaf past the end
    /// is unknown. The flags of a row group are shared by all its keys.
    pub fn new(all_null: Arc<[bool]>) -> Self {
        Self {
            all_null,
            literals: true,
            residuals: Vec::new(),
            names: false,
            objects_typed: false,
            typed: Vec::new(),
            empty: Vec::new(),
        }
    }

    /// Knows that no metadata of the row group holds any of [`literal_names`], so that residuals
    /// need not be searched for them.
    ///
    /// [`literal_names`]: super::KeyPlan::literal_names
    #[must_use]
    pub fn without_literals(self) -> Self {
        Self {
            literals: false,
            ..self
        }
    }

    /// Takes it that below the root no residual is an object where the typed part could have been,
    /// as the format demands of writers and lets readers assume.
    ///
    /// Without this, a key `a.b` in a row without `a` is only known to be missing once the residual
    /// of `a` was read: that of any row group in which some `a` is partly shredded.
    #[must_use]
    pub fn with_objects_typed(self) -> Self {
        Self {
            objects_typed: true,
            ..self
        }
    }

    /// Knows of some residuals that every row that has their group has the typed part as well.
    #[must_use]
    pub fn with_typed(mut self, residuals: &[LeafIdx]) -> Self {
        self.typed.extend(residuals);
        self
    }

    /// Knows of some residuals below the root that they hold nothing in rows that have their group and
    /// lack the typed part: what [`KeyReader::held_untyped`](super::KeyReader::held_untyped) did not
    /// tell after it read all rows.
    #[must_use]
    pub fn with_untyped_empty(mut self, residuals: impl IntoIterator<Item = LeafIdx>) -> Self {
        self.empty.extend(residuals);
        self
    }

    /// Asks for residuals on the way of a key, and for the names in them: those that a read without
    /// them failed for with [`Error::NeedsResidual`](crate::Error::NeedsResidual), or those that
    /// are known to be needed, see [`KeyPlan::residuals_on_the_way`].
    ///
    /// [`KeyPlan::residuals_on_the_way`]: super::KeyPlan::residuals_on_the_way
    #[must_use]
    pub fn with_residuals(mut self, residuals: &[LeafIdx]) -> Self {
        self.residuals.extend(residuals);
        self.names = true;
        self
    }

    /// Tells whether a leaf is known to hold no value.
    pub fn is_all_null(&self, leaf: LeafIdx) -> bool {
        self.all_null.get(leaf.index()).copied().unwrap_or(false)
    }

    /// Tells whether a residual leaf exists and may hold values.
    pub(super) fn may_hold(&self, leaf: Option<LeafIdx>) -> bool {
        leaf.is_some_and(|leaf| !self.is_all_null(leaf))
    }

    /// Tells whether a metadata may hold a literal dotted name.
    pub(super) fn may_have_literals(&self) -> bool {
        self.literals
    }

    /// Tells whether residuals below the root can be taken to hold no object that is not typed.
    pub(super) fn has_objects_typed(&self) -> bool {
        self.objects_typed
    }

    /// Tells whether no row lacks the typed part beside a residual.
    pub(super) fn is_typed(&self, leaf: LeafIdx) -> bool {
        self.typed.contains(&leaf)
    }

    /// Tells whether a residual holds nothing in rows that lack the typed part.
    pub fn is_untyped_empty(&self, leaf: LeafIdx) -> bool {
        self.empty.contains(&leaf)
    }

    /// Returns the residuals that are asked for.
    pub fn residuals(&self) -> &[LeafIdx] {
        &self.residuals
    }

    /// Tells whether a residual on the way is asked for.
    pub(super) fn wants_residual(&self, leaf: LeafIdx) -> bool {
        self.residuals.contains(&leaf)
    }

    /// Tells whether names are asked for, whatever residuals are read.
    pub(super) fn wants_names(&self) -> bool {
        self.names
    }
}
