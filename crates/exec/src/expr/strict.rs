//! Functions that are null where any argument is null.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, cast::AsArray, new_null_array, types::Int32Type};
use growler_schema::ColumnType;

use super::{
    InputBatch,
    args::Args,
    node::{Evaluated, Node, Operator, internal, plain},
};
use crate::error::Error;

/// What a strict function does with its arguments.
pub(crate) type Kernel = Box<dyn Fn(&Args<'_>) -> Result<ArrayRef, Error> + Send + Sync>;

/// A strict function with its arguments.
pub(crate) struct Strict {
    name: String,
    args: Vec<Node>,
    column_type: ColumnType,
    kernel: Kernel,
}

impl Strict {
    /// Makes a function of its kernel; `column_type` is what the kernel returns.
    pub fn new(name: &str, args: Vec<Node>, column_type: ColumnType, kernel: Kernel) -> Self {
        Self {
            name: name.to_owned(),
            args,
            column_type,
            kernel,
        }
    }

    /// Evaluates once per dictionary entry when one dictionary is all that varies.
    fn by_dictionary(&self, args: &[Evaluated]) -> Option<Result<ArrayRef, Error>> {
        let mut varying = args.iter().enumerate().filter_map(|(idx, arg)| match arg {
            Evaluated::Rows(array) => Some((idx, array)),
            Evaluated::One(_) => None,
        });
        let (idx, array) = varying.next()?;
        let dictionary = array.as_dictionary_opt::<Int32Type>()?;
        let entries = dictionary.values();
        if varying.next().is_some() || entries.len() > array.len() {
            return None;
        }
        let mut args = args.to_vec();
        args[idx] =
            Evaluated::Rows(arrow_cast::cast(entries, &arrow_schema::DataType::Utf8View).ok()?);
        // An entry that no row uses may be what fails: then go by rows.
        let computed = (self.kernel)(&Args::new(&args, entries.len())).ok()?;
        Some(arrow_select::take::take(&computed, dictionary.keys(), None).map_err(internal))
    }
}

impl Operator for Strict {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let args = self.args.iter().map(|arg| arg.evaluate(batch));
        let mut args = args.collect::<Result<Vec<_>, _>>()?;
        let is_null = |arg: &Evaluated| match arg {
            Evaluated::One(array) => array.logical_null_count() > 0,
            Evaluated::Rows(array) => {
                !array.is_empty() && array.logical_null_count() == array.len()
            }
        };
        if args.iter().any(is_null) {
            return Ok(new_null_array(
                &self.column_type.arrow_type(),
                batch.row_count,
            ));
        }
        if let Some(result) = self.by_dictionary(&args) {
            return result;
        }
        for arg in &mut args {
            if let Evaluated::Rows(array) = arg {
                *array = plain(Arc::clone(array))?;
            }
        }
        (self.kernel)(&Args::new(&args, batch.row_count))
    }

    fn children(&self) -> Vec<&Node> {
        self.args.iter().collect()
    }
}

impl std::fmt::Debug for Strict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Strict")
            .field("name", &self.name)
            .field("args", &self.args)
            .finish()
    }
}
