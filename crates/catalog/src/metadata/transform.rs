//! Partition transforms by name: section "Partition Transforms" of the spec.
//!
//! What they compute is in [`crate::prune::transform`].

use super::types::between;

/// How a partition value comes from a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// The value itself.
    Identity,
    /// Hash modulo a number of buckets, which is never 0.
    Bucket(u32),
    /// Value cut to a width, which is never 0.
    Truncate(u32),
    /// Years since 1970.
    Year,
    /// Months since 1970.
    Month,
    /// Days since 1970.
    Day,
    /// Hours since 1970.
    Hour,
    /// Always null.
    Void,
    /// A transform that a later version of the format may know; ignored where files are pruned.
    Unknown(Box<str>),
}

impl Transform {
    /// Parses the text of a transform; one that is not known stays what it is.
    pub fn parse(text: &str) -> Self {
        let lower = text.trim().to_ascii_lowercase();
        let parameter = |word: &str| {
            let inner = between(&lower, word, '[', ']')?;
            inner.trim().parse::<u32>().ok().filter(|width| *width > 0)
        };
        match lower.as_str() {
            "identity" => Self::Identity,
            "year" => Self::Year,
            "month" => Self::Month,
            "day" => Self::Day,
            "hour" => Self::Hour,
            "void" => Self::Void,
            lower => {
                if let Some(buckets) = parameter("bucket").filter(|n| i32::try_from(*n).is_ok()) {
                    Self::Bucket(buckets)
                } else if let Some(width) = parameter("truncate") {
                    Self::Truncate(width)
                } else {
                    Self::Unknown(lower.into())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_read_by_their_text() {
        let unknown = |text: &str| Transform::Unknown(text.into());
        let cases = [
            ("identity", Transform::Identity),
            ("Bucket[16]", Transform::Bucket(16)),
            ("truncate[ 4 ]", Transform::Truncate(4)),
            ("day", Transform::Day),
            ("void", Transform::Void),
            ("bucket[0]", unknown("bucket[0]")),
            ("bucket[4294967295]", unknown("bucket[4294967295]")),
            ("truncate[-1]", unknown("truncate[-1]")),
            ("zorder", unknown("zorder")),
        ];
        for (text, expected) in cases {
            assert_eq!(Transform::parse(text), expected, "{text}");
        }
    }
}
