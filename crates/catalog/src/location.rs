//! Where files lie: one spelling of a path, and tables that were moved or copied.

/// Returns the one spelling of a location: a plain path for local files, `s3://` for S3, no slash
/// at the end.
pub fn canonical(location: &str) -> String {
    let location = local_path(location).unwrap_or(location);
    let trimmed = match location.trim_end_matches('/') {
        "" if location.starts_with('/') => "/",
        trimmed => trimmed,
    };
    for alias in ["s3a://", "s3n://"] {
        if let Some(rest) = trimmed.strip_prefix(alias) {
            return format!("s3://{rest}");
        }
    }
    trimmed.to_owned()
}

/// The path of a `file:` location: `file:/a`, `file:///a` and `file://localhost/a` are `/a`.
fn local_path(location: &str) -> Option<&str> {
    let rest = location.strip_prefix("file:")?;
    match rest.strip_prefix("//") {
        Some(authority_and_path) => {
            let slash = authority_and_path.find('/')?;
            authority_and_path.get(slash..)
        }
        None => Some(rest),
    }
}

/// Turns the paths that a table recorded into paths where its files lie.
///
/// A table keeps absolute paths. Where its metadata was found elsewhere than the metadata says, the
/// paths under the recorded root are read under the real one, so that a copied table just works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    recorded: String,
    real: String,
}

impl Relocation {
    /// Makes the relocation of a table that recorded one location and lies at another.
    pub fn new(recorded: &str, real: &str) -> Self {
        Self {
            recorded: canonical(recorded),
            real: canonical(real),
        }
    }

    /// Returns the root where the table lies.
    pub fn root(&self) -> &str {
        &self.real
    }

    /// Returns where a recorded path lies, in canonical spelling.
    pub fn resolve(&self, recorded: &str) -> String {
        let path = canonical(recorded);
        if self.recorded == self.real || self.recorded.is_empty() {
            return path;
        }
        match path.strip_prefix(self.recorded.as_str()) {
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.real),
            _ => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_have_one_spelling() {
        let cases = [
            ("/a/b", "/a/b"),
            ("/a/b//", "/a/b"),
            ("/", "/"),
            ("", ""),
            ("file:/a/b", "/a/b"),
            ("file:///a/b/", "/a/b"),
            ("file://localhost/a", "/a"),
            ("s3://bucket/a/", "s3://bucket/a"),
            ("s3a://bucket/a", "s3://bucket/a"),
            ("relative/a", "relative/a"),
        ];
        for (location, expected) in cases {
            assert_eq!(canonical(location), expected, "{location}");
        }
    }

    #[test]
    fn paths_under_the_recorded_root_move_with_the_table() {
        let moved = Relocation::new("file:///lake/db/t", "/copy/t/");
        let cases = [
            ("/lake/db/t/data/f.parquet", "/copy/t/data/f.parquet"),
            ("file:/lake/db/t/data/f.parquet", "/copy/t/data/f.parquet"),
            ("/lake/db/t2/data/f.parquet", "/lake/db/t2/data/f.parquet"),
            ("s3://b/t/data/f.parquet", "s3://b/t/data/f.parquet"),
            ("/lake/db/t", "/lake/db/t"),
        ];
        for (recorded, expected) in cases {
            assert_eq!(moved.resolve(recorded), expected, "{recorded}");
        }
        let stayed = Relocation::new("/lake/t", "/lake/t");
        assert_eq!(stayed.resolve("file:///lake/t/x"), "/lake/t/x");
    }
}
