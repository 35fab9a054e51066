//! Reads the benchmark's files: numbers between white space or colons.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

/// What is wrong with a file.
#[derive(Debug)]
pub(crate) struct DataError {
    path: PathBuf,
    what: String,
}

impl DataError {
    pub(crate) fn new(path: &Path, what: impl Into<String>) -> DataError {
        DataError { path: path.to_owned(), what: what.into() }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

impl std::error::Error for DataError {}

/// The text of a file.
pub(crate) fn text(path: &Path) -> Result<String, DataError> {
    fs::read_to_string(path).map_err(|error| DataError::new(path, format!("cannot read this file: {error}")))
}

/// The expected values in a file.
pub(crate) fn expected(path: &Path) -> Result<Value, DataError> {
    let unsound = |error| DataError::new(path, format!("these are no expected values: {error}"));
    serde_json::from_str(&text(path)?).map_err(unsound)
}

/// The words of a text, one after the other.
pub(crate) struct Words<'a> {
    path: &'a Path,
    words: Box<dyn Iterator<Item = &'a str> + 'a>,
    read: usize,
}

impl<'a> Words<'a> {
    /// The words of a file with this text.
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Words<'a> {
        let words = text.split(|c: char| c.is_whitespace() || c == ':').filter(|word| !word.is_empty());
        Words { path, words: Box::new(words), read: 0 }
    }

    /// The next word.
    pub(crate) fn word(&mut self) -> Result<&'a str, DataError> {
        self.read += 1;
        self.words.next().ok_or_else(|| DataError::new(self.path, format!("the file ends before word {}", self.read)))
    }

    /// The next word, as a number.
    pub(crate) fn number<T: FromStr>(&mut self) -> Result<T, DataError> {
        let word = self.word()?;
        let wrong = |_| DataError::new(self.path, format!("word {} must be a number, not `{word}`", self.read));
        word.parse().map_err(wrong)
    }

    /// The next words, as numbers.
    pub(crate) fn numbers<T: FromStr>(&mut self, count: usize) -> Result<Vec<T>, DataError> {
        (0..count).map(|_| self.number()).collect()
    }

    /// The next words, as an array of numbers.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[f64; N], DataError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    /// The next words, as rows of a fixed length.
    pub(crate) fn rows<const N: usize>(&mut self, count: usize) -> Result<Vec<[f64; N]>, DataError> {
        (0..count).map(|_| self.array()).collect()
    }
}
