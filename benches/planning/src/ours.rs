//! Our side.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use growler_catalog::{FileIndex, IcebergTable, LocalFiles, ManifestCache, ScanOptions};

use crate::made::Made;
use crate::questions::Question;

pub struct Ours {
    table: IcebergTable,
    kept: IcebergTable,
    index: FileIndex,
}

impl Ours {
    pub fn new(made: &Made) -> Result<Self> {
        let location = made.table.metadata_location().context("no metadata")?;
        let table = IcebergTable::open(Arc::new(LocalFiles), location)?;
        let plan = table.scan_plan(&ScanOptions::default())?;
        let kept = Arc::new(ManifestCache::new(64 << 20));
        Ok(Self {
            kept: table.clone().with_manifests(&kept, "readings"),
            index: FileIndex::new(table.clone(), Arc::new(plan)),
            table,
        })
    }

    /// The paths of the files of a plan, in order.
    pub fn plan(&self, question: &Question) -> Vec<String> {
        let files = &self.index.plan().files;
        let kept = self.index.matching(&(question.ours)());
        let paths = kept.iter().filter_map(|at| files.get(at as usize));
        let mut paths: Vec<String> = paths.map(|file| file.path.clone()).collect();
        paths.sort_unstable();
        paths
    }

    #[cfg(feature = "queries")]
    pub fn table(&self) -> &IcebergTable {
        &self.table
    }

    pub fn list_cold(&self) -> Result<()> {
        let plan = self.table.scan_plan(&ScanOptions::default())?;
        ensure!(!plan.files.is_empty());
        Ok(())
    }

    pub fn list_kept(&self) -> Result<()> {
        let plan = self.kept.scan_plan(&ScanOptions::default())?;
        ensure!(!plan.files.is_empty());
        Ok(())
    }
}
