//! Integration tests of the engine.

#[cfg(test)]
mod explain;
#[cfg(test)]
mod expr;
#[cfg(test)]
mod response;
#[cfg(test)]
mod sql;
