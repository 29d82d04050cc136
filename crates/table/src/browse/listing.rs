//! What was found.

use growler_base::{ErrorKind, limits};
use growler_catalog::objects::{FileInfo, ObjectFiles, OddKeys, Storage};
use growler_catalog::rest::{Namespace, RestCatalog, RestError, TableId};

use super::place::Place;
use crate::config::{ExternalConfig, Source};
use crate::connect::connected::{Patience, rest_config};

/// Why a place could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The catalog did not answer with what was asked.
    #[error(transparent)]
    Catalog(#[from] RestError),
    /// The folder or the store cannot be read.
    #[error(transparent)]
    Files(#[from] growler_catalog::Error),
    /// The settings cannot be used.
    #[error("{0}")]
    Settings(String),
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Catalog(error) => error.kind(),
            Self::Files(error) => error.kind(),
            Self::Settings(_) => ErrorKind::InvalidInput,
        }
    }
}

/// What a place has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Namespaces directly below, in dotted form.
    pub namespaces: Vec<String>,
    /// Tables of the namespace asked for: namespace and name.
    pub tables: Vec<(String, String)>,
    /// Files below the folder, with their lengths in bytes.
    pub files: Vec<(String, u64)>,
    /// Keys of the store that are left out, as they cannot be read.
    pub left_out: OddKeys,
    /// Whether there is more than is listed.
    pub is_cut: bool,
}

/// Lists what a place has.
///
/// # Errors
/// `Unavailable`, `NotFound` and others, as the catalog or the store answers.
pub fn browse(place: &Place) -> Result<Listing, Error> {
    let config = &place.config;
    match &config.source {
        Source::IcebergRest { .. } => {
            let catalog = connect(config)?;
            of_catalog(&catalog, place.namespace.as_deref())
        }
        Source::IcebergFolder { .. } | Source::Parquet { .. } => of_folder(config),
    }
}

/// Opens the catalog of a config.
fn connect(config: &ExternalConfig) -> Result<RestCatalog, Error> {
    let properties = config.properties().map_err(Error::Settings)?;
    Ok(RestCatalog::connect(rest_config(
        &properties,
        Patience::Short,
    ))?)
}

fn of_catalog(catalog: &RestCatalog, namespace: Option<&str>) -> Result<Listing, Error> {
    let parsed = namespace.map(|dotted| {
        let parsed = Namespace::parse(dotted);
        parsed
            .ok_or_else(|| Error::Settings(format!("namespace has an empty level: found={dotted}")))
    });
    let namespace = parsed.transpose()?;
    let below = catalog.namespaces(namespace.as_ref())?;
    let tables = match &namespace {
        Some(namespace) => catalog.tables(namespace)?,
        None => Vec::new(),
    };
    let named = |TableId { namespace, name }| (namespace.to_string(), name);
    let mut listing = Listing {
        is_cut: below.len().max(tables.len()) > limits::BROWSED_ENTRIES,
        namespaces: below.iter().map(Namespace::to_string).collect(),
        tables: tables.into_iter().map(named).collect(),
        ..Listing::default()
    };
    listing.namespaces.truncate(limits::BROWSED_ENTRIES);
    listing.tables.truncate(limits::BROWSED_ENTRIES);
    Ok(listing)
}

fn of_folder(config: &ExternalConfig) -> Result<Listing, Error> {
    let properties = config.properties().map_err(Error::Settings)?;
    let files = ObjectFiles::new(Storage::from(properties));
    let folder = config.location().unwrap_or_default();
    let found = files.list_below(&folder, limits::METADATA_FOLDER_FILES)?;
    let wanted = |file: &FileInfo| {
        let is_parquet = config.source.has_schema_history()
            || file.location.to_ascii_lowercase().ends_with(".parquet");
        is_parquet.then(|| (file.location.clone(), file.len_bytes))
    };
    let mut files: Vec<(String, u64)> = found.files.iter().filter_map(wanted).collect();
    let is_cut = files.len() > limits::BROWSED_ENTRIES;
    files.truncate(limits::BROWSED_ENTRIES);
    Ok(Listing {
        files,
        left_out: found.left_out,
        is_cut,
        ..Listing::default()
    })
}
