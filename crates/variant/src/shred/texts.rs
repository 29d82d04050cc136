//! Keys as text, JSON text and bytes.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BinaryViewArray, StringViewArray, new_null_array};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer};
use arrow_schema::DataType as ArrowType;

use super::arrays::{BytesArray, INLINE_LEN, Origin};
use super::leaf::LeafArray;
use super::numbers::{unset, validity};
use super::rebuild::needs_names;
use super::rows::Rows;
use super::sink::{Part, Sink};
use super::tally::Tally;
use crate::inside::{InsideFinder, UNWALKED};
use crate::json::write_json_in;
use crate::names::DictionaryCache;
use crate::text::{write_json_scalar, write_scalar};
use crate::value::BasicType;
use crate::{Budget, Error, InsidePath, Node};

/// Text made here goes to a new buffer once the last one has this length, so that 32-bit offsets
/// always reach.
const BLOCK_LEN_BYTES: usize = 1 << 30;
/// Longest text made here for one batch, all rows together.
const BATCH_LEN_BYTES: usize = 2 << 30;

/// What the bytes of a result are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// Strings as they are, other values as the text of a STRING key.
    Text,
    /// JSON text; strings are quoted.
    Json,
    /// Binary values, and nothing else.
    Bytes,
}

/// When text of a residual is checked to be UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Utf8Check {
    /// All together in [`Sink::finish`], which fails if one is not.
    AtEnd,
    /// One by one, so that the rows at fault are known.
    EachRow,
}

/// Collects views; those of plain strings point into the residual's own buffers.
#[derive(Debug)]
pub(super) struct Texts {
    form: TextForm,
    check: Utf8Check,
    views: Vec<u128>,
    valid: BooleanBufferBuilder,
    buffers: Vec<Buffer>,
    /// Position in `buffers` of the first buffer of the residual being read.
    source: u32,
    /// Text made here, and its position in `buffers`, which is kept free for it.
    block: Vec<u8>,
    block_position: usize,
    made_len: usize,
    dictionaries: DictionaryCache,
    /// What of an object or array is asked for, if not all.
    inside: Option<InsideFinder>,
}

impl Texts {
    /// Starts with every row null.
    pub(super) fn new(len: usize, form: TextForm, check: Utf8Check) -> Self {
        Self {
            form,
            check,
            views: vec![0; len],
            valid: unset(len),
            buffers: vec![Buffer::default()],
            source: 0,
            block: Vec::new(),
            block_position: 0,
            made_len: 0,
            dictionaries: DictionaryCache::new(),
            inside: None,
        }
    }

    /// Collects what a path leads to inside of objects and arrays, as JSON text, and `null` where it
    /// leads nowhere. Strings of the text form are kept, marked with [`UNWALKED`].
    pub(super) fn inside(mut self, path: Option<InsidePath>) -> Self {
        self.inside = path.map(InsideFinder::new);
        self
    }

    /// Sets a row whose value is a scalar, where something inside of it is asked for.
    fn unwalked(&mut self, row: usize, node: &Node<'_>) -> Result<(), Error> {
        let form = self.form;
        self.render(row, |out, _| {
            match node {
                Node::String(_) if form == TextForm::Text => {
                    out.extend_from_slice(UNWALKED.encode_utf8(&mut [0; 4]).as_bytes());
                    write_scalar(node, out);
                }
                _ => out.extend_from_slice(b"null"),
            }
            Ok(())
        })
    }

    /// Sets a row to what lies inside of a value in a residual.
    fn part_inside(&mut self, part: &Part<'_>) -> Result<(), Error> {
        if let Some(BasicType::Object | BasicType::Array) = BasicType::of(part.found) {
            let metadata = part.metadata.ok_or_else(|| needs_names(part.row))?;
            let metadata = metadata.get(part.row)?;
            let finder = self.inside.as_mut();
            let found = finder.map(|finder| finder.find(metadata, part.found));
            let found = found.transpose()?.flatten();
            return self.render(part.row, |out, dictionaries| match found {
                None => {
                    out.extend_from_slice(b"null");
                    Ok(())
                }
                Some(found) => match Node::try_new(found)? {
                    Node::Object(_) | Node::List(_) => {
                        let dictionary = dictionaries.get(metadata)?;
                        write_json_in(dictionary, found, out, &mut Budget::new())
                    }
                    node => {
                        write_json_scalar(&node, out);
                        Ok(())
                    }
                },
            });
        }
        self.unwalked(part.row, &Node::try_new(part.found)?)
    }

    fn add_buffers(&mut self, buffers: &[Buffer]) -> u32 {
        let first = position(self.buffers.len());
        self.buffers.extend_from_slice(buffers);
        first
    }

    #[inline]
    fn set(&mut self, row: usize, view: u128) {
        if let Some(slot) = self.views.get_mut(row) {
            *slot = view;
            self.valid.set_bit(row, true);
        }
    }

    /// Sets a row to bytes that lie in a buffer, or are copied where no view can point to them.
    #[inline]
    fn set_bytes(&mut self, row: usize, bytes: &[u8], origin: Option<Origin>) -> Result<(), Error> {
        match origin {
            _ if bytes.len() <= INLINE_LEN => self.set(row, make_view(bytes, 0, 0)),
            Some(Origin { buffer, offset }) => self.set(row, make_view(bytes, buffer, offset)),
            None => {
                return self.render(row, |out, _| {
                    out.extend_from_slice(bytes);
                    Ok(())
                });
            }
        }
        Ok(())
    }

    /// Sets a row to what `write` appends.
    fn render(
        &mut self,
        row: usize,
        write: impl FnOnce(&mut Vec<u8>, &mut DictionaryCache) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.made_len > BATCH_LEN_BYTES {
            return Ok(()); // `finish` fails.
        }
        let start = self.block.len();
        let written = write(&mut self.block, &mut self.dictionaries);
        let text = self
            .block
            .get(start..)
            .filter(|_| written.is_ok())
            .unwrap_or_default();
        let (len, view) = (
            text.len(),
            make_view(text, position(self.block_position), position(start)),
        );
        if len <= INLINE_LEN {
            self.block.truncate(start);
        }
        written?;
        self.set(row, view);
        self.made_len = self.made_len.saturating_add(len);
        if self.block.len() >= BLOCK_LEN_BYTES {
            self.close_block();
            self.block_position = self.buffers.len();
            self.buffers.push(Buffer::default());
        }
        Ok(())
    }

    fn close_block(&mut self) {
        if let Some(buffer) = self.buffers.get_mut(self.block_position) {
            *buffer = Buffer::from_vec(std::mem::take(&mut self.block));
        }
    }

    /// Returns where the payload of a string lies in its value, or of a binary value where bytes
    /// are asked for; other values have to be rendered.
    #[inline]
    fn payload<'a>(&self, found: &'a [u8]) -> Result<Option<&'a [u8]>, Error> {
        let Some((&header, rest)) = found.split_first() else {
            return Err(Error::Truncated { part: "value" });
        };
        let long = match self.form {
            TextForm::Text if header & 3 == 1 => {
                let text = rest.get(..usize::from(header >> 2));
                return text.map(Some).ok_or(Error::Truncated {
                    part: "short string",
                });
            }
            TextForm::Text => header == 0x40,
            TextForm::Bytes => header == 0x3c,
            TextForm::Json => false,
        };
        let sized = rest.split_first_chunk::<4>().filter(|_| long);
        let payload = sized.map(|(len, rest)| rest.get(..u32::from_le_bytes(*len).as_usize()));
        match payload {
            Some(None) => Err(Error::Truncated { part: "long value" }),
            None if long => Err(Error::Truncated { part: "long value" }),
            payload => Ok(payload.flatten()),
        }
    }

    fn check_utf8(&self, payload: &[u8]) -> Result<(), Error> {
        if self.form == TextForm::Text && self.check == Utf8Check::EachRow {
            let checked = simdutf8::basic::from_utf8(payload);
            checked.map_err(|_| Error::Utf8 { part: "string" })?;
        }
        Ok(())
    }
}

impl Sink for Texts {
    fn source(&mut self, values: &BytesArray<'_>) {
        self.source = self.add_buffers(values.buffers());
    }

    fn leaf(&mut self, leaf: &LeafArray<'_>, rows: &Rows, tally: &mut Tally) -> Result<(), Error> {
        if self.inside.is_some() {
            return leaf.for_each(rows, tally, |row, node| self.unwalked(row, node));
        }
        let at = |origin: Origin, first: u32| Origin {
            buffer: origin.buffer.saturating_add(first),
            ..origin
        };
        match (leaf, self.form) {
            (LeafArray::String(texts), TextForm::Text) => {
                let first = self.add_buffers(texts.buffers());
                rows.try_for_each(|row| {
                    let origin = texts.origin(row).map(|origin| at(origin, first));
                    self.set_bytes(row, texts.value(row).as_bytes(), origin)
                })
            }
            (LeafArray::Binary(bytes), TextForm::Bytes) => {
                let first = self.add_buffers(bytes.buffers());
                rows.try_for_each(|row| {
                    let origin = bytes.origin(row).map(|origin| at(origin, first));
                    self.set_bytes(row, bytes.value(row), origin)
                })
            }
            (_, TextForm::Bytes) => Ok(()),
            _ => leaf.for_each(rows, tally, |row, node| self.node(row, node)),
        }
    }

    fn node(&mut self, row: usize, node: &Node<'_>) -> Result<(), Error> {
        let form = self.form;
        if let TextForm::Bytes = form {
            return match node.to_bytes() {
                Some(bytes) => self.set_bytes(row, bytes, None),
                None => Ok(()),
            };
        }
        self.render(row, |out, _| {
            let written = match form {
                TextForm::Json => write_json_scalar(node, out),
                TextForm::Text | TextForm::Bytes => write_scalar(node, out),
            };
            debug_assert!(written, "a typed leaf holds scalars only");
            Ok(())
        })
    }

    fn part(&mut self, part: &Part<'_>) -> Result<(), Error> {
        if self.inside.is_some() {
            return self.part_inside(part);
        }
        if let Some(payload) = self.payload(part.found)? {
            self.check_utf8(payload)?;
            let origin = part.values.origin(part.row).and_then(|origin| {
                let whole = part.values.value(part.row).as_ptr().addr();
                let within = payload.as_ptr().addr().checked_sub(whole)?;
                Some(Origin {
                    buffer: origin.buffer.checked_add(self.source)?,
                    offset: origin.offset.checked_add(u32::try_from(within).ok()?)?,
                })
            });
            return self.set_bytes(part.row, payload, origin);
        }
        match Node::try_new(part.found)? {
            Node::Object(_) | Node::List(_) if self.form != TextForm::Bytes => {
                let metadata = part.metadata.ok_or_else(|| needs_names(part.row))?;
                let metadata = metadata.get(part.row)?;
                self.render(part.row, |out, dictionaries| {
                    let dictionary = dictionaries.get(metadata)?;
                    write_json_in(dictionary, part.found, out, &mut Budget::new())
                })
            }
            node => self.node(part.row, &node),
        }
    }

    fn json(
        &mut self,
        row: usize,
        write: impl FnOnce(&mut Vec<u8>, &mut DictionaryCache) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.render(row, write)
    }

    fn finish(mut self) -> Result<ArrayRef, Error> {
        if self.made_len > BATCH_LEN_BYTES {
            return Err(Error::TextLength {
                limit_bytes: BATCH_LEN_BYTES,
            });
        }
        let nulls = validity(&mut self.valid);
        if nulls
            .as_ref()
            .is_some_and(|nulls| nulls.null_count() == nulls.len())
        {
            let arrow = match self.form {
                TextForm::Bytes => ArrowType::BinaryView,
                TextForm::Text | TextForm::Json => ArrowType::Utf8View,
            };
            return Ok(new_null_array(&arrow, self.views.len()));
        }
        self.close_block();
        let views = self.views.into();
        let array: Result<ArrayRef, _> = match self.form {
            TextForm::Bytes => {
                BinaryViewArray::try_new(views, self.buffers, nulls).map(|a| Arc::new(a) as _)
            }
            TextForm::Text | TextForm::Json => {
                StringViewArray::try_new(views, self.buffers, nulls).map(|a| Arc::new(a) as _)
            }
        };
        array.map_err(|error| Error::Arrow {
            reason: error.to_string().into(),
        })
    }
}

/// Converts a position to the 32 bits that a view has for it. Blocks are kept short enough.
fn position(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
