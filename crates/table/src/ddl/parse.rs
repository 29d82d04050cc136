//! Text to a statement.

use std::collections::BTreeSet;

use growler_base::limits;
use sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::error::Error;
use super::statement::{CreateTable, OptionValue, Statement, TableName};

/// Parses one statement; a semicolon may end it.
///
/// # Errors
/// [`Error::Parse`].
pub fn parse(text: &str) -> Result<Statement, Error> {
    let mut cursor = Cursor::try_new(text)?;
    let statement = statement(&mut cursor)?;
    cursor.accept(&Token::SemiColon);
    if *cursor.peek() != Token::EOF {
        return Err(cursor.unexpected("end of statement"));
    }
    Ok(statement)
}

fn statement(cursor: &mut Cursor) -> Result<Statement, Error> {
    if cursor.accept_word("CREATE") {
        return create(cursor).map(Statement::CreateTable);
    }
    if cursor.accept_word("DROP") {
        cursor.accept_word("EXTERNAL");
        cursor.expect_word("TABLE")?;
        let if_exists = cursor.accept_word("IF");
        if if_exists {
            cursor.expect_word("EXISTS")?;
        }
        let name = table_name(cursor)?;
        return Ok(Statement::DropTable { name, if_exists });
    }
    if !cursor.accept_word("SHOW") {
        return Err(cursor.unexpected("CREATE, DROP or SHOW"));
    }
    if cursor.accept_word("TABLES") {
        let asked = cursor.accept_word("FROM") || cursor.accept_word("IN");
        let database = asked.then(|| cursor.name("the name of a database"));
        return Ok(Statement::ShowTables {
            database: database.transpose()?,
        });
    }
    if !cursor.accept_word("CREATE") {
        return Err(cursor.unexpected("TABLES or CREATE TABLE"));
    }
    cursor.accept_word("EXTERNAL");
    cursor.expect_word("TABLE")?;
    let name = table_name(cursor)?;
    Ok(Statement::ShowCreateTable { name })
}

fn create(cursor: &mut Cursor) -> Result<CreateTable, Error> {
    let is_external = cursor.accept_word("EXTERNAL");
    cursor.expect_word("TABLE")?;
    let if_not_exists = cursor.accept_word("IF");
    if if_not_exists {
        cursor.expect_word("NOT")?;
        cursor.expect_word("EXISTS")?;
    }
    let name = table_name(cursor)?;
    if *cursor.peek() == Token::LParen {
        return Err(Error::Parse(
            "columns cannot be declared: an External Table has those of its source. Expected WITH"
                .to_owned(),
        ));
    }
    cursor.expect_word("WITH")?;
    Ok(CreateTable {
        name,
        is_external,
        if_not_exists,
        options: options(cursor)?,
    })
}

fn table_name(cursor: &mut Cursor) -> Result<TableName, Error> {
    let first = cursor.name("the name of a table")?;
    if !cursor.accept(&Token::Period) {
        return Ok(TableName {
            database: None,
            table: first,
        });
    }
    Ok(TableName {
        database: Some(first),
        table: cursor.name("the name of a table")?,
    })
}

fn options(cursor: &mut Cursor) -> Result<Vec<(String, OptionValue)>, Error> {
    cursor.expect(&Token::LParen)?;
    let mut options = Vec::new();
    let mut names = BTreeSet::new();
    loop {
        let name = option_name(cursor)?;
        if !names.insert(name.to_lowercase()) {
            return Err(Error::Parse(format!(
                "option is given more than once: name={name}"
            )));
        }
        cursor.expect(&Token::Eq)?;
        options.push((name, value(cursor)?));
        if options.len() > limits::OPTIONS {
            let limit = limits::OPTIONS;
            return Err(Error::Parse(format!("too many options: limit={limit}")));
        }
        if !cursor.accept(&Token::Comma) {
            break;
        }
    }
    if !cursor.accept(&Token::RParen) {
        return Err(cursor.unexpected("',' or ')'"));
    }
    Ok(options)
}

fn option_name(cursor: &mut Cursor) -> Result<String, Error> {
    let mut name = cursor.name("the name of an option")?;
    while cursor.accept(&Token::Period) {
        name.push('.');
        name.push_str(&cursor.name("the rest of an option's name")?);
        if name.len() > limits::IDENTIFIER_LEN {
            let limit = limits::IDENTIFIER_LEN;
            return Err(Error::Parse(format!(
                "option's name is too long: limit={limit}"
            )));
        }
    }
    Ok(name)
}

fn value(cursor: &mut Cursor) -> Result<OptionValue, Error> {
    if cursor.accept_word("TRUE") {
        return Ok(OptionValue::Switch(true));
    }
    if cursor.accept_word("FALSE") {
        return Ok(OptionValue::Switch(false));
    }
    match cursor.peek().clone() {
        Token::SingleQuotedString(text) => {
            cursor.take();
            Ok(OptionValue::Text(text))
        }
        Token::Number(digits, false) if digits.bytes().all(is_of_number) => {
            cursor.take();
            Ok(OptionValue::Number(digits))
        }
        _ => Err(cursor.unexpected("a text in single quotes, TRUE, FALSE or an unsigned number")),
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}
