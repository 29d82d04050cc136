//! `JSON_MATCH`: a filter over the values inside JSON text, with Pinot's rules.
//!
//! A document stands for one or more *flat documents*: of every array in it one element is taken, and
//! what is left is a map from keys to scalars. Two arrays that do not hold each other give every pair
//! of their elements. The filter matches when it holds for one flat document: so conditions on
//! `$.a[*].x` and `$.a[*].y` must hold for the same element, and `$.a[0] = 1 AND $.a[1] = 2` never
//! does. JSON null, `[]`, `{}` and text that is no JSON have no key. Values compare as the text they
//! have in the document (`1` is not `1.0`); only ranges against numbers compare as numbers. Every
//! condition, negated ones too, needs the key to be there; `IS NULL` is the exception, holds when no
//! flat document has the key, and stands alone. Beyond Pinot, NOT may stand anywhere: it reaches the
//! single conditions.
//!
//! Rooms, in reading order: [`key`] a key's text to its steps; [`condition`] one condition on a key;
//! [`parse`] a filter's text to its formula; [`formula`] conditions joined; [`flatten`] which
//! conditions hold together in a flat document.

pub(crate) mod condition;
mod flatten;
pub(crate) mod formula;
pub(crate) mod key;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use flatten::Matcher;
