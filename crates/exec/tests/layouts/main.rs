//! Layout never changes an answer: the same rows in many files, every form of query, one answer.
//!
//! A round makes rows of random documents and a type for their keys, writes them in several layouts
//! (shredding schemas, dictionaries of names, row groups, pages, files) and asks each of them the
//! same queries with null handling off and on. All answers must be those of the first layout, an
//! unshredded file, and those of a model that goes over the documents one by one. Some rounds have
//! keys that no file types, bytes that are no value, roots that are no objects (refused with one
//! message, or read as null), and the variants once more in a struct, a list and a map.
//! Each layout has random indexes, too, and is asked with them and without.
//! `GROWLER_LAYOUT_ROUNDS` asks for more rounds, `GROWLER_LAYOUT_SEED` for others,
//! `GROWLER_LAYOUT_FIRST` starts with a later one.

#[cfg(test)]
mod aggregates;
#[cfg(test)]
mod check;
#[cfg(test)]
mod document;
#[cfg(test)]
mod encode;
#[cfg(test)]
mod files;
#[cfg(test)]
mod filters;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod indexes;
#[cfg(test)]
mod indexing;
#[cfg(test)]
mod literals;
#[cfg(test)]
mod model;
#[cfg(test)]
mod nested;
#[cfg(test)]
mod number;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod reshape;
#[cfg(test)]
mod rng;
#[cfg(test)]
mod round;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod text;
