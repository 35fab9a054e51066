//! The command line of the examples of models, and how they end.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Goes on from the checkpoint instead of from the start.
    pub(crate) resume: bool,
    /// Where the training is kept.
    pub(crate) checkpoint: PathBuf,
    /// How many rounds the training has in all.
    pub(crate) rounds: usize,
    /// The file with the data; none for an example that generates them.
    pub(crate) data: Option<PathBuf>,
}

impl Options {
    /// What holds where nothing is said: files of this name in `examples/out`, data from the file in `examples/data`.
    pub(crate) fn new(name: &str, rounds: usize, data: Option<&str>) -> Self {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        Self {
            resume: false,
            checkpoint: examples.join("out").join(name).with_extension("safetensors"),
            rounds,
            data: data.map(|data| examples.join("data").join(data)),
        }
    }

    /// Reads the arguments; `None` if the help was asked for.
    pub(crate) fn parse(mut self, arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = |what| arguments.next().ok_or_else(|| format!("{argument} needs {what} after it"));
            match argument.as_str() {
                "-h" | "--help" => return Ok(None),
                "--resume" => self.resume = true,
                "--checkpoint" => self.checkpoint = value("a file")?.into(),
                "--data" if self.data.is_some() => self.data = Some(value("a file")?.into()),
                "--rounds" => {
                    let text = value("a number")?;
                    self.rounds = text.parse().map_err(|_| format!("--rounds needs a number, not `{text}`"))?;
                }
                unknown => return Err(format!("unknown option {unknown}")),
            }
        }
        Ok(Some(self))
    }

    /// The picture, beside the checkpoint.
    pub(crate) fn picture(&self) -> PathBuf {
        self.checkpoint.with_extension("svg")
    }
}

/// Runs an example: its exit status is 1 if an option is wrong or it fails.
pub(crate) fn run(
    about: &str,
    defaults: Options,
    example: impl FnOnce(&Options) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let mut usage = format!(
        "{about}\n\n\
         \x20 --resume           go on from the checkpoint\n\
         \x20 --checkpoint FILE  where the training is kept (default: {})\n\
         \x20 --rounds N         how long to train in all (default: {})\n",
        defaults.checkpoint.display(),
        defaults.rounds,
    );
    if let Some(data) = &defaults.data {
        usage += &format!("  --data FILE        the data (default: {})\n", data.display());
    }
    usage += "  -h, --help         print this text";
    let result = match defaults.parse(std::env::args().skip(1)) {
        Ok(Some(options)) => example(&options).map_err(|error| error.to_string()),
        Ok(None) => {
            println!("{usage}");
            return ExitCode::SUCCESS;
        }
        Err(error) => Err(format!("{error}\n\n{usage}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
