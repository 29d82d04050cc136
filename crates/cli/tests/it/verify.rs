//! `growler verify`: right indexes, none, damaged ones, and ones that lie.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use growler_exec::reload::IndexStore;
use growler_exec::reload::store::identity;
use growler_index::{IndexWriter, SegmentIndexes};
use growler_segment::{FooterCache, Segment};
use parquet::arrow::ArrowWriter;
use serde_json::json;

use crate::growler::{Failure, Ran, TYPED, root, run};

/// A table of some files, and a config for it.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(names: &[&str]) -> Result<Self, Failure> {
        let case = Self {
            folder: tempfile::tempdir()?,
        };
        fs::create_dir(case.at("data"))?;
        for name in names {
            fs::copy(root().join(TYPED), case.at("data").join(name))?;
        }
        let key = |name: &str, index: &str| json!({"name": name, "indexes": {"dictionary": {}, index: {}}});
        let open_struct = json!({
            "valueFieldConfigs": [key("page_type", "inverted"), key("latency_ms", "range")],
            "sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}}});
        let fields = json!([
            {"name": "ts", "encodingType": "RAW", "indexes": {"range": {}}},
            {"name": "props", "encodingType": "RAW", "indexes": {"open_struct": open_struct}}]);
        case.configure(&fields)?;
        Ok(case)
    }

    fn configure(&self, fields: &serde_json::Value) -> Result<(), Failure> {
        let config = json!({"tableName": "t", "fieldConfigList": fields});
        Ok(fs::write(self.at("t.json"), config.to_string())?)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, command: &str, more: &[&str]) -> Result<Ran, Failure> {
        let table = format!("t={}", self.at("data").display());
        let config = self.at("t.json").display().to_string();
        let mut arguments = vec![command, "--table", &table, "--config", &config];
        arguments.extend(more);
        run(&arguments)
    }

    fn index_of(&self, name: &str) -> Result<PathBuf, Failure> {
        let files = IndexStore::Beside.files("t", &self.at("data").join(name));
        Ok(files.ok_or("no place")?.index_path())
    }
}

#[test]
fn answers_are_the_same_and_the_summary_says_what_gave_them() -> Result<(), Failure> {
    let case = Case::new(&["a.parquet", "b.parquet"])?;
    let folder = case.at("indexes").display().to_string();
    for store in [vec![], vec!["--index-dir", folder.as_str()]] {
        let built = case.run("index", &store)?;
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        let mut arguments = store.clone();
        arguments.extend(["--queries", "120", "--seed", "3"]);
        let ran = case.run("verify", &arguments)?;
        let told = (ran.code, ran.stderr.as_str());
        assert_eq!(told, (Some(0), ""), "{}", ran.stdout);
        for shown in [
            "t: ",
            " queries answered the same with indexes and without, seed 3",
            "inverted index",
            "range index",
            "index of unshredded keys",
            "null set",
        ] {
            assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
        }
    }
    Ok(())
}

#[test]
fn without_indexes_it_says_what_to_do_and_builds_only_when_told() -> Result<(), Failure> {
    let case = Case::new(&["a.parquet"])?;
    let ran = case.run("verify", &[])?;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr
            .contains("there are no indexes to verify: table=t"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("help: growler index "),
        "{}",
        ran.stderr
    );
    assert!(!case.at("data/_growler").exists());
    let ran = case.run("verify", &["--build", "-n", "20"])?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(case.index_of("a.parquet")?.exists());

    case.configure(&json!([]))?;
    let ran = case.run("verify", &["--build"])?;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("the config asks for none"),
        "{}",
        ran.stderr
    );
    Ok(())
}

#[test]
fn a_damaged_index_is_told_and_changes_no_answer() -> Result<(), Failure> {
    let case = Case::new(&["a.parquet", "b.parquet"])?;
    case.run("index", &[])?;
    let path = case.index_of("a.parquet")?;
    let sound = fs::read(&path)?;
    let mut told = 0;
    for at in [200, sound.len() / 3, sound.len() / 2, sound.len() - 1] {
        let mut bytes = sound.clone();
        let end = bytes.len().min(at + 64);
        bytes[at..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
        // The file may be mapped by nobody now, yet it is replaced as a whole.
        fs::remove_file(&path)?;
        fs::write(&path, bytes)?;
        let ran = case.run("verify", &["-n", "60"])?;
        assert_eq!(ran.code, Some(0), "at={at}\n{}\n{}", ran.stdout, ran.stderr);
        told += usize::from(!ran.stderr.is_empty());
    }
    assert!(told > 1, "told {told} times");
    Ok(())
}

fn write(path: &Path, values: impl Fn(i32) -> i32) -> Result<(), Failure> {
    let numbers: Vec<i32> = (0..500).map(values).collect();
    let texts = numbers.iter().map(|number| format!("v{}", number % 7));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let numbers: ArrayRef = Arc::new(Int32Array::from(numbers));
    let batch = RecordBatch::try_from_iter([("k", numbers), ("s", texts)])?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

/// Makes the indexes of one file pass for those of another one, checksums and all.
fn forge(from: &Path, of: &Path, case: &Case) -> Result<(), Failure> {
    let cache = FooterCache::default();
    let (from, of) = (Segment::open(from, &cache)?, Segment::open(of, &cache)?);
    let files = |segment: &Segment| IndexStore::Beside.files("t", segment.path());
    let true_path = files(&from).ok_or("no place")?.index_path();
    let honest = SegmentIndexes::open(&true_path, &identity(&from))?.ok_or("no indexes")?;
    let target = files(&of).ok_or("no place")?;
    fs::create_dir_all(&target.folder)?;
    let mut writer = IndexWriter::create(
        &target.folder,
        &target.index,
        identity(&of),
        honest.config_hash(),
    )?;
    for entry in honest.entries() {
        writer.copy_from(&honest, entry)?;
    }
    writer.finish()?;
    assert!(case.index_of("a.parquet")?.exists());
    Ok(())
}

#[test]
fn an_index_that_lies_is_found_and_shown() -> Result<(), Failure> {
    let case = Case::new(&[])?;
    let column = |name: &str| {
        json!({"name": name, "encodingType": "RAW",
            "indexes": {"dictionary": {}, "inverted": {}}})
    };
    case.configure(&json!([column("k"), column("s")]))?;
    let other = case.at("data/b.parquet");
    write(&other, |row| (row * 7 + 3) % 40)?;
    assert_eq!(case.run("index", &[])?.code, Some(0));
    let data = case.at("data/a.parquet");
    write(&data, |row| row % 40)?;
    forge(&other, &data, &case)?;
    fs::remove_file(&other)?;

    let first = case.run("verify", &["--seed", "5"])?;
    assert_eq!(first.code, Some(1), "{}", first.stdout);
    assert!(
        first
            .stderr
            .contains("error: an index changes an answer: table=t seed=5 query="),
        "{}",
        first.stderr
    );
    for shown in [
        "two answers of query ",
        "SET enableNullHandling = ",
        "SELECT ",
        "with indexes (",
        "without (SET skipIndexes = '*';)",
    ] {
        assert!(first.stdout.contains(shown), "{shown}: {}", first.stdout);
    }
    let second = case.run("verify", &["--seed", "5"])?;
    assert_eq!(second.stdout, first.stdout, "the seed says which queries");

    // Built anew, it is right again.
    assert_eq!(case.run("index", &["--rebuild"])?.code, Some(0));
    let third = case.run("verify", &["--seed", "5"])?;
    assert_eq!(third.code, Some(0), "{}", third.stdout);
    Ok(())
}
