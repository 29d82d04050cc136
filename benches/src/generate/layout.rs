//! How files keep the document of a row.

use anyhow::bail;
use arrow_array::StructArray;
use arrow_array::cast::AsArray;
use clap::ValueEnum;
use growler_variant::shred::{InferOptions, Inference, ScalarType, Shape, ShapeField, TypedShape};

use super::Table;

/// A way to keep the documents of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Layout {
    /// The keys that the table's owner would choose are typed columns, the others stay in the variant.
    Shredded,
    /// No key is a typed column.
    Unshredded,
    /// Every key is shredded, as DuckDB does by itself: integers stay in the residual, beside a
    /// typed column that is null throughout.
    Automatic,
    /// Each file has another of these layouts, or a fourth with few typed columns.
    Mixed,
    /// The values of the keys as plain columns, without any variant.
    Flat,
    /// One plain column of JSON text, as other engines ingest it.
    Json,
}

impl Layout {
    /// All of them that hold the documents in a form that is asked in place.
    pub const ASKED: [Self; 5] = [
        Self::Shredded,
        Self::Unshredded,
        Self::Automatic,
        Self::Mixed,
        Self::Flat,
    ];

    /// Returns the name of the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shredded => "shredded",
            Self::Unshredded => "unshredded",
            Self::Automatic => "automatic",
            Self::Mixed => "mixed",
            Self::Flat => "flat",
            Self::Json => "json",
        }
    }
}

/// The shapes of one table's files.
pub(super) struct Shapes {
    table: Table,
    automatic: Shape,
}

impl Shapes {
    /// Looks at the first rows of a table, unshredded.
    pub(super) fn of_first_rows(table: Table, rows: &StructArray) -> anyhow::Result<Self> {
        let mut inference = Inference::new(InferOptions::default());
        let (metadata, value) = match rows.columns() {
            [metadata, value] => (metadata.as_binary::<i32>(), value.as_binary::<i32>()),
            _ => bail!("not an unshredded column"),
        };
        for row in 0..arrow_array::Array::len(rows) {
            inference.see(metadata.value(row), value.value(row))?;
        }
        let automatic = with_idle_integers(inference.shape());
        Ok(Self { table, automatic })
    }

    /// Returns the shape of the file at that position of a layout that keeps variants.
    pub(super) fn of_file(&self, layout: Layout, position: usize) -> Shape {
        match (layout, position % 4) {
            (Layout::Shredded, _) | (Layout::Mixed, 0) => shredded(self.table),
            (Layout::Automatic, _) | (Layout::Mixed, 2) => self.automatic.clone(),
            (Layout::Mixed, 3) => few(self.table),
            _ => Shape::unshredded(),
        }
    }
}

fn text() -> Shape {
    Shape::scalar(ScalarType::String)
}

fn shredded(table: Table) -> Shape {
    match table {
        Table::Events => {
            let promo = Shape::object([("code", text())]);
            let item = Shape::object([("promo", promo), ("sku", text())]);
            Shape::object([
                ("country", text()),
                ("device", Shape::object([("os", text())])),
                ("items", Shape::list(item)),
                ("latency_ms", Shape::scalar(ScalarType::Int32)),
                ("page_type", text()),
                ("tags", Shape::list(text())),
            ])
        }
        Table::Bluesky => Shape::object([
            (
                "commit",
                Shape::object([
                    ("collection", text()),
                    ("operation", text()),
                    ("rkey", text()),
                ]),
            ),
            ("did", text()),
            ("kind", text()),
            ("time_us", Shape::scalar(ScalarType::Int64)),
        ]),
    }
}

fn few(table: Table) -> Shape {
    match table {
        Table::Events => Shape::object([("page_type", text()), ("session", text())]),
        Table::Bluesky => Shape::object([("did", text()), ("kind", text())]),
    }
}

fn with_idle_integers(shape: Shape) -> Shape {
    let typed = match shape.typed {
        Some(TypedShape::Scalar(ScalarType::Int8 | ScalarType::Int16 | ScalarType::Int32)) => {
            return Shape::scalar(ScalarType::Int32).idle();
        }
        Some(TypedShape::Scalar(ScalarType::Int64)) => {
            return Shape::scalar(ScalarType::Int64).idle();
        }
        Some(TypedShape::List(element)) => TypedShape::List(Box::new(with_idle_integers(*element))),
        Some(TypedShape::Object(fields)) => {
            let field = |field: ShapeField| ShapeField {
                name: field.name,
                shape: with_idle_integers(field.shape),
            };
            TypedShape::Object(fields.into_iter().map(field).collect())
        }
        other => {
            return Shape {
                typed: other,
                is_idle: shape.is_idle,
            };
        }
    };
    Shape::typed(typed)
}
