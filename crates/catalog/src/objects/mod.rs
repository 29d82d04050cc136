//! Files in object stores, as the trait [`Files`](crate::Files) and as ranges.
//!
//! ```text
//! location --ObjectUrl--> bucket and key       Storage (properties, vended credentials) --StoreOptions--> client
//!               `---------------- ObjectFiles: info, read, read_ranges, read_many, list ----------------'
//! ```
//!
//! A key that the client cannot read is left out of a listing, and counted. Requests are repeated by the `object_store` crate; credentials that end or are refused are renewed
//! here, once a call. No text of an error holds a credential.

mod calls;
mod failure;
mod files;
mod folder;
mod listing;
mod options;
mod reads;
mod roots;
mod storage;
mod store;

pub use files::{FileInfo, Listed, ObjectFiles};
pub use listing::OddKeys;
pub use options::STORAGE_KEYS;
pub use storage::{Storage, StorageVendor};
