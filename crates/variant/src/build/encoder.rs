//! One value, told piece by piece.

use growler_base::limits;

use super::container::{put_list_header, put_object_header};
use super::names::NameTable;
use super::scalar::{put_int, put_scalar};
use crate::{Error, Metadata, Node};

/// Encodes a single value; names go to a table that several values may share.
///
/// Children are written before the header of their container is known, which is then put before
/// them: each byte is moved at most once a level.
#[derive(Debug)]
pub struct Encoder<'n> {
    names: &'n mut NameTable,
    bytes: Vec<u8>,
    open: Vec<Open>,
    is_done: bool,
}

/// A container that is not ended yet.
#[derive(Debug)]
struct Open {
    start: usize,
    children: Children,
}

#[derive(Debug)]
enum Children {
    /// Id and offset of each field, and the key whose value comes next.
    Object(Vec<(u32, usize)>, Option<u32>),
    /// Offset of each element.
    List(Vec<usize>),
}

impl<'n> Encoder<'n> {
    /// Starts a value.
    pub fn new(names: &'n mut NameTable) -> Self {
        Self {
            names,
            bytes: Vec::new(),
            open: Vec::new(),
            is_done: false,
        }
    }

    /// Writes a primitive value in the type that the node has.
    ///
    /// # Errors
    /// `Corrupt` for a value outside of its type, `Internal` for a container or a value out of turn.
    pub fn scalar(&mut self, node: &Node<'_>) -> Result<(), Error> {
        self.begin_value()?;
        put_scalar(node, &mut self.bytes)?;
        self.end_value()
    }

    /// Writes an integer in the smallest type that holds it.
    ///
    /// # Errors
    /// `Internal` for a value out of turn.
    pub fn int(&mut self, value: i64) -> Result<(), Error> {
        self.begin_value()?;
        put_int(value, &mut self.bytes);
        self.end_value()
    }

    /// Begins an object; [`Self::key`] comes before each of its values.
    ///
    /// # Errors
    /// `LimitExceeded` when it would be nested too deeply, `Internal` for a value out of turn.
    pub fn begin_object(&mut self) -> Result<(), Error> {
        self.begin(Children::Object(Vec::new(), None))
    }

    /// Begins a list.
    ///
    /// # Errors
    /// As [`Self::begin_object`].
    pub fn begin_list(&mut self) -> Result<(), Error> {
        self.begin(Children::List(Vec::new()))
    }

    /// Names the value that comes next.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many names, `Internal` outside of an object.
    pub fn key(&mut self, name: &str) -> Result<(), Error> {
        let id = self.names.id_of(name)?;
        match self.open.last_mut().map(|open| &mut open.children) {
            Some(Children::Object(_, key @ None)) => *key = Some(id),
            _ => return Err(unbalanced("a key out of turn")),
        }
        Ok(())
    }

    /// Ends the innermost object or list.
    ///
    /// # Errors
    /// `Corrupt` when an object has a name twice, `LimitExceeded` when it is too long, `Internal`
    /// when nothing is open or a key has no value.
    pub fn end(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.pop() else {
            return Err(unbalanced("nothing is open"));
        };
        let area = self.bytes.split_off(open.start);
        match open.children {
            Children::Object(_, Some(_)) => return Err(unbalanced("a key without a value")),
            Children::Object(mut fields, None) => {
                self.sort(&mut fields)?;
                put_object_header(&fields, area.len(), &mut self.bytes)?;
            }
            Children::List(offsets) => put_list_header(&offsets, area.len(), &mut self.bytes)?,
        }
        self.bytes.extend_from_slice(&area);
        self.end_value()
    }

    /// Writes a value that is encoded already, under the names of another dictionary.
    ///
    /// # Errors
    /// Those of reading it, and those of writing it.
    pub fn copy(&mut self, metadata: &Metadata<'_>, value: &[u8]) -> Result<(), Error> {
        match Node::try_new(value)? {
            Node::Object(object) => {
                self.begin_object()?;
                for position in 0..object.len() {
                    let (id, value) = object.field(position)?;
                    self.key(metadata.name(id)?)?;
                    self.copy(metadata, value)?;
                }
                self.end()
            }
            Node::List(list) => {
                self.begin_list()?;
                for position in 0..list.len() {
                    self.copy(metadata, list.get(position)?)?;
                }
                self.end()
            }
            scalar => self.scalar(&scalar),
        }
    }

    /// Returns the value's bytes.
    ///
    /// # Errors
    /// `Internal` when there is no value or a container is still open.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        if self.is_done && self.open.is_empty() {
            Ok(self.bytes)
        } else {
            Err(unbalanced("a value is missing or open"))
        }
    }

    fn begin(&mut self, children: Children) -> Result<(), Error> {
        if self.open.len() >= limits::VARIANT_DEPTH {
            return Err(Error::Depth {
                limit: limits::VARIANT_DEPTH,
            });
        }
        self.begin_value()?;
        let start = self.bytes.len();
        self.open.push(Open { start, children });
        Ok(())
    }

    /// Notes the place of the value that comes next.
    fn begin_value(&mut self) -> Result<(), Error> {
        let at = self.bytes.len();
        match self.open.last_mut() {
            None if self.is_done => return Err(unbalanced("a second value")),
            None => {}
            Some(Open { start, children }) => {
                let offset = at.saturating_sub(*start);
                match children {
                    Children::List(offsets) => offsets.push(offset),
                    Children::Object(fields, key) => {
                        let id = key
                            .take()
                            .ok_or_else(|| unbalanced("a value without a key"))?;
                        fields.push((id, offset));
                    }
                }
            }
        }
        Ok(())
    }

    fn end_value(&mut self) -> Result<(), Error> {
        let limit_bytes = limits::VARIANT_LEN_BYTES;
        if self.bytes.len() > limit_bytes {
            return Err(Error::ValueLength { limit_bytes });
        }
        self.is_done = self.open.is_empty();
        Ok(())
    }

    fn sort(&self, fields: &mut [(u32, usize)]) -> Result<(), Error> {
        fields.sort_by(|(a, _), (b, _)| self.names.name(*a).cmp(&self.names.name(*b)));
        let twice = fields
            .iter()
            .zip(fields.iter().skip(1))
            .find(|(a, b)| a.0 == b.0);
        match twice {
            Some(((id, _), _)) => Err(Error::DuplicateName { id: *id }),
            None => Ok(()),
        }
    }
}

fn unbalanced(reason: &'static str) -> Error {
    Error::Unbalanced { reason }
}
