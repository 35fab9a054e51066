//! Reads the handwritten digits: a table of 64 pixels from 0 to 16 and a label from 0 to 9 in each line, compressed by gzip.
//!
//! Each error carries the file and, where it is in a line, its number.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use ndarray::Array2;

const PIXELS: usize = 64;

/// The pixels, from 0 to 1, and the label of each row.
#[derive(Debug)]
pub(crate) struct Digits {
    pub(crate) pixels: Array2<f64>,
    pub(crate) labels: Vec<usize>,
}

/// Reads the table in the file at `path`.
pub(crate) fn read(path: &Path) -> Result<Digits, String> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
        .map_err(|error| format!("{}: cannot read the digits: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn parse(text: &str) -> Result<Digits, String> {
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let fail = |error: String| format!("line {}: {error}", number + 1);
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != PIXELS + 1 {
            return Err(fail(format!("there should be {PIXELS} pixels and a label, not {} fields", fields.len())));
        }
        let whole = |field: &str, most: u8| match field.trim().parse::<u8>() {
            Ok(value) if value <= most => Ok(value),
            _ => Err(fail(format!("`{field}` is not a whole number from 0 to {most}"))),
        };
        for field in &fields[..PIXELS] {
            pixels.push(f64::from(whole(field, 16)?) / 16.0);
        }
        labels.push(usize::from(whole(fields[PIXELS], 9)?));
    }
    if labels.len() < 10 {
        return Err(format!("there are {} rows, too few to learn from", labels.len()));
    }
    let pixels = Array2::from_shape_vec((labels.len(), PIXELS), pixels).expect("each row has its pixels");
    Ok(Digits { pixels, labels })
}
