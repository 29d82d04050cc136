//! Finds a function by its name.

use std::sync::LazyLock;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    error::Error,
    expr::{call::Call, node::Node},
};

/// Compiles a call.
pub(crate) type Build = fn(&mut Call<'_, '_>) -> Result<Node, Error>;

/// A function's canonical name and what compiles its calls.
pub(super) type Entry = (&'static str, Build);

static FUNCTIONS: LazyLock<HashMap<&'static str, Build, RandomState>> = LazyLock::new(|| {
    let families: [&[Entry]; 17] = [
        super::compare::TABLE,
        super::logic::TABLE,
        super::null::TABLE,
        super::conditional::TABLE,
        super::convert::TABLE,
        super::arithmetic::TABLE,
        super::math::TABLE,
        super::text::TABLE,
        super::slice::TABLE,
        super::regexp::TABLE,
        super::encode::TABLE,
        super::epoch::TABLE,
        super::calendar::TABLE,
        super::timeline::TABLE,
        super::time_format::TABLE,
        super::json::TABLE,
        super::array::TABLE,
    ];
    families.into_iter().flatten().copied().collect()
});

/// Finds a function by its canonical name: lower case, without `_` save in the operators' names.
pub(crate) fn find(name: &str) -> Option<Build> {
    FUNCTIONS.get(name).copied()
}
