//! An index never changes an answer: random tables, indexes and queries, each against the plain scan.
//!
//! A round makes rows - a column of every type, and documents - and lays them into files of random
//! kinds. Configs of random indexes are brought in one after the other by the reload that the server
//! and the command line use, so that indexes are added, kept, changed and dropped, spill, and lag
//! behind a schema that was widened. After each reload the same random queries are asked with null
//! handling off or on, and must answer what they answer without any index.
//! `GROWLER_INDEX_ROUNDS` asks for more rounds, `GROWLER_INDEX_SEED` for others, `GROWLER_INDEX_FIRST`
//! starts with a later one.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod config;
#[cfg(test)]
mod data;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod files;
#[cfg(test)]
mod pools;
#[cfg(test)]
mod predicates;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod round;
#[cfg(test)]
mod rounds;
#[cfg(test)]
mod tables;

// Documents, their bytes and their layouts are made as in the test of the layouts.
#[cfg(test)]
#[path = "../layouts/document.rs"]
#[allow(dead_code, reason = "the test of the layouts asks more of documents")]
mod document;
#[cfg(test)]
#[path = "../layouts/encode.rs"]
mod encode;
#[cfg(test)]
#[path = "../layouts/generate.rs"]
#[allow(dead_code, reason = "the test of the layouts has more kinds of rounds")]
mod generate;
#[cfg(test)]
#[path = "../layouts/reshape.rs"]
mod reshape;
#[cfg(test)]
#[path = "../layouts/rng.rs"]
mod rng;
#[cfg(test)]
#[path = "../layouts/shapes.rs"]
mod shapes;
