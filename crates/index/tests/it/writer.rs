//! Files: several subjects, copies, what is refused.

use std::fs;
use std::sync::Arc;

use growler_base::ErrorKind;
use growler_index::{
    Budget, IndexWriter, Kind, Kinds, Reading, Remainder, SegmentIndexes, Subject, ValueBuilder,
};
use growler_schema::{DataType, Value};

use crate::model::{Rows, array, source};

type Done = Result<(), Box<dyn std::error::Error>>;

const KINDS: Kinds = Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted);

fn rows() -> Rows {
    let row = |at: i32| (at % 3 != 0).then_some(Value::Int(at % 7));
    (0..50).map(row).collect()
}

fn subjects() -> [Subject; 4] {
    [
        Subject::column("z"),
        Subject::column("a"),
        Subject::key("props", "user.id", Reading::Values),
        Subject::key("props", "user.id", Reading::Numbers),
    ]
}

fn write(folder: &std::path::Path, name: &str) -> Done {
    let mut writer = IndexWriter::create(folder, name, source(50), 99)?;
    for subject in subjects() {
        let budget = Budget::of_bytes(1 << 20);
        let mut builder = ValueBuilder::new(subject, DataType::Int, 50, KINDS, budget);
        builder.push(&array(DataType::Int, &rows()))?;
        builder.finish(&mut writer)?;
    }
    writer.add_remainder(Remainder {
        column: "props".into(),
        complete: true,
        key_count: 1,
    });
    writer.finish()?;
    Ok(())
}

#[test]
fn every_subject_is_found() -> Done {
    let folder = tempfile::tempdir()?;
    write(folder.path(), "a.gix")?;
    let path = folder.path().join("a.gix");
    let indexes = SegmentIndexes::open(&path, &source(50))?.ok_or("no file")?;
    assert_eq!(indexes.config_hash(), 99);
    assert_eq!(indexes.row_count(), 50);
    assert_eq!(indexes.file_len(), fs::metadata(&path)?.len());
    assert_eq!(indexes.entries().len(), 12);
    let entry = &indexes.entries()[0];
    assert_eq!(entry.subject, Subject::column("a"));
    assert_eq!(
        (entry.distinct_count, entry.null_count),
        (Some(7), Some(17))
    );
    for subject in subjects() {
        let index = indexes.of_subject(&subject).ok_or("no subject")?;
        assert_eq!(index.data_type(), DataType::Int);
        assert!(index.has(Kind::Inverted) && !index.has(Kind::Range));
        assert_eq!(index.count(&[0..7])?, 33);
        assert_eq!(index.nulls()?.len(), 17);
    }
    assert!(indexes.subject("props", None, Reading::Values).is_none());
    assert!(indexes.subject("a", None, Reading::Numbers).is_none());
    assert!(
        indexes
            .remainder("props")
            .is_some_and(|remainder| remainder.complete)
    );
    assert!(indexes.remainder("a").is_none());
    Ok(())
}

#[test]
fn indexes_are_copied() -> Done {
    let folder = tempfile::tempdir()?;
    write(folder.path(), "a.gix")?;
    let old = SegmentIndexes::open(&folder.path().join("a.gix"), &source(50))?.ok_or("no file")?;
    let mut writer = IndexWriter::create(folder.path(), "b.gix", source(50), 100)?;
    for entry in old
        .entries()
        .iter()
        .filter(|entry| entry.subject.path.is_some())
    {
        writer.copy_from(&old, entry)?;
        assert!(writer.copy_from(&old, entry).is_err());
    }
    writer.finish()?;
    let new = SegmentIndexes::open(&folder.path().join("b.gix"), &source(50))?.ok_or("no file")?;
    assert_eq!(new.entries().len(), 6);
    let [.., subject] = subjects();
    let rows = |indexes: &SegmentIndexes| -> Result<_, Box<dyn std::error::Error>> {
        let index = indexes.of_subject(&subject).ok_or("no subject")?;
        Ok(index.rows(&[2..3, 5..7])?)
    };
    assert_eq!(rows(&new)?, rows(&old)?);
    let mut other = IndexWriter::create(folder.path(), "c.gix", source(51), 0)?;
    let refused = other.copy_from(&old, &old.entries()[0]);
    assert_eq!(
        refused.err().map(|error| error.kind()),
        Some(ErrorKind::Conflict)
    );
    Ok(())
}

#[test]
fn an_unfinished_file_leaves_nothing() -> Done {
    let folder = tempfile::tempdir()?;
    let beside = folder.path().join("deep/er");
    let writer = IndexWriter::create(&beside, "a.gix", source(1), 0)?;
    drop(writer);
    assert_eq!(fs::read_dir(&beside)?.count(), 0);
    assert!(SegmentIndexes::open(&beside.join("a.gix"), &source(1))?.is_none());
    Ok(())
}

#[test]
fn files_of_other_data_are_refused() -> Done {
    let folder = tempfile::tempdir()?;
    write(folder.path(), "a.gix")?;
    let path = folder.path().join("a.gix");
    let mut others = [source(50); 3];
    others[0].len_bytes += 1;
    others[1].footer_hash += 1;
    others[2].row_count += 1;
    for other in others {
        let kind = SegmentIndexes::open(&path, &other)
            .err()
            .map(|error| error.kind());
        assert_eq!(kind, Some(ErrorKind::Conflict));
    }
    Ok(())
}

#[test]
fn rows_must_be_those_announced() -> Done {
    let folder = tempfile::tempdir()?;
    let mut writer = IndexWriter::create(folder.path(), "a.gix", source(50), 0)?;
    let builder = |data_type| {
        let budget = Budget::of_bytes(1 << 20);
        ValueBuilder::new(Subject::column("a"), data_type, 50, KINDS, budget)
    };
    assert!(builder(DataType::Int).finish(&mut writer).is_err());
    let rows = array(DataType::Int, &rows());
    let mut twice = builder(DataType::Int);
    twice.push(&rows)?;
    assert!(twice.push(&rows).is_err());
    assert!(builder(DataType::Long).push(&rows).is_err());
    let name: Arc<str> = "x".repeat(5000).into();
    let budget = Budget::of_bytes(1 << 20);
    let mut long = ValueBuilder::new(Subject::column(name), DataType::Int, 50, KINDS, budget);
    long.push(&rows)?;
    let refused = long.finish(&mut writer).err().map(|error| error.kind());
    assert_eq!(refused, Some(ErrorKind::LimitExceeded));
    Ok(())
}
