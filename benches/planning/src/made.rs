//! The table: a hundred days of readings, partitioned by day, appended a day at a time.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use iceberg::io::LocalFsStorageFactory;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalogBuilder};
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, Datum, Literal, NestedField,
    PrimitiveType, Schema, Struct, Transform, Type, UnboundPartitionSpec,
};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation};
use tempfile::TempDir;

pub const DAYS: i64 = 100;
pub const DAY_US: i64 = 86_400_000_000;
/// 2024-01-01, in days since 1970.
pub const FIRST_DAY: i64 = 19_723;
/// From the first id of a file to that of the next; the last hundred are of none.
pub const ID_STEP: i64 = 1000;
const ROWS: i64 = 900;

/// A table on disk.
pub struct Made {
    _folder: TempDir,
    pub table: Table,
}

/// The first id of a file.
pub fn id(file: i64) -> i64 {
    file * ID_STEP
}

/// What the texts of a file begin with.
pub fn region(file: i64) -> String {
    // No order that the numbers of the files have.
    format!("r{:05}", file * 7919 % 100_003)
}

/// The first microsecond of a day.
pub fn ts(day: i64) -> i64 {
    day * DAY_US
}

impl Made {
    pub async fn new(files: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let warehouse = folder.path().to_str().context("a path that is no text")?;
        let properties =
            HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), warehouse.to_owned())]);
        let catalog = MemoryCatalogBuilder::default()
            .with_storage_factory(Arc::new(LocalFsStorageFactory))
            .load("made", properties)
            .await?;
        let namespace = NamespaceIdent::new("n".to_owned());
        catalog.create_namespace(&namespace, HashMap::new()).await?;
        let creation = TableCreation::builder()
            .name("readings".to_owned())
            .schema(schema()?)
            .partition_spec(
                UnboundPartitionSpec::builder()
                    .add_partition_field(2, "day", Transform::Day)?
                    .build(),
            )
            .build();
        let mut table = catalog.create_table(&namespace, creation).await?;
        let per_day = i64::try_from(files)? / DAYS;
        for day in 0..DAYS {
            let new = (day * per_day..(day + 1) * per_day).map(|file| data_file(day, file));
            let new = new.collect::<Result<Vec<_>>>()?;
            let transaction = Transaction::new(&table);
            let append = transaction.fast_append().with_check_duplicate(false);
            let transaction = append.add_data_files(new).apply(transaction)?;
            table = transaction.commit(&catalog).await?;
        }
        Ok(Self {
            _folder: folder,
            table,
        })
    }
}

fn schema() -> Result<Schema> {
    let columns = [
        (1, "id", PrimitiveType::Long),
        (2, "ts", PrimitiveType::Timestamp),
        (3, "region", PrimitiveType::String),
        (4, "value", PrimitiveType::Double),
    ];
    let fields = columns.map(|(id, name, primitive)| {
        Arc::new(NestedField::optional(id, name, Type::Primitive(primitive)))
    });
    Ok(Schema::builder().with_fields(fields).build()?)
}

fn data_file(day: i64, file: i64) -> Result<DataFile> {
    let day = FIRST_DAY + day;
    let bounds = |row: i64| {
        HashMap::from([
            (1, Datum::long(id(file) + row)),
            (2, Datum::timestamp_micros(ts(day) + row * 60_000_000)),
            (
                3,
                Datum::string(region(file) + if row == 0 { "a" } else { "z" }),
            ),
            // Each tenth file has large ones.
            (
                4,
                Datum::double(row as f64 / ROWS as f64 * if file % 10 == 0 { 1.0 } else { 0.5 }),
            ),
        ])
    };
    let counts = |count: u64| (1..=4).map(|id| (id, count)).collect::<HashMap<_, _>>();
    let built = DataFileBuilder::default()
        .content(DataContentType::Data)
        .file_path(format!("/no/such/folder/data/day={day}/{file:08}.parquet"))
        .file_format(DataFileFormat::Parquet)
        .partition(Struct::from_iter([Some(Literal::date(i32::try_from(
            day,
        )?))]))
        .record_count(u64::try_from(ROWS)?)
        .file_size_in_bytes(100_000)
        .value_counts(counts(u64::try_from(ROWS)?))
        .null_value_counts(counts(0))
        .nan_value_counts(HashMap::from([(4, 0)]))
        .lower_bounds(bounds(0))
        .upper_bounds(bounds(ROWS - 1))
        .build()?;
    Ok(built)
}
