//! Reads a table of numbers with a 0/1 label in its last column, and says where the file is wrong.
//!
//! The first line is `rows,columns,class 0,class 1`; every other line has `columns` numbers and a label. Empty lines
//! are skipped. Each error carries the file and, unless the file could not be read at all, the line and the column (in
//! characters, both from 1) of the field to look at, in the `file:line:column` form that editors follow.
//!
//! The lines are split by hand. The format has no quotes, and a general reader counts lines otherwise than an editor
//! does where they end in `\r\n` or are empty.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A table in row-major order with its labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) columns: usize,
    pub(crate) class_names: [String; 2],
    /// `labels.len()` rows of `columns` numbers.
    pub(crate) features: Vec<f64>,
    /// 0 or 1 for each row.
    pub(crate) labels: Vec<f64>,
}

/// A place in a file: line and column in characters, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// What is wrong with a table, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableError {
    pub(crate) path: PathBuf,
    /// Missing when the file could not be read.
    pub(crate) place: Option<Place>,
    pub(crate) message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path.display())?;
        if let Some(Place { line, column }) = self.place {
            write!(out, ":{line}:{column}")?;
        }
        write!(out, ": {}", self.message)
    }
}

impl std::error::Error for TableError {}

/// Reads the table in the file at `path`.
pub(crate) fn read(path: &Path) -> Result<Table, TableError> {
    match fs::read(path) {
        Ok(bytes) => parse(path, &bytes),
        Err(cause) => {
            Err(TableError { path: path.to_owned(), place: None, message: format!("cannot read the table: {cause}") })
        }
    }
}

/// Reads the table in `bytes`, which came from `path`.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Table, TableError> {
    parse_text(bytes).map_err(|(place, message)| TableError { path: path.to_owned(), place: Some(place), message })
}

/// The first line of the file.
struct Header {
    rows: usize,
    columns: usize,
    class_names: [String; 2],
    /// Where the number of rows stands.
    rows_at: Place,
}

/// The most rows and the most columns.
const MOST: usize = 1_000_000;

type Parsed<T> = Result<T, (Place, String)>;

fn parse_text(bytes: &[u8]) -> Parsed<Table> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (Place { line, column: before[line_start..].chars().count() + 1 }, "this byte is not UTF-8".to_owned())
    })?;
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let (_, first) = lines.next().ok_or_else(|| (Place { line: 1, column: 1 }, "the file is empty".to_owned()))?;
    let header = parse_header(first)?;

    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        if labels.len() == header.rows {
            return Err((
                Place { line, column: 1 },
                format!("one row more than the {} of the first line", header.rows),
            ));
        }
        labels.push(parse_row(text, line, header.columns, &mut features)?);
    }
    if labels.len() < header.rows {
        let message = format!("{} rows are announced, but there are {}", header.rows, labels.len());
        return Err((header.rows_at, message));
    }
    Ok(Table { columns: header.columns, class_names: header.class_names, features, labels })
}

fn parse_header(text: &str) -> Parsed<Header> {
    let fields = fields(text, 1);
    let [rows, columns, class_0, class_1] = fields.as_slice() else {
        let message = format!("the first line must be `rows,columns,class 0,class 1`, but has {} fields", fields.len());
        return Err((Place { line: 1, column: 1 }, message));
    };
    let count = |field: &Field<'_>, what: &str| match field.text.parse::<usize>() {
        Ok(count) if count > MOST => Err((field.place, format!("the number of {what} must be at most {MOST}"))),
        Ok(count) if count > 0 => Ok(count),
        _ => Err((field.place, format!("the number of {what} must be a positive integer, not `{}`", field.text))),
    };
    let name = |field: &Field<'_>| match field.text {
        "" => Err((field.place, "a class needs a name".to_owned())),
        text => Ok(text.to_owned()),
    };
    Ok(Header {
        rows: count(rows, "rows")?,
        columns: count(columns, "columns")?,
        class_names: [name(class_0)?, name(class_1)?],
        rows_at: rows.place,
    })
}

/// Appends the numbers of one row to `features` and returns its label.
fn parse_row(text: &str, line: usize, columns: usize, features: &mut Vec<f64>) -> Parsed<f64> {
    let fields = fields(text, line);
    if fields.len() != columns + 1 {
        // The first field too many, or the end of the line where the next one is missing.
        let place = fields
            .get(columns + 1)
            .map_or(Place { line, column: text.trim_end().chars().count() + 1 }, |field| field.place);
        let message = format!("the row must have {columns} numbers and a label, but has {} fields", fields.len());
        return Err((place, message));
    }
    let (label, numbers) = fields.split_last().expect("there is at least one field");
    for (i, field) in numbers.iter().enumerate() {
        match field.text.parse::<f64>() {
            Ok(number) if number.is_finite() => features.push(number),
            _ => return Err((field.place, format!("field {} must be a finite number, not `{}`", i + 1, field.text))),
        }
    }
    match label.text {
        "0" => Ok(0.0),
        "1" => Ok(1.0),
        other => Err((label.place, format!("the label must be 0 or 1, not `{other}`"))),
    }
}

/// A field without the blanks around it, and the place of its first character.
struct Field<'a> {
    text: &'a str,
    place: Place,
}

fn fields(text: &str, line: usize) -> Vec<Field<'_>> {
    let mut column = 1;
    text.split(',')
        .map(|field| {
            let blanks = field.chars().count() - field.trim_start().chars().count();
            let place = Place { line, column: column + blanks };
            column += field.chars().count() + 1;
            Field { text: field.trim(), place }
        })
        .collect()
}

/// Shifts and scales every column to mean 0 and standard deviation 1; a constant column becomes 0.
pub(crate) fn standardise(features: &mut [f64], columns: usize) {
    let rows = (features.len() / columns) as f64;
    for j in 0..columns {
        let column = || features.iter().skip(j).step_by(columns);
        let mean = column().sum::<f64>() / rows;
        let deviation = (column().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt();
        let scale = if deviation > 0.0 { deviation.recip() } else { 0.0 };
        features.iter_mut().skip(j).step_by(columns).for_each(|value| *value = (*value - mean) * scale);
    }
}
