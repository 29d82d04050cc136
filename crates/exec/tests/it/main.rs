//! Integration tests of the engine.

#[cfg(test)]
mod explain;
#[cfg(test)]
mod response;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod support;
