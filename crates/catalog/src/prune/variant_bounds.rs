//! Bounds of keys of a variant column: section "Bounds for Variant" of the spec.
//!
//! ```text
//! lower_bounds[column], upper_bounds[column]   variant metadata, at once a variant object
//!   object's field "$['a']['b']"               smallest, largest value of that key
//! ```

use growler_variant::value::TimestampUnit;
use growler_variant::{Metadata, Node, Object};

use super::Evidence;
use super::predicate::{Test, VariantPath};
use crate::Datum;
use crate::manifest::ColumnStats;

/// Text of a list starts with this; a key's bounds also cover the elements of lists that it holds,
/// and a query may compare such a list as its text.
const LIST_START: &str = "[";
const BEHIND_LISTS: &str = "\\";

/// Returns what a column's bounds say of a key.
pub(crate) fn evidence(stats: &ColumnStats, path: &VariantPath) -> Evidence {
    let find = |bound: &Option<Box<[u8]>>| find(bound.as_deref()?, path);
    let (lower, upper) = (find(&stats.lower_bound), find(&stats.upper_bound));
    let is_double = |bound: &Option<Datum>| matches!(bound, Some(Datum::Double(_)));
    Evidence {
        // That a key is null, or there at all, bounds do not tell.
        may_be_null: true,
        may_have_value: true,
        may_be_nan: is_double(&lower) || is_double(&upper),
        lower,
        upper,
    }
}

/// Tells whether a key of which this is known may pass a test.
pub(crate) fn may_pass(evidence: &Evidence, test: &Test) -> bool {
    let is_text = |bound: &Option<Datum>| matches!(bound, Some(Datum::String(_)));
    let are_texts = is_text(&evidence.lower) || is_text(&evidence.upper);
    evidence.may_pass(test) || are_texts && lists().may_pass(test)
}

fn lists() -> Evidence {
    Evidence {
        lower: Some(Datum::String(LIST_START.into())),
        upper: Some(Datum::String(BEHIND_LISTS.into())),
        may_be_nan: false,
        ..Evidence::NONE
    }
}

/// The bound of one key; none when there is none or the bytes are no variant.
fn find(bound: &[u8], path: &VariantPath) -> Option<Datum> {
    let metadata = Metadata::try_new(bound).ok()?;
    let object = Object::try_new(bound.get(metadata.len_bytes()..)?).ok()?;
    let ids: Vec<u32> = metadata.ids_of(path.text()).collect();
    let value = object.find(&ids).ok()??;
    datum(Node::try_new(value).ok()?)
}

fn datum(node: Node<'_>) -> Option<Datum> {
    Some(match node {
        Node::Boolean(flag) => Datum::Boolean(flag),
        Node::Int8(value) => Datum::Int(value.into()),
        Node::Int16(value) => Datum::Int(value.into()),
        Node::Int32(value) => Datum::Int(value),
        Node::Int64(value) => Datum::Long(value),
        Node::Float(value) => Datum::Double(value.into()),
        Node::Double(value) => Datum::Double(value),
        Node::Decimal {
            unscaled, scale, ..
        } => Datum::Decimal {
            unscaled,
            scale: scale.into(),
        },
        Node::Date(days) => Datum::Date(days),
        Node::Time(micros) => Datum::Time(micros),
        Node::Timestamp {
            value,
            unit: TimestampUnit::Micros,
            ..
        } => Datum::Timestamp(value),
        Node::Timestamp { value, .. } => Datum::TimestampNs(value),
        Node::Binary(bytes) => Datum::Binary(bytes.into()),
        Node::String(text) => Datum::String(text.into()),
        Node::Uuid(bytes) => Datum::Uuid(bytes),
        Node::Null | Node::Object(_) | Node::List(_) => return None,
    })
}
