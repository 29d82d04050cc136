//! The Parquet VARIANT codec: lazy reading, path look-up, shredding layouts and text form.
pub mod shred;
