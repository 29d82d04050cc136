//! `growler serve`.
pub fn run(_: crate::arguments::ServeArguments) -> Result<(), crate::failure::Failure> { Ok(()) }
