//! Compares results with the expected ones, which are those of the benchmark's own derivatives written by hand.
//!
//! A long vector is given by its ends and by sums: its length, its sum, its norm, its largest magnitude, and the sum of
//! its entries weighted by 1 to 97 in turn, which an entry in the wrong place changes.

use serde_json::Value;

/// How far results may be from the expected ones.
const TOLERANCE: f64 = 1e-9;

/// The largest deviation so far, relative to the expected values.
#[derive(Clone, Copy)]
pub(crate) struct Deviation(pub(crate) f64);

impl Deviation {
    pub(crate) fn none() -> Deviation {
        Deviation(0.0)
    }

    /// Compares two numbers, relative to the expected one or, if that is larger, to `scale`.
    pub(crate) fn number(&mut self, what: &str, got: f64, expected: f64, scale: f64) -> Result<(), String> {
        let deviation = if got == expected { 0.0 } else { (got - expected).abs() / expected.abs().max(scale) };
        // written so that a NaN is a mismatch
        if deviation <= TOLERANCE {
            self.0 = self.0.max(deviation);
            Ok(())
        } else {
            Err(format!("{what} is {got:e} instead of {expected:e}"))
        }
    }

    /// Compares a vector with its record. What is small beside the typical entry is compared with that.
    pub(crate) fn vector(&mut self, what: &str, got: &[f64], record: &Value) -> Result<(), String> {
        let length = length(record, what)?;
        if got.len() != length {
            return Err(format!("{what} has {} entries instead of {length}", got.len()));
        }
        let norm = number(record, "l2", what)?;
        let typical = norm / (length as f64).sqrt();
        let weighted = |k: usize| ((k % 97) + 1) as f64;
        let sums = [
            ("sum", got.iter().sum(), norm),
            ("l2", got.iter().map(|x| x * x).sum::<f64>().sqrt(), norm),
            ("absmax", got.iter().fold(0.0, |top: f64, x| top.max(x.abs())), typical),
            ("wsum97", got.iter().enumerate().map(|(k, x)| weighted(k) * x).sum(), 97.0 * norm),
        ];
        for (name, value, scale) in sums {
            self.number(&format!("{name} of {what}"), value, number(record, name, what)?, scale)?;
        }
        if record.get("values").is_some() {
            return self.entries(what, got, 0, &numbers(record, "values", what)?, typical);
        }
        let (first, last) = (numbers(record, "first64", what)?, numbers(record, "last8", what)?);
        self.entries(what, got, 0, &first, typical)?;
        self.entries(what, got, length - last.len(), &last, typical)
    }

    /// Compares the entries from one place on.
    pub(crate) fn entries(
        &mut self,
        what: &str,
        got: &[f64],
        from: usize,
        expected: &[f64],
        scale: f64,
    ) -> Result<(), String> {
        let part = got.get(from..from + expected.len()).ok_or_else(|| format!("{what} has {} entries", got.len()))?;
        for (k, (x, y)) in part.iter().zip(expected).enumerate() {
            self.number(&format!("{what}[{}]", from + k), *x, *y, scale)?;
        }
        Ok(())
    }
}

fn missing(record: &str, name: &str) -> String {
    format!("the expected values have no sound `{name}` of {record}")
}

/// A part of the expected values.
pub(crate) fn part<'a>(expected: &'a Value, name: &str) -> Result<&'a Value, String> {
    expected.get(name).ok_or_else(|| missing("the instance", name))
}

/// A number of a record.
pub(crate) fn number(record: &Value, name: &str, what: &str) -> Result<f64, String> {
    record.get(name).and_then(Value::as_f64).ok_or_else(|| missing(what, name))
}

/// A list of numbers of a record.
pub(crate) fn numbers(record: &Value, name: &str, what: &str) -> Result<Vec<f64>, String> {
    let list = record.get(name).and_then(Value::as_array).ok_or_else(|| missing(what, name))?;
    list.iter().map(|entry| entry.as_f64().ok_or_else(|| missing(what, name))).collect()
}

fn length(record: &Value, what: &str) -> Result<usize, String> {
    let length = record.get("len").and_then(Value::as_u64).ok_or_else(|| missing(what, "len"))?;
    Ok(length as usize)
}
