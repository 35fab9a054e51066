//! Sums into neighbouring places: those of one group stand together.
//!
//! ```text
//! %t = add_at %p [%i] += %x          %t = add_at %p [%i] += %x
//! %u = add_at %t [%j] += %y          %u = add_at %t [%i + 1] += %z
//! %v = add_at %u [%i + 1] += %z  →   %v = add_at %u [%j] += %y
//! ```
//!
//! Compilers make one vector of neighbours that are changed one after the other. That is only done where the index of a
//! group is a product, so that iterations do not overlap: where one iteration adds to parts of what the one before has
//! changed, a vector of them has to wait for each part.

use crate::ir::{Const, Func, Graph, Node, Op, Path, Step, Value};
use crate::prims::arith::{ADD, MUL, SUB};
use la_arena::ArenaMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut graphs = vec![func.root];
    let mut defs = ArenaMap::default();
    func.walk(func.root, &mut |_, n| {
        graphs.extend(func[n].op.graphs());
        for &v in &func[n].outs {
            defs.insert(v, n);
        }
    });
    let uses = super::simplify::uses(func);
    let mut changed = false;
    for g in graphs {
        for chain in chains(func, g, &uses) {
            changed |= group(func, g, &chain, &defs);
        }
    }
    changed
}

/// The additions to elements of one aggregate in a graph, one after the other, of which nothing reads the steps.
fn chains(func: &Func, g: Graph, uses: &ArenaMap<Value, usize>) -> Vec<Vec<Node>> {
    let mut chains: Vec<Vec<Node>> = Vec::new();
    for &n in &func[g].nodes {
        let node = &func[n];
        if !matches!(&node.op, Op::AddAt(Path(steps)) if steps[..] == [Step::Index]) {
            continue;
        }
        let goes_on = |chain: &&mut Vec<Node>| {
            let last = func[chain[chain.len() - 1]].outs[0];
            last == node.args[0] && uses.get(last) == Some(&1)
        };
        match chains.iter_mut().find(goes_on) {
            Some(chain) => chain.push(n),
            None => chains.push(vec![n]),
        }
    }
    chains.retain(|chain| chain.len() > 2);
    chains
}

/// Puts the additions with the same base together, at the last of them.
fn group(func: &mut Func, g: Graph, chain: &[Node], defs: &ArenaMap<Value, Node>) -> bool {
    let bases: Vec<Value> = chain.iter().map(|&n| base(func, func[n].args[1], defs)).collect();
    let product = |v: Value| matches!(defs.get(v).map(|&n| &func[n].op), Some(Op::Prim(prim)) if *prim == &MUL);
    if !bases.iter().all(|&v| product(v)) {
        return false;
    }
    let first = |v: Value| bases.iter().position(|&w| w == v);
    let mut order: Vec<usize> = (0..chain.len()).collect();
    order.sort_by_key(|&k| first(bases[k]));
    if order.is_sorted() {
        return false;
    }
    let operands: Vec<Vec<Value>> = order.iter().map(|&k| func[chain[k]].args[1..].to_vec()).collect();
    let spans: Vec<_> = order.iter().map(|&k| func[chain[k]].span).collect();
    for ((&n, operands), span) in chain.iter().zip(operands).zip(spans) {
        let node = &mut func.nodes[n];
        node.args.truncate(1);
        node.args.extend(operands);
        node.span = span;
    }
    let nodes = &mut func[g].nodes;
    let last = nodes.iter().position(|n| n == &chain[chain.len() - 1]).expect("the chain is in the graph");
    let rest = nodes.split_off(last + 1);
    nodes.retain(|n| !chain.contains(n));
    nodes.extend(chain);
    nodes.extend(rest);
    true
}

/// An index without the constants that are added to it.
fn base(func: &Func, mut v: Value, defs: &ArenaMap<Value, Node>) -> Value {
    let constant = |v: Value| matches!(defs.get(v).map(|&n| &func[n].op), Some(Op::Const(Const::Int(_))));
    while let Some(&n) = defs.get(v) {
        let node = &func[n];
        v = match (&node.op, &node.args[..]) {
            (Op::Prim(prim), &[x, y]) if (*prim == &ADD || *prim == &SUB) && constant(y) => x,
            (Op::Prim(prim), &[x, y]) if *prim == &ADD && constant(x) => y,
            _ => break,
        };
    }
    v
}
