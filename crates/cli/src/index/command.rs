//! The command.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

use growler_base::ErrorKind;
use growler_exec::reload::{IndexPlan, IndexStore, ReloadOptions};
use growler_exec::run::CancelFlag;
use growler_segment::FooterCache;
use growler_table::iceberg;

use crate::arguments::{IndexArguments, LogFormat};
use crate::failure::Failure;
use crate::index::build::{Build, Outcome};
use crate::index::report;
use crate::query::{Declared, hint};
use crate::style::Style;
use crate::{interrupt, logs};

/// Builds the indexes of a table and tells what they take.
///
/// # Errors
/// The config or the table is wrong, or some segment could not be indexed; the others are.
pub fn run(arguments: IndexArguments) -> Result<(), Failure> {
    logs::start(LogFormat::Text, "error");
    let declared = Declared::read(&arguments.config)?;
    let mut tables: Vec<_> = arguments.table.into_iter().collect();
    let place = declared.place(&mut tables)?;
    let table = tables.swap_remove(place);
    let cache = Arc::new(FooterCache::default());
    let view = iceberg::open(&table.name, &table.path, declared.schema.as_ref(), &cache)
        .map_err(|error| hint::of_table(&table.name, &error))?;
    let config = declared.table_config(view.schema())?;
    let plan = IndexPlan::new(&config, view.schema());
    tell(plan.notes());

    let store = match arguments.index_dir {
        Some(folder) => IndexStore::Folder(folder),
        None => IndexStore::Beside,
    };
    let mut options = ReloadOptions::default();
    options.budget_bytes = arguments.memory.unwrap_or(options.budget_bytes);
    options.rebuild = arguments.rebuild;
    let cancel = CancelFlag::default();
    options.cancel = cancel.clone();
    interrupt::on_ctrl_c(move || cancel.cancel());
    let started = Instant::now();
    let build = Build {
        view: &view,
        plan: &plan,
        store: &store,
        options: &options,
    };
    let outcomes = build.run(arguments.threads.map(usize::from));
    let took = started.elapsed();

    let stdout = io::stdout().lock();
    let style = Style::of(&stdout);
    let mut out = BufWriter::new(stdout);
    report::write(&view, &outcomes, took, style, &mut out)?;
    out.flush()?;
    outcome(&outcomes)
}

fn tell(notes: &[String]) {
    let mut stderr = io::stderr().lock();
    let style = Style::of(&stderr);
    for note in notes {
        // A closed stderr has nobody who could be told.
        let _ = writeln!(stderr, "{}: {note}", style.yellow("warning"));
    }
}

/// Says which segments failed.
fn outcome(outcomes: &[Outcome]) -> Result<(), Failure> {
    let failed: Vec<_> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().err())
        .collect();
    let Some(first) = failed.first() else {
        return Ok(());
    };
    if let Some(cancelled) = failed
        .iter()
        .find(|error| error.kind() == ErrorKind::Cancelled)
    {
        return Err(Failure::new(ErrorKind::Cancelled, cancelled)
            .with_help("segments that were done keep their indexes; run it again for the others"));
    }
    tell(
        &failed
            .iter()
            .skip(1)
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
    );
    let message = format!(
        "{} of {} segments not indexed: {first}",
        failed.len(),
        outcomes.len()
    );
    Err(Failure::new(kind(first.kind()), message)
        .with_help("these segments keep what they had, and queries scan where no index is"))
}

/// A value that cannot be read is no fault of the command line.
fn kind(kind: ErrorKind) -> ErrorKind {
    match kind {
        ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Unsupported => {
            ErrorKind::Unavailable
        }
        other => other,
    }
}
