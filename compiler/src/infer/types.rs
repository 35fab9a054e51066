//! Types of values, found by unification over a whole function.
//!
//! An unsuffixed literal and what is computed from it start as a float of any kind and become the kind that the rest of
//! the function demands; what stays open is left to Rust. A value of unknown type becomes known only where a rule of
//! the language gives its type; nothing is guessed, and a known type never changes.

use super::unify::{Seq, Term, Unifier};
use crate::ir::{Func, Graph, Kind, LoopKind, Node, Op, Path, Primitive, RangeEnd, Step, Type, Value};
use la_arena::ArenaMap;

/// How often the rules are swept over the function at most; each sweep costs time linear in its size.
const SWEEPS: usize = 8;

/// Finds out what can be known of the types of the values of a function.
pub fn resolve(func: &mut Func) {
    let mut unifier = Unifier::default();
    let terms: ArenaMap<Value, Term> = func.values.iter().map(|(v, data)| (v, unifier.term(&data.ty))).collect();
    let usize_ = unifier.term(&Type::USIZE);
    let mut rules = Rules { func, terms, unifier, usize_ };
    let mut nodes = Vec::new();
    func.walk(func.root, &mut |_, n| nodes.push(n));
    for _ in 0..SWEEPS {
        rules.unifier.changed = false;
        for &n in &nodes {
            rules.node(n);
        }
        if !rules.unifier.changed {
            break;
        }
    }
    let Rules { terms, mut unifier, .. } = rules;
    for (v, term) in terms.iter() {
        func.values[v].ty = unifier.ty(term);
    }
    func.share_types();
    func.lambdas_mut(&mut |l| resolve(&mut l.func));
}

struct Rules<'f> {
    func: &'f Func,
    terms: ArenaMap<Value, Term>,
    unifier: Unifier,
    usize_: Term,
}

impl Rules<'_> {
    fn term(&self, v: Value) -> Term {
        self.unifier.resolve(&self.terms[v])
    }

    fn unify(&mut self, a: Value, b: Value) {
        self.unifier.unify(&self.terms[a], &self.terms[b]);
    }

    fn same(&mut self, a: Value, b: Value) {
        self.unifier.same(&self.terms[a], &self.terms[b]);
    }

    fn flow(&mut self, from: Value, to: Value) {
        self.unifier.flow(&self.terms[from], &self.terms[to]);
    }

    fn flow_term(&mut self, from: &Term, to: Value) {
        self.unifier.flow(from, &self.terms[to]);
    }

    fn is_usize(&mut self, v: Value) {
        let term = self.usize_.clone();
        self.unifier.same(&term, &self.terms[v]);
    }

    fn node(&mut self, n: Node) {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        match &node.op {
            Op::Prim(prim) => self.prim(prim, args, outs[0]),
            Op::Const(_) | Op::Cast(_) => {}
            Op::Verbatim(code) => {
                for (&d, &out) in code.defs.iter().zip(&outs[1..]) {
                    self.flow(args[d], out);
                }
            }
            Op::Tuple => {
                let term = Term::Tuple(args.iter().map(|&a| self.terms[a].clone()).collect());
                self.flow_term(&term, outs[0]);
            }
            // what the fields' types are is in the user's declaration
            Op::Build(_) => {
                if let Term::Boxed(t) = self.term(outs[0]) {
                    self.unifier.unify(&t, &self.terms[args[0]]);
                }
            }
            Op::Array => self.sequence(Seq::Array, args, outs[0]),
            Op::Repeat(_) => self.sequence(Seq::Array, args, outs[0]),
            Op::VecOf => self.sequence(Seq::Vec, args, outs[0]),
            Op::VecRepeat => {
                self.sequence(Seq::Vec, &args[..1], outs[0]);
                self.is_usize(args[1]);
            }
            Op::VecEmpty => args.iter().for_each(|&a| self.is_usize(a)),
            Op::Push(path) => {
                if let Some(Term::Seq(_, e)) = self.at(args[0], path, &args[1..]) {
                    self.unifier.unify(&e, &self.terms[args[1 + path.operands()]]);
                }
                self.flow(args[0], outs[0]);
            }
            Op::Lengthen => {
                args[2..].iter().for_each(|&a| self.is_usize(a));
                self.flow(args[0], outs[0]);
            }
            Op::Pop(path) => {
                if let Some(Term::Seq(_, e)) = self.at(args[0], path, &args[1..]) {
                    self.flow_term(&e, outs[0]);
                }
                self.flow(args[0], outs[1]);
            }
            Op::Len => self.is_usize(outs[0]),
            Op::Offset | Op::Steps { .. } => {
                self.same(args[0], args[1]);
                self.is_usize(outs[0]);
            }
            Op::Copy(to_vec) => match self.term(args[0]) {
                Term::Seq(_, e) if *to_vec => self.flow_term(&Term::Seq(Seq::Vec, e), outs[0]),
                Term::Seq(Seq::Slice, _) => self.same(args[0], outs[0]),
                _ => self.flow(args[0], outs[0]),
            },
            Op::Load(path) => {
                if let Some(term) = self.at(args[0], path, &args[1..]) {
                    self.flow_term(&term, outs[0]);
                }
            }
            Op::Update(path) => {
                let place = self.at(args[0], path, &args[1..]);
                let v = args[1 + path.operands()];
                match place {
                    Some(place) if path.is_slice() || path.0.is_empty() => {
                        self.unifier.same(&place, &self.terms[v]);
                    }
                    Some(place) => self.unifier.unify(&place, &self.terms[v]),
                    None => {}
                }
                self.flow(args[0], outs[0]);
            }
            Op::AddAt(path) => {
                if let Some(place) = self.at(args[0], path, &args[1..]) {
                    self.unifier.same(&place, &self.terms[args[1 + path.operands()]]);
                }
                self.flow(args[0], outs[0]);
            }
            Op::Take(path) => {
                if let Some(place) = self.at(args[0], path, &args[1..]) {
                    self.flow_term(&place, outs[0]);
                }
                self.flow(args[0], outs[1]);
            }
            Op::Fill(path) => {
                if let Some(Term::Seq(_, e)) = self.at(args[0], path, &args[1..]) {
                    self.unifier.same(&e, &self.terms[args[1 + path.operands()]]);
                }
                self.flow(args[0], outs[0]);
            }
            Op::Swap(path) => {
                if let Some(Term::Seq(..)) = self.at(args[0], path, &args[1..]) {
                    args[1 + path.operands()..].iter().for_each(|&i| self.is_usize(i));
                }
                self.flow(args[0], outs[0]);
            }
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                let func = self.func;
                for (i, &out) in outs.iter().enumerate() {
                    let (a, b) = (func[*then_].results[i], func[*else_].results[i]);
                    self.unifier.join(&self.terms[a], &self.terms[b], &self.terms[out]);
                }
            }
            Op::Loop(_) => self.repeat(n),
            Op::Apply(g) => {
                let func = self.func;
                for (&a, &p) in args.iter().zip(&func[*g].params) {
                    self.flow(a, p);
                }
                for (&r, &out) in func[*g].results.iter().zip(outs) {
                    self.flow(r, out);
                }
            }
            Op::ZeroLike => {
                let term = self.term(args[0]);
                if self.unifier.is_float(&term) || matches!(term, Term::NdArray(..)) {
                    self.flow_term(&term, outs[0]);
                } else {
                    self.same(args[0], outs[0]);
                }
            }
            Op::Accumulate => {
                self.same(args[0], args[1]);
                self.flow(args[0], outs[0]);
            }
            Op::AddEntry => self.flow(args[0], outs[0]),
            Op::CastCotangent(_) => {
                if self.unifier.is_float(&self.terms[args[0]]) {
                    self.flow(args[0], outs[0]);
                }
            }
            Op::Nth { .. } => self.same(args[0], outs[0]),
            Op::NthStep => self.same(args[0], outs[0]),
            Op::Map { body, .. } => self.map(*body, args, outs[0]),
            Op::Some => {
                if let Term::Option(t) = self.term(outs[0]) {
                    self.unifier.unify(&t, &self.terms[args[0]]);
                }
            }
            Op::Absent | Op::Unwrap | Op::IsSome | Op::ZeroOrUnit | Op::SplitDots | Op::JoinDots | Op::Outcome(_) => {}
            Op::Handed(_) | Op::Restored => {}
            Op::Checkpoint(_) => {}
            Op::Total => {
                if let Term::Seq(_, e) = self.term(args[0]) {
                    self.flow_term(&e, outs[0]);
                }
            }
            Op::Unbroadcast => {
                self.kinds(args);
                self.flow(args[1], outs[0]);
            }
            Op::CastTangent(_) | Op::Closure(_) | Op::Lambda(_) | Op::Empty => {}
            Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => {
                let (before, after) = (call.before(args).to_vec(), call.after(outs).to_vec());
                before.into_iter().zip(after).for_each(|(found, left)| self.flow(found, left));
            }
            Op::CallPullback(_) => {}
        }
    }

    fn sequence(&mut self, seq: Seq, elements: &[Value], out: Value) {
        let Some((&first, rest)) = elements.split_first() else { return };
        for &e in rest {
            self.unify(first, e);
        }
        let term = Term::Seq(seq, Box::new(self.terms[first].clone()));
        self.flow_term(&term, out);
    }

    /// What is at a path; indices of visible sequences are `usize`.
    fn at(&mut self, root: Value, path: &Path, operands: &[Value]) -> Option<Term> {
        let mut term = self.term(root);
        let mut operands = operands.iter();
        for step in &path.0 {
            let indices: Vec<Value> = operands.by_ref().take(step.operands()).copied().collect();
            if matches!(term, Term::Seq(..)) {
                indices.iter().for_each(|&i| self.is_usize(i));
            }
            let next = match (step, term) {
                (Step::Index, Term::Seq(_, e)) => *e,
                (Step::Index | Step::Flat, Term::NdArray(k, _)) => Term::Scalar(k),
                (Step::View(view), Term::NdArray(k, _)) => Term::NdArray(k, view.rank),
                (Step::Range { .. }, Term::Seq(_, e)) => Term::Seq(Seq::Slice, e),
                (Step::Field(k), Term::Tuple(ts)) => ts.get(k.parse::<usize>().ok()?)?.clone(),
                (Step::Range { from: false, end: RangeEnd::Open }, t) => t,
                (step, Term::Option(t)) if step.is_some() => *t,
                (step, Term::Boxed(t)) if step.is_unbox() => *t,
                _ => return None,
            };
            term = self.unifier.resolve(&next);
        }
        Some(term)
    }

    fn repeat(&mut self, n: Node) {
        let func = self.func;
        let node = &func[n];
        let Op::Loop(l) = &node.op else { return };
        let body = &func[l.body];
        if let LoopKind::For { .. } = l.kind {
            let (lo, hi, i) = (node.args[0], node.args[1], body.params[0]);
            self.same(lo, hi);
            self.same(lo, i);
            self.same(hi, i);
        }
        let inits = &node.args[l.kind.operands()..];
        let params = &body.params[l.kind.bindings()..];
        let results = &body.results[usize::from(l.exits)..];
        for (i, &out) in node.outs.iter().enumerate() {
            let param = params[i];
            self.unifier.join(&self.terms[inits[i]], &self.terms[results[i]], &self.terms[param]);
            self.flow(param, out);
            if let LoopKind::While { cond } = l.kind {
                self.flow(param, func[cond].params[i]);
                self.same(func[cond].params[i], param);
            }
            // A carried value is one variable: once its type is known from either side, it is that type.
            self.same(out, param);
            self.same(inits[i], param);
            self.same(results[i], param);
        }
    }

    fn map(&mut self, body: Graph, args: &[Value], out: Value) {
        let func = self.func;
        let elements = func[body].params.iter().zip(args).map(|(&p, &a)| (p, a));
        for (element, whole) in elements.chain(func[body].results.first().map(|&r| (r, out))) {
            match self.term(whole) {
                Term::NdArray(k, _) => self.flow_term(&Term::Scalar(k), element),
                Term::Scalar(_) => self.same(whole, element),
                _ => {}
            }
        }
    }

    /// The scalars and arrays among the values have elements of one kind, which is returned if they do.
    fn kinds(&mut self, values: &[Value]) -> Option<usize> {
        let mut first = None;
        let mut agree = true;
        for &v in values {
            if let Term::Scalar(k) | Term::NdArray(k, _) = self.term(v) {
                let first = *first.get_or_insert(k);
                self.unifier.merge(first, k);
                agree &= self.unifier.agree(first, k);
            }
        }
        first.filter(|_| agree)
    }

    fn prim(&mut self, prim: &Primitive, args: &[Value], out: Value) {
        match prim.kind {
            Kind::Compare => {
                self.kinds(args);
                self.flow_term(&Term::Fixed(Type::Bool), out);
            }
            Kind::Select => self.unifier.join(&self.terms[args[1]], &self.terms[args[2]], &self.terms[out]),
            Kind::Whole => {
                let floats: Vec<Value> = args.iter().chain([&out]).copied().filter(|&v| self.has_floats(v)).collect();
                self.kinds(&floats);
            }
            Kind::Arithmetic | Kind::Logic => {
                let operands = prim.alike(args);
                let known: Vec<Term> = operands.iter().map(|&a| self.term(a)).collect();
                if known.is_empty() || known.iter().any(|t| matches!(t, Term::Hole(_))) {
                    return;
                }
                let all: Vec<Value> = operands.iter().chain([&out]).copied().collect();
                let kind = self.kinds(&all);
                let ranks: Vec<Option<usize>> =
                    known.iter().filter_map(|t| if let Term::NdArray(_, r) = t { Some(*r) } else { None }).collect();
                let scalars = known.iter().all(|t| matches!(t, Term::Scalar(_)));
                match kind {
                    Some(k) if scalars => self.flow_term(&Term::Scalar(k), out),
                    Some(k) if known.iter().all(|t| matches!(t, Term::Scalar(_) | Term::NdArray(..))) => {
                        let rank = ranks.into_iter().reduce(|a, b| Some(a?.max(b?))).flatten();
                        self.flow_term(&Term::NdArray(k, rank), out);
                    }
                    None if known.iter().all(|t| matches!(t, Term::Fixed(Type::Bool))) => {
                        self.flow_term(&Term::Fixed(Type::Bool), out);
                    }
                    _ => {}
                }
            }
        }
    }

    fn has_floats(&mut self, v: Value) -> bool {
        let term = self.term(v);
        matches!(term, Term::NdArray(..)) || self.unifier.is_float(&term)
    }
}
