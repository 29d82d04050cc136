//! Newtypes for the identities that Iceberg hands out.

use std::fmt;

macro_rules! identity {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Debug,
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            serde::Deserialize,
        )]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identity! {
    /// Identity of a snapshot; random, and above 2^53 as often as not.
    SnapshotId(i64)
}
identity! {
    /// Identity of one schema in a table's history.
    SchemaId(i32)
}
identity! {
    /// Identity of one partition spec of a table.
    SpecId(i32)
}
identity! {
    /// Rank of a commit in a table; every file has that of the commit that added its rows.
    SequenceNumber(i64)
}
