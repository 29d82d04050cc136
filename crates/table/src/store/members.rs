//! The data files of tables: those that are served, those that soon may be, those that were.

use rusqlite::{Row, params};

use super::runs::RunId;
use super::state::ViewVersion;
use super::{Error, Reader, Writer};

/// Identity of a member in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub i64);

/// Whether queries see a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberState {
    /// Read, and not served yet.
    Staged,
    /// Served.
    Active,
    /// Served once.
    Retired,
}

/// What a member is: a file of a table as it was written, and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberKey {
    /// Identity of the table at its source.
    pub table_uuid: String,
    /// Recorded path.
    pub path: String,
    /// Length of the file, in bytes.
    pub len_bytes: u64,
    /// Of all else that the source says of it, deletes among it.
    pub digest: String,
}

/// A member to stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// What it is.
    pub key: MemberKey,
    /// Rank of the commit that added it.
    pub sequence_number: i64,
    /// All that is known of it, as JSON.
    pub body: Vec<u8>,
}

/// A member as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Identity.
    pub id: MemberId,
    /// What it is.
    pub key: MemberKey,
    /// Whether queries see it.
    pub state: MemberState,
    /// All that is known of it, as JSON.
    pub body: Vec<u8>,
}

impl MemberState {
    fn code(self) -> i64 {
        match self {
            Self::Staged => 0,
            Self::Active => 1,
            Self::Retired => 2,
        }
    }

    fn of(code: i64) -> Self {
        match code {
            0 => Self::Staged,
            1 => Self::Active,
            _ => Self::Retired,
        }
    }
}

const COLUMNS: &str = "id, table_uuid, path, len_bytes, digest, state, body";

impl Reader<'_> {
    /// Visits the members of a table in one state, those of older commits first, those of one commit
    /// by path.
    ///
    /// # Errors
    /// Those of `visit`, and `Unavailable`.
    pub fn each_member<E: From<Error>>(
        &self,
        table: &str,
        state: MemberState,
        mut visit: impl FnMut(MemberRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!(
            "SELECT {COLUMNS} FROM member WHERE table_name = ?1 AND state = ?2
             ORDER BY sequence_number, path, id"
        );
        let mut found = self.db.prepare_cached(&sql).map_err(Error::from)?;
        let rows = found
            .query_map(params![table, state.code()], row)
            .map_err(Error::from)?;
        for row in rows {
            visit(row.map_err(Error::from)?)?;
        }
        Ok(())
    }

    /// Returns the members of a table in one state, in the order of [`Self::each_member`].
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn members(&self, table: &str, state: MemberState) -> Result<Vec<MemberRow>, Error> {
        let mut members = Vec::new();
        self.each_member(table, state, |member| {
            members.push(member);
            Ok::<_, Error>(())
        })?;
        Ok(members)
    }

    /// Returns which members of a table there are, in all states, and in which each is.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn member_keys(
        &self,
        table: &str,
    ) -> Result<Vec<(MemberId, MemberKey, MemberState)>, Error> {
        let mut found = self.db.prepare_cached(
            "SELECT id, table_uuid, path, len_bytes, digest, state FROM member
             WHERE table_name = ?1",
        )?;
        let rows = found.query_map([table], |row| {
            Ok((
                MemberId(row.get(0)?),
                key(row)?,
                MemberState::of(row.get(5)?),
            ))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Counts the members of a table in one state.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn count_members(&self, table: &str, state: MemberState) -> Result<u64, Error> {
        let mut counted = self
            .db
            .prepare_cached("SELECT count(*) FROM member WHERE table_name = ?1 AND state = ?2")?;
        let count: i64 = counted.query_row(params![table, state.code()], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}

impl Writer<'_> {
    /// Stages a member. One that is there already is brought up to date; one that is served stays
    /// served, one that was is staged again.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn stage_member(&self, table: &str, run: RunId, new: &NewMember) -> Result<(), Error> {
        let mut staged = self.db.prepare_cached(
            "INSERT INTO member (table_name, table_uuid, path, len_bytes, digest, state, run_id,
                                 sequence_number, body)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8)
             ON CONFLICT (table_name, table_uuid, path, len_bytes, digest) DO UPDATE
             SET state = CASE state WHEN 1 THEN 1 ELSE 0 END, run_id = excluded.run_id,
                 sequence_number = excluded.sequence_number, body = excluded.body",
        )?;
        staged.execute(params![
            table,
            new.key.table_uuid,
            new.key.path,
            signed(new.key.len_bytes),
            new.key.digest,
            run.0,
            new.sequence_number,
            new.body,
        ])?;
        Ok(())
    }

    /// Gives members that are staged, or were served once, to a run that wants them too: they are
    /// staged by it.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn adopt_members(&self, members: &[MemberId], run: RunId) -> Result<(), Error> {
        let mut adopted = self.db.prepare_cached(
            "UPDATE member SET run_id = ?2, state = 0 WHERE id = ?1 AND state <> 1",
        )?;
        for member in members {
            adopted.execute(params![member.0, run.0])?;
        }
        Ok(())
    }

    /// Drops the staged members of a table that a run has not staged or adopted, and returns how many
    /// there were.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn drop_staged_of_others(&self, table: &str, run: RunId) -> Result<usize, Error> {
        let mut dropped = self.db.prepare_cached(
            "DELETE FROM member WHERE table_name = ?1 AND state = 0 AND run_id <> ?2",
        )?;
        Ok(dropped.execute(params![table, run.0])?)
    }

    /// Serves what a run staged, and returns how many members there are.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn activate_members(
        &self,
        table: &str,
        run: RunId,
        view: ViewVersion,
    ) -> Result<usize, Error> {
        let mut activated = self.db.prepare_cached(
            "UPDATE member SET state = 1, since_view = ?3, until_view = NULL
             WHERE table_name = ?1 AND state = 0 AND run_id = ?2",
        )?;
        Ok(activated.execute(params![table, run.0, view.0])?)
    }

    /// Serves members no more.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn retire_members(&self, members: &[MemberId], view: ViewVersion) -> Result<(), Error> {
        let mut retired = self.db.prepare_cached(
            "UPDATE member SET state = 2, until_view = ?2 WHERE id = ?1 AND state = 1",
        )?;
        for member in members {
            retired.execute(params![member.0, view.0])?;
        }
        Ok(())
    }

    /// Forgets members that were last served before a view, and returns how many there were.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn forget_retired(&self, table: &str, before: ViewVersion) -> Result<usize, Error> {
        let mut forgotten = self.db.prepare_cached(
            "DELETE FROM member WHERE table_name = ?1 AND state = 2 AND until_view < ?2",
        )?;
        Ok(forgotten.execute(params![table, before.0])?)
    }
}

/// SQLite has no unsigned numbers; no file is as long as the longest that a signed one can say.
fn signed(len_bytes: u64) -> i64 {
    i64::try_from(len_bytes).unwrap_or(i64::MAX)
}

fn row(row: &Row<'_>) -> Result<MemberRow, rusqlite::Error> {
    Ok(MemberRow {
        id: MemberId(row.get(0)?),
        key: key(row)?,
        state: MemberState::of(row.get(5)?),
        body: row.get(6)?,
    })
}

fn key(row: &Row<'_>) -> Result<MemberKey, rusqlite::Error> {
    Ok(MemberKey {
        table_uuid: row.get(1)?,
        path: row.get(2)?,
        len_bytes: u64::try_from(row.get::<_, i64>(3)?).unwrap_or_default(),
        digest: row.get(4)?,
    })
}
