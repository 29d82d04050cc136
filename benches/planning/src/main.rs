//! Planning over many files, ours beside the `iceberg` crate's: `cargo run --release`, in this folder;
//! with `--features queries` whole queries too.
//!
//! One table is made from a seed by that crate, in a temporary folder: manifests and metadata only, for
//! no plan opens a data file. Both sides plan the same questions warm, in turns, in one process:
//!
//! | side | a question is planned by | and what stays from question to question |
//! | - | - | - |
//! | theirs | `scan().with_filter(..).build()`, `plan_files()`, collecting the tasks | parsed manifests, in its object cache |
//! | ours | `FileIndex::matching`, collecting the files' paths | the plan of the snapshot, with decoded bounds |
//! | whole queries | `Engine::query`, from the SQL text to the response | the same, in a view |
//!
//! Printed are the least wall time and the least CPU time of all threads of a round of plans.

mod clock;
mod made;
mod ours;
#[cfg(feature = "queries")]
mod queries;
mod questions;
mod theirs;

use anyhow::{Result, ensure};

use clock::{Cost, cost};
use made::Made;
use ours::Ours;
use questions::{QUESTIONS, Question};
use theirs::Theirs;

const FILES: [usize; 2] = [1000, 10_000];
/// Times that each side is measured.
const TURNS: usize = 15;

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    println!(
        "| files | question | kept | theirs us (CPU) | ours us (CPU) | ratio (CPU) | ours, ns a pruned file |"
    );
    println!("| - | - | - | - | - | - | - |");
    let mut worst = f64::INFINITY;
    for count in FILES {
        let made = runtime.block_on(Made::new(count))?;
        let theirs = Theirs::new(&made, &runtime);
        let ours = Ours::new(&made)?;
        for question in &QUESTIONS {
            worst = worst.min(compare(count, question, &theirs, &ours)?);
        }
        #[cfg(feature = "queries")]
        queries::print(count, ours.table())?;
        listings(count, &theirs, &ours)?;
    }
    println!("\nleast ratio of a question: {worst:.1}");
    Ok(())
}

/// Plans one question on both sides and returns how many times longer theirs takes.
fn compare(count: usize, question: &Question, theirs: &Theirs, ours: &Ours) -> Result<f64> {
    let (expected, found) = (theirs.plan(question)?, ours.plan(question));
    ensure!(
        expected == found,
        "{}: {expected:?} {found:?}",
        question.name
    );
    let (mut theirs_took, mut ours_took) = (Cost::MOST, Cost::MOST);
    for _ in 0..TURNS {
        theirs_took = theirs_took.least(cost(5, || theirs.plan(question).map(drop))?);
        ours_took = ours_took.least(cost(200, || Ok(drop(ours.plan(question))))?);
    }
    let (wall, cpu) = (
        theirs_took.wall_us / ours_took.wall_us,
        theirs_took.cpu_us / ours_took.cpu_us,
    );
    let pruned = count - found.len();
    println!(
        "| {count} | {} | {} | {:.0} ({:.0}) | {:.1} ({:.1}) | {wall:.0} ({cpu:.0}) | {:.2} |",
        question.name,
        found.len(),
        theirs_took.wall_us,
        theirs_took.cpu_us,
        ours_took.wall_us,
        ours_took.cpu_us,
        ours_took.wall_us * 1000.0 / pruned as f64,
    );
    Ok(wall.min(cpu))
}

/// Listing the whole snapshot: reading all manifests, and planning over manifests that were read.
fn listings(count: usize, theirs: &Theirs, ours: &Ours) -> Result<()> {
    let name = "all files, manifests read anew";
    let (mut cold, mut kept, mut listed) = (Cost::MOST, Cost::MOST, Cost::MOST);
    for _ in 0..5 {
        listed = listed.least(cost(1, || theirs.list_cold())?);
        cold = cold.least(cost(1, || ours.list_cold())?);
        kept = kept.least(cost(1, || ours.list_kept())?);
    }
    println!(
        "| {count} | {name} | {count} | {:.0} ({:.0}) | {:.0} ({:.0}) | {:.1} ({:.1}) | |",
        listed.wall_us,
        listed.cpu_us,
        cold.wall_us,
        cold.cpu_us,
        listed.wall_us / cold.wall_us,
        listed.cpu_us / cold.cpu_us
    );
    println!(
        "| {count} | all files, manifests kept | {count} | | {:.0} ({:.0}) | | |",
        kept.wall_us, kept.cpu_us
    );
    Ok(())
}
