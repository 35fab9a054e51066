//! Reverse mode: a function → the function and its pullback.
//!
//! The pullback is a closure graph from the cotangents of the results to those of the parameters. It refers to the
//! values of the primal freely, also to those of loop bodies and branch arms: a graph of the pullback *replays* the
//! primal graph whose execution it undoes (`GraphData::replays`). The pass `storage` decides later what is kept.
//!
//! Branches replay the arm taken, loops run backwards, a load adds into the cotangent of its aggregate, an update takes
//! the cotangent of the element out, calls become calls of `_vjp`. Only active values have cotangents.
//!
//! Sources: Griewank and Walther, *Evaluating Derivatives*, 2nd ed., section 3.2 (incremental reverse); for the
//! structured form, van Merriënboer et al., *Automatic differentiation in ML: where we are and where we should be going*.

mod again;
mod aggregate;
mod control;
mod elementwise;
mod node;
mod prepare;
mod shape;

use crate::infer::activity::{self, Activity};
use crate::ir::{Builder, Func, Graph, Node, Op, Type, Value};
use crate::prims::arith;
pub(super) use again::remember;
use proc_macro2::Span;
use std::collections::BTreeMap;

/// Something that has no adjoint.
#[derive(Debug)]
pub struct NoAdjoint {
    /// Where.
    pub span: Span,
    /// What.
    pub what: String,
}

/// The function with its pullback as a further result. `active_params`: which parameters have a cotangent; the pullback
/// gives those, in order. It takes a cotangent for each result in `useful`, in order.
///
/// # Errors
/// If an operation on active values has no adjoint.
pub fn reverse(func: &Func, active_params: &[bool], useful: &[bool]) -> Result<Func, NoAdjoint> {
    let mut f = func.clone();
    prepare::run(&mut f);
    let root = f.root;
    let params: Vec<Value> = f[root].params.iter().zip(active_params).filter(|(_, a)| **a).map(|(&p, _)| p).collect();
    let results: Vec<Value> = f[root].results.iter().zip(useful).filter(|(_, u)| **u).map(|(&r, _)| r).collect();
    let activity = activity::analyse(&f, &params, &results);
    again::separate(&mut f);
    prepare::calls(&mut f, &activity)?;
    let plain = again::copies(&mut f);
    let owners = f.owners(root);
    let mut defs = la_arena::ArenaMap::default();
    f.walk(root, &mut |_, n| {
        for &o in &f[n].outs {
            defs.insert(o, n);
        }
    });

    let pullback = f.graph();
    f[pullback].replays = Some(root);
    let mut r =
        Reverse { f: &mut f, activity, owners, defs, plain, replaced: BTreeMap::new(), cotangents: BTreeMap::new() };
    for &v in &results {
        let (ty, span) = (r.f.ty(v).tangent(), r.f[v].span);
        let name = r.f[v].name.clone().unwrap_or_else(|| "y".to_owned());
        let seed = r.f.value(ty, Some(format!("{name}_bar")), span);
        r.f[pullback].params.push(seed);
        r.add(pullback, v, seed, span);
    }
    r.graph(root, pullback)?;
    let mut entries = Vec::new();
    for &p in &params {
        let span = r.f[p].span;
        entries.push(r.cotangent_or_zero(pullback, p, span));
    }
    f[pullback].results = entries;
    let span = Span::call_site();
    let mut b = Builder::new(&mut f, root, span);
    let closure = b.push(Op::Closure(pullback), vec![], Type::Pullback);
    f[root].results.push(closure);
    Ok(f)
}

/// The state of reversing.
struct Reverse<'f> {
    f: &'f mut Func,
    activity: Activity,
    /// The graph that defines each primal value.
    owners: la_arena::ArenaMap<Value, Graph>,
    /// The node that defines each primal value, parameters apart.
    defs: la_arena::ArenaMap<Value, Node>,
    /// For what is run again: copies that do no more than the primal.
    plain: la_arena::ArenaMap<Node, again::Plain>,
    /// For values in what is run again once it is undone: those in the copy that took its place.
    replaced: BTreeMap<u32, Value>,
    /// The current version of the cotangent of each primal value; absent: zero.
    cotangents: BTreeMap<u32, Value>,
}

fn key(v: Value) -> u32 {
    v.into_raw().into_u32()
}

type Done = Result<(), NoAdjoint>;

impl Reverse<'_> {
    /// Appends to `rev` the adjoints of the nodes of `primal`, last first.
    fn graph(&mut self, primal: Graph, rev: Graph) -> Done {
        for n in self.f[primal].nodes.clone().into_iter().rev() {
            self.node(n, rev)?;
        }
        Ok(())
    }

    fn b(&mut self, graph: Graph, span: Span) -> Builder<'_> {
        Builder::new(self.f, graph, span)
    }

    fn active(&self, v: Value) -> bool {
        self.activity.is_active(v)
    }

    /// The cotangent of a value, if it is not zero.
    fn get(&self, v: Value) -> Option<Value> {
        self.cotangents.get(&key(v)).copied()
    }

    /// Takes the cotangent of a value that no earlier node can add to.
    fn take(&mut self, v: Value) -> Option<Value> {
        self.cotangents.remove(&key(v))
    }

    fn set(&mut self, v: Value, cotangent: Value) {
        if self.f[cotangent].name.is_none()
            && let Some(name) = &self.f[v].name
        {
            let name = format!("{name}_bar");
            self.f.values[cotangent].name = Some(name);
        }
        self.cotangents.insert(key(v), cotangent);
    }

    /// Adds to the cotangent of a value.
    fn add(&mut self, rev: Graph, v: Value, g: Value, span: Span) {
        if !self.active(v) {
            return;
        }
        let sum = match self.get(v) {
            None => g,
            Some(old) => {
                let ty = self.f.ty(old).clone();
                if ty.is_float() {
                    self.b(rev, span).prim(&arith::ADD, &[old, g])
                } else {
                    self.b(rev, span).push(Op::Accumulate, vec![old, g], ty)
                }
            }
        };
        self.set(v, sum);
    }

    /// The cotangent of a value, zero made explicit.
    fn cotangent_or_zero(&mut self, rev: Graph, v: Value, span: Span) -> Value {
        match self.get(v) {
            Some(g) => g,
            None => self.zero(rev, v, span),
        }
    }
}
