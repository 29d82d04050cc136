//! The map of a file shows how its keys are shredded.

use anyhow::{Context, Result};

use crate::reading::{open, testdata};

#[test]
fn a_description_shows_row_groups_leaves_and_keys() -> Result<()> {
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
    let variant = props.variant.as_ref().context("variant")?;
    let keys: Vec<_> = variant
        .keys
        .iter()
        .map(|key| {
            (
                key.path.as_str(),
                key.kind.as_str(),
                key.typed_rows,
                key.residual_rows,
            )
        })
        .collect();
    let expected = [
        ("device", "object", None, Some(0)),
        ("device.os", "string", Some(4), Some(0)),
        ("items", "array", None, Some(0)),
        ("latency_ms", "int32", Some(2), Some(1)),
        ("page_type", "string", Some(4), Some(0)),
        ("tags", "array", None, Some(0)),
    ];
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert!(variant.keys.iter().all(|key| key.compressed_bytes > 0));
    let leaves: u64 = description
        .columns
        .iter()
        .flat_map(|column| &column.leaves)
        .map(|leaf| leaf.compressed_bytes)
        .sum();
    assert_eq!(leaves, description.row_groups[0].compressed_bytes);
    Ok(())
}
