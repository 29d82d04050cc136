//! Whole values as JSON text.

use growler_base::limits::{DOCUMENT_LEN_BYTES, VARIANT_DEPTH, VARIANT_NODES};

use crate::names::{Dictionary, Form, Names, PlainNames, field_order};
use crate::text::{write_json_scalar, write_json_string};
use crate::value::string_bytes;
use crate::{Error, List, Metadata, Node, Object};

/// What is left for the text form of one document, which may be made in several pieces.
#[derive(Debug, Clone)]
pub struct Budget {
    nodes: usize,
    len_bytes: usize,
}

impl Budget {
    /// Makes the budget of one document.
    pub fn new() -> Self {
        Self {
            nodes: VARIANT_NODES,
            len_bytes: DOCUMENT_LEN_BYTES,
        }
    }

    /// Makes a smaller budget.
    pub fn with_limits(nodes: usize, len_bytes: usize) -> Self {
        Self { nodes, len_bytes }
    }

    /// Spends nodes.
    ///
    /// # Errors
    /// `LimitExceeded` when fewer are left.
    pub fn spend_nodes(&mut self, nodes: usize) -> Result<(), Error> {
        let left = self.nodes.checked_sub(nodes);
        self.nodes = left.ok_or_else(|| Error::Nodes {
            limit: VARIANT_NODES,
        })?;
        Ok(())
    }

    /// Spends bytes of text.
    ///
    /// # Errors
    /// `LimitExceeded` when fewer are left.
    pub fn spend_bytes(&mut self, len_bytes: usize) -> Result<(), Error> {
        let left = self.len_bytes.checked_sub(len_bytes);
        self.len_bytes = left.ok_or_else(|| Error::TextLength {
            limit_bytes: DOCUMENT_LEN_BYTES,
        })?;
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the most nodes that a value of this length may sensibly have.
///
/// A node takes a byte at least, unless fields share their offsets. Sharing is legal, but nested it
/// grows exponentially, so it is granted by a factor.
pub(crate) fn node_limit(value_len_bytes: usize) -> usize {
    value_len_bytes
        .saturating_mul(64)
        .saturating_add(1024)
        .min(VARIANT_NODES)
}

/// Appends the JSON text of a value, with keys in byte order.
///
/// What is appended is UTF-8; on an error nothing is appended.
///
/// # Errors
/// `Corrupt` for malformed bytes, `Unsupported` for an unknown primitive type, `LimitExceeded` when
/// the value is too deep, too long, or its overlapping offsets describe too much.
pub fn write_json(
    metadata: &Metadata<'_>,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    write(&PlainNames::from(*metadata), value, out, budget)
}

/// Appends the JSON text of a value as [`write_json`] does, with names prepared where the
/// dictionary has come before.
///
/// # Errors
/// As [`write_json`].
pub fn write_json_in(
    dictionary: Dictionary<'_>,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    match dictionary.0 {
        Form::Plain(names) => write(&names, value, out, budget),
        Form::Prepared(names) => write(names, value, out, budget),
    }
}

fn write(
    names: &impl Names,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    let start = out.len();
    let result = write_checked(names, value, out, budget);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn write_checked(
    names: &impl Names,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    let start = out.len();
    let nodes = budget.nodes.min(node_limit(value.len()));
    let len_limit = start.saturating_add(budget.len_bytes);
    let limits = (nodes, budget.len_bytes);
    let mut writer = Writer {
        names,
        out,
        nodes,
        len_limit,
        limits,
    };
    writer.value(value, VARIANT_DEPTH)?;
    let spent = nodes.saturating_sub(writer.nodes);
    budget.spend_nodes(spent)?;
    budget.spend_bytes(out.len().saturating_sub(start))?;
    // Strings go out unchecked and are checked here together: they are joined by ASCII only, so the
    // whole is UTF-8 exactly when each of them is.
    match simdutf8::basic::from_utf8(out.get(start..).unwrap_or_default()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Utf8 { part: "string" }),
    }
}

struct Writer<'w, N> {
    names: &'w N,
    out: &'w mut Vec<u8>,
    /// Nodes that are left.
    nodes: usize,
    /// Length of `out` that is not to be passed.
    len_limit: usize,
    /// Nodes and bytes at the start, for the error.
    limits: (usize, usize),
}

impl<N: Names> Writer<'_, N> {
    /// Tells the basic types apart by the header: moving whole nodes around is what costs here.
    fn value(&mut self, value: &[u8], depth_left: usize) -> Result<(), Error> {
        if let Some(text) = string_bytes(value) {
            write_json_string(text?, self.out);
            return Ok(());
        }
        match value.first().map(|header| header & 3) {
            Some(2) => self.object(value, depth_left),
            Some(3) => self.list(value, depth_left),
            _ => {
                write_json_scalar(&Node::try_new(value)?, self.out);
                Ok(())
            }
        }
    }

    /// Pays for the children of a container before any of them is looked at.
    fn enter(&mut self, children: u32, depth_left: usize) -> Result<usize, Error> {
        let children = crate::bytes::index(children).saturating_add(1);
        let nodes_left = self.nodes.checked_sub(children);
        self.nodes = nodes_left.ok_or_else(|| Error::Nodes {
            limit: self.limits.0,
        })?;
        depth_left.checked_sub(1).ok_or_else(|| Error::Depth {
            limit: VARIANT_DEPTH,
        })
    }

    fn check_len(&self) -> Result<(), Error> {
        if self.out.len() > self.len_limit {
            return Err(Error::TextLength {
                limit_bytes: self.limits.1,
            });
        }
        Ok(())
    }

    fn object(&mut self, value: &[u8], depth_left: usize) -> Result<(), Error> {
        let object = Object::try_new(value)?;
        let depth_left = self.enter(object.len(), depth_left)?;
        let order = field_order(self.names, &object)?;
        self.out.push(b'{');
        for number in 0..object.len() {
            let position = match &order {
                None => number,
                Some(order) => order
                    .get(crate::bytes::index(number))
                    .copied()
                    .unwrap_or(number),
            };
            let (id, value) = object.field(position)?;
            if number > 0 {
                self.out.push(b',');
            }
            self.names.write_key(id, self.out)?;
            self.value(value, depth_left)?;
            self.check_len()?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn list(&mut self, value: &[u8], depth_left: usize) -> Result<(), Error> {
        let list = List::try_new(value)?;
        let depth_left = self.enter(list.len(), depth_left)?;
        self.out.push(b'[');
        for position in 0..list.len() {
            if position > 0 {
                self.out.push(b',');
            }
            self.value(list.get(position)?, depth_left)?;
            self.check_len()?;
        }
        self.out.push(b']');
        Ok(())
    }
}
