//! Integration tests of the engine.

#[cfg(test)]
mod explain;
#[cfg(test)]
mod response;
#[cfg(test)]
mod sql;
