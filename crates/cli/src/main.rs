//! The growler command.
fn main() {}
