//! The columns of a table that its files find by identity.

use std::collections::BTreeMap;

use growler_base::FieldId;
use growler_schema::SourceType;

use super::Fill;

/// Identities from here on are those of columns that every table has.
const RESERVED: i32 = i32::MAX - 200;

/// The columns of a table; shared by all of its files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableColumns {
    columns: BTreeMap<FieldId, Node>,
    maps_names: bool,
    /// Largest identity that the table ever gave away, if that is known.
    last_id: Option<FieldId>,
    served: BTreeMap<String, FieldId>,
}

/// A column, or a field of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Identity.
    pub id: FieldId,
    /// Name that documents show.
    pub name: String,
    /// Names in files without identities; none where the table maps no names.
    pub names: Vec<String>,
    /// Whether rows must have a value.
    pub required: bool,
    /// What rows of files have that were written before the field existed.
    pub missing: Fill,
    /// Its type.
    pub kind: NodeKind,
}

/// Type of a column or field in a table.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A primitive.
    Leaf(SourceType),
    /// Null in every row, whatever files hold.
    Unknown,
    /// Fields.
    Struct(Vec<Node>),
    /// Elements.
    List(Box<Node>),
    /// Keys and values.
    Map(Box<Node>, Box<Node>),
    /// VARIANT.
    Variant,
    /// A struct that is read as one of its fields.
    Within(Box<Node>),
}

impl TableColumns {
    /// Makes the columns of a table; `maps_names` says whether it has a name mapping.
    pub fn new(columns: impl IntoIterator<Item = Node>, maps_names: bool) -> Self {
        let columns = columns.into_iter().map(|node| (node.id, node));
        Self {
            columns: columns.collect(),
            maps_names,
            last_id: None,
            served: BTreeMap::new(),
        }
    }

    /// Says which identity the table gave away last: files with larger ones are broken.
    #[must_use]
    pub fn with_last_id(mut self, last_id: FieldId) -> Self {
        self.last_id = Some(last_id);
        self
    }

    /// Says under which names queries know the columns.
    #[must_use]
    pub fn with_served(mut self, names: impl IntoIterator<Item = (String, FieldId)>) -> Self {
        self.served = names.into_iter().collect();
        self
    }

    /// Returns under which names queries know the columns.
    pub fn served(&self) -> &BTreeMap<String, FieldId> {
        &self.served
    }

    /// Tells whether a file of the table can have a column of an identity.
    pub(crate) fn gave(&self, id: FieldId) -> bool {
        id.0 >= RESERVED || self.last_id.is_none_or(|last| id <= last)
    }

    /// Returns a column.
    pub fn get(&self, id: FieldId) -> Option<&Node> {
        self.columns.get(&id)
    }

    /// Tells whether files without identities find their columns by mapped names.
    pub fn maps_names(&self) -> bool {
        self.maps_names
    }
}
