//! A parsed query to one the engine can take: [`references`] ordinals and aliases replaced;
//! [`filters`] predicates in one shape; [`checks`] what may stand where; [`distinct`] GROUP BY
//! without aggregates; [`keys`] sets of expressions.

mod checks;
mod distinct;
mod filters;
mod keys;
mod references;

pub(super) use checks::check;
pub(super) use distinct::group_to_distinct;
pub(super) use filters::{normalize, normalize_filters};
pub(super) use references::resolve_references;
