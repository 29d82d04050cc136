//! From a query's failure to what the user reads: the failure and what to do next.

use growler_base::ErrorKind;
use growler_exec::Error;
use growler_exec::table::OpenError;
use growler_table::iceberg;

use crate::failure::Failure;
use crate::query::Tables;

/// Most names listed.
const LISTED: usize = 30;

/// Makes the failure of a query.
pub fn of_query(error: &Error, tables: &Tables) -> Failure {
    if let Error::UnknownTable(name) = error
        && let Some((_, cause)) = tables
            .unopened
            .iter()
            .find(|(unopened, _)| unopened == name)
    {
        return of_table(name, cause);
    }
    let failure = Failure::new(error.kind(), error);
    match hint(error, tables) {
        Some(hint) => failure.with_help(hint),
        None => failure,
    }
}

/// Makes the failure of a table that cannot be opened.
pub fn of_table(name: &str, cause: &iceberg::Error) -> Failure {
    let failure = Failure::new(
        cause.kind(),
        format_args!("cannot open table {name}: {cause}"),
    );
    let help = match cause {
        iceberg::Error::Files(cause) => of_files(cause).map(str::to_owned),
        other => other.hint(),
    };
    match help {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

fn of_files(cause: &OpenError) -> Option<&'static str> {
    match cause {
        OpenError::NoFiles(_) => Some(
            "the path of a table is a file, a folder with .parquet files, a glob in quotes such as \
             'data/*.parquet', the folder of an Iceberg table, or one of its *.metadata.json files",
        ),
        OpenError::Segment { .. } if cause.kind() == ErrorKind::Corrupt => {
            Some("leave the file out, or write it again: other files and tables are not touched")
        }
        OpenError::Segment { .. }
        | OpenError::Glob { .. }
        | OpenError::Listing { .. }
        | OpenError::Schema(_)
        | OpenError::Declared(_)
        | OpenError::Rows(_) => None,
    }
}

fn hint(error: &Error, tables: &Tables) -> Option<String> {
    match error {
        Error::UnknownColumn(_) => Some(columns(tables)),
        Error::UnknownTable(_) => Some(match tables.engine.tables().as_slice() {
            [] => "no table could be opened".to_owned(),
            names => format!("tables: {}", listed(names)),
        }),
        Error::Timeout(_) => Some("give it more time: --option timeoutMs=600000".to_owned()),
        Error::Memory { .. } => Some("give it more memory: --memory 4GiB".to_owned()),
        Error::Internal(_) => {
            Some("this is a defect of growler; please report the query".to_owned())
        }
        Error::Parse(_)
        | Error::Validation(_)
        | Error::DroppedColumn(_)
        | Error::Execution(_)
        | Error::Cancelled => None,
    }
}

fn columns(tables: &Tables) -> String {
    let mut lines = Vec::new();
    for name in tables.engine.tables() {
        let Some(view) = tables.engine.view(&name) else {
            continue;
        };
        let columns: Vec<&str> = view
            .schema()
            .fields()
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        lines.push(format!("columns of {name}: {}", listed(&columns)));
    }
    lines.join("\n      ")
}

fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(LISTED);
    if more == 0 {
        shown.join(", ")
    } else {
        format!("{} and {more} more", shown.join(", "))
    }
}
