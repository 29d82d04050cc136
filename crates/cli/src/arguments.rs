//! The command line: commands, options and the help that `--help` prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::remote::{StatusArguments, SyncArguments};
use crate::tables::TableAt;
use crate::values::{byte_count, key_value};

/// SQL over Parquet files where they lie, VARIANT columns included.
#[derive(Debug, Parser)]
#[command(name = "growler", version, max_term_width = 100, after_long_help = AFTER_HELP)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  growler quickstart
  growler query \"SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'\" --table t=events.parquet
  growler inspect events.parquet
  growler index --table events=data/events --config events.json
  growler verify --table events=data/events --config events.json
  growler serve --table events=data/events --listen 127.0.0.1:8099
  growler sync orders_ext

Environment:
  NO_COLOR     when set and not empty: no colour
  RUST_LOG     which log lines are written to stderr, such as 'info' or 'growler_segment=debug'

Exit codes:
  0    done
  1    a file, a limit or the engine stopped it, or an answer of quickstart or verify is wrong
  2    the command line, the configuration or the SQL is wrong
  130  interrupted with Ctrl-C";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answers one SQL query over files.
    Query(QueryArguments),
    /// Serves tables over HTTP, as Apache Pinot would.
    Serve(ServeArguments),
    /// Builds the indexes that a table config asks for.
    Index(IndexArguments),
    /// Asks random queries of a table with its indexes and without: the answers must be the same.
    Verify(VerifyArguments),
    /// Shows how a Parquet file is laid out, and which VARIANT keys are fast; or what an Iceberg table has.
    Inspect(InspectArguments),
    /// Runs example queries over sample tables, then serves them.
    Quickstart(QuickstartArguments),
    /// Has a server bring an External Table in step with its source now.
    Sync(SyncArguments),
    /// Shows how far an External Table of a server is.
    Status(StatusArguments),
}

/// What `growler query` is told.
#[derive(Debug, Args)]
#[command(after_long_help = QUERY_HELP)]
pub struct QueryArguments {
    /// The query; `-` reads it from stdin.
    #[arg(value_name = "SQL")]
    pub sql: String,

    /// A table: its name in the SQL, and a file, a folder or a glob of Parquet files, an Iceberg table's
    /// folder, or one of its *.metadata.json files to pin that version; may be repeated.
    #[arg(
        long = "table",
        short = 't',
        value_name = "NAME=PATH",
        required_unless_present = "config"
    )]
    pub tables: Vec<TableAt>,

    /// Table config or schema of a table (Pinot's JSON), instead of the columns the files have.
    ///
    /// It is for the table it names, or for the only one. A config whose `source.path` says where
    /// the files are needs no --table.
    #[arg(long, short = 'c', value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Folder that `growler index --index-dir` has built into [default: beside the files].
    #[arg(long, value_name = "FOLDER")]
    pub index_dir: Option<PathBuf>,

    /// Form of the answer on stdout.
    #[arg(long, short = 'f', value_name = "FORMAT", default_value = "table")]
    pub format: Format,

    /// A query option, as `SET KEY = VALUE;` in the SQL would give it; may be repeated.
    #[arg(long = "option", short = 'o', value_name = "KEY=VALUE", value_parser = key_value)]
    pub options: Vec<(String, String)>,

    /// Threads that scan [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Memory the query may hold, in bytes or with a unit, such as 512MiB [default: 1GiB].
    #[arg(long, value_name = "BYTES", value_parser = byte_count)]
    pub memory: Option<usize>,

    /// Prints one line of statistics on stderr.
    #[arg(long)]
    pub stats: bool,
}

const QUERY_HELP: &str = "\
The SQL is Pinot's single-stage dialect. Without LIMIT a query shows 10 rows. A key of a VARIANT
column is COLUMN['key']; a dotted path steps into objects: props['device.os'].

Formats:
  table  for people; long cells are cut
  json   one JSON array of row arrays, and nothing else
  csv    a header line, then the rows; a null is an empty field, empty text two quotes
  arrow  an Arrow IPC stream

Examples:
  growler query \"SELECT * FROM t\" -t t=events.parquet
  growler query \"SELECT props['page_type'], COUNT(*) FROM t GROUP BY 1\" -t t='events/*.parquet' -f csv
  growler query \"SELECT MIN(props['ms']) FROM t\" -t t=events -o enableNullHandling=true
  growler query \"EXPLAIN PLAN FOR SELECT props FROM t\" -t t=events
  growler query - -t t=events < query.sql

Indexes that `growler index` has built are used where they are: an answer is the same with and
without them. `--stats` shows how many values a filter read; none when indexes answered it.
EXPLAIN PLAN FOR shows which, and SET skipIndexes='*'; does without.

A query that takes longer than half a second shows its progress when stderr is a terminal; Ctrl-C
cancels it.";

/// Forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text table.
    Table,
    /// JSON array of row arrays.
    Json,
    /// Comma-separated values.
    Csv,
    /// Arrow IPC stream.
    Arrow,
}

/// What `growler serve` is told.
#[derive(Debug, Args)]
#[command(after_long_help = SERVE_HELP)]
pub struct ServeArguments {
    /// Server configuration, JSON.
    #[arg(
        long,
        short = 'c',
        value_name = "FILE",
        required_unless_present_any = ["tables", "data_dir"]
    )]
    pub config: Option<PathBuf>,

    /// A table: its name, and a file, a folder or a glob of Parquet files, an Iceberg table's folder, or
    /// one of its *.metadata.json files to pin that version; may be repeated.
    #[arg(long = "table", short = 't', value_name = "NAME=PATH")]
    pub tables: Vec<TableAt>,

    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8099].
    #[arg(long, short = 'l', value_name = "HOST:PORT", env = "GROWLER_LISTEN")]
    pub listen: Option<String>,

    /// Folder for tables declared over HTTP and for indexes; without one tables last as long as the
    /// server, and indexes are built only if the configuration has them beside the files.
    #[arg(long, value_name = "FOLDER", env = "GROWLER_DATA_DIR")]
    pub data_dir: Option<PathBuf>,

    /// Threads that scan [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Form of the log lines on stderr.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        env = "GROWLER_LOG_FORMAT"
    )]
    pub log_format: LogFormat,
}

const SERVE_HELP: &str = "\
Once the server listens, one line is printed on stdout; logs go to stderr. SIGINT and SIGTERM let
running queries finish, then the exit code is 0. Options given here win over the configuration.

A configuration:
  {
    \"listen\": \"127.0.0.1:8099\",
    \"dataDir\": \"growler-data\",
    \"tables\": [ { \"tableName\": \"events\", \"source\": { \"path\": \"data/events/*.parquet\" } } ],
    \"indexes\": { \"besideFiles\": false, \"reloadWorkers\": 1, \"buildMemoryBytes\": 268435456 },
    \"shadowVerify\": 0.01
  }

Examples:
  growler serve --config server.json
  growler serve --table events=data/events --listen 0.0.0.0:8099 --log-format json
  curl -s http://127.0.0.1:8099/query/sql -d '{\"sql\": \"SELECT COUNT(*) FROM events\"}'";

/// Forms of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What `growler index` is told.
#[derive(Debug, Args)]
#[command(after_long_help = INDEX_HELP)]
pub struct IndexArguments {
    /// The table: its name in the SQL, and a file, a folder or a glob of Parquet files, or an Iceberg
    /// table's folder; not needed when the config has a `source.path`.
    #[arg(long, short = 't', value_name = "NAME=PATH")]
    pub table: Option<TableAt>,

    /// Table config (Pinot's JSON), whose fieldConfigList says which indexes are wanted.
    #[arg(long, short = 'c', value_name = "FILE")]
    pub config: PathBuf,

    /// Folder for the indexes [default: a folder `_growler/TABLE` beside the files].
    #[arg(long, value_name = "FOLDER")]
    pub index_dir: Option<PathBuf>,

    /// Segments built at a time [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Memory that the build of one segment may use; beyond it, it spills to files [default: 256MiB].
    #[arg(long, value_name = "BYTES", value_parser = byte_count)]
    pub memory: Option<usize>,

    /// Builds everything anew, whatever is there.
    #[arg(long)]
    pub rebuild: bool,
}

const INDEX_HELP: &str = "\
The Parquet files are only read. Each gets one file of indexes, written beside the one it has and
renamed over it: queries may run meanwhile, and an interrupted build leaves what was there. What is
there and still wanted is kept, what is wanted no more is removed; a second run does nothing.

Which indexes to ask for, in fieldConfigList[].indexes:
  inverted      = <> IN NOT IN, and COUNT(*) of them without reading a row
  range         < <= > >= BETWEEN on numbers and times
  dictionary    the distinct values in order: LIKE, MIN, MAX, DISTINCTCOUNT
  bloom         = on values that mostly are not there
  open_struct   the same on keys of a VARIANT column: valueFieldConfigs for keys that a file shreds,
                sparseFieldConfig with json for all others

A config:
  { \"tableName\": \"events\", \"fieldConfigList\": [
    { \"name\": \"props\", \"encodingType\": \"RAW\", \"indexes\": { \"open_struct\": {
      \"valueFieldConfigs\": [
        { \"name\": \"page_type\", \"indexes\": { \"dictionary\": {}, \"inverted\": {} } },
        { \"name\": \"latency_ms\", \"indexes\": { \"dictionary\": {}, \"range\": {} } } ],
      \"sparseFieldConfig\": { \"indexes\": { \"json\": {} } } } } } ] }

Examples:
  growler index --table events=data/events --config events.json
  growler index -t events='data/*.parquet' -c events.json --index-dir indexes
  growler query \"SELECT COUNT(*) FROM events WHERE props['page_type'] = 'HOME'\" \\
    -t events=data/events --stats";

/// What `growler verify` is told.
#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_HELP)]
pub struct VerifyArguments {
    /// The table: its name in the SQL, and a file, a folder or a glob of Parquet files, or an Iceberg
    /// table's folder; not needed when the config has a `source.path`.
    #[arg(long, short = 't', value_name = "NAME=PATH")]
    pub table: Option<TableAt>,

    /// Table config (Pinot's JSON), the one that the indexes were built for.
    #[arg(long, short = 'c', value_name = "FILE")]
    pub config: PathBuf,

    /// Folder that `growler index --index-dir` has built into [default: beside the files].
    #[arg(long, value_name = "FOLDER")]
    pub index_dir: Option<PathBuf>,

    /// Queries to ask.
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        default_value_t = 500,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub queries: u64,

    /// Seed of the queries: the same one asks the same queries.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Builds the indexes first, as `growler index` does; otherwise nothing is written.
    #[arg(long)]
    pub build: bool,

    /// Threads that scan [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

const VERIFY_HELP: &str = "\
Predicates are made of columns, keys and values that rows at random places have, mostly of those with
an index: = <> < BETWEEN IN LIKE IS NULL, joined by AND, OR and NOT, with null handling on and off.
Each query is asked with the indexes and, as with SET skipIndexes='*', without.

Exit codes:
  0    all answers are the same; a summary says what answered them
  1    two answers are not: the SQL and both answers are shown; or a file or the engine stopped it
  2    the command line or the config is wrong, or there are no indexes

Examples:
  growler verify --table events=data/events --config events.json
  growler verify -t events='data/*.parquet' -c events.json --index-dir indexes --queries 5000 --seed 7";

/// What `growler inspect` is told.
#[derive(Debug, Args)]
#[command(after_long_help = INSPECT_HELP)]
pub struct InspectArguments {
    /// A Parquet file, an Iceberg table's folder or one of its *.metadata.json files; with --server the
    /// name of an External Table.
    #[arg(value_name = "PATH")]
    pub file: PathBuf,

    /// Asks a server what its External Table serves.
    #[arg(long, short = 's', value_name = "URL")]
    pub server: Option<String>,

    /// Folder that `growler index --index-dir` has built into [default: beside the file].
    #[arg(long, value_name = "FOLDER")]
    pub index_dir: Option<PathBuf>,

    /// Form of the map on stdout.
    #[arg(long, short = 'f', value_name = "FORMAT", default_value = "text")]
    pub format: MapFormat,

    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl InspectArguments {
    /// Returns the form of the map.
    pub fn form(&self) -> MapFormat {
        match self.json {
            true => MapFormat::Json,
            false => self.format,
        }
    }
}

const INSPECT_HELP: &str = "\
An Iceberg table shows its snapshot, schema, partition specs, files, deletes and their sizes; no data
file is opened.

How to read the keys of a VARIANT column:
  typed leaf      the key has its own Parquet column: a filter reads that column only
  object, array   shredded in parts; its typed leaves stand below it
  residual        values of the key that did not fit the typed column: read from variant bytes too
  not shredded    every other key: a filter scans the variant bytes of all rows

The bar shows in how many rows the typed column has a value. Indexes that `growler index` has built
for the file are listed at the end: a filter that one answers reads none of this.

Examples:
  growler inspect events.parquet
  growler inspect warehouse/sales/orders
  growler inspect orders_ext --server http://127.0.0.1:8099 --json | jq .totals
  growler inspect events.parquet --format json | jq '.columns[].variant.keys'";

/// Forms of the map of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// What `growler quickstart` is told.
#[derive(Debug, Args)]
#[command(after_long_help = QUICKSTART_HELP)]
pub struct QuickstartArguments {
    /// Stops after the answers instead of serving.
    #[arg(long)]
    pub exit: bool,

    /// Address to listen on; port 0 takes a free one.
    #[arg(
        long,
        short = 'l',
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:8099"
    )]
    pub listen: String,
}

const QUICKSTART_HELP: &str = "\
Everything is in the binary: no file is needed, nothing is left behind. The same four events are
asked in every file layout that Spark and DuckDB wrote, and a table of five files, each laid out
differently. The exit code is 1 when an answer is not the expected one.

Examples:
  growler quickstart
  growler quickstart --exit
  growler quickstart --listen 127.0.0.1:0";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }
}
