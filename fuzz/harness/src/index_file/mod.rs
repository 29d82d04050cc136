//! Files of indexes: samples of our own, changed where it hurts, and asked everything there is.
//!
//! A changed file answers as before or not at all; one whose checksums were made right again may
//! answer anything, but within the segment's rows, and is never blamed on growler.
//!
//! ```text
//! input  = way (1), rest
//! way    : 0 sample, edits | 1 sample, edits, checksums made right | 2 a whole file, checksums made right
//! sample : number (1)
//! ```
//!
//! [`sample`] the files; [`layout`] where their parts lie, as `docs/format/index-file.md` has it;
//! [`edit`] what an input does to one; [`ask`] what is asked.

mod ask;
mod edit;
mod layout;
mod sample;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use growler_base::ErrorKind;
use growler_index::{SegmentIndexes, SourceIdentity};
use tempfile::TempDir;

use crate::draw::Draw;
use layout::Layout;

pub use sample::small_index_file;

const NAME: &str = "changed.gix";

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

pub(crate) fn check(input: &[u8]) {
    let mut draw = Draw::new(input);
    let way = draw.below(3);
    if way == 2 {
        let mut file = draw.rest().to_vec();
        Layout::of(&file).seal(&mut file);
        let source = layout::source(&file);
        ask_all(&file, &source);
        return;
    }
    let sample = sample::sample(draw.below(sample::COUNT));
    let layout = Layout::of(&sample.file);
    let mut file = edit::edit(&sample.file, &layout, &mut draw);
    if way == 1 {
        layout.seal(&mut file);
        ask_all(&file, &sample.source);
        return;
    }
    let Some(answers) = ask_all(&file, &sample.source) else {
        return;
    };
    for (question, answer) in answers {
        let right = sample.answers.get(&question);
        assert_eq!(right, Some(&answer), "{question}");
    }
}

/// Opens a file and asks it everything; none when it does not open.
fn ask_all(file: &[u8], source: &SourceIdentity) -> Option<ask::Answers> {
    let path = write(file);
    match SegmentIndexes::open(&path, source) {
        Ok(indexes) => Some(ask::ask(&indexes.expect("the file is there"))),
        Err(error) => {
            let is_fitting = matches!(
                error.kind(),
                ErrorKind::Corrupt | ErrorKind::Unsupported | ErrorKind::Conflict
            );
            assert!(is_fitting, "{:?}: {error}", error.kind());
            assert!(error.to_string().contains(NAME), "{error}");
            None
        }
    }
}

fn write(file: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(new_folder);
        let path = folder.path().join(NAME);
        std::fs::write(&path, file).expect("a temporary file");
        path
    })
}

/// In memory, where there is such a folder.
fn new_folder() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() {
        TempDir::new_in(in_memory)
    } else {
        TempDir::new()
    };
    made.expect("a temporary folder")
}
