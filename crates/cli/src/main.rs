//! The growler command: SQL over Parquet files with VARIANT columns, from a terminal.
//!
//! Nothing is computed here: `exec` answers queries, `server` speaks HTTP, `segment` reads files.
//! ```text
//! arguments -> tables -> engine -> answer -> stdout
//!                              \-> errors, progress, statistics, logs -> stderr
//! ```
//! Rooms, in reading order: [`arguments`] the command line; [`failure`] what goes wrong, and the
//! exit codes; [`tables`] and [`values`] the forms of its values; one room a command: [`query`], [`serve`],
//! [`mod@index`], [`verify`], [`inspect`], [`quickstart`], [`remote`] (sync, status); [`style`], [`interrupt`] and
//! [`logs`] the terminal, signals, logging.

mod arguments;
mod failure;
mod index;
mod inspect;
mod interrupt;
mod logs;
mod query;
mod quickstart;
mod remote;
mod serve;
mod style;
mod tables;
mod values;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Query(arguments) => query::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Index(arguments) => index::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Quickstart(arguments) => quickstart::run(&arguments),
        Command::Sync(arguments) => remote::sync::run(&arguments),
        Command::Status(arguments) => remote::status::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
