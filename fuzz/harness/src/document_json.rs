//! Whole values as JSON text, against the plain decoder.

use growler_base::ErrorKind;
use growler_variant::json::{write_json, write_json_in};
use growler_variant::names::DictionaryCache;
use growler_variant::{Budget, Error, Metadata};

use crate::Parts;
use crate::plain::{self, Refused, json};

pub(crate) fn check(input: &[u8]) {
    let Parts {
        metadata, value, ..
    } = Parts::split(input);
    let text = write(metadata, value);
    match (&text, plain::decode(metadata, value)) {
        (Ok(text), Ok(whole)) => {
            if let Some(said) = json::parse(text) {
                assert!(json::says(&said, &whole), "{text} is not {whole:?}");
            }
        }
        (Ok(text), Err(Refused::TooMuch)) => drop(json::parse(text)),
        (Ok(text), Err(Refused::Malformed)) => panic!("malformed bytes have a text: {text}"),
        (Err(error), Ok(_)) => assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}"),
        (Err(error), Err(_)) => assert!(error.is_row_malformed(), "{error}"),
    }
    check_prepared(metadata, value, text.as_deref().ok());
    check_budget(metadata, value, text.as_deref().ok());
}

fn write(metadata: &[u8], value: &[u8]) -> Result<String, Error> {
    let mut text = b"kept".to_vec();
    let dictionary = Metadata::try_new(metadata)?;
    let written = write_json(&dictionary, value, &mut text, &mut Budget::new());
    assert_eq!(text.get(..4), Some(&b"kept"[..]));
    let text = String::from_utf8(text.split_off(4)).expect("text is UTF-8");
    assert!(written.is_ok() || text.is_empty(), "an error leaves {text}");
    written.map(|()| text)
}

/// Names that were prepared for rows that share a dictionary change nothing.
fn check_prepared(metadata: &[u8], value: &[u8], expected: Option<&str>) {
    let mut cache = DictionaryCache::new();
    for _ in 0..4 {
        let mut text = Vec::new();
        let written = cache
            .get(metadata)
            .and_then(|names| write_json_in(names, value, &mut text, &mut Budget::new()));
        assert_eq!(written.is_ok(), expected.is_some());
        assert_eq!(text, expected.unwrap_or_default().as_bytes());
    }
}

/// A budget that is just enough suffices, and one that is not is an error.
fn check_budget(metadata: &[u8], value: &[u8], expected: Option<&str>) {
    let (Some(expected), Ok(dictionary)) = (expected, Metadata::try_new(metadata)) else {
        return;
    };
    let write = |len: usize| {
        let mut budget = Budget::with_limits(usize::MAX, len);
        write_json(&dictionary, value, &mut Vec::new(), &mut budget)
    };
    assert_eq!(write(expected.len()), Ok(()));
    let refused = write(expected.len() - 1).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::LimitExceeded));
}
