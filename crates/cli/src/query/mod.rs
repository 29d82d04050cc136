//! `growler query`.
pub fn run(_: crate::arguments::QueryArguments) -> Result<(), crate::failure::Failure> { Ok(()) }
