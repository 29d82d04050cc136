//! LOADING_METADATA: asking the source.

use super::failure::{Code, Failure};
use super::record::Phase;
use super::run::Run;
use super::source::{Loaded, SourceError, SourceFault};
use crate::evolve::message;

impl Run<'_> {
    /// Loads the table. What may pass is tried again; who is refused renews credentials once.
    pub(super) fn load(&mut self) -> Result<Loaded, Failure> {
        match self.ask() {
            Ok(loaded) => Ok(loaded),
            Err(error) if error.fault == SourceFault::NotFound => {
                Err(self.detach(Code::TableNotFound, error.text))
            }
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    fn ask(&self) -> Result<Loaded, SourceError> {
        let source = &self.followed.source;
        let ask = || {
            self.retry(
                || source.load(),
                |error| error.fault == SourceFault::Transient && !source.tries_again(),
            )
        };
        match ask() {
            Err(error) if error.fault == SourceFault::Unauthorized => {
                source.renew()?;
                ask()
            }
            done => done,
        }
    }

    /// A schema that is followed cannot be, whatever else: that has its own line, and `failFast` says
    /// what is to be blamed.
    fn unreadable(&self, error: &SourceError) -> Failure {
        if !self.follows_schema() {
            let message = format!("Failed to load catalog metadata: {}", error.text);
            return Failure::new(Code::CatalogUnreadable, message);
        }
        let mut line = message::catalog_unreadable(&error.text);
        let failure = Failure::new(Code::CatalogUnreadable, line.text.clone());
        if self.followed.config.evolution.fail_fast {
            self.log(&line);
            return failure.of(Phase::UpdatingSchema);
        }
        line.text = format!(
            "{}. {}",
            line.text,
            message::continuing(&self.table_with_type)
        );
        self.log(&line);
        failure
    }
}
