//! The sample files of `testdata/`, carried in the binary, and the tables made of them.

use std::fs;
use std::io;
use std::path::Path;

use crate::tables::TableAt;

macro_rules! embed {
    ($($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../../../../testdata/", $path)))),*]
    };
}

/// Path below `testdata/`, and bytes, of every sample file.
const FILES: &[(&str, &[u8])] = embed! {
    "duckdb/seed4_bigint.parquet",
    "duckdb/seed4_codec_brotli.parquet",
    "duckdb/seed4_codec_gzip.parquet",
    "duckdb/seed4_codec_lz4_raw.parquet",
    "duckdb/seed4_codec_snappy.parquet",
    "duckdb/seed4_codec_uncompressed.parquet",
    "duckdb/seed4_codec_zstd.parquet",
    "duckdb/seed4_dbl.parquet",
    "duckdb/seed4_devicewhole.parquet",
    "duckdb/seed4_infer.parquet",
    "duckdb/seed4_noarr.parquet",
    "duckdb/seed4_none.parquet",
    "duckdb/seed4_typed.parquet",
    "duckdb/seed4_v2.parquet",
    "duckdb/seed4_v2_none.parquet",
    "spark/seed4_bigint.parquet",
    "spark/seed4_codec_gzip.parquet",
    "spark/seed4_codec_lz4_raw.parquet",
    "spark/seed4_codec_snappy.parquet",
    "spark/seed4_codec_uncompressed.parquet",
    "spark/seed4_codec_zstd.parquet",
    "spark/seed4_infer.parquet",
    "spark/seed4_noarr.parquet",
    "spark/seed4_none.parquet",
    "spark/seed4_none_unannotated.parquet",
    "spark/seed4_partial.parquet",
    "spark/seed4_strlat.parquet",
    "spark/seed4_typed.parquet",
    "spark/seed4_typed_unannotated.parquet",
    "spark/seed4_v2pages.parquet",
    "duckdb/perfile/f0_typed.parquet",
    "duckdb/perfile/f1_none.parquet",
    "duckdb/perfile/f2_strlat.parquet",
    "duckdb/perfile/f3_bigint.parquet",
    "duckdb/perfile/f4_infer.parquet",
    "spark/perfile/f0_typed.parquet",
    "spark/perfile/f1_none.parquet",
    "spark/perfile/f2_strlat.parquet",
    "spark/perfile/f3_bigint_unannotated.parquet",
    "spark/perfile/f4_infer.parquet",
};

/// The sample tables, once their files are written out.
#[derive(Debug)]
pub struct Samples {
    /// The same four rows, one file a table.
    pub four_rows: Vec<TableAt>,
    /// Fifty rows in five files, each laid out differently.
    pub five_files: Vec<TableAt>,
}

impl Samples {
    /// Writes the sample files below a folder.
    ///
    /// # Errors
    /// What writing files gives.
    pub fn unpack(folder: &Path) -> io::Result<Self> {
        let mut samples = Self {
            four_rows: Vec::new(),
            five_files: Vec::new(),
        };
        for (path, bytes) in FILES {
            let target = folder.join(path);
            fs::create_dir_all(target.parent().unwrap_or(folder))?;
            fs::write(&target, bytes)?;
            match path.split('/').collect::<Vec<_>>().as_slice() {
                [writer, name, _] => {
                    let path = text(target.parent().unwrap_or(folder))?;
                    let table = TableAt {
                        name: format!("{writer}_{name}"),
                        path,
                    };
                    if !samples.five_files.contains(&table) {
                        samples.five_files.push(table);
                    }
                }
                [writer, file] => {
                    let layout = file
                        .trim_end_matches(".parquet")
                        .trim_start_matches("seed4_");
                    let name = format!("{writer}_{layout}");
                    samples.four_rows.push(TableAt {
                        name,
                        path: text(&target)?,
                    });
                }
                _ => {}
            }
        }
        Ok(samples)
    }

    /// Returns all tables.
    pub fn tables(&self) -> impl Iterator<Item = &TableAt> {
        self.four_rows.iter().chain(&self.five_files)
    }
}

fn text(path: &Path) -> io::Result<String> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| io::Error::other("its name is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn parquet_files(folder: &Path, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                parquet_files(&path, found)?;
            } else if path
                .extension()
                .is_some_and(|extension| extension == "parquet")
            {
                found.insert(path);
            }
        }
        Ok(())
    }

    #[test]
    fn every_sample_file_of_both_writers_is_carried() -> io::Result<()> {
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
        let mut found = BTreeSet::new();
        for writer in ["spark", "duckdb"] {
            parquet_files(&testdata.join(writer), &mut found)?;
        }
        let carried = FILES.iter().map(|(path, _)| testdata.join(path)).collect();
        assert_eq!(found, carried);
        Ok(())
    }

    #[test]
    fn unpacks_one_table_a_layout_and_one_a_folder() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let samples = Samples::unpack(folder.path())?;
        assert_eq!(samples.five_files.len(), 2);
        assert_eq!(samples.four_rows.len(), FILES.len() - 10);
        for table in samples.tables() {
            assert!(Path::new(&table.path).exists(), "{table:?}");
        }
        Ok(())
    }
}
