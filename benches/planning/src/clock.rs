//! What something costs.

use std::time::Instant;

use anyhow::Result;
use cpu_time::ProcessTime;

/// Microseconds of one call.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub wall_us: f64,
    /// Of all threads.
    pub cpu_us: f64,
}

impl Cost {
    pub const MOST: Self = Self {
        wall_us: f64::INFINITY,
        cpu_us: f64::INFINITY,
    };

    pub fn least(self, other: Self) -> Self {
        Self {
            wall_us: self.wall_us.min(other.wall_us),
            cpu_us: self.cpu_us.min(other.cpu_us),
        }
    }
}

/// Calls something so many times and returns what a call cost.
pub fn cost(calls: u32, mut call: impl FnMut() -> Result<()>) -> Result<Cost> {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    for _ in 0..calls {
        call()?;
    }
    Ok(Cost {
        wall_us: wall.elapsed().as_secs_f64() * 1e6 / f64::from(calls),
        cpu_us: cpu.elapsed().as_secs_f64() * 1e6 / f64::from(calls),
    })
}
