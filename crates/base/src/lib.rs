//! Ids, error kinds, interrupts, checked byte cursor, row ranges, calendar and limits: the floor of growler.
//!
//! Nothing here knows Parquet, Arrow, SQL or HTTP. Rooms, in reading order:
//! [`error`] what a caller may branch on; [`interrupt`] what ends a wait; [`id`] newtypes for positions and identities;
//! [`limits`] every bound that guards untrusted input; [`cursor`] reading bytes that may lie;
//! [`row_ranges`] sorted ranges inside one row group; [`civil`] days to dates and back.

pub mod civil;
pub mod cursor;
pub mod error;
pub mod id;
pub mod interrupt;
pub mod limits;
pub mod row_ranges;

pub use civil::Civil;
pub use cursor::{Cursor, OutOfBytes};
pub use error::ErrorKind;
pub use id::{FieldId, LeafIdx, RowGroupIdx, RowId, SegmentId};
pub use interrupt::{CancelFlag, Interrupt, Interrupted};
pub use row_ranges::RowRanges;
