//! Bytes that were right once: whatever becomes of them, nothing panics and what is accepted reads.

use growler_variant::names::DictionaryCache;
use growler_variant::validate::validate;
use growler_variant::value::len_bytes;
use growler_variant::{Budget, Error, Found, KeyPath, Metadata, Node, ResolvedPath, convert};
use parquet_variant::Variant;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::json;
use crate::twin::{document, encode, name};

/// Reads everything there is to read.
fn read(metadata: &[u8], value: &[u8], path: &str) {
    let text = json(metadata, value);
    let checked = validate(metadata, value);
    if let Ok(text) = &text {
        assert!(
            serde_json::from_str::<serde_json::Value>(text).is_ok(),
            "{text}"
        );
    }
    if checked.is_ok() {
        assert!(text.is_ok(), "{text:?}");
        assert!(len_bytes(value).is_ok());
    }
    // The twin demands more than we do, but for a name that is there twice. It panics on dates that
    // are far away.
    let twin = std::panic::catch_unwind(|| Variant::try_new(metadata, value).is_ok());
    if twin.unwrap_or(false) {
        assert!(
            matches!(checked, Ok(()) | Err(Error::DuplicateName { .. })),
            "{checked:?}"
        );
    }
    let _ = Node::try_new(value).map(|node| convert_all(&node));
    let Ok(dictionary) = Metadata::try_new(metadata) else {
        return;
    };
    let resolved = ResolvedPath::new(&dictionary, &KeyPath::parse(path).unwrap());
    if let Ok(Found::Value(found)) = resolved.find(value) {
        let _ = Node::try_new(found).map(|node| convert_all(&node));
        let mut text = Vec::new();
        let _ = convert::write_text(&dictionary, found, &mut text, &mut Budget::new());
        assert!(std::str::from_utf8(&text).is_ok());
    }
    let mut cache = DictionaryCache::new();
    for _ in 0..4 {
        let mut prepared = Vec::new();
        let Ok(dictionary) = cache.get(metadata) else {
            continue;
        };
        let result = growler_variant::json::write_json_in(
            dictionary,
            value,
            &mut prepared,
            &mut Budget::new(),
        );
        assert_eq!(result.is_ok(), text.is_ok());
        assert_eq!(
            prepared,
            text.as_ref().map_or(&[][..], |text| text.as_bytes())
        );
    }
}

fn convert_all(node: &Node<'_>) {
    let _ = (
        node.to_bool(),
        node.to_i32(),
        node.to_i64(),
        node.to_f32(),
        node.to_f64(),
    );
    let _ = (node.nearest_f64(), node.to_bytes(), node.to_str());
    for scale in [-38, -2, 0, 2, 38] {
        let _ = node.to_decimal(scale);
    }
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        let _ = node.to_timestamp(unit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn changed_bytes_never_panic(
        document in document(),
        dictionary: u8,
        path in name(),
        changes in prop::collection::vec((any::<bool>(), any::<Index>(), any::<u8>()), 1..6),
    ) {
        let (mut metadata, mut value) = encode(&document, dictionary);
        for (in_metadata, at, byte) in changes {
            let bytes = if in_metadata { &mut metadata } else { &mut value };
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read(&metadata, &value, &path);
    }

    #[test]
    fn cut_bytes_never_panic(document in document(), path in name(), cut: Index) {
        let (metadata, value) = encode(&document, 0);
        let at = cut.index(metadata.len());
        read(&metadata[..at], &value, &path);
        let at = cut.index(value.len());
        prop_assert!(json(&metadata, &value[..at]).is_err());
        read(&metadata, &value[..at], &path);
    }

    #[test]
    fn random_bytes_never_panic(
        metadata in prop::collection::vec(any::<u8>(), 0..40),
        value in prop::collection::vec(any::<u8>(), 0..80),
        path in name(),
    ) {
        read(&metadata, &value, &path);
        read(&[1, 2, 0, 1, 2, b'a', b'b'], &value, &path);
    }
}
