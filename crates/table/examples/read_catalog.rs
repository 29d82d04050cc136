//! Lists the tables of an Iceberg REST catalog, and reads the first column of each current snapshot.
//!
//! Settings are those of pyiceberg, one an argument:
//! `read_catalog uri=http://127.0.0.1:8181 warehouse=s3://lake credential=id:secret s3.endpoint=...`

use std::error::Error;
use std::sync::Arc;

use growler_base::RowRanges;
use growler_catalog::rest::{RestCatalog, RestConfig, Snapshots, TableCredentials};
use growler_catalog::{IcebergTable, ObjectFiles, Properties, ScanOptions, SnapshotSelector};
use growler_segment::{BlockCache, FooterCache, ReadOptions};
use growler_table::access::FileAccess;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let settings = arguments
        .iter()
        .filter_map(|argument| argument.split_once('='));
    let properties: Properties = settings.collect();
    let catalog = RestCatalog::connect(RestConfig::of_properties(&properties))?;
    let blocks = BlockCache::open(&std::env::temp_dir().join("growler-blocks"), 64 << 20)?;
    let footers = Arc::new(FooterCache::default());
    for namespace in catalog.all_namespaces()? {
        for id in catalog.tables(&namespace)? {
            let loaded = catalog.load(&id, Snapshots::All)?;
            let vendor = Arc::new(TableCredentials::new(catalog.clone(), id.clone()));
            let files = ObjectFiles::vended(loaded.storage.clone(), vendor);
            let access = FileAccess::new(files, footers.clone(), Some(blocks.clone()));
            let table = IcebergTable::of_catalog(access.shared_files(), (*loaded.metadata).clone());
            let options = ScanOptions {
                snapshot: SnapshotSelector::Current,
                predicate: None,
            };
            let plan = table.scan_plan(&options)?;
            let mut rows = 0;
            for file in &plan.files {
                rows += read(&access, &file.path, file.len_bytes)?;
            }
            let (files, snapshots) = (plan.files.len(), loaded.metadata.snapshots().len());
            let mut out = std::io::stdout().lock();
            use std::io::Write;
            writeln!(out, "{id} files={files} rows={rows} snapshots={snapshots}")?;
        }
    }
    let mut out = std::io::stdout().lock();
    use std::io::Write;
    writeln!(out, "{:?}", blocks.counts())?;
    Ok(())
}

fn read(access: &FileAccess, location: &str, len_bytes: u64) -> Result<usize, Box<dyn Error>> {
    let segment = access.open(location, len_bytes)?;
    let fields = segment.fields()?;
    let field = fields.first().ok_or("a file has no column")?;
    let sources = [segment.bind_column(field)?];
    let mut rows = 0;
    for (group, facts) in segment.row_groups() {
        let all = RowRanges::all(facts.row_count);
        for batch in segment.read(group, &sources, &all, &ReadOptions::default())? {
            rows += batch?.row_count;
        }
    }
    Ok(rows)
}
