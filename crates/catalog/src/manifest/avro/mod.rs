//! Avro object container files, as far as manifests need them.
//!
//! The codecs are `apache-avro`'s. Its decoder makes an owned tree of every value, names of fields
//! included, which multiplies what a hostile file can ask for and is most of the time of planning a
//! large table; so values are decoded here, in place and only those that are asked for. The tests
//! compare the two. Rooms, in reading order: [`container`] the file; [`shape`] what a value looks
//! like; [`values`] reading it.

pub(crate) mod container;
pub(crate) mod shape;
pub(crate) mod values;

#[cfg(test)]
mod tests;

pub(crate) use container::Container;
pub(crate) use shape::Shape;
pub(crate) use values::Values;
