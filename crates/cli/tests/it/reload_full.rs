//! A disk that is full while a server reloads: the reload says so, the old indexes serve on, nothing is
//! left behind, and once there is room the next reload succeeds.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::copies::{FILTERS, answers, config, copy_samples};
use crate::growler::{Failure, command};
use crate::server::Server;

const KINDS: [&str; 4] = ["dictionary", "inverted", "range", "bloom"];

/// A server whose data directory may be full.
struct Full {
    server: Server,
    /// The data directory, as this process sees it.
    data: PathBuf,
    segment_count: usize,
}

/// Makes a command that runs a script, which ends in the growler binary with these arguments.
pub fn scripted(before: &[&str], script: &str, arguments: &[&str]) -> Command {
    let binary = command(arguments);
    let mut all = before.iter().copied().chain(["sh", "-c", script]);
    let mut scripted = Command::new(all.next().unwrap_or("sh"));
    scripted.args(all).arg(binary.get_program());
    scripted.args(binary.get_args());
    if let Some(folder) = binary.get_current_dir() {
        scripted.current_dir(folder);
    }
    for (name, value) in binary.get_envs() {
        match value {
            Some(value) => scripted.env(name, value),
            None => scripted.env_remove(name),
        };
    }
    scripted
}

fn left_behind(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".tmp") || name.starts_with(".tmp") {
            left.push(path);
        } else if path.is_dir() {
            left.extend(left_behind(&path)?);
        }
    }
    Ok(left)
}

impl Full {
    /// Returns the values that a query reads which is served by the only index of the first config.
    fn scanned(&self) -> Result<Value, Failure> {
        let sql = "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'";
        Ok(self.server.answer(sql)?["numEntriesScannedInFilter"].clone())
    }

    fn reload(&self) -> Result<Value, Failure> {
        let job = self.server.reload("/segments/t/reload")?;
        self.server.wait_reloaded(&job)
    }

    /// Checks the whole course; `fill` leaves no room, and `free` makes some again.
    fn check(
        &self,
        source: &Path,
        says: &str,
        fill: impl Fn(&Self) -> Result<(), Failure>,
        free: impl Fn(&Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let server = &self.server;
        server.json("POST /tables", &config(source, &["inverted"]))?;
        let expected = answers(server, "")?;
        assert_eq!(self.reload()?["status"], "COMPLETED");
        assert_eq!(self.scanned()?, 0);

        server.json("PUT /tables/t", &config(source, &KINDS))?;
        fill(self)?;
        let status = self.reload()?;
        assert_eq!(status["status"], "COMPLETED_WITH_ERRORS", "{status}");
        assert_eq!(status["failureCount"], self.segment_count, "{status}");
        let error = status["segmentReloadFailures"][0]["error"]["errorMsg"].clone();
        let error = error.as_str().ok_or("no text")?;
        assert!(error.contains(says), "{error}");
        assert_eq!(answers(server, "")?, expected);
        assert_eq!(self.scanned()?, 0, "the old indexes serve on");
        assert_eq!(left_behind(&self.data)?, Vec::<PathBuf>::new());

        free(self)?;
        let status = self.reload()?;
        assert_eq!(status["status"], "COMPLETED", "{status}");
        assert_eq!(answers(server, "")?, expected);
        for filter in &FILTERS[1..] {
            let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
            assert_eq!(
                server.answer(&sql)?["numEntriesScannedInFilter"],
                0,
                "{sql}"
            );
        }
        let need = server.json("GET /segments/t/needReload", &Value::Null)?;
        assert_eq!(need["needReload"], json!(false));
        Ok(())
    }
}

#[test]
fn files_that_may_not_grow_are_an_error_of_the_reload() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("files");
    let segment_count = copy_samples(&source, 1)?;
    let data = folder.path().join("data");
    let data_dir = data.to_string_lossy();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data_dir];
    // Ignored, the signal leaves an error as of a full disk.
    let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let full = Full {
        server: Server::start_by(scripted(&[], script, &arguments))?,
        data,
        segment_count,
    };
    let limit = |full: &Full, current: Option<u64>| {
        let process = i32::try_from(full.server.id()).ok().and_then(Pid::from_raw);
        let limit = Rlimit {
            current,
            maximum: None,
        };
        prlimit(process, Resource::Fsize, limit)?;
        Ok(())
    };
    let (fill, free) = (
        |full: &Full| limit(full, Some(600)),
        |full: &Full| limit(full, None),
    );
    full.check(&source, "too large", fill, free)
}

#[test]
fn a_full_disk_is_an_error_of_the_reload() -> Result<(), Failure> {
    // A file system of its own, which only root or a system with user namespaces gives.
    let alone = ["unshare", "--user", "--map-root-user", "--mount"];
    let trial = Command::new(alone[0])
        .args(&alone[1..])
        .args(["mount", "-t", "tmpfs", "growler", "/mnt"])
        .output();
    if !trial.is_ok_and(|trial| trial.status.success()) {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("files");
    let segment_count = copy_samples(&source, 1)?;
    let inside = folder.path().join("data");
    fs::create_dir(&inside)?;
    let data_dir = inside.to_string_lossy();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data_dir];
    let script = format!("mount -t tmpfs -o size=4m growler '{data_dir}' && exec \"$0\" \"$@\"");
    let server = Server::start_by(scripted(&alone, &script, &arguments))?;
    let root = PathBuf::from(format!("/proc/{}/root", server.id()));
    let data = root.join(inside.strip_prefix("/")?);
    let full = Full {
        server,
        data,
        segment_count,
    };
    let ballast = |full: &Full| full.data.join("ballast");
    let fill = |full: &Full| {
        let mut file = File::create(ballast(full))?;
        while file.write_all(&[1; 4096]).is_ok() {}
        Ok(())
    };
    let free = |full: &Full| Ok(fs::remove_file(ballast(full))?);
    full.check(&source, "No space left", fill, free)
}
