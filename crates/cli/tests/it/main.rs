//! Integration tests of the `growler` binary and of the workspace around it.

mod dependencies;
