//! The rules of each operation: numbers of operands and results, shapes of nested graphs, types.

use super::{Place, Verifier};
use crate::ir::call::Call;
use crate::ir::checkpoint::CheckpointStep;
use crate::ir::graph::{Graph, Node, Value};
use crate::ir::op::{Loop, LoopKind, Op, Outcome};
use crate::ir::path::{Path, Step};
use crate::ir::primitive::{Kind, Primitive};
use crate::ir::types::{Float, Type};

impl Verifier<'_> {
    fn bad(&mut self, n: Node, message: String) {
        self.fault(Place::Node(n), None, message);
    }

    fn count(&mut self, n: Node, what: &str, got: usize, want: usize) {
        if got != want {
            let s = if want == 1 { "" } else { "s" };
            self.bad(n, format!("{want} {what}{s} expected, {got} given"));
        }
    }

    /// The checks of one node. Types are only looked at where the numbers are right.
    pub(super) fn operation(&mut self, n: Node) {
        let before = self.faults.len();
        self.counts(n);
        if self.faults.len() == before {
            self.types(n);
        }
    }

    fn counts(&mut self, n: Node) {
        let func = self.func;
        let data = &func[n];
        let (args, outs) = (data.args.len(), data.outs.len());
        let (want_args, want_outs) = match &data.op {
            Op::Const(_) => (0, 1),
            Op::Prim(p) => (p.arity, 1),
            Op::Tuple | Op::Array | Op::VecOf => (args, 1),
            Op::Build(b) => (b.fields.len() + usize::from(b.base), 1),
            Op::VecEmpty => (args.min(1), 1),
            Op::Cast(_) | Op::Repeat(_) | Op::Len | Op::Copy(_) | Op::ZeroLike => (1, 1),
            Op::Total | Op::Some | Op::Unwrap | Op::IsSome | Op::ZeroOrUnit => (1, 1),
            Op::Absent => (0, 1),
            Op::Outcome(Outcome::Split) => (1, 2),
            Op::Outcome(Outcome::Join) => (2, 1),
            Op::Outcome(Outcome::Present) => (1, 1),
            Op::VecRepeat | Op::Accumulate | Op::AddEntry | Op::CastCotangent(_) | Op::CastTangent(_) => (2, 1),
            Op::Checkpoint(c) => match c.step {
                CheckpointStep::Start { .. } => (args.min(1), 1),
                CheckpointStep::Save => (args.max(1), 1),
                CheckpointStep::Replay => (1, 1),
                CheckpointStep::Restore => (2, outs.max(2)),
            },
            Op::Nth { .. } | Op::Offset | Op::Unbroadcast => (2, 1),
            Op::Steps { .. } | Op::NthStep => (3, 1),
            Op::Handed(_) | Op::Restored => (2, 1),
            Op::SplitDots => (2, 2),
            Op::JoinDots => (4, 2),
            Op::Lengthen => (args.max(3), 1),
            Op::Load(p) => (1 + p.operands(), 1),
            Op::Update(p) | Op::AddAt(p) | Op::Fill(p) | Op::Push(p) => (2 + p.operands(), 1),
            Op::Take(p) | Op::Pop(p) => (1 + p.operands(), 2),
            Op::Swap(p) => (3 + p.operands(), 1),
            Op::Verbatim(v) => {
                if v.defs.iter().any(|&k| k >= v.uses.len()) {
                    self.bad(n, "the code changes a local that it does not use".to_owned());
                }
                (v.uses.len(), 1 + v.defs.len())
            }
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                let bindings = if let Op::IfLet { bindings, .. } = &data.op { bindings.len() } else { 0 };
                self.params(n, *then_, bindings);
                self.params(n, *else_, 0);
                self.results(n, *then_, outs);
                self.results(n, *else_, outs);
                (1, outs)
            }
            Op::Loop(l) => {
                self.loop_counts(n, l);
                (l.kind.operands() + outs, outs)
            }
            Op::Apply(g) => {
                self.params(n, *g, args);
                self.results(n, *g, outs);
                (args, outs)
            }
            Op::Closure(_) | Op::Empty => (0, 1),
            Op::Lambda(l) => (l.captures, 1),
            Op::Map { body, .. } => {
                self.params(n, *body, args);
                self.results(n, *body, 1);
                (args, 1)
            }
            Op::Call(c) => (c.args.len() + c.states.len(), 1 + changed(c) + c.states.len()),
            Op::CallVjp(c) => (c.args.len() + c.states.len(), 2 + changed(c) + c.states.len()),
            Op::CallJvp(c) => {
                let states = c.states.len();
                (c.args.len() + c.with_tangent().len() + states, 2 * (1 + changed(c)) + states)
            }
            // The seed of a return value of `()` may be left out.
            Op::CallPullback(c) if c.unit && args == 1 + changed(c) + c.states.len() => {
                (args, c.args.len() + c.states.len())
            }
            Op::CallPullback(c) => (2 + changed(c) + c.states.len(), c.args.len() + c.states.len()),
        };
        self.count(n, "operand", args, want_args);
        self.count(n, "result", outs, want_outs);
    }

    fn params(&mut self, n: Node, g: Graph, want: usize) {
        self.count(n, "parameter", self.func[g].params.len(), want);
    }

    fn results(&mut self, n: Node, g: Graph, want: usize) {
        let got = self.func[g].results.len();
        if got != want {
            let s = if want == 1 { "" } else { "s" };
            self.bad(n, format!("the nested graph must give {want} value{s}, it gives {got}"));
        }
    }

    fn loop_counts(&mut self, n: Node, l: &Loop) {
        let carried = self.func[n].outs.len();
        self.params(n, l.body, l.kind.bindings() + carried);
        self.results(n, l.body, usize::from(l.exits) + carried);
        if let LoopKind::While { cond } = l.kind {
            self.params(n, cond, carried);
            self.results(n, cond, 1);
        }
    }

    fn types(&mut self, n: Node) {
        let func = self.func;
        let data = &func[n];
        let (args, outs) = (&data.args, &data.outs);
        match &data.op {
            Op::Prim(p) => self.prim_types(n, p),
            Op::If { then_, else_ } => {
                self.boolean(n, args[0]);
                self.fit_all(n, &func[*then_].results, outs);
                self.fit_all(n, &func[*else_].results, outs);
            }
            Op::IfLet { then_, else_, .. } => {
                self.fit_all(n, &func[*then_].results, outs);
                self.fit_all(n, &func[*else_].results, outs);
            }
            Op::Loop(l) => {
                let (own, inits) = args.split_at(l.kind.operands());
                let (bound, params) = func[l.body].params.split_at(l.kind.bindings());
                let (exit, results) = func[l.body].results.split_at(usize::from(l.exits));
                exit.iter().for_each(|&v| self.boolean(n, v));
                match l.kind {
                    LoopKind::For { .. } => own.iter().chain(bound).for_each(|&v| self.integer(n, v)),
                    LoopKind::While { cond } => {
                        self.boolean(n, func[cond].results[0]);
                        self.fit_all(n, inits, &func[cond].params);
                    }
                    LoopKind::Infinite | LoopKind::Iter { .. } => {}
                }
                self.fit_all(n, inits, params);
                self.fit_all(n, results, params);
                self.fit_all(n, params, outs);
            }
            Op::Apply(g) => {
                self.fit_all(n, args, &func[*g].params);
                self.fit_all(n, &func[*g].results, outs);
            }
            Op::Load(p) | Op::Take(p) | Op::Pop(p) => self.path_operands(n, p, &args[1..]),
            Op::Update(p) | Op::AddAt(p) | Op::Fill(p) | Op::Push(p) => {
                self.path_operands(n, p, &args[1..]);
                self.fit(n, args[0], outs[0]);
                let at = p.apply(func.ty(args[0]));
                let at = if matches!(data.op, Op::Fill(_) | Op::Push(_)) { at.element() } else { at };
                let v = args[args.len() - 1];
                if !fits(&at, func.ty(v)) {
                    self.differ(n, format!("{} is a {}, the place for it a {at}", self.name(v), func.ty(v)));
                }
            }
            Op::Swap(p) => {
                self.path_operands(n, p, &args[1..]);
                args[args.len() - 2..].iter().for_each(|&v| self.integer(n, v));
                self.fit(n, args[0], outs[0]);
            }
            Op::Lengthen => {
                args[2..].iter().for_each(|&v| self.integer(n, v));
                self.fit(n, args[0], outs[0]);
            }
            Op::Accumulate => {
                self.fit(n, args[0], args[1]);
                self.fit(n, args[0], outs[0]);
            }
            Op::AddEntry => self.fit(n, args[0], outs[0]),
            Op::VecRepeat => self.integer(n, args[1]),
            Op::VecEmpty | Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => {
                args.iter().for_each(|&v| self.integer(n, v));
            }
            _ => {}
        }
    }

    fn prim_types(&mut self, n: Node, p: &Primitive) {
        let args = &self.func[n].args;
        match p.kind {
            Kind::Arithmetic if p.name == "powi" => self.integer(n, args[1]),
            Kind::Arithmetic if p.name == "of_int" => self.integer(n, args[0]),
            Kind::Arithmetic | Kind::Compare | Kind::Logic => {
                for pair in args.windows(2) {
                    self.fit(n, pair[0], pair[1]);
                }
            }
            Kind::Select => {
                self.boolean(n, args[0]);
                self.fit(n, args[1], args[2]);
            }
            Kind::Whole => {}
        }
    }

    fn path_operands(&mut self, n: Node, path: &Path, operands: &[Value]) {
        let mut operands = operands.iter();
        for step in &path.0 {
            for _ in 0..step.operands() {
                let &v = operands.next().expect("counted before");
                // An array of several dimensions may be indexed by an array or tuple of integers.
                let several = matches!(step, Step::Index | Step::View(_))
                    && (!self.func.ty(v).is_scalar() || *self.func.ty(v) == Type::Unit);
                if !several {
                    self.integer(n, v);
                }
            }
        }
    }

    fn differ(&mut self, n: Node, message: String) {
        self.bad(n, message);
        self.faults.last_mut().expect("it was just told").types = true;
    }

    fn boolean(&mut self, n: Node, v: Value) {
        if !matches!(self.func.ty(v), Type::Bool | Type::Dyn | Type::Inactive) {
            self.differ(n, format!("{} decides and must be a bool, it is a {}", self.name(v), self.func.ty(v)));
        }
    }

    fn integer(&mut self, n: Node, v: Value) {
        if !matches!(self.func.ty(v), Type::Int(_) | Type::Dyn | Type::Inactive) {
            self.differ(n, format!("{} must be an integer, it is a {}", self.name(v), self.func.ty(v)));
        }
    }

    fn fit(&mut self, n: Node, a: Value, b: Value) {
        let (s, t) = (self.func.ty(a), self.func.ty(b));
        if !fits(s, t) {
            self.differ(n, format!("{} is a {s}, {} a {t}", self.name(a), self.name(b)));
        }
    }

    fn fit_all(&mut self, n: Node, from: &[Value], to: &[Value]) {
        for (&a, &b) in from.iter().zip(to) {
            self.fit(n, a, b);
        }
    }
}

/// How many arguments a call changes.
fn changed(call: &Call) -> usize {
    call.args.iter().filter(|a| a.changes()).count()
}

/// Whether two visible types can be those of the same value. All sequences fit each other, as a slice may be borrowed
/// from any of them, and a scalar fits an array, which it is broadcast to.
fn fits(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Dyn | Type::Inactive, _) | (_, Type::Dyn | Type::Inactive) => true,
        (Type::Float(a) | Type::NdArray(a, _), Type::Float(b)) | (Type::Float(a), Type::NdArray(b, _)) => same(a, b),
        (Type::NdArray(a, _), Type::NdArray(b, _)) => same(a, b),
        (Type::Int(_), Type::Int(_)) => true,
        (Type::Slice(a) | Type::Vec(a) | Type::Array(a), Type::Slice(b) | Type::Vec(b) | Type::Array(b)) => fits(a, b),
        (Type::Option(a), Type::Option(b)) | (Type::Boxed(a), Type::Boxed(b)) => fits(a, b),
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fits(a, b)),
        (a, b) => a == b,
    }
}

/// Whether two float kinds can be the same: a type parameter may stand for any.
fn same(a: &Float, b: &Float) -> bool {
    matches!((a, b), (Float::Any | Float::Generic(_), _) | (_, Float::Any | Float::Generic(_))) || a == b
}
