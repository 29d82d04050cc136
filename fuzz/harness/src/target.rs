//! The targets by name.

use crate::{
    catalog_answer, document_json, index_file, manifest_file, metadata, panics, parquet_file,
    shredded, sql_text, table_metadata, value_lookup,
};

/// A fuzz target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Dictionaries of field names.
    Metadata,
    /// A dotted key in a value.
    ValueLookup,
    /// A value as JSON text.
    DocumentJson,
    /// A whole file with VARIANT columns.
    ParquetFile,
    /// Metadata, residuals and typed columns that contradict each other or do not.
    ShreddedTriples,
    /// A query's text.
    SqlText,
    /// A file of indexes.
    IndexFile,
    /// Metadata of an Iceberg table.
    TableMetadata,
    /// Manifest lists, manifests and deletion vectors of an Iceberg table.
    ManifestFile,
    /// What a REST catalog answers.
    CatalogAnswer,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 10] = [
        Self::Metadata,
        Self::ValueLookup,
        Self::DocumentJson,
        Self::ParquetFile,
        Self::ShreddedTriples,
        Self::SqlText,
        Self::IndexFile,
        Self::TableMetadata,
        Self::ManifestFile,
        Self::CatalogAnswer,
    ];

    /// Returns the name, that of the folders of its inputs too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::ValueLookup => "value_lookup",
            Self::DocumentJson => "document_json",
            Self::ParquetFile => "parquet_file",
            Self::ShreddedTriples => "shredded_triples",
            Self::SqlText => "sql_text",
            Self::IndexFile => "index_file",
            Self::TableMetadata => "table_metadata",
            Self::ManifestFile => "manifest_file",
            Self::CatalogAnswer => "catalog_answer",
        }
    }
}

/// Checks one input.
///
/// # Panics
/// When growler breaks a promise on it.
pub fn run(target: Target, input: &[u8]) {
    panics::reported(|| match target {
        Target::Metadata => metadata::check(input),
        Target::ValueLookup => value_lookup::check(input),
        Target::DocumentJson => document_json::check(input),
        Target::ParquetFile => parquet_file::check(input),
        Target::ShreddedTriples => shredded::check(input),
        Target::SqlText => sql_text::check(input),
        Target::IndexFile => index_file::check(input),
        Target::TableMetadata => table_metadata::check(input),
        Target::ManifestFile => manifest_file::check(input),
        Target::CatalogAnswer => catalog_answer::check(input),
    });
}
