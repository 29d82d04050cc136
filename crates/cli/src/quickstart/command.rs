//! The command.

use std::io::{self, Write};

use growler_base::ErrorKind;

use crate::arguments::QuickstartArguments;
use crate::failure::Failure;
use crate::quickstart::ask::Asker;
use crate::quickstart::questions::{self, Question};
use crate::quickstart::report::{self, Asked};
use crate::quickstart::samples::Samples;
use crate::serve;
use crate::style::Style;
use crate::tables::TableAt;

/// Answers the example queries over the sample tables, then serves them.
///
/// # Errors
/// An answer is not the right one; the samples cannot be written out; the server fails.
pub fn run(arguments: &QuickstartArguments) -> Result<(), Failure> {
    let folder = tempfile::Builder::new()
        .prefix("growler-quickstart-")
        .tempdir();
    let unpacked = folder.and_then(|folder| Ok((Samples::unpack(folder.path())?, folder)));
    let (samples, _folder) = unpacked.map_err(|error| {
        Failure::failed(format_args!("cannot write the sample files: {error}"))
            .with_help("set TMPDIR to a folder that can be written to")
    })?;
    let asker = Asker::try_new(&samples)?;
    let mut out = io::stdout().lock();
    let wrong = answer(&samples, &asker, &mut out)?;
    drop(out);
    if wrong > 0 {
        return Err(Failure::new(
            ErrorKind::Internal,
            format_args!("wrong answers: count={wrong}"),
        ));
    }
    if arguments.exit {
        return Ok(());
    }
    serve::samples(&samples, &arguments.listen)
}

/// Asks everything, tells the answers, and counts the wrong ones.
fn answer(samples: &Samples, asker: &Asker, out: &mut dyn Write) -> Result<usize, Failure> {
    let style = Style::of(&io::stdout());
    let unreadable = |error| Failure::new(ErrorKind::Internal, error);
    let four_rows = questions::about_four_rows().map_err(unreadable)?;
    let five_files = questions::about_five_files().map_err(unreadable)?;
    let layouts = samples.four_rows.len();
    let heading =
        format!("Four events in {layouts} layouts that Spark and DuckDB wrote, each a table");
    writeln!(out, "{}", style.bold(heading))?;
    let mut wrong = ask_all(&four_rows, &samples.four_rows, asker, style, out)?;
    let heading = "Fifty events in five files, each file laid out differently, as Spark and DuckDB wrote them";
    writeln!(out, "\n{}", style.bold(heading))?;
    wrong += ask_all(&five_files, &samples.five_files, asker, style, out)?;
    let asked = four_rows.len() * layouts + five_files.len() * samples.five_files.len();
    writeln!(
        out,
        "\n{}",
        style.bold(format_args!(
            "{} of {asked} answers are right",
            asked - wrong
        ))
    )?;
    Ok(wrong)
}

fn ask_all(
    questions: &[Question],
    tables: &[TableAt],
    asker: &Asker,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let key_types: Vec<String> = tables
        .iter()
        .map(|table| asker.key_type(&table.name))
        .collect();
    let mut wrong = 0;
    for (number, question) in questions.iter().enumerate() {
        let asked = tables
            .iter()
            .zip(&key_types)
            .map(|(table, key_type)| Asked {
                table: &table.name,
                key_type,
                outcome: asker.ask(&question.over(&table.name)),
            });
        let asked: Vec<Asked<'_>> = asked.collect();
        let groups = report::group(question, &asked);
        writeln!(out, "{:>3} {}", number + 1, question.sql)?;
        for group in &groups {
            group.write(groups.len() == 1, style, out)?;
            wrong += group.wrong_count();
        }
    }
    Ok(wrong)
}
