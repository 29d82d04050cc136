//! Those who keep External Tables in step, and how a table is handed to them.

use std::sync::Arc;

use super::catalog::Catalog;
use super::check::{Checked, Served};
use crate::Error;
use crate::backend::Swap;
use crate::external::{ExternalTables, Watchers};

const NO_EXTERNAL: &str = "External Tables need a data directory to keep their state in. Start the \
                           server with --data-dir FOLDER, or set dataDir in its config";

/// Those who keep External Tables in step.
#[derive(Clone)]
pub struct External {
    /// What they do.
    pub tables: Arc<dyn ExternalTables>,
    /// When they do it.
    pub watchers: Arc<Watchers>,
}

impl Catalog {
    /// Returns those who keep External Tables in step.
    ///
    /// # Errors
    /// `InvalidInput` when this server has none.
    pub fn external(&self) -> Result<&External, Error> {
        self.external
            .as_ref()
            .ok_or_else(|| Error::Invalid(NO_EXTERNAL.to_owned()))
    }

    /// Opens what a checked table serves; it is served once the result is called.
    pub(super) fn prepare(&self, checked: &Checked) -> Result<Swap, Error> {
        match &checked.served {
            Served::Files(path) => {
                let (config, schema) = (&checked.config, checked.schema.clone());
                self.backend.prepare(config, path, schema)
            }
            Served::Source(_) => {
                self.external()?;
                let (catalog, checked) = (self.external.clone(), checked.clone());
                Ok(Box::new(move || {
                    let Some(external) = catalog else { return };
                    if let Err(error) = external.follow(&checked) {
                        let table = checked.config.name;
                        tracing::error!(table, %error, "a table does not follow its source");
                    }
                }))
            }
        }
    }
}

impl External {
    /// Takes on a table or its changed config, and has it run.
    fn follow(&self, checked: &Checked) -> Result<(), Error> {
        self.take_on(checked)?;
        if let Served::Source(config) = &checked.served {
            self.watchers.follow(&checked.config.name, config);
        }
        Ok(())
    }

    pub(super) fn take_on(&self, checked: &Checked) -> Result<(), Error> {
        let Served::Source(config) = &checked.served else {
            return Ok(());
        };
        let declared = checked.is_declared.then_some(&checked.schema);
        self.tables.follow(&checked.config, config, declared)
    }
}
