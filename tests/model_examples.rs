//! What the examples of models have in common: a training that is resumed goes the same way as one that was never
//! interrupted, and options, checkpoints and tables that are wrong are refused with what is wrong.

#[path = "../examples/mlp/digits.rs"]
mod digits;
#[allow(dead_code, reason = "it is for programs")]
#[path = "../examples/shared/mod.rs"]
mod shared;

use std::fs;
use std::path::{Path, PathBuf};

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, ArrayViewMutD, array};

use shared::checkpoint::{self, Parameters};
use shared::options::Options;
use shared::train::{Point, Task, train};

#[derive(Clone, Differentiable)]
struct Valley {
    place: Array1<f64>,
}

impl Parameters for Valley {
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)> {
        vec![("place", self.place.view_mut().into_dyn())]
    }
}

/// The function of Rosenbrock.
#[differentiable]
fn height(valley: &Valley) -> f64 {
    let p: Array1<f64> = valley.place.clone();
    let mut total = 0.0;
    for i in 0..p.len() - 1 {
        total += 100.0 * (p[i + 1] - p[i] * p[i]).powi(2) + (1.0 - p[i]).powi(2);
    }
    total
}

fn task<'a>() -> Task<'a, Valley> {
    Task {
        name: "valley",
        start: Valley { place: array![-1.2, 1.0, 0.3] },
        value_and_grad: &height_value_and_grad,
        measure: &|valley| valley.place[0],
        measure_title: "Place",
        iterations: 5,
    }
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cotangent-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn options(folder: &Path, rounds: usize, resume: bool) -> Options {
    Options { resume, rounds, checkpoint: folder.join("valley.safetensors"), ..Options::new("valley", 0, None) }
}

#[test]
fn resumed_is_as_never_interrupted() {
    let (whole, parts) = (folder("whole"), folder("parts"));
    let (valley, curve) = train(&task(), &options(&whole, 4, false)).unwrap();
    assert_eq!(curve.len(), 21);
    assert!(curve[20].loss < curve[10].loss && curve[10].loss < curve[0].loss);
    assert_eq!((curve[0].loss, curve[0].measure), (height(&task().start), -1.2));
    assert_eq!((curve[20].loss, curve[20].measure), (height(&valley), valley.place[0]));
    train(&task(), &options(&parts, 1, false)).unwrap();
    train(&task(), &options(&parts, 3, true)).unwrap();
    let (again, same) = train(&task(), &options(&parts, 4, true)).unwrap();
    assert_eq!((again.place, same), (valley.place.clone(), curve.clone()));
    // a training that has ended has nothing to go on with
    let (again, same) = train(&task(), &options(&parts, 4, true)).unwrap();
    assert_eq!((again.place, same), (valley.place, curve));
    let picture = fs::read_to_string(parts.join("valley.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("Loss") && picture.contains("Place"));
    // in the end the gradient vanishes, and the training stops by itself
    let (valley, curve) = train(&task(), &options(&whole, 100, true)).unwrap();
    assert!(curve.len() < 400 && valley.place.iter().all(|p| (p - 1.0).abs() < 1e-6), "{}", valley.place);
    fs::remove_dir_all(whole).unwrap();
    fs::remove_dir_all(parts).unwrap();
}

#[test]
fn checkpoints_that_do_not_fit() {
    let folder = folder("checkpoints");
    let path = folder.join("c.safetensors");
    let mut valley = Valley { place: array![1.0, 2.0] };
    let told = |example: &str, valley: &mut Valley| {
        let error = checkpoint::read(&path, example, valley).unwrap_err();
        let name = path.display().to_string();
        assert!(error.starts_with(&name), "{error}");
        error[name.len()..].to_owned()
    };
    assert!(told("valley", &mut valley).starts_with(": cannot read the checkpoint: "));
    fs::write(&path, b"not a checkpoint at all").unwrap();
    assert!(told("valley", &mut valley).starts_with(": this is no sound safetensors file: "));
    let curve = [Point { loss: 3.0, measure: 4.0 }];
    checkpoint::write(&path, "valley", &mut valley, &curve).unwrap();
    assert_eq!(told("hill", &mut valley), ": this is a checkpoint of the example `valley`, not of `hill`");
    let mut longer = Valley { place: array![0.0, 0.0, 0.0] };
    assert_eq!(told("valley", &mut longer), ": the tensor `place` has the shape [2], and should have [3]");
    let mut read = Valley { place: array![0.0, 0.0] };
    assert_eq!(checkpoint::read(&path, "valley", &mut read), Ok(curve.to_vec()));
    assert_eq!(read.place, valley.place);
    // cut off
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(told("valley", &mut valley).starts_with(": this is no sound safetensors file: "));
    valley.place[1] = f64::NAN;
    checkpoint::write(&path, "valley", &mut valley, &curve).unwrap();
    assert_eq!(told("valley", &mut valley), ": the tensor `place` holds NaN");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn options_that_are_wrong() {
    let parse = |arguments: &str| {
        let arguments = arguments.split_whitespace().map(str::to_owned);
        Options::new("valley", 7, Some("digits.csv.gz")).parse(arguments)
    };
    assert_eq!(parse("").unwrap(), Some(Options::new("valley", 7, Some("digits.csv.gz"))));
    let given = parse("--rounds 3 --resume --checkpoint a/b.safetensors --data c.gz").unwrap().unwrap();
    assert_eq!((given.rounds, given.resume), (3, true));
    assert_eq!(
        (given.checkpoint.as_path(), given.data.as_deref()),
        (Path::new("a/b.safetensors"), Some(Path::new("c.gz")))
    );
    assert_eq!(given.picture(), Path::new("a/b.svg"));
    assert_eq!(parse("--resume -h").unwrap(), None);
    assert_eq!(parse("--rounds").unwrap_err(), "--rounds needs a number after it");
    assert_eq!(parse("--rounds ten").unwrap_err(), "--rounds needs a number, not `ten`");
    assert_eq!(parse("digits.csv").unwrap_err(), "unknown option digits.csv");
    let without_data = Options::new("valley", 7, None);
    assert_eq!(without_data.parse(["--data".to_owned(), "d".to_owned()]).unwrap_err(), "unknown option --data");
}

#[test]
fn tables_of_digits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/digits.csv.gz");
    if path.exists() {
        let digits = digits::read(&path).unwrap();
        assert_eq!(digits.pixels.dim(), (1797, 64));
        assert_eq!(digits.labels[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(digits.pixels[[0, 2]], 5.0 / 16.0);
    }
    let row = |last: &str| ["0,"; 64].concat() + last + "\n";
    assert_eq!(digits::parse("1,2\n").unwrap_err(), "line 1: there should be 64 pixels and a label, not 2 fields");
    assert_eq!(digits::parse(&(row("3") + &row("x"))).unwrap_err(), "line 2: `x` is not a whole number from 0 to 9");
    let bright = row("3").replacen('0', "17", 1);
    assert_eq!(digits::parse(&bright).unwrap_err(), "line 1: `17` is not a whole number from 0 to 16");
    assert_eq!(digits::parse(&row("3")).unwrap_err(), "there are 1 rows, too few to learn from");
    let missing = digits::read(Path::new("no/such/file.gz")).unwrap_err();
    assert!(missing.starts_with("no/such/file.gz: cannot read the digits: "), "{missing}");
}
