//! Tangents against differences, before and after the passes.

use super::forward;
use crate::ad::samples::{Sample, all};
use crate::infer::types::resolve;
use crate::interp::Val;
use crate::ir::Func;
use crate::opt::optimise;

const STEP: f64 = 1e-6;

/// Directions that differ from parameter to parameter.
fn direction(sample: &Sample) -> Vec<Val> {
    let mut k = 0.0;
    let active = sample.args.iter().zip(&sample.active).filter(|(_, active)| **active);
    let directions = active.map(|(arg, _)| {
        let flat = arg.flat();
        let next = |_: &f64| {
            k += 1.0;
            0.3 + 0.7 * k % 1.1
        };
        arg.with_flat(&flat.iter().map(next).collect::<Vec<_>>())
    });
    directions.collect()
}

fn moved(sample: &Sample, func: &Func, directions: &[Val], h: f64) -> Vec<f64> {
    let mut directions = directions.iter();
    let args: Vec<Val> = (sample.args.iter().zip(&sample.active))
        .map(|(arg, &active)| {
            if !active {
                return arg.clone();
            }
            let d = directions.next().expect("one per active parameter").flat();
            arg.with_flat(&arg.flat().iter().zip(d).map(|(x, d)| x + h * d).collect::<Vec<_>>())
        })
        .collect();
    sample.run(func, &args).iter().flat_map(Val::flat).collect()
}

#[test]
fn tangents_are_those_of_differences() {
    for sample in all() {
        let mut func = sample.func.clone();
        resolve(&mut func);
        let values = sample.run(&func, &sample.args);
        let directions = direction(&sample);
        let (hi, lo) = (moved(&sample, &func, &directions, STEP), moved(&sample, &func, &directions, -STEP));
        let differences: Vec<f64> = hi.iter().zip(&lo).map(|(a, b)| (a - b) / (2.0 * STEP)).collect();
        let mut tangent = forward(&func, &sample.active).unwrap();
        let args: Vec<Val> = sample.args.iter().chain(&directions).cloned().collect();
        for stage in ["forward", "resolve", "optimise"] {
            match stage {
                "resolve" => resolve(&mut tangent),
                "optimise" => optimise(&mut tangent),
                _ => {}
            }
            let results = sample.run(&tangent, &args);
            assert_eq!(results[..values.len()], values, "{} after {stage}", func.name);
            let dots: Vec<f64> = results[values.len()..].iter().flat_map(Val::flat).collect();
            assert_eq!(dots.len(), differences.len(), "{} after {stage}", func.name);
            for (dot, difference) in dots.iter().zip(&differences) {
                let close = (dot - difference).abs() <= 1e-7 * (1.0 + dot.abs());
                let text = crate::ir::print::print(&tangent);
                assert!(close, "{} after {stage}: {dots:?} is not {differences:?}\n{text}", func.name);
            }
        }
    }
}

#[test]
fn tangents_have_tangents() {
    for sample in all() {
        if sample.func.name == "calls" {
            // The companion of the companion is not among the hooks.
            continue;
        }
        let mut func = sample.func.clone();
        resolve(&mut func);
        let first = forward(&func, &sample.active).unwrap();
        let directions = direction(&sample);
        let inner = Sample {
            args: sample.args.iter().chain(&directions).cloned().collect(),
            active: [sample.active.clone(), vec![false; directions.len()]].concat(),
            func: first.clone(),
        };
        let (hi, lo) = (moved(&inner, &first, &directions, STEP), moved(&inner, &first, &directions, -STEP));
        let second = forward(&first, &inner.active).unwrap();
        let args: Vec<Val> = inner.args.iter().chain(&directions).cloned().collect();
        let results = sample.run(&second, &args);
        let dots: Vec<f64> = results[first[first.root].results.len()..].iter().flat_map(Val::flat).collect();
        assert_eq!(dots.len(), hi.len(), "{}", func.name);
        for (i, dot) in dots.iter().enumerate() {
            let difference = (hi[i] - lo[i]) / (2.0 * STEP);
            assert!((dot - difference).abs() <= 1e-6 * (1.0 + dot.abs()), "{}: {dot} is not {difference}", func.name);
        }
    }
}

#[test]
fn what_does_not_depend_has_a_zero() {
    let sample = all().remove(0);
    let mut func = sample.func.clone();
    resolve(&mut func);
    let mut tangent = forward(&func, &[false, false]).unwrap();
    assert_eq!(tangent[tangent.root].params.len(), 2);
    optimise(&mut tangent);
    let results = sample.run(&tangent, &sample.args);
    assert_eq!(results[3..], [Val::Float(0.0), Val::Float(0.0)]);
}
