//! Arrays of which an adjoint needs nothing but the shape.
//!
//! ```text
//! %y = map (+) %x, %b                           %y = map (+) %x, %b
//!                                               %s = shape_of %y
//! %p = closure (%g)                             %p = closure (%g)
//!   %d = unbroadcast %g, %y              →        %d = unbroadcast %g, %s
//! ```
//!
//! The shape is what is kept then, and the array is free as soon as the primal is done with it: it can be handed over
//! without a copy, and a loop does not keep one for each iteration. Of parameters, which are there anyway, nothing is noted.
//! It runs before it is decided what is kept.

use super::dce::needed;
use crate::ir::{Func, Graph, Node, Op, Type, Value};
use crate::prims::whole::SHAPE;
use la_arena::ArenaMap;

/// Notes the shapes that only adjoints need, where the first `results` results are those of the primal; says whether there
/// are any.
pub fn run(func: &mut Func, results: usize) -> bool {
    let exact = needed(func, &func[func.root].results[..results]);
    let mut uses = Uses { func, exact: &exact, whole: ArenaMap::default(), shapes: Vec::new() };
    uses.whole(&func[func.root].results);
    uses.graph(func.root);
    let Uses { whole, shapes, .. } = uses;
    let owners = func.owners(func.root);
    let mut noted: ArenaMap<Value, Value> = ArenaMap::default();
    for (n, i) in shapes {
        let v = func[n].args[i];
        let Some(&g) = owners.get(v) else { continue };
        let given = g == func.root && func[g].params.contains(&v);
        if given || whole.contains_idx(v) || !matches!(func.ty(v), Type::NdArray(..)) {
            continue;
        }
        let shape = match noted.get(v) {
            Some(&shape) => shape,
            None => {
                let shape = note(func, g, v);
                noted.insert(v, shape);
                shape
            }
        };
        func.nodes[n].args[i] = shape;
    }
    noted.values().next().is_some()
}

/// The shape of a value, right after that is there.
fn note(func: &mut Func, g: Graph, v: Value) -> Value {
    let (ty, span) = (func.ty(v).clone(), func[v].span);
    let shape = func.value(ty, None, span);
    let n = func.node(Op::Prim(&SHAPE), vec![v], vec![shape], span);
    let at = func[g].nodes.iter().position(|&m| func[m].outs.contains(&v)).map_or(0, |at| at + 1);
    func[g].nodes.insert(at, n);
    shape
}

struct Uses<'f> {
    func: &'f Func,
    /// The nodes that results of the primal depend on.
    exact: &'f ArenaMap<Node, ()>,
    /// What adjoints need more of than the shape.
    whole: ArenaMap<Value, ()>,
    /// The operands of which nothing but the shape is needed.
    shapes: Vec<(Node, usize)>,
}

impl Uses<'_> {
    fn whole(&mut self, values: &[Value]) {
        values.iter().for_each(|&v| {
            self.whole.insert(v, ());
        });
    }

    fn graph(&mut self, g: Graph) {
        let func = self.func;
        for &n in &func[g].nodes {
            let node = &func[n];
            if !self.exact.contains_idx(n) {
                let shape = match node.op {
                    Op::Unbroadcast => Some(1),
                    Op::ZeroLike => Some(0),
                    _ => None,
                };
                for (i, &a) in node.args.iter().enumerate() {
                    if shape == Some(i) { self.shapes.push((n, i)) } else { self.whole(&[a]) }
                }
            }
            for nested in node.op.graphs() {
                if !self.exact.contains_idx(n) {
                    self.whole(&func[nested].results);
                }
                self.graph(nested);
            }
        }
    }
}
