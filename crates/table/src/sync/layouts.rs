//! Layouts of VARIANT columns, looked up once and kept: a query has to know those of all files before
//! it is planned.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use growler_catalog::table::DataFile;
use growler_schema::DataType;
use growler_segment::Layouts;
use serde::{Deserialize, Serialize};

use super::failure::{Code, Failure};
use super::run::Run;
use super::views::{Content, Opened};
use crate::evolve::ServedSchema;
use crate::iceberg::Member;
use crate::store::{self, MemberState};

/// Layouts by the locations of their files.
pub type KnownLayouts = HashMap<String, Arc<Layouts>>;

/// A member as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredMember {
    pub(super) member: Member,
    /// The VARIANT columns that its layouts were looked up for.
    #[serde(default)]
    pub(super) surveyed: BTreeSet<i32>,
}

/// Returns the identities of the VARIANT columns that are served, or were once.
pub(super) fn variants(schema: &ServedSchema) -> BTreeSet<i32> {
    let columns = schema
        .columns
        .iter()
        .filter(|column| column.field.column_type.data_type == DataType::OpenStruct);
    columns
        .filter_map(|column| Some(column.field.field_id?.0))
        .collect()
}

impl StoredMember {
    pub(super) fn parse(table: &str, body: &[u8]) -> Result<Self, store::Error> {
        serde_json::from_slice(body).map_err(|error| store::Error::Row {
            table: table.to_owned(),
            cause: error.to_string(),
        })
    }

    /// Notes the layouts, if they are those of all columns that are wanted.
    pub(super) fn note(&self, wanted: &BTreeSet<i32>, known: &mut KnownLayouts) {
        if let Some(layouts) = &self.member.layouts
            && self.surveyed.is_superset(wanted)
        {
            known.insert(self.member.file.path.clone(), Arc::clone(layouts));
        }
    }
}

impl Run<'_> {
    /// Makes the members of some files, their layouts looked up: what is known is not looked up again.
    pub(super) fn surveyed(
        &self,
        content: &Content,
        files: &[&DataFile],
        opened: &Opened,
    ) -> Result<Vec<Member>, Failure> {
        let member = |file: &&DataFile| Member {
            layouts: content.layouts.get(&file.path).cloned(),
            ..Member::new((*file).clone())
        };
        let mut members: Vec<Member> = files.iter().map(member).collect();
        let surveyed = self.followed.views.survey(content, &mut members, opened);
        surveyed.map_err(|error| Failure::new(Code::FileUnreadable, error.text))?;
        Ok(members)
    }

    /// Looks up what is not known yet of the files of a content.
    pub(super) fn survey_all(&self, content: &mut Content) -> Result<(), Failure> {
        if content.table.is_none() || variants(&content.schema).is_empty() {
            return Ok(());
        }
        let is_unknown = |file: &&DataFile| !content.layouts.contains_key(&file.path);
        let unknown: Vec<&DataFile> = content.plan.files.iter().filter(is_unknown).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let members = self.surveyed(content, &unknown, &Opened::new())?;
        let mut layouts = KnownLayouts::clone(&content.layouts);
        for member in members {
            layouts.extend(member.layouts.map(|found| (member.file.path, found)));
        }
        content.layouts = Arc::new(layouts);
        Ok(())
    }

    /// Returns the layouts that are known: of files that are served, that this run has read, and that
    /// one before has staged.
    pub(super) fn known_layouts(&self) -> Result<KnownLayouts, Failure> {
        let mut known = KnownLayouts::new();
        let wanted = self.served.as_ref().map(|served| variants(&served.schema));
        let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else {
            return Ok(known);
        };
        if let Some(content) = self.content().filter(|c| variants(&c.schema) == wanted) {
            known.extend(
                content
                    .layouts
                    .iter()
                    .map(|(path, found)| (path.clone(), Arc::clone(found))),
            );
        }
        self.engine.store.read(|reader| {
            reader.each_member(&self.table, MemberState::Staged, |row| {
                StoredMember::parse(&self.table, &row.body)?.note(&wanted, &mut known);
                Ok::<_, store::Error>(())
            })
        })?;
        Ok(known)
    }
}
