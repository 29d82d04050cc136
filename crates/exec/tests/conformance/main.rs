//! VARIANT read exactly as written: the Parquet project's corpus, files of four writers, the limits
//! that are promised, and the bug reports of other readers, all through SQL.
//!
//! `cargo test -p growler-exec --test conformance -- --nocapture` prints the tables. The corpus and
//! the writers' files lie in `shared/data` beside the project, or where `GROWLER_SHARED` says.

#[cfg(test)]
mod bytes;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod cases_a;
#[cfg(test)]
mod cases_b;
#[cfg(test)]
mod cases_c;
#[cfg(test)]
mod cases_d;
#[cfg(test)]
mod cases_e;
#[cfg(test)]
mod cases_f;
#[cfg(test)]
mod cases_g;
#[cfg(test)]
mod cases_h;
#[cfg(test)]
mod cases_i;
#[cfg(test)]
mod corpus;
#[cfg(test)]
#[path = "../../../segment/tests/it/expected.rs"]
mod expected;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod layouts;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod pack;
#[cfg(test)]
mod parquet_files;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod typed_value;
