//! The values of one JSON document, each with its path, to the index.
//!
//! Every scalar goes under its path, with `[*]` for each array it is in; in the outermost array of a
//! path the first elements go under their position, too, so that no value is visited more than twice.
//! Objects, arrays and nulls inside of arrays are values that no dictionary has.

use std::collections::HashMap;

use growler_base::limits;
use growler_index::json::{JsonBuilder, PathId};
use growler_schema::index_plan::{JsonPlan, json_path};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::expr::json::scalar;

/// Most places that are told apart, those of paths that are not indexed included.
const MAX_NODES: usize = 4 * limits::INDEX_JSON_PATHS;

/// Walks the documents of one column.
#[derive(Debug)]
pub(super) struct Walker<'p> {
    plan: &'p JsonPlan,
    /// Most distinct values of a path that the config does not name.
    distinct_count: u32,
    nodes: Vec<Node>,
    /// JSON text of the value at hand.
    text: String,
    /// Values of the document that may still be visited.
    left: usize,
}

/// A place in documents.
#[derive(Debug)]
struct Node {
    path: String,
    /// The path's number; unknown until it has a value, none where it is not indexed.
    id: Option<Option<PathId>>,
    names: HashMap<String, usize>,
    any: Option<usize>,
    positions: Vec<usize>,
    /// Whether it is inside of an array, all of its elements together.
    is_many: bool,
    /// Whether it is inside of any array.
    is_inside: bool,
}

/// Most distinct values of a path that the config names.
pub(super) const NAMED_DISTINCT: u32 = 1_000_000;

/// Where not everything can be indexed.
#[derive(Debug)]
pub(super) enum Stop {
    /// The document has too many values, or too many different places.
    Row,
    /// The index cannot be built.
    Index(growler_index::Error),
}

impl From<growler_index::Error> for Stop {
    fn from(error: growler_index::Error) -> Self {
        Self::Index(error)
    }
}

impl<'p> Walker<'p> {
    pub(super) fn new(plan: &'p JsonPlan, distinct_count: u32) -> Self {
        Self {
            plan,
            distinct_count,
            nodes: Vec::new(),
            text: String::new(),
            left: 0,
        }
    }

    /// Returns the place where documents begin.
    pub(super) fn root(&mut self, path: String) -> usize {
        self.nodes.push(Node {
            path,
            id: None,
            names: HashMap::new(),
            any: None,
            positions: Vec::new(),
            is_many: false,
            is_inside: false,
        });
        self.nodes.len() - 1
    }

    /// Adds the document of a row to the index.
    ///
    /// # Errors
    /// Those of the builder.
    pub(super) fn row(
        &mut self,
        root: usize,
        text: &str,
        builder: &mut JsonBuilder,
    ) -> Result<(), growler_index::Error> {
        if text.len() > limits::INDEX_JSON_LEN_BYTES {
            builder.mark_unreadable();
            return Ok(());
        }
        let document: Value = match serde_json::from_str(text) {
            Ok(document) => document,
            Err(_) => {
                // What is JSON, yet too deep or with text that is no text, may have readable parts.
                if serde_json::from_str::<IgnoredAny>(text).is_ok() {
                    builder.mark_unreadable();
                }
                return Ok(());
            }
        };
        self.document(root, &document, builder)
    }

    /// As [`Self::row`], for a document that is parsed.
    pub(super) fn document(
        &mut self,
        root: usize,
        document: &Value,
        builder: &mut JsonBuilder,
    ) -> Result<(), growler_index::Error> {
        self.left = limits::INDEX_JSON_VALUES;
        match self.value(root, document, builder) {
            Ok(()) => Ok(()),
            Err(Stop::Row) => {
                builder.mark_unreadable();
                Ok(())
            }
            Err(Stop::Index(error)) => Err(error),
        }
    }

    fn value(&mut self, at: usize, value: &Value, builder: &mut JsonBuilder) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::Row)?;
        match value {
            Value::Null => {
                if self.nodes.get(at).is_some_and(|node| node.is_many) {
                    self.other(at, builder);
                }
                Ok(())
            }
            Value::Array(elements) => {
                self.other(at, builder);
                for (index, element) in elements.iter().enumerate() {
                    let every = self.any(at)?;
                    self.value(every, element, builder)?;
                    if let Some(one) = self.position(at, index)? {
                        self.value(one, element, builder)?;
                    }
                }
                Ok(())
            }
            Value::Object(fields) => {
                self.other(at, builder);
                for (name, field) in fields {
                    let below = self.name(at, name)?;
                    self.value(below, field, builder)?;
                }
                Ok(())
            }
            scalar => {
                let Some(path) = self.path(at, builder) else {
                    return Ok(());
                };
                self.text.clear();
                scalar::write_json(scalar, &mut self.text);
                Ok(builder.push(path, self.text.as_bytes())?)
            }
        }
    }

    fn other(&mut self, at: usize, builder: &mut JsonBuilder) {
        if let Some(path) = self.path(at, builder) {
            builder.push_other(path);
        }
    }

    /// Returns the path of a place, if it is indexed.
    fn path(&mut self, at: usize, builder: &mut JsonBuilder) -> Option<PathId> {
        let node = self.nodes.get_mut(at)?;
        if let Some(known) = node.id {
            return known;
        }
        if !self.plan.admits(&node.path) {
            node.id = Some(None);
            return None;
        }
        let most = match self.plan.is_named(&node.path) {
            true => NAMED_DISTINCT,
            false => self.distinct_count,
        };
        // Without room for it, each row that has it is told to be unreadable.
        let id = builder.path(&node.path, most)?;
        node.id = Some(Some(id));
        Some(id)
    }

    fn name(&mut self, at: usize, name: &str) -> Result<usize, Stop> {
        let node = self.nodes.get(at).ok_or(Stop::Row)?;
        if let Some(known) = node.names.get(name) {
            return Ok(*known);
        }
        let (mut path, is_many, is_inside) = (node.path.clone(), node.is_many, node.is_inside);
        json_path::push_name(&mut path, name);
        let below = self.add(path, is_many, is_inside)?;
        if let Some(node) = self.nodes.get_mut(at) {
            node.names.insert(name.to_owned(), below);
        }
        Ok(below)
    }

    fn any(&mut self, at: usize) -> Result<usize, Stop> {
        let node = self.nodes.get(at).ok_or(Stop::Row)?;
        if let Some(known) = node.any {
            return Ok(known);
        }
        let mut path = node.path.clone();
        json_path::push_any(&mut path);
        let below = self.add(path, true, true)?;
        if let Some(node) = self.nodes.get_mut(at) {
            node.any = Some(below);
        }
        Ok(below)
    }

    /// Returns the place of one element, if it has one of its own.
    fn position(&mut self, at: usize, index: usize) -> Result<Option<usize>, Stop> {
        let node = self.nodes.get(at).ok_or(Stop::Row)?;
        let position = u32::try_from(index).unwrap_or(u32::MAX);
        let has = self.plan.has_positions() && position < limits::INDEX_JSON_POSITIONS;
        if !has || node.is_inside {
            return Ok(None);
        }
        if let Some(known) = node.positions.get(index) {
            return Ok(Some(*known));
        }
        let mut path = node.path.clone();
        json_path::push_at(&mut path, position);
        // Elements come in order, so this is the next one.
        let below = self.add(path, false, true)?;
        if let Some(node) = self.nodes.get_mut(at) {
            node.positions.push(below);
        }
        Ok(Some(below))
    }

    fn add(&mut self, path: String, is_many: bool, is_inside: bool) -> Result<usize, Stop> {
        let too_long = path.len() > limits::INDEX_NAME_LEN_BYTES;
        if self.nodes.len() >= MAX_NODES || too_long {
            return Err(Stop::Row);
        }
        let at = self.root(path);
        if let Some(node) = self.nodes.get_mut(at) {
            (node.is_many, node.is_inside) = (is_many, is_inside);
        }
        Ok(at)
    }
}
