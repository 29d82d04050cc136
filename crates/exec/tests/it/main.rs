//! Integration tests of the engine.

#[cfg(test)]
mod differential;
#[cfg(test)]
mod engine;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod expr;
#[cfg(test)]
mod folded_by_ids;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod indexes;
#[cfg(test)]
#[path = "../layouts/indexing.rs"]
mod indexing;
#[cfg(test)]
mod nulls;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod perfile;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod reload;
#[cfg(test)]
mod response;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tested_by_ids;
#[cfg(test)]
mod top;
