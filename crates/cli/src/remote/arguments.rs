//! What `growler sync` and `growler status` are told.

use clap::Args;

/// Which server.
#[derive(Debug, Args)]
pub struct ServerArgument {
    /// The server's address.
    #[arg(
        long,
        short = 's',
        value_name = "URL",
        env = "GROWLER_SERVER",
        default_value = "http://127.0.0.1:8099"
    )]
    pub server: String,
}

/// What `growler sync` is told.
#[derive(Debug, Args)]
#[command(after_long_help = SYNC_HELP)]
pub struct SyncArguments {
    /// The External Table, with or without `_OFFLINE`.
    #[arg(value_name = "TABLE")]
    pub table: String,

    /// Which server.
    #[command(flatten)]
    pub server: ServerArgument,

    /// Only asks for the run, and prints its name instead of following it.
    #[arg(long)]
    pub no_wait: bool,
}

const SYNC_HELP: &str = "\
A run loads the source's metadata, follows its schema where the table's config allows it, reads the
footers of files that are new, and serves the new snapshot in one step. No data is copied. A run that
fails leaves the table serving what it served; the reason is printed, and stays in the status. A run
that is on already is followed by another one.

The bar shows the files of the run. Ctrl-C stops following it; the run itself goes on.

Exit codes:
  0    the table is in step with its source
  1    the run failed, or the server cannot be reached
  2    the server has no such External Table, or it is paused

Examples:
  growler sync orders_ext
  growler sync orders_ext --server http://growler.example.com:8099
  growler sync orders_ext --no-wait";

/// What `growler status` is told.
#[derive(Debug, Args)]
#[command(after_long_help = STATUS_HELP)]
pub struct StatusArguments {
    /// The External Table, with or without `_OFFLINE`.
    #[arg(value_name = "TABLE")]
    pub table: String,

    /// Which server.
    #[command(flatten)]
    pub server: ServerArgument,

    /// Prints the server's answers as one JSON object: `status` and `checkpoint`.
    #[arg(long)]
    pub json: bool,
}

const STATUS_HELP: &str = "\
How to read it:
  serving   which snapshot of the source queries see, and under which version of the schema
  last run  how the last run ended; when it failed, in which phase, why, and what stays served
  schema    the last change of the source's schema that was refused, with each reason
  next run  when the schedule has the next one

Exit codes:
  0    the status was printed, whatever it says
  1    the server cannot be reached
  2    the server has no such External Table

Examples:
  growler status orders_ext
  growler status orders_ext --json | jq .status.failurePhase";
