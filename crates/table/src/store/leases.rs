//! Who may write about a table: one owner for a time, told from the one before by a fence.

use rusqlite::{OptionalExtension, params};

use super::{Error, Reader, Writer};

/// Rises each time that a lease has a new owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub i64);

/// A lease that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Table it is about.
    pub table: String,
    /// Who has it.
    pub owner: String,
    /// Which one it is.
    pub fence: Fence,
}

impl Reader<'_> {
    /// Returns who has a table, and until when, in milliseconds since 1970.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn lease(&self, table: &str) -> Result<Option<(Lease, i64)>, Error> {
        let mut found = self
            .db
            .prepare_cached("SELECT owner, fence, until_ms FROM lease WHERE table_name = ?1")?;
        let found = found.query_row([table], |row| {
            let lease = Lease {
                table: table.to_owned(),
                owner: row.get(0)?,
                fence: Fence(row.get(1)?),
            };
            Ok((lease, row.get(2)?))
        });
        Ok(found.optional()?)
    }
}

impl Writer<'_> {
    /// Takes the lease of a table; none while another owner's has not run out. One of the same owner was
    /// left behind by a run that could not end it.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn take_lease(
        &self,
        table: &str,
        owner: &str,
        now_ms: i64,
        until_ms: i64,
    ) -> Result<Option<Lease>, Error> {
        let mut taken = self.db.prepare_cached(
            "INSERT INTO lease (table_name, owner, fence, until_ms) VALUES (?1, ?2, 1, ?4)
             ON CONFLICT (table_name) DO UPDATE
             SET owner = excluded.owner, fence = fence + 1, until_ms = excluded.until_ms
             WHERE until_ms <= ?3 OR owner = excluded.owner
             RETURNING fence",
        )?;
        let fence = taken
            .query_row(params![table, owner, now_ms, until_ms], |row| row.get(0))
            .optional()?;
        Ok(fence.map(|fence| Lease {
            table: table.to_owned(),
            owner: owner.to_owned(),
            fence: Fence(fence),
        }))
    }

    /// Makes sure that a lease is still the owner's, and that it runs until a time at least.
    ///
    /// # Errors
    /// `Conflict` when it is not; `Unavailable`.
    pub fn hold_lease(&self, lease: &Lease, until_ms: i64) -> Result<(), Error> {
        let mut held = self.db.prepare_cached(
            "UPDATE lease SET until_ms = max(until_ms, ?4)
             WHERE table_name = ?1 AND owner = ?2 AND fence = ?3",
        )?;
        let held = held.execute(params![lease.table, lease.owner, lease.fence.0, until_ms])?;
        match held {
            1 => Ok(()),
            _ => Err(Error::StaleLease {
                table: lease.table.clone(),
                fence: lease.fence.0,
            }),
        }
    }

    /// Lets go of a lease; one that is somebody else's now stays.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn end_lease(&self, lease: &Lease) -> Result<(), Error> {
        let mut ended = self.db.prepare_cached(
            "UPDATE lease SET until_ms = 0 WHERE table_name = ?1 AND owner = ?2 AND fence = ?3",
        )?;
        ended.execute(params![lease.table, lease.owner, lease.fence.0])?;
        Ok(())
    }

    /// Lets go of all leases: whoever had them is no more, since this process has the data directory.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn end_all_leases(&self) -> Result<(), Error> {
        self.db.execute("UPDATE lease SET until_ms = 0", [])?;
        Ok(())
    }
}
