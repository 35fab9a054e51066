//! Forward mode: a function to its tangent program, which computes the values and their tangents together.
//!
//! The tangent program shares the control flow of the function: a branch or a loop gets further results for the tangents
//! of those that are active. In the name of a value `x`, its tangent is `x_dot`. What is not active has no tangent; where
//! one is demanded all the same it is a zero of the value's shape.
//!
//! Precondition: the function has no pullbacks; derivatives of reverse sweeps are reverse sweeps of tangent programs.

mod aggregate;
mod call;
mod control;
mod prim;
#[cfg(test)]
mod tests;

use super::functions::Handed;
use super::reverse::NoAdjoint;
use super::twice;
use crate::infer::activity::{Activity, analyse};
use crate::ir::{Builder, Func, Graph, Node, Op, ParamMode, Type, Value};
use crate::opt::inline;
use la_arena::ArenaMap;
use proc_macro2::Span;

/// The tangent program of a function.
///
/// Its parameters are those of the function, then a tangent for each active one, in order. Its results are those of the
/// function, then a tangent for each that can carry one by its type; without a dependence that is a zero.
///
/// # Errors
/// If an operation on active values has no derivative here.
pub fn forward(func: &Func, active_params: &[bool]) -> Result<Func, NoAdjoint> {
    let results = func[func.root].results.iter().map(|&r| func.ty(r).can_be_active());
    forward_to(func, active_params, &results.collect::<Vec<_>>())
}

/// The same with tangents of some results only.
fn forward_to(func: &Func, active_params: &[bool], wanted: &[bool]) -> Result<Func, NoAdjoint> {
    let mut func = func.clone();
    let root = func.root;
    super::reverse::remember(&mut func, root);
    inline::run(&mut func);
    twice::lower(&mut func);
    let params = func[root].params.clone();
    let results = func[root].results.clone();
    let active: Vec<Value> = params.iter().zip(active_params).filter(|(_, a)| **a).map(|(&p, _)| p).collect();
    let activity = analyse(&func, &active, &results);
    let handed = Handed::find(&func, &activity);
    let mut forward = Forward {
        func: &mut func,
        activity,
        handed,
        dots: ArenaMap::default(),
        state_dots: ArenaMap::default(),
        missing: None,
    };
    for p in active {
        if *forward.func.ty(p) != Type::Function {
            forward.param(root, p);
            forward.func.modes.push(ParamMode::Value);
        }
    }
    forward.graph(root);
    for (r, &wanted) in results.into_iter().zip(wanted) {
        if wanted {
            let at = At { graph: root, span: forward.func[r].span };
            let dot = forward.owned_dot(at, r);
            forward.func[root].results.push(dot);
        }
    }
    match forward.missing {
        Some(missing) => Err(missing),
        None => Ok(func),
    }
}

/// Where new nodes go: at the end of a graph, for the source at a span.
#[derive(Clone, Copy)]
struct At {
    graph: Graph,
    span: Span,
}

struct Forward<'f> {
    func: &'f mut Func,
    activity: Activity,
    /// What is differentiated because of the functions that are handed over.
    handed: Handed,
    /// The tangent of each value that has one.
    dots: ArenaMap<Value, Value>,
    /// Where in a closure the tangent is of each variable that it changes and that has one.
    state_dots: ArenaMap<Value, Vec<Option<usize>>>,
    /// What has no derivative, if there is anything.
    missing: Option<NoAdjoint>,
}

impl Forward<'_> {
    fn graph(&mut self, g: Graph) {
        for n in std::mem::take(&mut self.func[g].nodes) {
            self.node(g, n);
        }
    }

    /// Appends a node and the tangents of its results.
    fn node(&mut self, g: Graph, n: Node) {
        let at = At { graph: g, span: self.func[n].span };
        match self.func[n].op {
            Op::If { .. } | Op::IfLet { .. } => self.branch(at, n),
            Op::Loop(_) => self.repeat(at, n),
            Op::Call(_) => self.call(at, n),
            Op::Lambda(_) => self.lambda(at, n),
            Op::Handed(_) => {
                self.func[g].nodes.push(n);
                self.aggregate(at, n);
            }
            _ if !self.func[n].outs.iter().any(|&o| self.activity.is_active(o)) => self.func[g].nodes.push(n),
            Op::Prim(prim) => {
                self.func[g].nodes.push(n);
                self.prim(at, prim, n);
            }
            Op::Map { .. } => {
                self.func[g].nodes.push(n);
                self.map(at, n);
            }
            Op::Load(_) | Op::Cast(_) | Op::Copy(_) | Op::Build(_) => {
                self.func[g].nodes.push(n);
                self.aggregate(at, n);
            }
            Op::Update(ref path) if self.writes_unseen(path, n) => {
                self.func[g].nodes.push(n);
                self.aggregate(at, n);
            }
            _ => {
                // The operands may be gone afterwards: zeros of their shapes come first.
                self.aggregate(at, n);
                self.func[g].nodes.push(n);
            }
        }
    }

    fn builder(&mut self, at: At) -> Builder<'_> {
        Builder::new(self.func, at.graph, at.span)
    }

    fn push(&mut self, at: At, op: Op, args: Vec<Value>, ty: Type) -> Value {
        self.builder(at).push(op, args, ty)
    }

    /// Makes `dot` the tangent of `v`.
    fn set(&mut self, v: Value, dot: Value) {
        if self.func[dot].name.is_none() {
            self.func.values[dot].name = self.dot_name(v);
        }
        self.dots.insert(v, dot);
    }

    fn dot_name(&self, v: Value) -> Option<String> {
        self.func[v].name.as_ref().map(|name| format!("{}_dot", name.trim_start_matches("r#")))
    }

    /// A new value of the type of the tangents of `v`.
    fn dot_value(&mut self, v: Value) -> Value {
        let (ty, name, span) = (self.func.ty(v).tangent(), self.dot_name(v), self.func[v].span);
        self.func.value(ty, name, span)
    }

    /// Appends the tangent of the parameter `p` to the parameters of `g`.
    fn param(&mut self, g: Graph, p: Value) {
        let dot = self.dot_value(p);
        self.func[g].params.push(dot);
        self.dots.insert(p, dot);
    }

    fn dot(&self, v: Value) -> Option<Value> {
        self.dots.get(v).copied()
    }

    /// The tangent of a value, or a zero of its shape.
    fn dot_or_zero(&mut self, at: At, v: Value) -> Value {
        match self.dot(v) {
            Some(dot) => dot,
            None => {
                let ty = self.func.ty(v).tangent();
                self.push(at, Op::ZeroLike, vec![v], ty)
            }
        }
    }

    /// The same as a value that is handed over: a slice becomes a vector.
    fn owned_dot(&mut self, at: At, v: Value) -> Value {
        let dot = self.dot_or_zero(at, v);
        self.owned(at, dot)
    }

    fn owned(&mut self, at: At, v: Value) -> Value {
        match self.func.ty(v) {
            Type::Slice(t) => {
                let ty = Type::Vec(t.clone());
                self.push(at, Op::Copy(true), vec![v], ty)
            }
            _ => v,
        }
    }

    /// The tangent for a place in a tuple or among arguments: `()` where there cannot be one.
    fn entry(&mut self, at: At, v: Value) -> Value {
        if self.func.ty(v).can_be_active() { self.owned_dot(at, v) } else { self.builder(at).unit() }
    }
}
