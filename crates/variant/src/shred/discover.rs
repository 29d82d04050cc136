//! Which keys have values outside of typed columns: found by one walk over the residuals.
//!
//! A key is told by its dotted path, the text that a query would write. Paths may be found that no
//! look-up reaches, since a shredded name hides the same name in a residual; none that a look-up
//! reaches is missed while [`PathDiscovery::is_complete`] holds.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, StructArray};
use growler_base::LeafIdx;
use growler_base::limits::{INDEX_NAME_LEN_BYTES, PATH_STEPS};

use super::arrays::{BytesArray, MetadataArray, TYPED_VALUE, child_group, residual};
use super::rows::Rows;
use super::{Group, Layout, LeafFacts, Typed};
use crate::cache::MetadataCache;
use crate::value::BasicType;
use crate::{Error, Metadata, Object};

/// What a value is, as far as its header tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueClass {
    /// Variant null.
    Null,
    /// True or false.
    Boolean,
    /// Integer, float or decimal.
    Number,
    /// Text.
    Text,
    /// Date, time or timestamp.
    Time,
    /// Bytes or a UUID.
    Bytes,
    /// Named fields.
    Object,
    /// Elements in order.
    Array,
    /// A type that the format does not define.
    Unknown,
}

/// A set of [`ValueClass`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ValueClasses(u16);

/// A key with values outside of typed columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredPath {
    /// Its dotted path.
    pub path: String,
    /// What its values are.
    pub classes: ValueClasses,
    /// How many values were seen in residuals.
    pub value_count: u64,
}

/// Gathers the keys of one VARIANT column over batches.
#[derive(Debug)]
pub struct PathDiscovery {
    layout: Arc<Layout>,
    known: MetadataCache<Known>,
    found: Paths,
}

/// Paths of the names of one dictionary, by the path above them.
type Known = HashMap<(Parent, u32), u32>;

/// The path that a name stands below; none at the root.
type Parent = Option<u32>;

#[derive(Debug)]
struct Paths {
    paths: Vec<DiscoveredPath>,
    by_text: HashMap<Box<str>, u32>,
    most: usize,
    complete: bool,
}

impl PathDiscovery {
    /// Starts with the objects and arrays that the layout shreds; `most` paths are kept.
    pub fn new(layout: Arc<Layout>, most: usize) -> Self {
        let mut found = Paths {
            paths: Vec::new(),
            by_text: HashMap::new(),
            most,
            complete: true,
        };
        found.add_shredded(&layout.root, None);
        Self {
            layout,
            known: MetadataCache::new(),
            found,
        }
    }

    /// Returns the leaves to read in a row group, in leaf order; none when no residual holds anything.
    pub fn leaves(&self, facts: &LeafFacts) -> Vec<LeafIdx> {
        let mut leaves = Vec::new();
        push_residuals(&self.layout.root, facts, &mut leaves);
        if !leaves.is_empty() {
            leaves.push(self.layout.metadata);
        }
        leaves.sort_unstable();
        leaves
    }

    /// Takes a batch of the variant group, as the Parquet reader returns it. What does not decode is
    /// left out, as it is when a key is read.
    ///
    /// # Errors
    /// `Internal` when an array is not what the layout says.
    pub fn read(&mut self, column: &StructArray) -> Result<(), Error> {
        let Some(metadata) = MetadataArray::find(column)? else {
            return Ok(());
        };
        let layout = Arc::clone(&self.layout);
        let rows = Rows::all(column.len()).and(column.nulls());
        self.group(&layout.root, column, &rows, metadata, None)
    }

    /// Tells whether every key with a value was kept. Roots that are no objects make it false, since
    /// reading any key of such a column fails.
    pub fn is_complete(&self) -> bool {
        self.found.complete
    }

    /// Returns the keys found that have a value, in the order of their paths.
    pub fn into_paths(self) -> Vec<DiscoveredPath> {
        let mut paths = self.found.paths;
        paths.retain(|path| path.classes.has_values());
        paths.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        paths
    }

    fn group(
        &mut self,
        group: &Group,
        array: &StructArray,
        rows: &Rows,
        metadata: MetadataArray<'_>,
        path: Parent,
    ) -> Result<(), Error> {
        if let Some(values) = residual(array)? {
            self.residuals(values, &rows.and(values.nulls()), metadata, path)?;
        }
        let (Some(Typed::Object(fields)), Some(typed)) =
            (&group.typed, child_group(array, TYPED_VALUE)?)
        else {
            return Ok(());
        };
        let rows = rows.and(typed.nulls());
        for field in fields {
            let Some(child) = child_group(typed, &field.name)? else {
                continue;
            };
            if let Some(path) = self.found.child(path, &field.name) {
                let rows = rows.and(child.nulls());
                self.group(&field.group, child, &rows, metadata, Some(path))?;
            }
        }
        Ok(())
    }

    fn residuals(
        &mut self,
        values: BytesArray<'_>,
        rows: &Rows,
        metadata: MetadataArray<'_>,
        path: Parent,
    ) -> Result<(), Error> {
        rows.try_for_each(|row| {
            let value = values.value(row);
            let class = ValueClass::of(value);
            match path {
                Some(path) => self.found.see(path, class),
                None if class != ValueClass::Object => self.found.complete = false,
                None => {}
            }
            if class != ValueClass::Object {
                return Ok(());
            }
            let Ok(dictionary) = metadata.get(row).and_then(Metadata::try_new) else {
                return Ok(());
            };
            let bytes = metadata.get(row)?;
            let known = self.known.get_or_make(bytes, |_, known| {
                known.clear();
                Ok(())
            })?;
            let mut walk = Walk {
                dictionary,
                known,
                found: &mut self.found,
                // Fields that do not overlap take more bytes than that.
                fields_left: value.len(),
            };
            walk.object(value, path, 0);
            Ok(())
        })
    }
}

/// Appends the residual leaves of a group that may hold values; nothing inside of lists is a key.
fn push_residuals(group: &Group, facts: &LeafFacts, leaves: &mut Vec<LeafIdx>) {
    leaves.extend(group.value.filter(|leaf| !facts.is_all_null(*leaf)));
    if let Some(Typed::Object(fields)) = &group.typed {
        for field in fields {
            push_residuals(&field.group, facts, leaves);
        }
    }
}

/// A walk over the value of one row.
struct Walk<'w, 'm> {
    dictionary: Metadata<'m>,
    known: &'w mut Known,
    found: &'w mut Paths,
    fields_left: usize,
}

impl Walk<'_, '_> {
    fn object(&mut self, value: &[u8], path: Parent, depth: usize) {
        let Ok(object) = Object::try_new(value) else {
            return;
        };
        for position in 0..object.len() {
            let Some(left) = self.fields_left.checked_sub(1) else {
                self.found.complete = false;
                return;
            };
            self.fields_left = left;
            // A field that does not decode does not hide the others.
            let Ok((id, value)) = object.field(position) else {
                continue;
            };
            let Some(child) = self.child(path, id) else {
                continue;
            };
            let class = ValueClass::of(value);
            self.found.see(child, class);
            if class == ValueClass::Object && depth < PATH_STEPS {
                self.object(value, Some(child), depth.saturating_add(1));
            }
        }
    }

    fn child(&mut self, path: Parent, id: u32) -> Option<u32> {
        if let Some(child) = self.known.get(&(path, id)) {
            return Some(*child);
        }
        // A name that is no text is none that a query can write.
        let name = self.dictionary.name(id).ok()?;
        let child = self.found.child(path, name)?;
        self.known.insert((path, id), child);
        Some(child)
    }
}

impl Paths {
    fn add_shredded(&mut self, group: &Group, path: Parent) {
        let Some(Typed::Object(fields)) = &group.typed else {
            return;
        };
        for field in fields {
            let Some(child) = self.child(path, &field.name) else {
                continue;
            };
            match &field.group.typed {
                Some(Typed::Object(_)) => self.add(child, ValueClass::Object),
                Some(Typed::List(_)) => self.add(child, ValueClass::Array),
                Some(Typed::Scalar { .. }) | None => {}
            }
            self.add_shredded(&field.group, Some(child));
        }
    }

    /// Returns the path of a name below another; none when it cannot be kept, or asked for.
    fn child(&mut self, parent: Parent, name: &str) -> Option<u32> {
        let above = parent.and_then(|parent| self.paths.get(crate::bytes::index(parent)));
        let text = match above {
            Some(above) => format!("{}.{name}", above.path),
            None => name.to_owned(),
        };
        if let Some(known) = self.by_text.get(text.as_str()) {
            return Some(*known);
        }
        if text.split('.').count() > PATH_STEPS {
            return None;
        }
        let idx = u32::try_from(self.paths.len()).ok();
        let fits = self.paths.len() < self.most && text.len() <= INDEX_NAME_LEN_BYTES;
        let Some(idx) = idx.filter(|_| fits) else {
            self.complete = false;
            return None;
        };
        self.by_text.insert(text.as_str().into(), idx);
        self.paths.push(DiscoveredPath {
            path: text,
            classes: ValueClasses::default(),
            value_count: 0,
        });
        Some(idx)
    }

    fn add(&mut self, path: u32, class: ValueClass) {
        if let Some(path) = self.paths.get_mut(crate::bytes::index(path)) {
            path.classes = path.classes.with(class);
        }
    }

    fn see(&mut self, path: u32, class: ValueClass) {
        if let Some(path) = self.paths.get_mut(crate::bytes::index(path)) {
            path.classes = path.classes.with(class);
            path.value_count = path.value_count.saturating_add(1);
        }
    }
}

impl ValueClass {
    /// Looks at the header of a value.
    #[inline]
    fn of(value: &[u8]) -> Self {
        match BasicType::of(value) {
            Some(BasicType::Null) => Self::Null,
            Some(BasicType::Object) => Self::Object,
            Some(BasicType::Array) => Self::Array,
            None => Self::Unknown,
            Some(BasicType::Scalar) => {
                match value.first().map(|header| (header & 3, header >> 2)) {
                    Some((1, _) | (0, 16)) => Self::Text,
                    Some((0, 1 | 2)) => Self::Boolean,
                    Some((0, 3..=10 | 14)) => Self::Number,
                    Some((0, 11..=13 | 17..=19)) => Self::Time,
                    Some((0, 15 | 20)) => Self::Bytes,
                    _ => Self::Unknown,
                }
            }
        }
    }
}

impl ValueClasses {
    /// Returns the set with one more class.
    #[must_use]
    pub fn with(self, class: ValueClass) -> Self {
        Self(self.0 | 1 << class as u16)
    }

    /// Tells whether a class is in the set.
    pub fn contains(self, class: ValueClass) -> bool {
        self.0 & 1 << class as u16 != 0
    }

    /// Tells whether some value is not variant null.
    pub fn has_values(self) -> bool {
        self.0 & !(1 << ValueClass::Null as u16) != 0
    }
}
