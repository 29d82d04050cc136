//! Reloading segments: built, kept, removed, and never half of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use growler_exec::View;
use growler_exec::reload::store::sweep_gone;
use growler_exec::reload::{
    IndexPlan, IndexStore, ReloadOptions, Reloaded, load_indexes, needs_reload, reload_segment,
};
use growler_exec::run::CancelFlag;
use growler_index::{Kind, Reading, SegmentIndexes};
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use growler_schema::{DataType, Field, FieldRole, TableSchema};
use growler_segment::FooterCache;
use parquet::arrow::ArrowWriter;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value as Json, json};

use crate::support::{engine, rows, sample, view};

type TestResult<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn plan(view: &View, open_struct: &Json, others: &[Json]) -> TestResult<IndexPlan> {
    let mut fields = others.to_vec();
    let indexes = json!({"open_struct": open_struct});
    fields.push(json!({"name": "props", "encodingType": "RAW", "indexes": indexes}));
    let json = json!({"tableName": view.name(), "fieldConfigList": fields});
    let json = TableConfigJson::parse(json.to_string().as_bytes())?;
    let config = table_config_from_json(&json, Some(view.schema()))?;
    Ok(IndexPlan::new(&config, view.schema()))
}

/// The documented config.
fn documented() -> Json {
    json!({
        "valueFieldConfigs": [
            {"name": "page_type", "encodingType": "RAW", "indexes": {"dictionary": {}, "inverted": {}}},
            {"name": "latency_ms", "encodingType": "RAW", "indexes": {"dictionary": {}, "range": {}}},
            {"name": "device.os", "encodingType": "RAW", "indexes": {"dictionary": {}, "inverted": {}}}],
        "sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}}})
}

fn reload(view: &View, plan: &IndexPlan, store: &IndexStore) -> TestResult<Vec<Reloaded>> {
    let options = ReloadOptions::default();
    let idxs = 0..view.segments().len();
    let reloaded = idxs.map(|idx| reload_segment(view, idx, plan, store, &options));
    Ok(reloaded.collect::<Result<_, _>>()?)
}

fn with_indexes(view: View, reloaded: &[Reloaded]) -> View {
    let indexes = reloaded.iter().map(|one| one.indexes.clone()).collect();
    view.with_indexes(indexes)
}

fn kinds(indexes: &SegmentIndexes, path: &str) -> Vec<Kind> {
    let entries = indexes.entries().iter();
    let of_path = entries.filter(|entry| entry.subject.path.as_deref() == Some(path));
    let mut kinds: Vec<Kind> = of_path
        .filter(|entry| entry.subject.reading == Reading::Values)
        .map(|entry| entry.kind)
        .collect();
    kinds.sort_unstable();
    kinds
}

/// Copies a sample to a folder of its own.
fn copied(name: &str, folder: &Path) -> TestResult<String> {
    let path = folder.join("a.parquet");
    fs::copy(sample(name), &path)?;
    Ok(path.display().to_string())
}

#[test]
fn objects_have_indexes_in_a_folder_of_their_own_alone() {
    let segment = Path::new("s3://b/t/f.parquet");
    assert_eq!(IndexStore::Beside.files("t", segment), None);
    assert!(IndexStore::Beside.tables(segment).is_empty());
    let files = IndexStore::Folder("indexes".into()).files("t", segment);
    // Wherever the process runs.
    let place = growler_index::identity::hash(b"s3://b/t/f.parquet") >> 32;
    let folder = files.map(|files| files.folder);
    let expected = format!("indexes/t/f.parquet-{place:08x}");
    assert_eq!(folder.as_deref(), Some(Path::new(&expected)));
}

#[test]
fn builds_what_the_file_has_and_then_nothing() -> TestResult {
    let folder = tempfile::tempdir()?;
    for store in [
        IndexStore::Beside,
        IndexStore::Folder(folder.path().join("indexes")),
    ] {
        let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
        let plan = plan(&view, &documented(), &[])?;
        assert!(needs_reload(&view, 0, &plan, &store));
        let first = reload(&view, &plan, &store)?.remove(0);
        assert!(first.changed && !first.built.is_empty());
        let indexes = first.indexes.ok_or("no indexes")?;
        let typed = [Kind::Nulls, Kind::Dictionary, Kind::Inverted];
        assert_eq!(kinds(&indexes, "page_type"), typed);
        assert_eq!(kinds(&indexes, "device.os"), typed);
        let range = [Kind::Nulls, Kind::Dictionary, Kind::Range];
        assert_eq!(kinds(&indexes, "latency_ms"), range);
        assert_eq!(kinds(&indexes, "user_tier"), typed);
        let remainder = indexes.remainder("props").ok_or("no remainder")?;
        assert!(remainder.complete);
        assert!(indexes.verify().is_empty());

        assert!(!needs_reload(&view, 0, &plan, &store));
        let before = fs::metadata(indexes.path())?.modified()?;
        let second = reload(&view, &plan, &store)?.remove(0);
        assert!(!second.changed && second.built.is_empty() && second.removed == 0);
        assert_eq!(second.kept, indexes.entries().len());
        assert_eq!(fs::metadata(indexes.path())?.modified()?, before);
        let loaded = load_indexes(&view.segments()[0], "t", &store).ok_or("not loaded")?;
        assert_eq!(loaded.entries(), indexes.entries());
    }
    Ok(())
}

#[test]
fn tables_over_the_same_files_leave_each_others_indexes_alone() -> TestResult {
    let folder = tempfile::tempdir()?;
    let location = copied("spark/seed4_typed.parquet", folder.path())?;
    for store in [
        IndexStore::Beside,
        IndexStore::Folder(folder.path().join("indexes")),
    ] {
        let (one, other) = (view("one", &location), view("other", &location));
        let key = |name: &str| json!([{"name": name, "indexes": {"inverted": {}}}]);
        let plan_of = |view: &View, name| plan(view, &json!({"valueFieldConfigs": key(name)}), &[]);
        let plans = (plan_of(&one, "page_type")?, plan_of(&other, "latency_ms")?);
        reload(&one, &plans.0, &store)?;
        reload(&other, &plans.1, &store)?;
        assert!(!needs_reload(&one, 0, &plans.0, &store));
        assert!(!needs_reload(&other, 0, &plans.1, &store));
        assert_eq!(store.tables(one.segments()[0].path()), ["one", "other"]);
        assert_eq!(reload(&other, &IndexPlan::default(), &store)?[0].removed, 3);
        assert!(load_indexes(&other.segments()[0], "other", &store).is_none());
        let left = load_indexes(&one.segments()[0], "one", &store).ok_or("gone")?;
        assert_eq!(kinds(&left, "page_type").len(), 3);
    }
    Ok(())
}

#[test]
fn a_bloom_filter_is_built_anew_when_its_options_change() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
    let store = IndexStore::Beside;
    let plan = |bloom: Json| {
        let key = json!({"name": "page_type", "indexes": {"bloom": bloom}});
        plan(&view, &json!({"valueFieldConfigs": [key]}), &[])
    };
    let mut rates = Vec::new();
    for (bloom, is_built) in [
        (json!({}), true),
        (json!({"fpp": 0.01}), true),
        (json!({"fpp": 0.01, "loadOnHeap": true}), false),
        (json!({"maxSizeInBytes": 64}), true),
        (json!({}), true),
    ] {
        let reloaded = reload(&view, &plan(bloom.clone())?, &store)?.remove(0);
        assert_eq!(!reloaded.built.is_empty(), is_built, "{bloom}");
        let indexes = reloaded.indexes.ok_or("no indexes")?;
        let values = indexes.subject("props", Some("page_type"), Reading::Values);
        let options = values.and_then(|values| values.bloom_options());
        rates.push(options.ok_or("no filter")?.false_positive_rate());
    }
    assert_eq!(rates, [None, Some(0.01), Some(0.01), None, None]);
    Ok(())
}

#[test]
fn indexes_of_files_that_are_gone_are_swept() -> TestResult {
    let folder = tempfile::tempdir()?;
    for store in [
        IndexStore::Beside,
        IndexStore::Folder(folder.path().join("indexes")),
    ] {
        let data = folder.path().join("data");
        fs::create_dir_all(&data)?;
        for name in ["a", "b"] {
            fs::copy(
                sample("spark/seed4_typed.parquet"),
                data.join(format!("{name}.parquet")),
            )?;
        }
        let whole = view("t", data.to_str().ok_or("path")?);
        let plan = plan(&whole, &documented(), &[])?;
        let part = view("t", data.join("a.parquet").to_str().ok_or("path")?);
        let part_plan = plan.clone();
        reload(&whole, &plan, &store)?;
        let files = store
            .files("t", whole.segments()[1].path())
            .ok_or("no place")?;
        assert_eq!(sweep_gone(&whole, &store), 0);
        // Beside the files, another view of the same name may have them.
        let foreign = files.folder.join("c.txt");
        fs::write(&foreign, "")?;
        if store == IndexStore::Beside {
            assert_eq!(sweep_gone(&part, &store), 0);
        }
        fs::remove_file(data.join("b.parquet"))?;
        assert!(sweep_gone(&part, &store) > 0);
        assert!(!files.index_path().exists() && !files.metadata_path().exists());
        assert!(!needs_reload(&part, 0, &part_plan, &store));
        assert_eq!(foreign.exists(), store == IndexStore::Beside);
        fs::remove_dir_all(&data)?;
    }
    Ok(())
}

#[test]
fn a_changed_config_builds_keeps_and_removes() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
    let store = IndexStore::Beside;
    let entry = |name: &str, indexes: Json| json!({"name": name, "indexes": indexes});
    let plan = |keys: &[Json]| plan(&view, &json!({"valueFieldConfigs": keys}), &[]);
    let page_type = entry("page_type", json!({"inverted": {}}));
    let one = plan(std::slice::from_ref(&page_type))?;
    let first = reload(&view, &one, &store)?.remove(0);
    assert_eq!(first.built.len(), 3);

    let two = plan(&[page_type, entry("latency_ms", json!({"range": {}}))])?;
    assert!(needs_reload(&view, 0, &two, &store));
    let second = reload(&view, &two, &store)?.remove(0);
    let built = second.built.iter().map(|built| built.key.as_deref());
    assert!(built.clone().all(|key| key == Some("latency_ms")));
    assert_eq!((second.kept, second.removed), (3, 0));

    let third = plan(&[entry("page_type", json!({"dictionary": {}}))])?;
    let third = reload(&view, &third, &store)?.remove(0);
    let indexes = third.indexes.ok_or("no indexes")?;
    assert_eq!(
        kinds(&indexes, "page_type"),
        [Kind::Nulls, Kind::Dictionary]
    );
    assert!(third.built.is_empty() && third.kept == 2 && third.removed == 3);

    let none = IndexPlan::default();
    assert!(needs_reload(&view, 0, &none, &store));
    let last = reload(&view, &none, &store)?.remove(0);
    assert!(last.changed && last.indexes.is_none() && last.removed == 2);
    assert!(!indexes.path().exists());
    assert!(!needs_reload(&view, 0, &none, &store));
    assert!(!reload(&view, &none, &store)?.remove(0).changed);
    Ok(())
}

/// Filters on columns and keys, whatever the layout of the files.
const QUERIES: [&str; 16] = [
    "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
    "SELECT COUNT(*) FROM t WHERE props['page_type'] <> 'HOME'",
    "SELECT COUNT(*) FROM t WHERE props['latency_ms'] >= 100",
    "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IN (100, 110)",
    "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NULL",
    "SELECT COUNT(*) FROM t WHERE props['user_tier'] = 'gold'",
    "SELECT COUNT(*) FROM t WHERE props['user_tier'] <> 'gold'",
    "SELECT COUNT(*) FROM t WHERE props['user_tier'] = 'null'",
    "SELECT COUNT(*) FROM t WHERE props['user_tier'] IS NOT NULL",
    "SELECT COUNT(*) FROM t WHERE props['session'] > 's-1'",
    "SELECT COUNT(*) FROM t WHERE props['session'] LIKE 's-%'",
    "SELECT COUNT(*) FROM t WHERE props['device'] LIKE '%ios%'",
    "SELECT COUNT(*) FROM t WHERE props['device.os'] IN ('ios', 'x')",
    "SELECT COUNT(*) FROM t WHERE props['tags'] = '[]'",
    "SELECT COUNT(*) FROM t WHERE props['items'] LIKE '%sku%'",
    "SELECT COUNT(*) FROM t WHERE props['nowhere'] = 'x' OR ts > 0",
];

#[test]
fn answers_are_those_of_a_scan_in_every_layout() -> TestResult {
    for location in [
        "spark/seed4_typed.parquet",
        "spark/seed4_none.parquet",
        "spark/seed4_partial.parquet",
        "spark/seed4_strlat.parquet",
        "duckdb/seed4_infer.parquet",
        "duckdb/seed4_devicewhole.parquet",
        "spark/perfile",
        "duckdb/perfile",
    ] {
        let folder = tempfile::tempdir()?;
        let store = IndexStore::Folder(folder.path().to_owned());
        let location = sample(location).display().to_string();
        let scanned = view("t", &location);
        let others = [json!({"name": "ts", "encodingType": "RAW", "indexes": {"range": {}}})];
        let plan = plan(&scanned, &documented(), &others)?;
        let reloaded = reload(&scanned, &plan, &store)?;
        let indexed = with_indexes(view("t", &location), &reloaded);
        let (scan, index) = (engine(), engine());
        scan.register(scanned);
        index.register(indexed);
        for null_handling in [false, true] {
            for query in QUERIES {
                let sql = format!("SET enableNullHandling = {null_handling}; {query}");
                assert_eq!(rows(&scan, &sql), rows(&index, &sql), "{location} {sql}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_widened_column_is_reconciled_and_built_anew() -> TestResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("orders.parquet");
    let values: ArrayRef = Arc::new(Int32Array::from(vec![Some(3), None, Some(i32::MAX)]));
    let batch = RecordBatch::try_from_iter([("qty", values)])?;
    let mut writer = ArrowWriter::try_new(fs::File::create(&path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    let location = path.display().to_string();
    let store = IndexStore::Folder(folder.path().join("indexes"));
    let narrow = view("t", &location);
    let qty = json!({"name": "qty", "encodingType": "RAW", "indexes": {"inverted": {}}});
    let json = json!({"tableName": "t", "fieldConfigList": [qty]});
    let json = TableConfigJson::parse(json.to_string().as_bytes())?;
    let config = table_config_from_json(&json, Some(narrow.schema()))?;
    let plan = IndexPlan::new(&config, narrow.schema());
    let first = reload(&narrow, &plan, &store)?.remove(0);
    assert!(first.reconciled.is_empty() && first.indexes.is_some());

    let qty = Field::new("qty", FieldRole::Dimension, DataType::Long.single());
    let schema = TableSchema::new("t", vec![qty]);
    let wide = View::open("t", &location, Some(&schema), &FooterCache::default())?;
    assert!(needs_reload(&wide, 0, &plan, &store));
    let second = reload(&wide, &plan, &store)?.remove(0);
    let expected = [
        ("column.qty.dataType", "LONG"),
        ("column.qty.defaultNullValue", "-9223372036854775808"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(second.reconciled, expected);
    assert!(!second.built.is_empty());
    let indexes = second.indexes.ok_or("no indexes")?;
    let types = indexes.entries().iter().map(|entry| entry.data_type);
    assert!(types.clone().all(|data_type| data_type == DataType::Long));
    assert!(!needs_reload(&wide, 0, &plan, &store));
    assert!(!reload(&wide, &plan, &store)?.remove(0).changed);
    // The way back is a change like any other.
    assert!(needs_reload(&narrow, 0, &plan, &store));
    Ok(())
}

#[test]
fn a_damaged_file_is_built_anew() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
    let plan = plan(&view, &documented(), &[])?;
    let store = IndexStore::Beside;
    let first = reload(&view, &plan, &store)?.remove(0);
    let path = first
        .indexes
        .as_ref()
        .ok_or("no indexes")?
        .path()
        .to_owned();
    let sound = fs::read(&path)?;
    // Between two indexes lie zeros, which no checksum is over.
    let middle = sound.len() / 2;
    let part = &sound[middle..];
    let in_index = middle + part.iter().position(|byte| *byte != 0).ok_or("zeros")?;
    for (at, what) in [
        (0, "header"),
        (in_index, "an index"),
        (sound.len() - 1, "end"),
    ] {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        fs::remove_file(&path)?;
        fs::write(&path, &bytes)?;
        let again = reload(&view, &plan, &store)?.remove(0);
        let damaged = SegmentIndexes::open(
            &path,
            &growler_exec::reload::store::identity(&view.segments()[0]),
        );
        let indexes = damaged?.ok_or("no file")?;
        assert!(indexes.verify().is_empty(), "{what}");
        assert!(again.changed, "{what}");
    }
    // Cut off, of another file, or no file of indexes at all.
    for bytes in [&sound[..100], b"", b"growler"] {
        fs::remove_file(&path)?;
        fs::write(&path, bytes)?;
        assert!(load_indexes(&view.segments()[0], "t", &store).is_none());
        assert!(needs_reload(&view, 0, &plan, &store));
        assert!(reload(&view, &plan, &store)?.remove(0).changed);
        assert_eq!(fs::read(&path)?, sound);
    }
    Ok(())
}

#[test]
fn a_store_that_cannot_be_written_leaves_everything() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
    let plan = plan(&view, &documented(), &[])?;
    // A file where the folder should be: also root cannot write into it.
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "")?;
    let store = IndexStore::Folder(blocked);
    let failed = reload_segment(&view, 0, &plan, &store, &ReloadOptions::default());
    let message = failed.err().ok_or("no error")?.to_string();
    assert!(
        message.starts_with("cannot write indexes: cannot create index file: "),
        "{message}"
    );
    assert!(message.ends_with("segment=a.parquet"), "{message}");
    Ok(())
}

#[test]
fn a_column_that_cannot_be_read_is_named_and_the_old_file_stays() -> TestResult {
    let folder = tempfile::tempdir()?;
    let location = copied("spark/seed4_typed.parquet", folder.path())?;
    let sound = view("t", &location);
    let store = IndexStore::Folder(folder.path().join("indexes"));
    let keys = plan(&sound, &documented(), &[])?;
    let first = reload(&sound, &keys, &store)?.remove(0);
    let path = first.indexes.ok_or("no indexes")?.path().to_owned();
    let before = fs::read(&path)?;

    // The pages of one column, but not the footer, so that the file is still the same one.
    let reader = SerializedFileReader::new(fs::File::open(&location)?)?;
    let chunk = reader.metadata().row_group(0).column(1);
    assert_eq!(chunk.column_path().string(), "user_id");
    let (start, len) = chunk.byte_range();
    let mut bytes = fs::read(&location)?;
    bytes[usize::try_from(start)?..usize::try_from(start + len)?].fill(0xff);
    fs::remove_file(&location)?;
    fs::write(&location, bytes)?;
    let damaged = view("t", &location);
    assert!(!needs_reload(&damaged, 0, &keys, &store));
    let user_id = json!({"name": "user_id", "encodingType": "RAW", "indexes": {"inverted": {}}});
    let more = plan(&damaged, &documented(), &[user_id])?;
    let failed = reload_segment(&damaged, 0, &more, &store, &ReloadOptions::default());
    let error = failed.err().ok_or("no error")?;
    assert_eq!(error.kind(), growler_base::ErrorKind::Corrupt);
    let message = error.to_string();
    assert!(
        message.starts_with("cannot index user_id: corrupt parquet data: "),
        "{message}"
    );
    assert_eq!(message.matches("segment=").count(), 1, "{message}");
    assert_eq!(fs::read(&path)?, before);
    Ok(())
}

#[test]
fn a_cancelled_reload_leaves_the_old_file() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_typed.parquet", folder.path())?);
    let store = IndexStore::Beside;
    let small = plan(&view, &json!({"sparseJsonIndex": true}), &[])?;
    let first = reload(&view, &small, &store)?.remove(0);
    let path = first.indexes.ok_or("no indexes")?.path().to_owned();
    let before = fs::read(&path)?;
    let cancel = CancelFlag::default();
    let seen = Arc::new(AtomicU64::new(0));
    let options = ReloadOptions {
        cancel: cancel.clone(),
        progress: Some(Arc::new({
            let seen = Arc::clone(&seen);
            move |advance| {
                seen.fetch_max(advance.rows_total, Ordering::Relaxed);
                cancel.cancel();
            }
        })),
        ..ReloadOptions::default()
    };
    let large = plan(&view, &documented(), &[])?;
    let failed = reload_segment(&view, 0, &large, &store, &options);
    assert!(failed.is_err_and(|error| error.kind() == growler_base::ErrorKind::Cancelled));
    assert!(seen.load(Ordering::Relaxed) > 0);
    assert_eq!(fs::read(&path)?, before);
    assert_eq!(fs::read_dir(path.parent().ok_or("no folder")?)?.count(), 1);
    Ok(())
}

#[test]
fn a_listed_remainder_has_what_is_listed() -> TestResult {
    let folder = tempfile::tempdir()?;
    let view = view("t", &copied("spark/seed4_none.parquet", folder.path())?);
    let listed = json!({"invertedIndexConfigs": [{"path": "$.user_tier"}, {"path": "$.nowhere"}],
        "rangeIndexConfigs": [{"path": "latency_ms"}]});
    let plan = plan(
        &view,
        &json!({"sparseFieldConfig": {"indexes": {"compositeJson": listed}}}),
        &[],
    )?;
    let indexes = reload(&view, &plan, &IndexStore::Beside)?.remove(0).indexes;
    let indexes = indexes.ok_or("no indexes")?;
    assert!(
        indexes
            .remainder("props")
            .is_some_and(|rest| !rest.complete)
    );
    let typed = [Kind::Nulls, Kind::Dictionary, Kind::Inverted];
    assert_eq!(kinds(&indexes, "user_tier"), typed);
    assert!(kinds(&indexes, "nowhere").contains(&Kind::Nulls));
    assert!(kinds(&indexes, "latency_ms").contains(&Kind::Range));
    assert!(kinds(&indexes, "session").is_empty());
    let numbers = indexes.subject("props", Some("latency_ms"), Reading::Numbers);
    assert!(numbers.is_some_and(|numbers| numbers.data_type() == DataType::Double));
    Ok(())
}
