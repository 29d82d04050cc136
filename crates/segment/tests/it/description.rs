//! The map of a file shows its row groups, columns and leaves.

use anyhow::{Context, Result};

use crate::reading::{open, testdata};

#[test]
fn a_description_shows_row_groups_columns_and_leaves() -> Result<()> {
    let segment = open(&testdata("spark").join("seed4_typed.parquet"))?;
    let description = segment.describe();
    assert_eq!(description.row_count, 4);
    assert_eq!(description.row_groups.len(), 1);
    assert_eq!(description.len_bytes, segment.len_bytes());
    let props = description
        .columns
        .iter()
        .find(|column| column.name == "props");
    let props = props.context("props")?;
    assert_eq!(
        (props.source_type.as_str(), props.refusal.as_deref()),
        ("VARIANT", None)
    );
    let leaves: u64 = description
        .columns
        .iter()
        .flat_map(|column| &column.leaves)
        .map(|leaf| leaf.compressed_bytes)
        .sum();
    assert_eq!(leaves, description.row_groups[0].compressed_bytes);
    Ok(())
}
