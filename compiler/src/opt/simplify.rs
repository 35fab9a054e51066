//! Algebraic simplification.
//!
//! ```text
//! %a = scale %g, 1          (%a is %g)
//! %b = scale %g, -1         %b = neg %g
//! %c = scale %g, 3          %c = mul %g, 3
//! %i = div 1, %d            %i = recip %d
//! %e = scale %g, %i    →    %e = unscale %g, %d      (if %i has no other use)
//! %n = neg %y
//! %f = add %x, %n           %f = sub %x, %y
//! %p = tuple %x, %y
//! %h = load %p .1           (%h is %y)
//! %q = array %x, %y
//! %k = load %q [0]          (%k is %x)
//! ```
//!
//! On plain arithmetic only what is exact for every operand, signed zeros and NaN included: `x·1`, `x/1`, `x-0`,
//! `-(-x)`, `x+(-y)`. The products of derivatives (`scale`, `unscale`) have no meaning but their value and may be rounded
//! differently. Also results of branches that do not depend on the branch, and loop-carried values that never change.

mod scalar;

use crate::ir::substitute::Substitution;
use crate::ir::{Builder, Const, Func, Graph, LoopKind, Node, NodeData, Op, Path, Primitive, Step, Type, Value};
use crate::prims::arith::MUL;
use crate::prims::compare;
use la_arena::ArenaMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let uses = uses(func);
    let mut simplifier = Simplifier {
        func,
        uses,
        defs: ArenaMap::default(),
        squares: ArenaMap::default(),
        values: Substitution::default(),
        changed: false,
    };
    simplifier.graph(simplifier.func.root);
    let Simplifier { func, values, changed, .. } = simplifier;
    values.apply(func);
    changed
}

/// What becomes of a node.
enum Rewrite {
    /// Its result is another value.
    Same(Value),
    /// It becomes another operation.
    Become(Op, Vec<Value>),
}

/// How often each value is used.
pub(super) fn uses(func: &Func) -> ArenaMap<Value, usize> {
    let mut uses = ArenaMap::default();
    let mut count = |values: &[Value]| {
        for &v in values {
            let n = uses.get(v).copied().unwrap_or(0);
            uses.insert(v, n + 1);
        }
    };
    count(&func[func.root].results);
    func.walk(func.root, &mut |_, n| {
        count(&func[n].args);
        func[n].op.graphs().iter().for_each(|&g| count(&func[g].results));
    });
    uses
}

/// What a node squares.
fn squared(node: &NodeData) -> Option<Value> {
    match (&node.op, &node.args[..]) {
        (Op::Prim(prim), &[x, y]) if *prim == &MUL && x == y => Some(x),
        _ => None,
    }
}

struct Simplifier<'f> {
    func: &'f mut Func,
    /// How often each value was used when the pass began.
    uses: ArenaMap<Value, usize>,
    /// The node that defines each value so far.
    defs: ArenaMap<Value, Node>,
    /// The square of each value that is squared in this graph or in one around it.
    squares: ArenaMap<Value, Value>,
    values: Substitution,
    changed: bool,
}

impl Simplifier<'_> {
    fn graph(&mut self, g: Graph) {
        for n in std::mem::take(&mut self.func[g].nodes) {
            self.node(g, n);
        }
        for &n in &self.func[g].nodes {
            if let Some(x) = squared(&self.func[n]) {
                self.squares.remove(x);
            }
        }
        let mut results = std::mem::take(&mut self.func[g].results);
        self.values.rewrite(&mut results);
        self.func[g].results = results;
    }

    fn node(&mut self, g: Graph, n: Node) {
        self.values.rewrite(&mut self.func.nodes[n].args);
        loop {
            match self.rewrite(g, n) {
                None => break,
                Some(Rewrite::Same(v)) => {
                    let out = self.func[n].outs[0];
                    self.values.insert(out, v);
                    self.changed = true;
                    return;
                }
                Some(Rewrite::Become(op, args)) => {
                    let node = &mut self.func[n];
                    (node.op, node.args) = (op, args);
                    self.changed = true;
                }
            }
        }
        for nested in self.func[n].op.graphs() {
            self.graph(nested);
        }
        match self.func[n].op {
            Op::If { .. } | Op::IfLet { .. } => self.branch(g, n),
            Op::Loop(_) => self.carried(n),
            _ => {}
        }
        self.func[g].nodes.push(n);
        self.define(n);
        if let Some(x) = squared(&self.func[n])
            && !self.squares.contains_idx(x)
        {
            self.squares.insert(x, self.func[n].outs[0]);
        }
    }

    fn define(&mut self, n: Node) {
        for &out in &self.func.nodes[n].outs {
            self.defs.insert(out, n);
        }
    }

    /// Appends a node beside the one at hand.
    fn push(&mut self, g: Graph, like: Node, op: Op, args: Vec<Value>, ty: Type) -> Value {
        let span = self.func[like].span;
        let out = Builder::new(self.func, g, span).push(op, args, ty);
        let n = *self.func[g].nodes.last().expect("a node was just appended");
        self.define(n);
        out
    }

    fn def(&self, v: Value) -> Option<(&Op, &[Value])> {
        let node = &self.func[*self.defs.get(v)?];
        Some((&node.op, &node.args))
    }

    fn constant(&self, v: Value) -> Option<&Const> {
        match self.def(v)? {
            (Op::Const(c), _) => Some(c),
            _ => None,
        }
    }

    fn bool(&self, v: Value) -> Option<bool> {
        if let Some(Const::Bool(b)) = self.constant(v) { Some(*b) } else { None }
    }

    /// The operands of a value that is a given primitive.
    fn operands(&self, v: Value, prim: &Primitive) -> Option<&[Value]> {
        match self.def(v)? {
            (Op::Prim(p), args) if *p == prim => Some(args),
            _ => None,
        }
    }

    /// Whether a value is a zero that is made anew: a tangent of which only the shape says anything.
    fn is_fresh_zero(&self, v: Value) -> bool {
        match self.def(v) {
            Some((Op::ZeroLike, _)) => true,
            Some((Op::VecRepeat | Op::Repeat(_), args)) => self.is_fresh_zero(args[0]),
            Some((Op::Const(Const::Float(x, _)), _)) => *x == 0.0,
            _ => false,
        }
    }

    fn rewrite(&mut self, g: Graph, n: Node) -> Option<Rewrite> {
        let node = &self.func[n];
        match &node.op {
            Op::Prim(prim) => self.prim(g, n, prim),
            Op::Load(path) => self.load(path, &node.args),
            Op::Len => {
                let n = match self.def(node.args[0])? {
                    (Op::VecEmpty, _) => 0,
                    (Op::Array | Op::VecOf, parts) => parts.len(),
                    _ => return None,
                };
                Some(Rewrite::Become(Op::Const(Const::Int(n.to_string())), vec![]))
            }
            Op::IsSome => match self.def(node.args[0])? {
                (Op::Some, _) => Some(Rewrite::Become(Op::Const(Const::Bool(true)), vec![])),
                (Op::Absent, _) => Some(Rewrite::Become(Op::Const(Const::Bool(false)), vec![])),
                _ => None,
            },
            Op::ZeroLike if matches!(self.func.ty(node.args[0]), Type::Option(_)) => match self.def(node.args[0])? {
                (Op::Absent, _) => Some(Rewrite::Become(Op::Absent, vec![])),
                _ => None,
            },
            Op::ZeroLike if self.func.ty(node.args[0]).is_float() => {
                Some(Rewrite::Become(Op::Const(Const::Float(0.0, "0.0".into())), vec![]))
            }
            // the cotangent of a sum
            Op::Map { body, like_first: true, operator: None, .. }
                if self.func[*body].results[0] == self.func[*body].params[0]
                    && self.func.ty(node.args[0]) == self.func.ty(node.outs[0])
                    && matches!(self.func.ty(node.args[0]), Type::NdArray(..)) =>
            {
                Some(Rewrite::Same(node.args[0]))
            }
            Op::Accumulate => {
                // A sum with a fresh zero of the same shape is the other operand.
                let (a, b) = (node.args[0], node.args[1]);
                (self.is_fresh_zero(a) && self.func.ty(b) == self.func.ty(node.outs[0])).then_some(Rewrite::Same(b))
            }
            _ => None,
        }
    }

    fn load(&self, path: &Path, args: &[Value]) -> Option<Rewrite> {
        if path.0.is_empty() {
            return Some(Rewrite::Same(args[0]));
        }
        match (self.def(args[0])?, &path.0[0]) {
            ((Op::Tuple, parts), Step::Field(k)) => {
                let part = *parts.get(k.parse::<usize>().ok()?)?;
                let rest = Path(path.0[1..].to_vec());
                let args = std::iter::once(part).chain(args[1..].iter().copied()).collect();
                Some(Rewrite::Become(Op::Load(rest), args))
            }
            ((Op::Some, parts), step) if step.is_some() => {
                let rest = Path(path.0[1..].to_vec());
                let args = std::iter::once(parts[0]).chain(args[1..].iter().copied()).collect();
                Some(Rewrite::Become(Op::Load(rest), args))
            }
            ((Op::Array, parts), Step::Index) => {
                let Some(Const::Int(k)) = self.constant(args[1]) else { return None };
                let part = *parts.get(k.parse::<usize>().ok()?)?;
                let rest = Path(path.0[1..].to_vec());
                let args = std::iter::once(part).chain(args[2..].iter().copied()).collect();
                Some(Rewrite::Become(Op::Load(rest), args))
            }
            ((Op::Update(written), operands), _) if written == path => {
                let v = *operands.last()?;
                let same = operands[1..operands.len() - 1] == args[1..];
                (same && self.func.ty(v).is_scalar()).then_some(Rewrite::Same(v))
            }
            _ => None,
        }
    }

    /// The results of a branch that are the same on both sides, or that are its condition.
    fn branch(&mut self, g: Graph, n: Node) {
        let node = &self.func[n];
        let cond = if matches!(node.op, Op::If { .. }) { Some(node.args[0]) } else { None };
        let [then_, else_] = node.op.graphs()[..] else { return };
        for (i, out) in node.outs.clone().into_iter().enumerate() {
            let (a, b) = (self.func[then_].results[i], self.func[else_].results[i]);
            let ty = self.func.ty(out).clone();
            let same = if a == b {
                Some(a)
            } else {
                match (self.constant(a).cloned(), self.constant(b).cloned()) {
                    (Some(Const::Bool(true)), Some(Const::Bool(false))) => cond,
                    (Some(Const::Bool(false)), Some(Const::Bool(true))) => {
                        cond.map(|c| self.push(g, n, Op::Prim(&compare::NOT), vec![c], Type::Bool))
                    }
                    // Floats are equal only as bits, by their digits.
                    (Some(a), Some(b)) if format!("{a:?}") == format!("{b:?}") => {
                        Some(self.push(g, n, Op::Const(a), vec![], ty))
                    }
                    _ => None,
                }
            };
            if let Some(v) = same
                && self.values.find(out) != v
            {
                self.values.insert(out, v);
                self.changed = true;
            }
        }
    }

    /// The carried values of a loop that each iteration hands on as they are.
    fn carried(&mut self, n: Node) {
        let node = self.func[n].clone();
        let Op::Loop(l) = node.op else { return };
        let inits = &node.args[l.kind.operands()..];
        let params = self.func[l.body].params[l.kind.bindings()..].to_vec();
        let results = self.func[l.body].results[usize::from(l.exits)..].to_vec();
        for (i, &out) in node.outs.iter().enumerate() {
            let (init, param) = (inits[i], params[i]);
            if (results[i] != param && results[i] != init) || self.used_up(n, i) {
                continue;
            }
            self.values.insert(param, init);
            self.values.insert(out, init);
            if let LoopKind::While { cond } = l.kind {
                self.values.insert(self.func[cond].params[i], init);
            }
            self.changed = true;
        }
    }

    /// Whether a carried value has been dealt with before and only waits for its removal.
    fn used_up(&self, n: Node, i: usize) -> bool {
        self.values.find(self.func[n].outs[i]) != self.func[n].outs[i]
    }
}
