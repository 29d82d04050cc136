//! The command.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

use growler_base::ErrorKind;
use growler_exec::reload::{IndexPlan, IndexStore, ReloadOptions, load_indexes, needs_reload};
use growler_exec::run::CancelFlag;
use growler_exec::table::View;
use growler_exec::{Engine, EngineOptions, Error};
use growler_segment::FooterCache;
use growler_table::iceberg;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::{LogFormat, VerifyArguments};
use crate::failure::Failure;
use crate::index::Build;
use crate::query::{Declared, hint};
use crate::style::Style;
use crate::verify::check::{Checker, Verdict};
use crate::verify::predicate::Operands;
use crate::verify::question::Question;
use crate::verify::random::Random;
use crate::verify::report::{self, Summary};
use crate::verify::sample::sample;
use crate::{interrupt, logs};

const LAYOUT: &str = "{bar:32} {percent:>3}%  {human_pos} of {human_len} queries, {eta} left";

/// Asks random queries of a table with its indexes and without.
///
/// # Errors
/// The config or the table is wrong, there are no indexes, or an answer is another one with them.
pub fn run(arguments: VerifyArguments) -> Result<(), Failure> {
    // A damaged index does not touch an answer, but somebody should know.
    logs::start(
        LogFormat::Text,
        "error,growler_exec::reload=warn,growler_index=warn",
    );
    let cancel = CancelFlag::default();
    let stop = cancel.clone();
    interrupt::on_ctrl_c(move || stop.cancel());
    let view = opened(&arguments, &cancel)?;
    let mut options = EngineOptions::default();
    options.threads = arguments.threads.map_or(options.threads, usize::from);
    let engine = Engine::new(options).map_err(failure)?;
    let view = engine.register(view);

    let mut random = Random::new(arguments.seed);
    let (operands, matched) = sample(&engine, &view, &mut random).map_err(failure)?;
    let run = Run {
        table: view.name(),
        operands: Operands::new(operands, matched),
        checker: Checker {
            engine: &engine,
            cancel: &cancel,
        },
        arguments: &arguments,
    };
    run.all(&mut random)
}

/// Opens the table with the indexes it has; builds them first where that was asked for.
fn opened(arguments: &VerifyArguments, cancel: &CancelFlag) -> Result<View, Failure> {
    let declared = Declared::read(&arguments.config)?;
    let mut tables: Vec<_> = arguments.table.clone().into_iter().collect();
    let place = declared.place(&mut tables)?;
    let table = tables.swap_remove(place);
    let schema = declared.schema.as_ref();
    let cache = Arc::new(FooterCache::default());
    let view = iceberg::open(&table.name, &table.path, schema, &cache)
        .map_err(|error| hint::of_table(&table.name, &error))?;
    let config = declared.table_config(view.schema())?;
    let plan = IndexPlan::new(&config, view.schema());
    let store = match &arguments.index_dir {
        Some(folder) => IndexStore::Folder(folder.clone()),
        None => IndexStore::Beside,
    };
    if arguments.build {
        build(&view, &plan, &store, cancel)?;
    }
    let segments = view.segments().iter();
    let indexes: Vec<_> = segments
        .map(|segment| load_indexes(segment, view.name(), &store))
        .collect();
    if indexes.iter().all(Option::is_none) {
        return Err(nothing_there(&view, &plan));
    }
    let stale = (0..view.segments().len()).filter(|idx| needs_reload(&view, *idx, &plan, &store));
    warn(stale.count(), view.segments().len());
    Ok(view.with_indexes(indexes))
}

fn build(
    view: &View,
    plan: &IndexPlan,
    store: &IndexStore,
    cancel: &CancelFlag,
) -> Result<(), Failure> {
    let options = ReloadOptions {
        cancel: cancel.clone(),
        ..ReloadOptions::default()
    };
    let build = Build {
        view,
        plan,
        store,
        options: &options,
    };
    for outcome in build.run(None) {
        outcome.map_err(|error| Failure::new(error.kind(), error))?;
    }
    Ok(())
}

fn nothing_there(view: &View, plan: &IndexPlan) -> Failure {
    let message = format!("there are no indexes to verify: table={}", view.name());
    Failure::new(ErrorKind::NotFound, message).with_help(match plan.is_empty() {
        true => "the config asks for none: see fieldConfigList in growler index --help",
        false => {
            "growler index with the same --table, --config and --index-dir builds them, and so does \
             --build here"
        }
    })
}

fn warn(stale: usize, all: usize) {
    if stale > 0 {
        let mut stderr = io::stderr().lock();
        let style = Style::of(&stderr);
        // A closed stderr has nobody who could be told.
        let _ = writeln!(
            stderr,
            "{}: {stale} of {all} segments do not have the indexes that the config asks for; what they \
             have is verified",
            style.yellow("warning")
        );
    }
}

fn failure(error: Error) -> Failure {
    Failure::new(error.kind(), error)
}

/// All queries of one table.
struct Run<'r> {
    table: &'r str,
    operands: Operands,
    checker: Checker<'r>,
    arguments: &'r VerifyArguments,
}

impl Run<'_> {
    fn all(&self, random: &mut Random) -> Result<(), Failure> {
        let started = Instant::now();
        let bar = ProgressBar::with_draw_target(
            Some(self.arguments.queries),
            ProgressDrawTarget::stderr(),
        );
        if let Ok(layout) = ProgressStyle::with_template(LAYOUT) {
            bar.set_style(layout);
        }
        let mut summary = Summary::default();
        for number in 1..=self.arguments.queries {
            let Some(question) = Question::new(self.table, &self.operands, random) else {
                break;
            };
            let (verdict, usage) = self.checker.check(&question).map_err(failure)?;
            summary.add(&verdict, &usage);
            if let Verdict::Differs(found) = &verdict {
                bar.finish_and_clear();
                let stdout = io::stdout().lock();
                let style = Style::of(&stdout);
                let mut out = BufWriter::new(stdout);
                report::difference(number, &question, found, &usage, style, &mut out)?;
                out.flush()?;
                return Err(self.differs(number));
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let stdout = io::stdout().lock();
        let style = Style::of(&stdout);
        let mut out = BufWriter::new(stdout);
        let seed = self.arguments.seed;
        summary.write(self.table, seed, started.elapsed(), style, &mut out)?;
        Ok(out.flush()?)
    }

    fn differs(&self, number: u64) -> Failure {
        let message = format!(
            "an index changes an answer: table={} seed={} query={number}",
            self.table, self.arguments.seed
        );
        Failure::new(ErrorKind::Corrupt, message).with_help(
            "growler index --rebuild builds the indexes anew; when the answers still differ, this is a \
             defect of growler: please report it",
        )
    }
}
