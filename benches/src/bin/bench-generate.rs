//! Makes the tables that benchmarks ask, from a seed.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Parser, ValueEnum};
use growler_benches::generate::{Generation, Layout, Table, generate};
use growler_segment::write::WriteOptions;
use indicatif::{ProgressBar, ProgressStyle};
use parquet::basic::{Compression, ZstdLevel};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    /// Which table
    #[arg(long, value_enum, default_value_t = Table::Events)]
    table: Table,
    /// Folder to make it in, with one folder a layout
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many rows
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// Decides every value
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Layouts to make; without it all that are asked in place
    #[arg(long, value_enum, value_delimiter = ',')]
    layouts: Vec<Layout>,
    /// Most rows of a file
    #[arg(long, default_value_t = 250_000)]
    file_rows: u64,
    /// Most rows of a row group
    #[arg(long, default_value_t = WriteOptions::default().row_group_rows)]
    row_group_rows: usize,
    /// Compression of pages
    #[arg(long, value_enum, default_value_t = Codec::Zstd)]
    codec: Codec,
    /// Files written at a time
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Codec {
    None,
    Snappy,
    Zstd,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.rows == 0 || arguments.file_rows == 0 {
        bail!("a table needs rows");
    }
    let what = Generation {
        table: arguments.table,
        seed: arguments.seed,
        row_count: arguments.rows,
        file_rows: arguments.file_rows,
        layouts: match arguments.layouts.as_slice() {
            [] => Layout::ASKED.to_vec(),
            some => some.to_vec(),
        },
        write: WriteOptions {
            row_group_rows: arguments.row_group_rows,
            codec: match arguments.codec {
                Codec::None => Compression::UNCOMPRESSED,
                Codec::Snappy => Compression::SNAPPY,
                Codec::Zstd => Compression::ZSTD(ZstdLevel::default()),
            },
            ..WriteOptions::default()
        },
        threads: arguments.threads,
    };
    let bar = ProgressBar::new(what.row_count);
    let style = "{msg} {wide_bar} {human_pos}/{human_len} rows, {eta} left";
    bar.set_style(ProgressStyle::with_template(style)?);
    bar.set_message(what.table.name());
    let made = generate(&what, &arguments.out, &|rows| bar.inc(rows))?;
    bar.finish_and_clear();
    let state = if made { "made" } else { "there already" };
    eprintln!(
        "{} rows {state}: path={}",
        what.row_count,
        arguments.out.display()
    );
    Ok(())
}
