//! The order of iterations: a loop of a pullback that only adds up runs upwards.
//!
//! ```text
//! %s = loop 9..0 step -1 (%i, %t = %g)       %s = loop 0..9 (%i, %t = %g)
//!   %x = load %a [%i]                          %x = load %a [%i]
//!   %u = add_at %t [%i] += %x          →       %u = add_at %t [%i] += %x
//!   → %u                                       → %u
//! ```
//!
//! All that such a loop carries are sums that nothing in it reads, so that only their rounding depends on the order.
//! Loops that run upwards are what compilers make vectors of. A loop that adds to one aggregate several times stays as
//! it is: there one iteration may read what the one before has just written. The primal's loops stay as they are.

use crate::ir::{Func, Graph, LoopKind, Node, Op, Value};
use crate::prims::arith::{ADD, SUB};
use la_arena::ArenaMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut loops = Vec::new();
    func.walk(func.root, &mut |_, n| {
        if let Op::Closure(g) = func[n].op {
            func.walk(g, &mut |_, n| loops.push(n));
        }
    });
    // what is run again in a pullback is the primal
    loops.retain(|&n| matches!(&func[n].op, Op::Loop(l) if downwards(&l.kind) && l.replays.is_some()));
    if loops.is_empty() {
        return false;
    }
    let sums = Sums::new(func);
    loops.retain(|&n| sums.only_adds(n, 1));
    for &n in &loops {
        if let Op::Loop(l) = &mut func.nodes[n].op
            && let LoopKind::For { reversed, .. } = &mut l.kind
        {
            *reversed = false;
        }
    }
    !loops.is_empty()
}

fn downwards(kind: &LoopKind) -> bool {
    matches!(kind, LoopKind::For { reversed: true, .. })
}

/// Finds out what loops only add to.
pub(super) struct Sums<'f> {
    func: &'f Func,
    uses: ArenaMap<Value, usize>,
}

impl<'f> Sums<'f> {
    pub(super) fn new(func: &'f Func) -> Self {
        Sums { func, uses: super::simplify::uses(func) }
    }

    /// Whether all that a loop carries are sums, an aggregate at no more than `places` places, and nothing in it has
    /// effects.
    pub(super) fn only_adds(&self, n: Node, places: usize) -> bool {
        let Op::Loop(l) = &self.func[n].op else { return false };
        let mut pure = !l.exits;
        self.func.walk(l.body, &mut |_, m| pure &= !super::dce::has_effects(&self.func[m].op));
        pure && (0..self.func[n].outs.len()).all(|k| self.sum(n, k, places))
    }

    /// Whether the `k`-th carried value of a loop is a sum that the body only adds to.
    pub(super) fn sum(&self, n: Node, k: usize, most: usize) -> bool {
        let Op::Loop(l) = &self.func[n].op else { return false };
        let body = &self.func[l.body];
        let (mut at, end) = (body.params[l.kind.bindings() + k], body.results[usize::from(l.exits) + k]);
        let mut places = 0;
        while at != end {
            places += usize::from(self.func.ty(at).is_aggregate());
            match self.next(l.body, at, most) {
                Some(next) if places <= most => at = next,
                _ => return false,
            }
        }
        self.uses.get(end).is_some_and(|&uses| uses == 1)
    }

    /// The sum that the only use of a sum makes of it; a branch that adds in one arm counts as one.
    fn next(&self, g: Graph, v: Value, most: usize) -> Option<Value> {
        match self.uses.get(v) {
            Some(1) => {}
            Some(2) => return self.added_in_an_arm(g, v, most),
            _ => return None,
        }
        let n = *self.func[g].nodes.iter().find(|&&n| self.func[n].args.contains(&v))?;
        let node = &self.func[n];
        let k = node.args.iter().position(|a| *a == v)?;
        match &node.op {
            Op::Prim(prim) if *prim == &ADD || (*prim == &SUB && k == 0) => Some(node.outs[0]),
            Op::AddAt(_) | Op::Accumulate if k == 0 => Some(node.outs[0]),
            Op::Loop(l) => {
                let k = k.checked_sub(l.kind.operands())?;
                self.sum(n, k, most).then_some(node.outs[k])
            }
            _ => None,
        }
    }

    /// The sum that a branch makes of a sum if one arm adds to it and the other gives it as it is.
    fn added_in_an_arm(&self, g: Graph, v: Value, most: usize) -> Option<Value> {
        self.func[g].nodes.iter().find_map(|&n| {
            let Op::If { then_, else_ } = self.func[n].op else { return None };
            let k = self.func[else_].results.iter().position(|r| *r == v)?;
            let added = self.func[then_].nodes.iter().find(|&&m| self.func[m].args.first() == Some(&v))?;
            let adds = matches!(self.func[*added].op, Op::AddAt(_)) && most > 0;
            (adds && self.func[*added].outs[0] == self.func[then_].results[k]).then_some(self.func[n].outs[k])
        })
    }
}
