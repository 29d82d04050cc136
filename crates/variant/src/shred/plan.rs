//! The path of a key, compiled against the layout of one file.

use growler_base::LeafIdx;
use growler_schema::DataType;

use super::{Group, KeyOutput, Layout, LeafFacts, ScalarType, Typed};
use crate::{InsidePath, InsideStep, KeyPath};

/// Where one file keeps the value of a key.
///
/// At every object the literal name - the whole rest of the path, dots included - wins over
/// stepping into the first name. A shredded field wins over the same name in the residual, also in
/// rows where the field is missing.
#[derive(Debug, Clone)]
pub struct KeyPlan {
    metadata: LeafIdx,
    path: KeyPath,
    levels: Vec<Level>,
    target: Option<Group>,
    on_the_way: Vec<(LeafIdx, Vec<LeafIdx>)>,
}

/// Leaves of a typed part that are kept as witnesses of where it is null.
const WITNESSES: usize = 64;

/// A group that the path passes through, the root first.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// Group itself.
    pub(super) group: Group,
    /// First name of the rest of the path.
    pub(super) step: String,
    /// The whole rest of the path.
    pub(super) rest: String,
    /// Whether [`Self::step`] is a shredded field: the next level, or the target.
    pub(super) step_shredded: bool,
    /// Whether [`Self::rest`] is a shredded field, and not the same as the step.
    pub(super) literal: Option<Group>,
}

/// What the residual of an object with shredded fields can still hold of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remainder {
    /// Nothing: both names are shredded.
    Nothing,
    /// The literal name alone.
    Literal,
    /// The first step, but not the literal name.
    Step,
    /// Both.
    Full,
}

impl KeyPlan {
    /// Compiles a path.
    pub fn compile(layout: &Layout, path: &KeyPath) -> Self {
        let mut plan = Self {
            metadata: layout.metadata,
            path: path.clone(),
            levels: Vec::new(),
            target: None,
            on_the_way: Vec::new(),
        };
        let mut group = &layout.root;
        let mut rest = path.text();
        loop {
            let (step, below) = match rest.split_once('.') {
                Some((step, below)) => (step, Some(below)),
                None => (rest, None),
            };
            let next = group.field(step);
            let literal = below
                .and_then(|_| group.field(rest))
                .map(|field| field.group.clone());
            if let Some(value) = group.value.filter(|_| next.is_some()) {
                let mut below = Vec::new();
                group.push_typed_leaves(&mut below);
                below.truncate(WITNESSES);
                plan.on_the_way.push((value, below));
            }
            plan.levels.push(Level {
                group: group.clone(),
                step: step.to_owned(),
                rest: rest.to_owned(),
                step_shredded: next.is_some(),
                literal,
            });
            match (next, below) {
                (None, _) => return plan,
                (Some(field), None) => {
                    plan.target = Some(field.group.clone());
                    return plan;
                }
                (Some(field), Some(below)) => (group, rest) = (&field.group, below),
            }
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns the type that this file gives the key: that of its typed leaf. A key that is not
    /// shredded down to a scalar has none.
    pub fn key_type(&self) -> Option<DataType> {
        self.scalar().map(|(_, scalar)| scalar.key_type())
    }

    /// Returns the typed leaf of the key, if every step is shredded and it is a scalar. A shredded
    /// literal name at the root comes first.
    pub fn scalar(&self) -> Option<(LeafIdx, ScalarType)> {
        let literal = self.levels.iter().find_map(|level| level.literal.as_ref());
        literal.or(self.target.as_ref())?.scalar()
    }

    /// Returns the typed leaf of the key and the residual beside it, if every step is shredded, it is a
    /// scalar, and no literal name of more steps is shredded.
    pub fn scalar_and_residual(&self) -> Option<(LeafIdx, Option<LeafIdx>)> {
        if self.levels.iter().any(|level| level.literal.is_some()) {
            return None;
        }
        let target = self.target.as_ref()?;
        target.scalar().map(|(leaf, _)| (leaf, target.value))
    }

    /// Tells whether only residuals can hold the key: neither its last step nor a dotted name on the
    /// way is a shredded field.
    pub fn is_unshredded(&self) -> bool {
        self.target.is_none() && self.levels.iter().all(|level| level.literal.is_none())
    }

    /// Returns the only leaf that can hold a value of the key in a row group, if there is one: its
    /// statistics are the key's.
    ///
    /// A row without the typed part of an object on the way may hide the key in the residual.
    pub fn sole_leaf(&self, facts: &LeafFacts) -> Option<(LeafIdx, ScalarType)> {
        let target = self.target.as_ref()?;
        let mut levels = self.levels.iter().enumerate();
        let elsewhere = levels.any(|(depth, level)| {
            let hidden = level.group.value.filter(|leaf| !facts.is_all_null(*leaf));
            level.literal.is_some()
                || hidden.is_some_and(|value| {
                    let untyped = level.is_followed(depth, facts) && !facts.is_typed(value);
                    untyped || level.is_searched(facts)
                })
        });
        if elsewhere || facts.may_hold(target.value) {
            None
        } else {
            target.scalar()
        }
    }

    /// Returns the dotted names that would win if a residual held them, and that only the metadata
    /// can tell of; see [`LeafFacts::without_literals`].
    pub fn literal_names(&self) -> impl Iterator<Item = &str> {
        let in_residual =
            |level: &&Level| level.group.value.is_some() && level.remainder() == Remainder::Literal;
        self.levels
            .iter()
            .filter(in_residual)
            .map(|level| level.rest.as_str())
    }

    /// Returns the leaves to read in a row group, in leaf order. The column that
    /// [`KeyReader::read`](super::KeyReader::read) is given may have more.
    pub fn leaves(&self, facts: &LeafFacts, output: KeyOutput) -> Vec<LeafIdx> {
        self.leaves_inside(facts, output, None)
    }

    /// Returns the leaves to read for what a path leads to inside of the key's value; see
    /// [`KeyReader::inside`](super::KeyReader::inside).
    pub fn leaves_inside(
        &self,
        facts: &LeafFacts,
        output: KeyOutput,
        inside: Option<&InsidePath>,
    ) -> Vec<LeafIdx> {
        let push_target = |group: &Group, leaves: &mut Vec<LeafIdx>| match inside {
            Some(path) => push_inside(group, path.steps(), facts, leaves),
            None => push_target(group, facts, output, leaves),
        };
        let mut leaves = Vec::new();
        let mut names = facts.wants_names();
        for (depth, level) in self.levels.iter().enumerate() {
            let value = level.group.value.filter(|value| !facts.is_all_null(*value));
            let wanted = value.is_some_and(|value| facts.wants_residual(value));
            if level.is_searched(facts) || wanted && level.is_followed(depth, facts) {
                names |= value.is_some();
                leaves.extend(value);
            }
            if let Some(literal) = &level.literal {
                names |= push_target(literal, &mut leaves);
            }
        }
        match (&self.target, self.levels.last()) {
            (Some(target), _) => names |= push_target(target, &mut leaves),
            (None, Some(level)) => leaves.extend(presence_leaf(&level.group, facts)),
            (None, None) => {}
        }
        if names || leaves.is_empty() {
            leaves.push(self.metadata);
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Returns the residuals of objects on the way whose next step is shredded, each with the leaves
    /// of the typed part beside it.
    ///
    /// They matter in rows that lack the typed part, which definition levels and null counts of
    /// those leaves may tell up front; see [`LeafFacts::with_residuals`] and
    /// [`LeafFacts::with_typed`].
    pub fn residuals_on_the_way(&self) -> impl Iterator<Item = (LeafIdx, &[LeafIdx])> {
        let residuals = self.on_the_way.iter();
        residuals.map(|(value, below)| (*value, below.as_slice()))
    }

    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    pub(super) fn target(&self) -> Option<&Group> {
        self.target.as_ref()
    }
}

impl Level {
    /// Tells what the residual can hold of the path in a row whose typed part is an object.
    pub(super) fn remainder(&self) -> Remainder {
        if !matches!(self.group.typed, Some(Typed::Object(_))) {
            return Remainder::Full;
        }
        let literal_open = self.literal.is_none() && self.step != self.rest;
        match (self.step_shredded, literal_open) {
            (true, false) => Remainder::Nothing,
            (true, true) => Remainder::Literal,
            (false, false) if self.step != self.rest => Remainder::Step,
            (false, _) => Remainder::Full,
        }
    }

    /// Tells whether the residual matters in rows whose typed part is null.
    pub(super) fn is_followed(&self, depth: usize, facts: &LeafFacts) -> bool {
        let is_empty = |value| facts.is_untyped_empty(value);
        let assumed = self.step_shredded && facts.has_objects_typed();
        // Whether the root is an object at all is told in any case.
        let is_passed = depth > 0 && (assumed || self.group.value.is_some_and(is_empty));
        !is_passed || self.is_searched(facts)
    }

    /// Tells whether the residual is searched in rows whose typed part is an object.
    pub(super) fn is_searched(&self, facts: &LeafFacts) -> bool {
        match self.remainder() {
            Remainder::Nothing => false,
            Remainder::Literal => facts.may_have_literals(),
            Remainder::Step | Remainder::Full => true,
        }
    }
}

/// Appends the leaves that hold the key's own value; tells whether names are needed to read them.
fn push_target(
    group: &Group,
    facts: &LeafFacts,
    output: KeyOutput,
    leaves: &mut Vec<LeafIdx>,
) -> bool {
    if output.shows_containers() {
        return push_values(group, facts, leaves);
    }
    leaves.extend(group.value.filter(|value| !facts.is_all_null(*value)));
    leaves.extend(presence_leaf(group, facts));
    false
}

/// Appends the leaves that hold what steps lead to; tells whether names are needed to read them.
fn push_inside(
    group: &Group,
    steps: &[InsideStep],
    facts: &LeafFacts,
    leaves: &mut Vec<LeafIdx>,
) -> bool {
    let Some((step, below)) = steps.split_first() else {
        return push_values(group, facts, leaves);
    };
    let mut names = facts.may_hold(group.value);
    leaves.extend(group.value.filter(|_| names || group.typed.is_none()));
    let next = match (&group.typed, step) {
        (Some(Typed::Object(fields)), InsideStep::Name(name)) => {
            let mut fields = fields.iter();
            let field = fields.find(|field| *field.name == **name);
            field.map(|field| &field.group)
        }
        (Some(Typed::List(element)), InsideStep::At(_)) => Some(element.as_ref()),
        _ => None,
    };
    match next {
        Some(next) => names |= push_inside(next, below, facts, leaves),
        None => leaves.extend(presence_leaf(group, facts)),
    }
    names
}

/// Appends the leaves that rebuild a whole value; tells whether names are needed to do so.
pub(super) fn push_values(group: &Group, facts: &LeafFacts, leaves: &mut Vec<LeafIdx>) -> bool {
    let mut names = facts.may_hold(group.value);
    // A group is only seen through its leaves, so one leaf of it is read even if it is all null.
    leaves.extend(group.value.filter(|_| names || group.typed.is_none()));
    match &group.typed {
        None => {}
        Some(Typed::Scalar { leaf, .. }) => leaves.push(*leaf),
        Some(Typed::Object(fields)) => {
            for field in fields {
                names |= push_values(&field.group, facts, leaves);
            }
        }
        Some(Typed::List(element)) => names |= push_values(element, facts, leaves),
    }
    names
}

/// Returns the leaf that shows at least cost where the typed part of a group is present: one that
/// is all null has definition levels only.
fn presence_leaf(group: &Group, facts: &LeafFacts) -> Option<LeafIdx> {
    let mut below = Vec::new();
    match &group.typed {
        None => return group.value,
        Some(Typed::Scalar { leaf, .. }) => return Some(*leaf),
        Some(Typed::Object(fields)) => {
            fields
                .iter()
                .for_each(|field| field.group.push_leaves(&mut below));
        }
        Some(Typed::List(element)) => element.push_leaves(&mut below),
    }
    let free = below.iter().find(|leaf| facts.is_all_null(**leaf));
    free.or(below.first()).copied()
}
