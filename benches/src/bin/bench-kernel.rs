//! Runs one kernel so many times, for something that counts what it takes; without a name lists them.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use growler_benches::kernels::all;

#[derive(Parser)]
#[command(about)]
struct Arguments {
    /// Folder for the file that is asked; made once
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Which kernel
    name: Option<String>,
    /// How often
    #[arg(long, default_value_t = 1)]
    times: u32,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut kernels = all(&arguments.folder)?;
    let Some(name) = arguments.name else {
        for kernel in &kernels {
            writeln!(stdout(), "{}", kernel.name)?;
        }
        return Ok(());
    };
    let kernel = kernels.iter_mut().find(|kernel| kernel.name == name);
    let kernel = kernel.with_context(|| format!("no such kernel: name={name}"))?;
    for _ in 0..arguments.times {
        kernel.run()?;
    }
    Ok(())
}
