//! The `iceberg` crate's side.

use anyhow::Result;
use futures_util::TryStreamExt;
use iceberg::table::Table;
use tokio::runtime::Runtime;

use crate::made::Made;
use crate::questions::Question;

pub struct Theirs<'r> {
    table: Table,
    runtime: &'r Runtime,
}

impl<'r> Theirs<'r> {
    pub fn new(made: &Made, runtime: &'r Runtime) -> Self {
        Self {
            table: made.table.clone(),
            runtime,
        }
    }

    /// The paths of the files of a plan, in order.
    pub fn plan(&self, question: &Question) -> Result<Vec<String>> {
        let mut paths = self.runtime.block_on(async {
            let filter = (question.theirs)();
            let scan = self.table.scan().with_filter(filter).build()?;
            let tasks: Vec<_> = scan.plan_files().await?.try_collect().await?;
            let paths = tasks.iter().map(|task| task.data_file_path().to_owned());
            anyhow::Ok(paths.collect::<Vec<_>>())
        })?;
        paths.sort_unstable();
        Ok(paths)
    }

    /// Lists all files with nothing kept.
    pub fn list_cold(&self) -> Result<()> {
        self.runtime.block_on(async {
            let mut table = Table::builder()
                .metadata(self.table.metadata_ref())
                .identifier(self.table.identifier().clone())
                .file_io(self.table.file_io().clone())
                .runtime(iceberg::Runtime::current())
                .disable_cache();
            if let Some(location) = self.table.metadata_location() {
                table = table.metadata_location(location);
            }
            let scan = table.build()?.scan().build()?;
            let tasks: Vec<_> = scan.plan_files().await?.try_collect().await?;
            anyhow::ensure!(!tasks.is_empty());
            Ok(())
        })
    }
}
