//! The keys that an External Table may be told about.

/// What the values of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Switch,
    /// An unsigned number.
    Number,
    /// A credential.
    Secret,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $kind:ident;)*) => {
        /// A key, in the order in which they are written.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $($(#[$doc])* $name,)*
        }

        impl Key {
            /// All keys.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the name in a table config.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Returns what the values are.
            pub fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }
        }
    };
}

keys! {
    /// Family of the source, as SQL splits the catalog's type in two: `iceberg` or `parquet`.
    Type = "type", Text;
    /// Kind of the source: see [`Source`](super::Source).
    CatalogType = "catalogType", Text;
    /// Address of a REST catalog.
    CatalogUri = "catalogUri", Text;
    /// Service behind a REST catalog: `rest`, or one whose requests are signed, `glue` or `s3Tables`.
    ServiceType = "serviceType", Text;
    /// Warehouse to ask a REST catalog for.
    Warehouse = "warehouse", Text;
    /// Namespace of the source table, its levels joined by dots.
    SchemaName = "schemaName", Text;
    /// Name of the source table.
    TableName = "tableName", Text;
    /// Branch or tag to follow instead of `main`.
    Ref = "ref", Text;
    /// Folder of an Iceberg table or of Parquet files, or an address such as `s3://bucket/prefix`.
    Path = "path", Text;
    /// `id:secret` of an OAuth2 client.
    Credential = "credential", Secret;
    /// Bearer token.
    Token = "token", Secret;
    /// Where OAuth2 tokens come from, if not from the catalog.
    Oauth2ServerUri = "oauth2ServerUri", Text;
    /// Scope of OAuth2 tokens.
    Scope = "scope", Text;
    /// Ask a REST catalog for credentials of the store, which it does unless told otherwise.
    VendedCredentials = "vendedCredentials", Switch;
    /// Object store: `s3`, `gcs`, `azure` or `local`.
    StorageProvider = "storage.provider", Text;
    /// Region of the store.
    StorageRegion = "storage.region", Text;
    /// Address of the store, where it is not the provider's own.
    StorageEndpoint = "storage.endpoint", Text;
    /// Key's id.
    StorageAccessKey = "storage.accessKeyId", Secret;
    /// Key.
    StorageSecretKey = "storage.secretAccessKey", Secret;
    /// Session token of temporary keys.
    StorageSessionToken = "storage.sessionToken", Secret;
    /// Role to assume.
    StorageRoleArn = "storage.roleArn", Text;
    /// Id that the role's owner asks for.
    StorageExternalId = "storage.externalId", Text;
    /// Address of the token service that lends keys of the role, where it is not Amazon's.
    StorageStsEndpoint = "storage.stsEndpoint", Text;
    /// Buckets in the path of addresses rather than in the host.
    StoragePathStyle = "storage.pathStyleAccess", Switch;
    /// Plain HTTP to a store elsewhere.
    StorageAllowHttp = "storage.allowHttp", Switch;
    /// No credentials at all.
    StorageAnonymous = "storage.anonymous", Switch;
    /// Azure storage account.
    StorageAccountName = "storage.accountName", Text;
    /// Key of the Azure storage account.
    StorageAccountKey = "storage.accountKey", Secret;
    /// Shared access signature for Azure.
    StorageSasToken = "storage.sasToken", Secret;
    /// JSON text of a Google service account.
    StorageServiceAccountKey = "storage.serviceAccountKey", Secret;
    /// OAuth2 token for Google's storage.
    StorageOauthToken = "storage.oauthToken", Secret;
    /// Id of an Azure application.
    StorageClientId = "storage.clientId", Secret;
    /// Secret of that application.
    StorageClientSecret = "storage.clientSecret", Secret;
    /// Tenant of that application.
    StorageTenantId = "storage.tenantId", Text;
    /// Who runs the sync: `controller`.
    Executor = "executor", Text;
    /// Absent: snapshot path; `true`: periodic watcher; `false`: paused.
    Enabled = "enabled", Switch;
    /// Quartz cron expression, in UTC.
    Schedule = "schedule", Text;
    /// Time between two runs, such as `5m`.
    RefreshInterval = "refreshInterval", Text;
    /// Leave files out that cannot be read instead of failing the run.
    ContinueOnFileError = "continueOnFileError", Switch;
    /// Most files of a batch.
    BatchMaxFiles = "batchMaxFiles", Number;
    /// Most bytes that the files of a batch have.
    BatchMaxBytes = "batchMaxBytes", Number;
    /// Accepted, without effect.
    EnableSchemaEvolution = "enableSchemaEvolution", Switch;
    /// Follow the source's schema.
    EvolutionEnabled = "schemaEvolution.enabled", Switch;
    /// Follow INT to LONG.
    EvolutionTypeWidening = "schemaEvolution.typeWidening.enabled", Switch;
    /// A rejected schema update fails the run.
    EvolutionFailFast = "schemaEvolution.failFast", Switch;
    /// Follow FLOAT to DOUBLE.
    EvolutionFloatWidening = "schemaEvolution.floatWidening", Switch;
    /// Follow a growing decimal precision.
    EvolutionDecimalWidening = "schemaEvolution.decimalWidening", Switch;
    /// What a dropped column does: `reject` or `tombstone`.
    EvolutionDropColumns = "schemaEvolution.dropColumns", Text;
    /// Follow renames inside of columns.
    EvolutionNestedRenames = "schemaEvolution.nestedRenames", Switch;
    /// Act on a schema change that no snapshot has yet.
    EvolutionFollowCurrentSchema = "schemaEvolution.followCurrentSchema", Switch;
    /// Leave columns alone that the source does not have.
    EvolutionIgnoreServedOnlyColumns = "schemaEvolution.ignoreServedOnlyColumns", Switch;
    /// Apply the changes of an update that can be applied, and reject the others.
    EvolutionPartial = "schemaEvolution.partial", Switch;
    /// When rows show: `snapshot` or `batch`.
    SyncVisibility = "sync.visibility", Text;
    /// What deletes do: `apply` or `refuse`.
    SyncDeletes = "sync.deletes", Text;
    /// Prune by the source's partitions on the watcher's path too.
    SyncImportPartitions = "sync.importPartitions", Switch;
}

/// Other names that keys were met under.
const ALIASES: [(&str, Key); 9] = [
    ("namespace", Key::SchemaName),
    ("uri", Key::CatalogUri),
    ("cron", Key::Schedule),
    ("storage.accessKey", Key::StorageAccessKey),
    ("storage.secretKey", Key::StorageSecretKey),
    ("storage.pathStyle", Key::StoragePathStyle),
    ("schemaEvolution.typeWidening", Key::EvolutionTypeWidening),
    ("roleArn", Key::StorageRoleArn),
    ("externalId", Key::StorageExternalId),
];

impl Key {
    /// Returns the name in SQL: words joined by underscores.
    pub fn sql_name(self) -> String {
        let mut name = String::new();
        for character in self.name().chars() {
            if character.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(character.to_ascii_lowercase());
        }
        name
    }

    /// Finds the key of a name in either form; case and underscores do not count.
    pub fn find(name: &str) -> Option<Self> {
        let name = plain(name);
        let named = Self::ALL.iter().find(|key| plain(key.name()) == name);
        let other = || ALIASES.iter().find(|(alias, _)| plain(alias) == name);
        named.copied().or_else(|| other().map(|(_, key)| *key))
    }

    /// Tells whether its values must not be shown.
    pub fn is_secret(self) -> bool {
        self.kind() == Kind::Secret
    }
}

/// Returns a name without what does not count in it.
pub(super) fn plain(name: &str) -> String {
    let counts = |character: &char| *character != '_' && *character != '-';
    name.chars()
        .filter(counts)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_form_of_a_name_finds_its_key() {
        for key in Key::ALL {
            for name in [
                key.name().to_owned(),
                key.sql_name(),
                key.name().to_uppercase(),
            ] {
                assert_eq!(Key::find(&name), Some(*key), "{name}");
            }
        }
        assert_eq!(Key::find("namespace"), Some(Key::SchemaName));
        assert_eq!(Key::find("storage"), None);
        assert_eq!(Key::find(""), None);
    }

    #[test]
    fn no_two_names_are_alike() {
        let names = Key::ALL.iter().map(|key| plain(key.name()));
        let aliases = ALIASES.iter().map(|(alias, _)| plain(alias));
        let all: Vec<String> = names.chain(aliases).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}
