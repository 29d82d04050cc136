//! Dictionaries of field names: growler's lazy reader, the plain one and the twin agree.

use growler_base::ErrorKind;
use growler_variant::cache::PathCache;
use growler_variant::names::DictionaryCache;
use growler_variant::validate::validate_metadata;
use growler_variant::{KeyPath, Metadata};

use crate::{plain, twin};

/// Most names for which every name is searched for.
const SEARCHED: usize = 64;

pub(crate) fn check(input: &[u8]) {
    let (read, names) = (Metadata::try_new(input), plain::names(input));
    let (metadata, names) = match (read, names) {
        (Ok(metadata), Some(names)) => (metadata, names),
        (Err(error), None) => return assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}"),
        (read, names) => panic!("readers differ: {read:?} {names:?}"),
    };
    assert_eq!(usize::try_from(metadata.len()), Ok(names.len()));
    assert!(metadata.len_bytes() <= input.len());
    assert!(metadata.name(metadata.len()).is_err());
    for (id, name) in (0..).zip(&names) {
        assert_eq!(metadata.name_bytes(id).ok(), *name, "id={id}");
        let text = name.and_then(|name| std::str::from_utf8(name).ok());
        assert_eq!(metadata.name(id).ok(), text, "id={id}");
    }
    let is_valid = names
        .iter()
        .all(|name| name.is_some_and(|name| std::str::from_utf8(name).is_ok()));
    assert_eq!(validate_metadata(input).is_ok(), is_valid);
    for name in names.iter().take(SEARCHED).flatten() {
        if let Ok(name) = std::str::from_utf8(name) {
            search(input, &metadata, &names, name);
        }
    }
    let mut dictionaries = DictionaryCache::new();
    (0..4).for_each(|_| assert!(dictionaries.get(input).is_ok()));
    compare_with_twin(input, &names);
}

/// Finds every id of a name, directly and through a path.
fn search(input: &[u8], metadata: &Metadata<'_>, names: &[Option<&[u8]>], name: &str) {
    let held = (0..)
        .zip(names)
        .filter(|(_, held)| **held == Some(name.as_bytes()));
    let expected: Vec<u32> = held.map(|(id, _)| id).collect();
    assert_eq!(
        metadata.ids_of(name).collect::<Vec<_>>(),
        expected,
        "{name:?}"
    );
    let Ok(path) = KeyPath::parse(name) else {
        return;
    };
    let mut paths = PathCache::new(path);
    for _ in 0..2 {
        let resolved = paths
            .resolve(input)
            .expect("the dictionary was read before");
        assert!(!resolved.is_absent(), "{name:?}");
    }
}

/// The twin demands more, so what it accepts is valid here.
fn compare_with_twin(input: &[u8], names: &[Option<&[u8]>]) {
    if let Some(theirs) = twin::names(input) {
        assert_eq!(theirs, names);
    }
}
