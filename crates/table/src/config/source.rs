//! Where a table comes from.

use super::key::Key;
use super::read::Reader;
use super::secret::Secret;
use super::settings::Settings;

/// A table's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// `iceberg-rest`: an Iceberg table of a REST catalog.
    IcebergRest {
        /// How the catalog is reached.
        catalog: RestCatalog,
        /// Levels of the table's namespace.
        namespace: Vec<String>,
        /// Name of the table.
        table: String,
        /// Branch or tag, if not `main`.
        reference: Option<String>,
    },
    /// `iceberg-folder`: an Iceberg table by its folder, without a catalog.
    IcebergFolder {
        /// Folder, or one of its `*.metadata.json` files to stay at that version.
        path: String,
        /// Branch or tag, if not `main`.
        reference: Option<String>,
    },
    /// `s3`, `gcs-interop` or `folder`: Parquet files below a place, without a schema history.
    Parquet {
        /// Folder or address.
        path: String,
        /// Whether the store is Google's, asked as S3.
        is_gcs_interop: bool,
    },
}

/// A REST catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestCatalog {
    /// Address.
    pub uri: String,
    /// Warehouse to ask for.
    pub warehouse: Option<String>,
    /// `id:secret` of an OAuth2 client.
    pub credential: Option<Secret>,
    /// Bearer token.
    pub token: Option<Secret>,
    /// Where tokens come from, if not from the catalog.
    pub oauth2_server_uri: Option<String>,
    /// Scope of tokens.
    pub scope: Option<String>,
    /// Whether the catalog is asked for credentials of the store.
    pub vended_credentials: bool,
    /// Amazon's service that it is, whose requests are signed.
    pub signed_for: Option<AwsService>,
}

/// A catalog of Amazon's, whose requests are signed with the keys or the role of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwsService {
    /// The Data Catalog.
    Glue,
    /// Table buckets.
    S3Tables,
}

impl AwsService {
    /// Returns the name that signatures have, which is the first part of its hosts.
    pub fn signing_name(self) -> &'static str {
        match self {
            Self::Glue => "glue",
            Self::S3Tables => "s3tables",
        }
    }

    /// Returns where the catalog of a region is.
    pub fn address(self, region: &str) -> String {
        let name = self.signing_name();
        let ending = if region.starts_with("cn-") { ".cn" } else { "" };
        format!("https://{name}.{region}.amazonaws.com{ending}/iceberg")
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let service = reader.text(Key::ServiceType)?;
        let plain = super::key::plain(&service);
        match plain.as_str() {
            "rest" => None,
            "glue" => Some(Self::Glue),
            "s3tables" => Some(Self::S3Tables),
            _ => {
                reader.wrong(Key::ServiceType, "rest, glue or s3Tables", &service);
                None
            }
        }
    }
}

/// Names of the kinds of sources: in a table config, and in SQL as `type` and `catalog_type`.
const KINDS: [(&str, &str, &str); 5] = [
    ("iceberg-rest", "iceberg", "rest"),
    ("iceberg-folder", "iceberg", "folder"),
    ("s3", "parquet", "s3"),
    ("gcs-interop", "parquet", "gcs-interop"),
    ("folder", "parquet", "folder"),
];

const OF_CATALOGS: [Key; 8] = [
    Key::CatalogUri,
    Key::ServiceType,
    Key::Warehouse,
    Key::Credential,
    Key::Token,
    Key::Oauth2ServerUri,
    Key::Scope,
    Key::VendedCredentials,
];

/// Replaces SQL's two words for the kind of source by the one of table configs.
pub(super) fn unify(settings: &mut Settings, errors: &mut Vec<String>) {
    let family = settings
        .remove(Key::Type)
        .map(|text| text.trim().to_ascii_lowercase());
    let word = settings
        .get(Key::CatalogType)
        .map(|text| text.trim().to_ascii_lowercase());
    let word = word.filter(|word| !word.is_empty());
    let (type_name, catalog_name) = (settings.name(Key::Type), settings.name(Key::CatalogType));
    if let Some(family) = &family
        && !KINDS.iter().any(|(_, of, _)| of == family)
    {
        let found: String = family.chars().take(100).collect();
        errors.push(format!(
            "Requires iceberg or parquet in '{type_name}'. Found {found}"
        ));
    }
    let fits = |of: &str| family.as_deref().is_none_or(|family| family == of);
    let found = match &word {
        None => guess(settings, family.as_deref()),
        Some(word) => KINDS
            .iter()
            .find(|(name, of, _)| name == word && fits(of))
            .or_else(|| KINDS.iter().find(|(_, of, part)| part == word && fits(of)))
            .map(|(name, ..)| *name),
    };
    match (found, word) {
        (Some(name), _) => settings.set(Key::CatalogType, name),
        (None, Some(word)) => {
            let found: String = word.chars().take(100).collect();
            errors.push(format!(
                "Requires iceberg-rest, iceberg-folder, s3, gcs-interop or folder in \
                 '{catalog_name}'{}. Found {found}",
                family
                    .map(|family| format!(" that fits {type_name}={family}"))
                    .unwrap_or_default()
            ));
        }
        (None, None) => errors.push(format!("Requires '{catalog_name}'")),
    }
}

/// Tells from the other settings what kind of source is meant.
fn guess(settings: &Settings, family: Option<&str>) -> Option<&'static str> {
    let path = settings.get(Key::Path);
    match family? {
        "iceberg"
            if settings.get(Key::CatalogUri).is_some()
                || settings.get(Key::ServiceType).is_some() =>
        {
            Some("iceberg-rest")
        }
        "iceberg" => path.map(|_| "iceberg-folder"),
        "parquet" if path?.starts_with("s3://") => Some("s3"),
        "parquet" => Some("folder"),
        _ => None,
    }
}

/// Returns SQL's two words for a kind of source.
pub(super) fn sql_words(catalog_type: &str) -> Option<(&'static str, &'static str)> {
    let found = KINDS.iter().find(|(name, ..)| *name == catalog_type)?;
    Some((found.1, found.2))
}

impl RestCatalog {
    /// A request has one proof of who sends it.
    fn check_signed(&self, reader: &mut Reader<'_>) {
        let service = reader.settings.name(Key::ServiceType);
        let other = [
            (Key::Credential, self.credential.is_some()),
            (Key::Token, self.token.is_some()),
        ];
        if self.signed_for == Some(AwsService::S3Tables) && self.warehouse.is_none() {
            let warehouse = reader.settings.name(Key::Warehouse);
            let error = format!(
                "Requires '{warehouse}', the ARN of the table bucket, with {service}=s3Tables"
            );
            reader.errors.push(error);
        }
        for (key, _) in other.into_iter().filter(|(_, given)| *given) {
            let key = reader.settings.name(key);
            let error = format!("Does not use '{key}' where '{service}' has requests signed");
            reader.errors.push(error);
        }
    }
}

impl Source {
    /// Reads the source of settings whose kind is unified; none when that is missing or unknown,
    /// which is among the errors already.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let kind = reader.settings.get(Key::CatalogType)?.to_owned();
        match kind.as_str() {
            "iceberg-rest" => Some(Self::rest(reader)),
            "iceberg-folder" => {
                reader.refuse(&OF_CATALOGS, &kind);
                reader.refuse(&[Key::SchemaName, Key::TableName], &kind);
                Some(Self::IcebergFolder {
                    path: path(reader),
                    reference: reader.text(Key::Ref),
                })
            }
            "s3" | "gcs-interop" | "folder" => {
                reader.refuse(&OF_CATALOGS, &kind);
                reader.refuse(&[Key::SchemaName, Key::TableName, Key::Ref], &kind);
                let path = path(reader);
                let is_remote = path.contains("://");
                if !path.is_empty() && is_remote != (kind != "folder") {
                    let expected = if kind == "folder" {
                        "a folder of the server"
                    } else {
                        "an address such as s3://bucket/prefix"
                    };
                    reader.wrong(Key::Path, expected, &path);
                }
                Some(Self::Parquet {
                    path,
                    is_gcs_interop: kind == "gcs-interop",
                })
            }
            _ => None,
        }
    }

    fn rest(reader: &mut Reader<'_>) -> Self {
        reader.refuse(&[Key::Path], "iceberg-rest");
        let why = "with catalogType=iceberg-rest";
        let signed_for = AwsService::read(reader);
        let region = reader.settings.get(Key::StorageRegion).map(str::trim);
        let region = region.filter(|region| is_region(region)).map(str::to_owned);
        let uri = match (signed_for, region) {
            (Some(service), Some(region)) if reader.settings.get(Key::CatalogUri).is_none() => {
                service.address(&region)
            }
            _ => {
                reader.required(Key::CatalogUri, why);
                reader.address(Key::CatalogUri).unwrap_or_default()
            }
        };
        let catalog = RestCatalog {
            uri,
            warehouse: reader.text(Key::Warehouse),
            credential: reader.secret(Key::Credential),
            token: reader.secret(Key::Token),
            oauth2_server_uri: reader.address(Key::Oauth2ServerUri),
            scope: reader.text(Key::Scope),
            vended_credentials: reader.switch(Key::VendedCredentials).unwrap_or(true),
            signed_for,
        };
        if signed_for.is_some() {
            catalog.check_signed(reader);
        }
        if catalog.credential.is_some() && catalog.token.is_some() {
            reader
                .errors
                .push("Does not use 'credential' and 'token' together".to_owned());
        }
        let namespace = reader.required(Key::SchemaName, why);
        Self::IcebergRest {
            catalog,
            namespace: namespace.split('.').map(str::to_owned).collect(),
            table: reader.required(Key::TableName, why),
            reference: reader.text(Key::Ref),
        }
    }

    /// Returns the path or address of a source that is not in a catalog.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::IcebergRest { .. } => None,
            Self::IcebergFolder { path, .. } | Self::Parquet { path, .. } => Some(path),
        }
    }

    /// Returns the folder of this machine that the source is, if it is one.
    pub fn local_path(&self) -> Option<&str> {
        self.path().filter(|path| !path.contains("://"))
    }

    /// Tells whether the source has a schema history to follow.
    pub fn has_schema_history(&self) -> bool {
        !matches!(self, Self::Parquet { .. })
    }
}

/// A region becomes part of a host's name.
fn is_region(region: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !region.is_empty() && region.bytes().all(fits)
}

fn path(reader: &mut Reader<'_>) -> String {
    let kind = reader.settings.get(Key::CatalogType).unwrap_or_default();
    let why = format!("with catalogType={kind}");
    let path = reader.required(Key::Path, &why);
    let authority = path
        .split_once("://")
        .map(|(_, rest)| rest.split('/').next().unwrap_or(""));
    if authority.is_some_and(|authority| authority.contains('@') && !path.starts_with("abfs")) {
        reader
            .errors
            .push("Does not allow credentials in 'path'".to_owned());
    }
    path.strip_prefix("file://")
        .map(str::to_owned)
        .unwrap_or(path)
}
