//! Broken files: an error, or the right answer.

use std::fs;

use growler_index::{Budget, Error, Kind, Kinds, RowSet, SegmentIndexes, Subject, ValueIndex};
use growler_schema::{DataType, Value};

use crate::model::{Rows, Sample, array, source, values};

type Done = Result<(), Box<dyn std::error::Error>>;

const KINDS: Kinds = Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted);
const ROWS: usize = 120;

/// Everything a sample can be asked.
#[derive(Debug, PartialEq)]
struct Answers {
    nulls: RowSet,
    others: Option<RowSet>,
    values: Vec<Value>,
    rows: Vec<RowSet>,
    counts: Vec<u32>,
}

fn sample(data_type: DataType) -> Result<Sample, Error> {
    let text = |at: usize| match at % 40 {
        39 => "long".repeat(100),
        kind => format!("value {kind}"),
    };
    let row = |at: usize| {
        let value = match data_type {
            DataType::String => Value::String(text(at)),
            DataType::BigDecimal { scale } => Value::BigDecimal(at as i128 % 9, scale),
            _ => Value::Long(at as i64 % 9),
        };
        (!at.is_multiple_of(5)).then_some(value)
    };
    let rows: Rows = (0..ROWS).map(row).collect();
    let arrays = [array(data_type, &rows)];
    let budget = Budget::of_bytes(1 << 20);
    Sample::build(Subject::column("c"), data_type, &arrays, KINDS, budget)
}

fn ask(index: &ValueIndex<'_>) -> Result<Answers, Error> {
    let dictionary = index.dictionary()?.ok_or(Error::Absent {
        kind: Kind::Dictionary,
    })?;
    let len = dictionary.len();
    Ok(Answers {
        nulls: index.nulls()?,
        others: index.others()?,
        values: values(index.data_type(), &dictionary.values(0..len)?),
        rows: (0..len)
            .map(|rank| index.rows(&[rank..rank + 1]))
            .chain([index.rows(&[0..len]), index.rows(&[len / 2..len])])
            .collect::<Result<_, _>>()?,
        counts: index.counts(0..len)?,
    })
}

fn ask_file(path: &std::path::Path) -> Result<Option<Answers>, Error> {
    let Some(indexes) = SegmentIndexes::open(path, &source(ROWS))? else {
        return Ok(None);
    };
    indexes
        .subject("c", None, growler_index::Reading::Values)
        .map(|index| ask(&index))
        .transpose()
}

#[test]
fn flipped_bytes_and_cut_files_are_errors_or_right() -> Done {
    for data_type in [
        DataType::Long,
        DataType::String,
        DataType::BigDecimal { scale: 1 },
    ] {
        let sample = sample(data_type)?;
        let sound = fs::read(sample.path())?;
        let right = ask_file(&sample.path())?.ok_or("no answers")?;
        let mut harmless = 0;
        for at in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[at] ^= 1 << (at % 8);
            let path = sample.folder.path().join("flipped");
            // A new file each time: one that is mapped must not change.
            let _ = fs::remove_file(&path);
            fs::write(&path, &flipped)?;
            match ask_file(&path) {
                Ok(answers) => {
                    assert_eq!(answers.as_ref(), Some(&right), "byte={at}");
                    harmless += 1;
                }
                Err(error) => drop(error.kind()),
            }
        }
        // Only what lies between indexes is checked by nothing, as it is never read.
        assert!(harmless < sound.len() / 2, "harmless={harmless}");
        for len in 0..sound.len() {
            let path = sample.folder.path().join("cut");
            let _ = fs::remove_file(&path);
            fs::write(&path, &sound[..len])?;
            assert!(ask_file(&path).is_err(), "length={len}");
        }
    }
    Ok(())
}

#[test]
fn a_damaged_index_is_absent_and_the_others_serve() -> Done {
    let sample = sample(DataType::Long)?;
    let mut bytes = fs::read(sample.path())?;
    let indexes = sample.open(ROWS)?;
    let right = ask(&indexes
        .of_subject(&sample.built.subject)
        .ok_or("no subject")?)?;
    // The dictionary follows the nulls, at the next multiple of 64.
    bytes[128 + 64 + 2] ^= 1;
    let path = sample.folder.path().join("damaged");
    fs::write(&path, &bytes)?;
    let damaged = SegmentIndexes::open(&path, &source(ROWS))?.ok_or("no file")?;
    let index = damaged
        .of_subject(&sample.built.subject)
        .ok_or("no subject")?;
    let found: Vec<bool> = Kind::ALL.into_iter().map(|kind| index.has(kind)).collect();
    assert_eq!(found, [true, true, true, false, false, false]);
    assert_eq!(index.nulls()?, right.nulls);
    let error = index.dictionary().err().ok_or("no error")?.to_string();
    assert_eq!(
        error,
        "damaged index: index has another checksum index=c kind=dictionary"
    );
    assert!(!index.has(Kind::Dictionary));
    assert!(index.dictionary()?.is_none());
    assert_eq!(index.rows(&[0..1])?, right.rows[0]);
    Ok(())
}
