//! Two sides measured in turns, and a line of the table for them.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Turns of each side for a line, if they are slow.
const ROUNDS: u32 = 20;

/// What a ratio has to be.
#[derive(Clone, Copy)]
pub enum Target {
    /// The other side takes so many times as long, or more.
    Quicker(f64),
    /// Growler takes so many times as long here as there, or less.
    Within(f64),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quicker(times) => write!(f, ">= {times}x less"),
            Self::Within(times) => write!(f, "<= {times}x more"),
        }
    }
}

/// One side of a comparison.
pub struct Side<'s> {
    rows: usize,
    run: Box<dyn FnMut() + 's>,
    /// Runs between two looks at the clock.
    passes: u32,
    best: Duration,
}

impl<'s> Side<'s> {
    /// Makes a side that reads so many rows whenever it runs.
    pub fn new<T>(rows: usize, mut run: impl FnMut() -> T + 's) -> Self {
        Self {
            rows,
            run: Box::new(move || {
                black_box(run());
            }),
            passes: 1,
            best: Duration::MAX,
        }
    }

    /// Makes a measured time long against the clock's own.
    fn settle(&mut self) {
        (self.run)();
        let start = Instant::now();
        (self.run)();
        let once = start.elapsed().max(Duration::from_nanos(1));
        let passes = Duration::from_micros(200).as_nanos() / once.as_nanos();
        self.passes = u32::try_from(passes).unwrap().max(1);
    }

    fn measure(&mut self) {
        let start = Instant::now();
        for _ in 0..self.passes {
            (self.run)();
        }
        self.best = self.best.min(start.elapsed() / self.passes);
    }

    fn ns_per_row(&self) -> f64 {
        self.best.as_secs_f64() * 1e9 / self.rows as f64
    }
}

/// The table, printed line by line.
pub struct Table {
    /// How long both sides take turns for a line.
    time: Duration,
    /// Lines without this text are left out.
    wanted: String,
}

impl Table {
    /// Prints the head of a table for whose lines both sides take turns so long, and at least
    /// [`ROUNDS`] times unless that is no time at all.
    pub fn start(time: Duration, wanted: String) -> Self {
        println!("| what | growler, ns a row | against | ns a row | ratio | target | met |");
        println!("| - | -: | - | -: | -: | -: | - |");
        Self { time, wanted }
    }

    /// Measures and prints a line.
    pub fn row(
        &mut self,
        what: &str,
        ours: Side<'_>,
        against: &str,
        other: Side<'_>,
        target: Target,
    ) {
        if !what.contains(&self.wanted) {
            return;
        }
        let mut sides = [ours, other];
        sides.iter_mut().for_each(Side::settle);
        let start = Instant::now();
        for round in 1.. {
            sides.iter_mut().for_each(Side::measure);
            if start.elapsed() >= self.time && (round >= ROUNDS || self.time.is_zero()) {
                break;
            }
        }
        let [ours, other] = sides.map(|side| side.ns_per_row());
        let (ratio, is_met) = match target {
            Target::Quicker(times) => (other / ours, other / ours >= times),
            Target::Within(times) => (ours / other, ours / other <= times),
        };
        let met = if is_met { "yes" } else { "no" };
        println!("| {what} | {ours:.1} | {against} | {other:.1} | {ratio:.2} | {target} | {met} |");
    }
}
