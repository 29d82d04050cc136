//! The full check of a variant: everything that reading any part of it would check.
//!
//! What readers tolerate passes: fields out of order, a sorted flag that lies, gaps between values,
//! reserved bits, bytes after the end.

use growler_base::limits::{VARIANT_DEPTH, VARIANT_NODES};

use crate::json::node_limit;
use crate::names::field_order;
use crate::{Error, Metadata, Node};

/// Checks a dictionary and a value in full.
///
/// # Errors
/// `Corrupt`, `Unsupported` or `LimitExceeded`, as reading the part would say.
pub fn validate(metadata: &[u8], value: &[u8]) -> Result<(), Error> {
    let metadata = validate_metadata(metadata)?;
    let mut nodes_left = node_limit(value.len());
    validate_value(&metadata, value, VARIANT_DEPTH, &mut nodes_left)
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

fn validate_value(
    metadata: &Metadata<'_>,
    value: &[u8],
    depth_left: usize,
    nodes_left: &mut usize,
) -> Result<(), Error> {
    let node = Node::try_new(value)?;
    let children = match &node {
        Node::Object(object) => object.len(),
        Node::List(list) => list.len(),
        _ => return Ok(()),
    };
    let depth_left = depth_left.checked_sub(1).ok_or(Error::Depth {
        limit: VARIANT_DEPTH,
    })?;
    let nodes = nodes_left.checked_sub(crate::bytes::index(children).saturating_add(1));
    *nodes_left = nodes.ok_or(Error::Nodes {
        limit: VARIANT_NODES,
    })?;
    if let Node::Object(object) = &node {
        field_order(metadata, object)?;
    }
    for position in 0..children {
        let child = match &node {
            Node::Object(object) => object.field(position)?.1,
            Node::List(list) => list.get(position)?,
            _ => return Ok(()),
        };
        validate_value(metadata, child, depth_left, nodes_left)?;
    }
    Ok(())
}
