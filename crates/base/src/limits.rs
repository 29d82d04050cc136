//! Bounds on everything that untrusted input could make large.

/// Deepest nesting of a variant value that is read.
pub const VARIANT_DEPTH: usize = 128;
/// Most nodes visited in one full walk of a variant value (text form, full check).
///
/// Offsets may overlap, so a few hundred bytes can describe billions of nodes.
pub const VARIANT_NODES: usize = 1 << 22;
/// Longest value, and longest dictionary of names, that is written for one variant, in bytes.
pub const VARIANT_LEN_BYTES: usize = 128 << 20;
/// Longest dotted path to a key, in steps.
pub const PATH_STEPS: usize = 128;
/// Longest JSON text made of one variant value, in bytes.
pub const DOCUMENT_LEN_BYTES: usize = 512 << 20;
/// Longest SQL text that is parsed, in bytes.
pub const SQL_LEN_BYTES: usize = 1 << 20;
/// Deepest nesting of a SQL expression.
pub const SQL_DEPTH: usize = 64;
/// Most nodes in one SQL expression tree, long IN lists included.
pub const SQL_NODES: usize = 100_000;
/// Longest identifier in SQL, in characters (as Pinot has it).
pub const IDENTIFIER_LEN: usize = 1024;
/// Largest LIMIT a query may ask for.
pub const QUERY_LIMIT: u64 = 10_000_000;
/// Rows decoded at a time.
pub const BATCH_ROWS: usize = 8192;
/// Most text one function makes for one batch of rows, in bytes.
pub const COMPUTED_TEXT_BYTES: usize = 256 << 20;
/// Most distinct groups kept by one query unless `numGroupsLimit` says otherwise.
pub const GROUPS: usize = 100_000;
/// Memory one query may hold unless configured otherwise, in bytes.
pub const QUERY_MEMORY_BYTES: usize = 1 << 30;
/// Time a query may take unless `timeoutMs` says otherwise.
pub const QUERY_TIMEOUT_MS: u64 = 10_000;
/// Largest HTTP request body, in bytes.
pub const HTTP_BODY_BYTES: usize = 4 << 20;
/// Most reloads of tables that may wait or run at a time.
pub const RELOADS_UNFINISHED: usize = 256;
/// Most segments of the reloads that wait or run, unless a single one has more.
pub const RELOAD_SEGMENTS_UNFINISHED: usize = 500_000;
/// Most reloads that are remembered once they have ended.
pub const RELOADS_REMEMBERED: usize = 1000;
/// Most segments of all the reloads that are remembered; the oldest reloads are forgotten beyond.
pub const RELOAD_SEGMENTS_REMEMBERED: usize = 500_000;
/// Most segments and failures that the status of one reload lists.
pub const RELOAD_SEGMENTS_LISTED: usize = 1000;
/// Most answered queries that wait to be asked again without indexes.
pub const SHADOW_QUERIES_WAITING: usize = 16;
/// Longest answer that is kept to be compared with the one without indexes, in bytes.
pub const SHADOW_ANSWER_BYTES: usize = 16 << 20;
/// Deepest nesting of JSON text that is parsed.
pub const JSON_DEPTH: usize = 128;
/// Most sets of conditions that hold together in one document of a `JSON_MATCH`.
pub const JSON_MATCH_SETS: usize = 1 << 11;
/// Most pairs of such sets that are joined for one document.
pub const JSON_MATCH_PAIRS: usize = 1 << 20;
/// Largest compiled regular expression, in bytes.
pub const REGEX_BYTES: usize = 10 << 20;
/// Parsed footers kept in memory.
pub const FOOTER_CACHE_ENTRIES: usize = 10_000;
/// Largest header of a Parquet page that is parsed, in bytes; its statistics may hold long values.
pub const PAGE_HEADER_LEN_BYTES: usize = 16 << 20;
/// Largest page that is inflated, in bytes.
pub const PAGE_LEN_BYTES: usize = 1 << 30;
/// Inflated pages kept in memory unless configured otherwise, in bytes.
pub const PAGE_CACHE_LEN_BYTES: usize = 256 << 20;
/// Most values of a page whose decoder makes room for all of them at once.
pub const PAGE_VALUES: u64 = 1 << 26;
/// Largest Parquet footer that is parsed, in bytes.
pub const FOOTER_LEN_BYTES: usize = 256 << 20;
/// Block of a remote file that is fetched and kept at a time, in bytes.
pub const REMOTE_BLOCK_LEN_BYTES: usize = 256 << 10;
/// Gap between two ranges of a remote file that is read rather than asked around, in bytes.
pub const REMOTE_GAP_LEN_BYTES: u64 = 128 << 10;
/// Part of a column chunk of a remote file that is held at a time, in bytes, unless a page is larger.
pub const REMOTE_WINDOW_LEN_BYTES: u64 = 8 << 20;
/// Most bytes of a remote file that the leaves of one read fetch ahead.
pub const REMOTE_AHEAD_LEN_BYTES: u64 = 64 << 20;
/// Deepest nesting of a Parquet schema that is read.
pub const SCHEMA_DEPTH: usize = 128;
/// Page indexes kept of one file, one a row group and leaf; they are dropped and loaded anew beyond.
pub const PAGE_INDEX_ENTRIES: usize = 4096;
/// Paths of keys compiled against one file that are kept; they are dropped and compiled anew beyond.
pub const KEY_PLANS: usize = 1024;
/// Distinct variant metadata of one row group that are searched for a dotted name up front.
pub const METADATA_ENTRIES: usize = 4096;
/// Most subjects (columns and keys) in one index file.
pub const INDEX_SUBJECTS: usize = 1 << 17;
/// Largest directory of an index file, in bytes.
pub const INDEX_DIRECTORY_LEN_BYTES: usize = 64 << 20;
/// Longest column name or key path in an index file, in bytes.
pub const INDEX_NAME_LEN_BYTES: usize = 4096;
/// Longest text or bytes kept in the dictionary of an index, in bytes; rows of longer ones are found by scan.
pub const INDEX_VALUE_LEN_BYTES: usize = 256;
/// Largest dictionary of an index, in bytes.
pub const INDEX_DICTIONARY_LEN_BYTES: usize = 2 << 30;
/// Most distinct values that a query takes straight from an index's dictionary, which is not done piece
/// by piece; with more of them it scans, within its memory and its time.
pub const INDEX_SHORTCUT_VALUES: u32 = 1 << 20;
/// Values of an index's dictionary decoded at a time.
pub const INDEX_DICTIONARY_BATCH: u32 = 4096;
/// Most keys without a typed column that are indexed, one VARIANT column of one segment.
pub const INDEX_REMAINDER_PATHS: usize = 4096;
/// Most paths into the JSON documents of one column that are indexed, one segment.
pub const INDEX_JSON_PATHS: usize = 4096;
/// Longest JSON text of one row that is indexed, in bytes; a longer one is found by scan.
pub const INDEX_JSON_LEN_BYTES: usize = 16 << 20;
/// Most values of one JSON document that are indexed; a row with more is found by scan.
pub const INDEX_JSON_VALUES: usize = 1 << 16;
/// Elements at the start of an array that are indexed by position, too.
pub const INDEX_JSON_POSITIONS: u32 = 4;
/// Most keys of a VARIANT column whose arrays are indexed.
pub const INDEX_JSON_KEYS: usize = 64;
/// Largest bloom filter of an index, in bytes: 12 bits for each of 22 million values.
pub const INDEX_BLOOM_LEN_BYTES: usize = 32 << 20;
/// Largest Iceberg table metadata that is parsed, in bytes of JSON text.
pub const METADATA_LEN_BYTES: usize = 64 << 20;
/// Most files of a table's metadata folder that are looked at.
pub const METADATA_FOLDER_FILES: usize = 1 << 20;
/// Most fields of one Iceberg schema, nested ones included.
pub const TABLE_FIELDS: usize = 1 << 17;
/// Largest Iceberg manifest or manifest list that is read, in bytes.
pub const MANIFEST_LEN_BYTES: u64 = 512 << 20;
/// Largest block of a manifest that is inflated, in bytes.
pub const MANIFEST_BLOCK_LEN_BYTES: usize = 256 << 20;
/// Most bytes that all blocks of one manifest are inflated to.
pub const MANIFEST_INFLATED_LEN_BYTES: usize = 1 << 30;
/// Most memory that manifests of followed tables take which are kept for the next snapshots, in bytes.
pub const MANIFESTS_KEPT_LEN_BYTES: usize = 64 << 20;
/// Most manifests of one snapshot.
pub const SNAPSHOT_MANIFESTS: usize = 1 << 20;
/// Most data and delete files of one snapshot.
pub const SNAPSHOT_FILES: usize = 1 << 24;
/// Largest deletion vector that is read, in bytes.
pub const DELETION_VECTOR_LEN_BYTES: u64 = 256 << 20;
/// Most rows of one position delete file.
pub const POSITION_DELETES: u64 = 1 << 30;
/// Most memory that the keys of equality deletes over the same columns may take, in bytes.
pub const EQUALITY_DELETE_KEYS_LEN_BYTES: usize = 1 << 30;
/// Longest dotted path to a variant key that is looked up in Iceberg's bounds, in steps.
pub const BOUND_PATH_STEPS: usize = 6;
/// Fields and variant keys of one plan whose bounds are kept decoded; they are dropped and decoded anew
/// beyond.
pub const DECODED_BOUNDS: usize = 64;
/// Longest value of an External Table's option, in bytes.
pub const OPTION_LEN_BYTES: usize = 64 << 10;
/// Most options of one statement.
pub const OPTIONS: usize = 256;
/// Most files of one batch of a sync run unless a table says otherwise.
pub const SYNC_BATCH_FILES: usize = 500;
/// Most files that a table may say.
pub const SYNC_BATCH_FILES_MOST: usize = 100_000;
/// Most bytes that the files of one batch of a sync run have unless a table says otherwise.
pub const SYNC_BATCH_BYTES: u64 = 64 << 30;
/// Most namespaces, tables or files that are listed of a source.
pub const BROWSED_ENTRIES: usize = 10_000;
/// Most tasks of External Tables that are remembered.
pub const TASKS_REMEMBERED: usize = 1000;
