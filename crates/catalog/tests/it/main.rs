//! Tables as other engines write them, tables made to harm, and deletes against a naive reader.

mod deletes;
mod hostile;
mod made;
mod metadata;
mod pack;
mod pruning;
mod samples;
mod schemas;
