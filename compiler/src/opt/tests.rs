//! Passes against the interpreter: the bits of the results stay, what is superfluous goes.

use super::{PASSES, optimise};
use crate::ad::samples::all;
use crate::infer::types::resolve;
use crate::interp::Val;
use crate::ir::{Func, Node};

/// Floats by their bits.
fn bits(values: &[Val]) -> Vec<u64> {
    values.iter().flat_map(Val::flat).map(f64::to_bits).collect()
}

fn nodes(func: &Func) -> Vec<Node> {
    let mut nodes = Vec::new();
    func.walk(func.root, &mut |_, n| nodes.push(n));
    nodes
}

#[test]
fn every_pass_keeps_the_values() {
    for sample in all() {
        let mut func = sample.func.clone();
        resolve(&mut func);
        let values = sample.run(&func, &sample.args);
        for round in 0..2 {
            for (name, run) in PASSES {
                run(&mut func);
                let now = sample.run(&func, &sample.args);
                assert_eq!(bits(&now), bits(&values), "{} after {name} in round {round}", func.name);
                assert_eq!(now, values);
            }
        }
    }
}

#[test]
fn waste_is_taken_away() {
    let sample = all().pop().expect("a sample");
    let mut func = sample.func.clone();
    optimise(&mut func);
    let ops: Vec<String> = nodes(&func).iter().map(|&n| format!("{:?}", func[n].op)).collect();
    let count = |name: &str| ops.iter().filter(|op| op.contains(&format!("name: \"{name}\""))).count();
    let text = crate::ir::print::print(&func);
    assert_eq!([count("sin"), count("exp"), count("neg"), count("lt")], [1, 0, 0, 0], "{text}");
    assert!(!text.contains("if "), "{text}");
}

#[test]
fn a_loop_loses_what_it_carries_for_nothing() {
    let sample = all().into_iter().find(|s| s.func.name == "sums").expect("a sample");
    let mut func = sample.func.clone();
    optimise(&mut func);
    let outs =
        nodes(&func).iter().map(|&n| &func[n]).find(|n| matches!(n.op, crate::ir::Op::Loop(_))).map(|n| n.outs.len());
    assert_eq!(outs, Some(2));
}

#[test]
fn the_optimum_is_stable() {
    for sample in all() {
        let mut func = sample.func.clone();
        resolve(&mut func);
        optimise(&mut func);
        let text = crate::ir::print::print(&func);
        for (name, run) in PASSES {
            assert!(!run(&mut func), "{name} changes\n{text}");
        }
    }
}
