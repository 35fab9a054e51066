//! What the four problems have in common: an instance is opened from its files, and then evaluated, differentiated and
//! compared with the values that the benchmark's own code gives.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::expected::Deviation;
use crate::read::DataError;

/// One instance of a problem: a line of the table.
pub(crate) struct Instance {
    pub(crate) name: &'static str,
    /// The file of its data, in the folder of the data.
    pub(crate) file: &'static str,
    /// The name of the file with its expected values.
    pub(crate) expected: &'static str,
    /// The time of the derivative, as a multiple of that of the objective, that is aimed at.
    pub(crate) goal: f64,
    pub(crate) open: fn(&Files) -> Result<Box<dyn Problem>, DataError>,
}

/// An instance with its data.
pub(crate) trait Problem {
    /// Evaluates the plain function.
    fn objective(&self);

    /// Computes the gradient or the Jacobian by the generated companions.
    fn derivative(&self);

    /// Compares the values of both with the expected ones.
    fn compare(&self, expected: &Value) -> Result<Deviation, String>;
}

/// Where the files of an instance are.
pub(crate) struct Files {
    folder: PathBuf,
    file: &'static str,
}

impl Files {
    pub(crate) fn new(folder: &Path, instance: &Instance) -> Files {
        Files { folder: folder.to_owned(), file: instance.file }
    }

    /// The file of the instance.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join(self.file)
    }

    /// A file that several instances share.
    pub(crate) fn shared(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
