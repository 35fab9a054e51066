//! Common subexpressions: a scalar is computed once.
//!
//! ```text
//! %a = sin %x               %a = sin %x
//! %b = sin %x          →    (%b is %a)
//! ```
//!
//! The first computation must be in the same graph or in one around it, or, before it is decided what is kept, in the
//! graph that one of these undoes. Only scalars are shared: two aggregates that are
//! equal may be changed in place, each for itself, and would have to be copied if they were one. Calls and inactive code
//! run as often as they are written.

use crate::ir::substitute::Substitution;
use crate::ir::{Const, Func, Graph, Kind, Node, Op, Type, Value};
use la_arena::ArenaMap;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut sharer = Sharer {
        func,
        known: HashMap::new(),
        constants: ArenaMap::default(),
        values: Substitution::default(),
        changed: false,
    };
    sharer.graph(sharer.func.root);
    let Sharer { func, values, changed, .. } = sharer;
    values.apply(func);
    changed
}

/// An operand: a constant counts by what it is, as it is written where it is used.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Operand {
    Value(Value),
    Constant(String, Type),
}

/// What a node computes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Cow<'static, str>,
    operands: Vec<Operand>,
    ty: Type,
}

struct Sharer<'f> {
    func: &'f mut Func,
    known: HashMap<Rc<Key>, Value>,
    constants: ArenaMap<Value, Const>,
    values: Substitution,
    changed: bool,
}

impl Sharer<'_> {
    fn graph(&mut self, g: Graph) {
        let mut here = self.undone(g);
        for n in std::mem::take(&mut self.func[g].nodes) {
            self.values.rewrite(&mut self.func.nodes[n].args);
            if let Op::Const(c) = &self.func[n].op {
                self.constants.insert(self.func[n].outs[0], c.clone());
            }
            if let Some(key) = self.key(n) {
                let out = self.func[n].outs[0];
                if let Some(&earlier) = self.known.get(&key) {
                    self.values.insert(out, earlier);
                    self.changed = true;
                    continue;
                }
                self.known.insert(key.clone(), out);
                here.push(key);
            }
            self.func[g].nodes.push(n);
            for nested in self.func[n].op.graphs() {
                // what is run again must not be remembered instead
                let apart = self.func[nested].recomputed.map(|_| std::mem::take(&mut self.known));
                self.graph(nested);
                self.known = apart.unwrap_or_else(|| std::mem::take(&mut self.known));
            }
        }
        for key in here {
            self.known.remove(&key);
        }
    }

    /// Makes known what the graph that `g` undoes has computed, and gives the keys that are new.
    fn undone(&mut self, g: Graph) -> Vec<Rc<Key>> {
        let Some(primal) = self.func[g].replays else { return Vec::new() };
        let mut new = Vec::new();
        for &n in &self.func[primal].nodes {
            if let Some(key) = self.key(n)
                && !self.known.contains_key(&key)
            {
                self.known.insert(key.clone(), self.func[n].outs[0]);
                new.push(key);
            }
        }
        new
    }

    fn key(&self, n: Node) -> Option<Rc<Key>> {
        let node = &self.func[n];
        let op = match &node.op {
            Op::Prim(prim) if prim.kind != Kind::Whole => Cow::Borrowed(prim.name),
            Op::Cast(ty) => Cow::Owned(format!("as {ty}")),
            op @ (Op::Load(_)
            | Op::Len
            | Op::ZeroLike
            | Op::Nth { .. }
            | Op::Offset
            | Op::Steps { .. }
            | Op::NthStep) => Cow::Owned(format!("{op:?}")),
            _ => return None,
        };
        let ty = self.func.ty(node.outs[0]).clone();
        if !ty.is_scalar() {
            return None;
        }
        let operand = |&v: &Value| match self.constants.get(v) {
            Some(c) => Operand::Constant(format!("{c:?}"), self.func.ty(v).clone()),
            None => Operand::Value(v),
        };
        Some(Rc::new(Key { op, operands: node.args.iter().map(operand).collect(), ty }))
    }
}
