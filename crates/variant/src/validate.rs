//! The full check of a variant: everything that reading any part of it would check.
//!
//! What readers tolerate passes: fields out of order, a sorted flag that lies, gaps between values,
//! reserved bits, bytes after the end.

use growler_base::limits::VARIANT_DEPTH;

use crate::json::node_limit;
use crate::names::{PlainNames, field_order};
use crate::{Error, Metadata, Node};

/// Checks a dictionary and a value in full.
///
/// # Errors
/// `Corrupt`, `Unsupported` or `LimitExceeded`, as reading the part would say.
pub fn validate(metadata: &[u8], value: &[u8]) -> Result<(), Error> {
    let metadata = validate_metadata(metadata)?;
    let limit = node_limit(value.len());
    let mut budget = Nodes { left: limit, limit };
    validate_value(&metadata.into(), value, VARIANT_DEPTH, &mut budget)
}

/// Checks every name of a dictionary.
///
/// # Errors
/// `Corrupt` when a name is not UTF-8 or its offsets are wrong.
pub fn validate_metadata(metadata: &[u8]) -> Result<Metadata<'_>, Error> {
    let metadata = Metadata::try_new(metadata)?;
    for id in 0..metadata.len() {
        metadata.name(id)?;
    }
    Ok(metadata)
}

struct Nodes {
    left: usize,
    limit: usize,
}

fn validate_value(
    names: &PlainNames<'_>,
    value: &[u8],
    depth_left: usize,
    budget: &mut Nodes,
) -> Result<(), Error> {
    let node = Node::try_new(value)?;
    let children = match &node {
        Node::Object(object) => object.len(),
        Node::List(list) => list.len(),
        _ => return Ok(()),
    };
    let depth_left = depth_left.checked_sub(1).ok_or_else(|| Error::Depth {
        limit: VARIANT_DEPTH,
    })?;
    let left = budget
        .left
        .checked_sub(crate::bytes::index(children).saturating_add(1));
    budget.left = left.ok_or_else(|| Error::Nodes {
        limit: budget.limit,
    })?;
    if let Node::Object(object) = &node {
        field_order(names, object)?;
    }
    for position in 0..children {
        let child = match &node {
            Node::Object(object) => object.field(position)?.1,
            Node::List(list) => list.get(position)?,
            _ => return Ok(()),
        };
        validate_value(names, child, depth_left, budget)?;
    }
    Ok(())
}
