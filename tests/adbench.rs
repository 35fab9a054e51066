//! The values and derivatives of the example `adbench` are those that its data files expect, on the smallest instances.

#![allow(
    clippy::needless_range_loop,
    reason = "the annotated objectives are plain loops over indices, as users write them"
)]
#![allow(dead_code, reason = "the parts that only the example uses")]

#[path = "../examples/adbench/ba.rs"]
mod ba;
#[path = "../examples/adbench/expected.rs"]
mod expected;
#[path = "../examples/adbench/gmm.rs"]
mod gmm;
#[path = "../examples/adbench/hand.rs"]
mod hand;
#[path = "../examples/adbench/lstm.rs"]
mod lstm;
#[path = "../examples/adbench/problem.rs"]
mod problem;
#[path = "../examples/adbench/read.rs"]
mod read;

use std::path::{Path, PathBuf};

use expected::Deviation;
use problem::{Files, Instance};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/adbench")
}

/// Compares the instances with these names.
fn compare(instances: &[Instance], names: &[&str]) {
    let folder = folder();
    if !folder.exists() {
        return; // The published package leaves the data out.
    }
    for name in names {
        let instance = instances.iter().find(|instance| instance.name == *name).expect("there is such an instance");
        let files = Files::new(&folder, instance);
        let problem = (instance.open)(&files).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = read::expected(&files.shared(&format!("expected/{}.json", instance.expected))).unwrap();
        problem.compare(&expected).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    }
}

#[test]
fn mixtures() {
    compare(gmm::INSTANCES, &["GMM 1k d2 K5", "GMM 1k d10 K25"]);
}

#[test]
fn bundle_adjustment() {
    compare(ba::INSTANCES, &["BA perturbed", "BA ba1"]);
}

#[test]
fn hands() {
    compare(hand::INSTANCES, &["HAND simple 100", "HAND complicated 100"]);
}

#[test]
fn character_models() {
    compare(lstm::INSTANCES, &["LSTM l2 c1024"]);
}

#[test]
fn a_missing_file() {
    let files = Files::new(Path::new("no/such/folder"), &gmm::INSTANCES[0]);
    let error = (gmm::INSTANCES[0].open)(&files).err().expect("there is no such file").to_string();
    assert!(error.starts_with("no/such/folder/gmm/1k/gmm_d2_K5.txt: cannot read this file: "), "{error}");
}

#[test]
fn a_deviation_is_told() {
    let record = serde_json::json!({"len": 2, "sum": 3.0, "l2": 5.0_f64.sqrt(), "absmax": 2.0, "wsum97": 5.0, "values": [1.0, 2.0]});
    assert_eq!(Deviation::none().vector("v", &[1.0, 2.0], &record), Ok(()));
    assert!(Deviation::none().vector("v", &[2.0, 1.0], &record).is_err(), "the entries are exchanged");
    assert!(Deviation::none().vector("v", &[1.0, 2.0 + 1e-8], &record).is_err());
    assert!(Deviation::none().vector("v", &[1.0, f64::NAN], &record).is_err());
    assert!(Deviation::none().vector("v", &[1.0], &record).is_err());
}
