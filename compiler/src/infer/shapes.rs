//! The sizes of arrays, as far as they can be known: declared ones, literal ones, and which of the others are equal.
//!
//! ```text
//! shapes(x: [n, d], w: [d, h], b: [h])
//! %z = dot %x, %w             [n, h]
//! %y = map (+) %z, %b         [n, h]      so the cotangent of %z needs no sum, that of %b one over n
//! ```
//!
//! One sweep in the order of execution. A size that is not known is open: it gets a number of its own, and is found out
//! where an operation demands that two sizes are equal; what holds in a branch or in an iteration is forgotten after it.
//! What a loop carries keeps its shape if an iteration leaves it so. A declared name is a size of its own, equal to
//! no number and to no other name: where two such sizes would have to be equal, the function contradicts itself.
//! Broadcasting is never guessed, as an open size may be one.

mod dims;
mod rules;
#[cfg(test)]
mod tests;
mod words;
mod written;

use crate::ir::{Const, Func, Graph, LoopKind, Node, Op, Size, Type, Value};
use dims::{Dim, Dims};
use la_arena::ArenaMap;
use proc_macro2::Span;
use std::collections::{BTreeSet, HashMap};

/// What is known of the size of a value.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// Nothing, or it has none.
    Nothing,
    /// An integer that is the size of an axis.
    Size(Dim),
    /// The sizes of several axes: a shape as a value.
    Sizes(Vec<Dim>),
    /// The sizes of an array of `ndarray`.
    Array(Vec<Dim>),
    /// Of each part of a tuple.
    Tuple(Vec<Known>),
    /// The length of a sequence, and what is known of each of its elements.
    Seq(Dim, Box<Known>),
}

/// Two sizes that would have to be equal, and are not.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// The operation that demands it.
    pub span: Span,
    /// What is wrong, with both operands and their sizes.
    pub message: String,
    /// What may be done.
    pub help: String,
}

/// What is known of the sizes of the values of a function.
pub struct Shapes<'f> {
    func: &'f Func,
    known: ArenaMap<Value, Known>,
    defs: ArenaMap<Value, Node>,
    dims: Dims,
    /// The open sizes of each value, by axis: the same ones each time it is looked at.
    open: HashMap<(Value, usize), Dim>,
    faults: Vec<Contradiction>,
    /// The nodes that contradict something, each told once.
    told: BTreeSet<u32>,
}

/// How often a loop is looked at until what it carries keeps its shape.
const SWEEPS: usize = 4;

impl<'f> Shapes<'f> {
    /// Finds out what can be known of a function.
    pub fn of(func: &'f Func) -> Self {
        let mut shapes = Shapes {
            func,
            known: ArenaMap::default(),
            defs: ArenaMap::default(),
            dims: Dims::default(),
            open: HashMap::new(),
            faults: Vec::new(),
            told: BTreeSet::new(),
        };
        let params = &func[func.root].params;
        for (k, &p) in params.iter().enumerate() {
            let declared = func.sizes.get(k).and_then(Option::as_ref);
            let known = match declared {
                Some(sizes) => shapes.declared(func.ty(p), sizes),
                None => shapes.unknown(p),
            };
            shapes.set(p, known);
        }
        shapes.nodes(func.root);
        shapes
    }

    /// What contradicts itself.
    pub fn contradictions(self) -> Vec<Contradiction> {
        self.faults
    }

    /// Whether two arrays certainly have the same shape.
    pub fn same(&self, a: Value, b: Value) -> bool {
        match (self.known.get(a), self.known.get(b)) {
            (Some(Known::Array(a)), Some(Known::Array(b))) => self.dims.all_same(a, b),
            _ => false,
        }
    }

    /// The declared sizes of a value of some type.
    fn declared(&mut self, ty: &Type, sizes: &[Size]) -> Known {
        let Some((first, rest)) = sizes.split_first() else {
            return if matches!(ty, Type::NdArray(..)) { Known::Array(Vec::new()) } else { Known::Nothing };
        };
        match ty {
            Type::Slice(t) | Type::Vec(t) | Type::Array(t) => {
                let elements = self.declared(t, rest);
                Known::Seq(self.dims.declared(first), Box::new(elements))
            }
            Type::NdArray(..) => Known::Array(sizes.iter().map(|size| self.dims.declared(size)).collect()),
            _ => Known::Nothing,
        }
    }

    /// The shape of a value of which nothing is known but its type.
    fn unknown(&mut self, v: Value) -> Known {
        let func = self.func;
        let mut axis = 0;
        self.unknown_of(v, func.ty(v), &mut axis)
    }

    fn unknown_of(&mut self, v: Value, ty: &Type, axis: &mut usize) -> Known {
        let mut next = |shapes: &mut Self| {
            *axis += 1;
            shapes.open(v, *axis - 1)
        };
        match ty {
            Type::NdArray(_, Some(rank)) => Known::Array((0..*rank).map(|_| next(self)).collect()),
            Type::Int(_) => Known::Size(next(self)),
            Type::Slice(t) | Type::Vec(t) | Type::Array(t) => {
                let length = next(self);
                // the elements may differ in their sizes
                let elements = if t.is_scalar() { Known::Nothing } else { self.length_only(v, t, axis) };
                Known::Seq(length, Box::new(elements))
            }
            Type::Tuple(parts) => Known::Tuple(parts.iter().map(|t| self.unknown_of(v, t, axis)).collect()),
            _ => Known::Nothing,
        }
    }

    /// What all elements of a sequence of sequences have in common: the length of those of fixed length.
    fn length_only(&mut self, v: Value, ty: &Type, axis: &mut usize) -> Known {
        let Type::Array(t) = ty else { return Known::Nothing };
        *axis += 1;
        let length = self.open(v, *axis - 1);
        let elements = self.length_only(v, t, axis);
        Known::Seq(length, Box::new(elements))
    }

    /// The open size of an axis of a value.
    fn open(&mut self, v: Value, axis: usize) -> Dim {
        let dims = &mut self.dims;
        *self.open.entry((v, axis)).or_insert_with(|| dims.open())
    }

    fn set(&mut self, v: Value, known: Known) {
        let known = self.resolved(known);
        self.known.insert(v, known);
    }

    /// With what has been found out of open sizes since.
    fn resolved(&self, known: Known) -> Known {
        let all = |sizes: Vec<Dim>| sizes.into_iter().map(|size| self.dims.resolve(size)).collect();
        match known {
            Known::Nothing => Known::Nothing,
            Known::Size(size) => Known::Size(self.dims.resolve(size)),
            Known::Sizes(sizes) => Known::Sizes(all(sizes)),
            Known::Array(sizes) => Known::Array(all(sizes)),
            Known::Tuple(parts) => Known::Tuple(parts.into_iter().map(|part| self.resolved(part)).collect()),
            Known::Seq(length, of) => Known::Seq(self.dims.resolve(length), Box::new(self.resolved(*of))),
        }
    }

    fn known(&self, v: Value) -> Known {
        self.known.get(v).map_or(Known::Nothing, |known| self.resolved(known.clone()))
    }

    fn array(&self, v: Value) -> Option<Vec<Dim>> {
        match self.known(v) {
            Known::Array(sizes) => Some(sizes),
            _ => None,
        }
    }

    /// The number that a value is, if it is written there.
    fn constant(&self, v: Value) -> Option<usize> {
        match &self.func[*self.defs.get(v)?].op {
            Op::Const(Const::Int(digits)) => digits.parse().ok(),
            _ => None,
        }
    }

    fn nodes(&mut self, graph: Graph) {
        let func = self.func;
        for &n in &func[graph].nodes {
            for &out in &func[n].outs {
                self.defs.insert(out, n);
            }
            self.node(n);
        }
    }

    /// What is found out in a graph that may not be run holds only there.
    fn region(&mut self, graph: Graph) -> Vec<Known> {
        let mark = self.dims.mark();
        self.nodes(graph);
        let results = self.func[graph].results.iter().map(|&r| self.known(r)).collect();
        self.dims.forget(mark);
        results
    }

    fn node(&mut self, n: Node) {
        let func = self.func;
        let data = &func[n];
        match &data.op {
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                for &p in &func[*then_].params {
                    let known = self.unknown(p);
                    self.set(p, known);
                }
                let (a, b) = (self.region(*then_), self.region(*else_));
                for ((a, b), &out) in a.iter().zip(&b).zip(&data.outs) {
                    let known = self.join(a, b, out);
                    self.set(out, known);
                }
            }
            Op::Loop(_) => self.repeat(n),
            Op::Apply(g) => {
                for (&a, &p) in data.args.iter().zip(&func[*g].params) {
                    let known = self.known(a);
                    self.set(p, known);
                }
                self.nodes(*g);
                for (&r, &out) in func[*g].results.iter().zip(&data.outs) {
                    let known = self.known(r);
                    self.set(out, known);
                }
            }
            Op::Closure(g) => {
                self.seeds(*g);
                self.region(*g);
            }
            _ => self.operation(n),
        }
    }

    /// The parameters of the pullback have the shapes of the results that they belong to.
    fn seeds(&mut self, pullback: Graph) {
        let func = self.func;
        let params = &func[pullback].params;
        let results: Vec<Value> = func[func.root].results.clone();
        for &p in params {
            let known = self.unknown(p);
            self.set(p, known);
        }
        // one is enough: which of several results has a cotangent is not known here
        if let ([p], [result, _]) = (&params[..], &results[..])
            && matches!(self.known.get(*result), Some(Known::Array(_)))
        {
            let known = self.known(*result);
            self.set(*p, known);
        }
    }

    /// What is known of a value that is one of two: what both have in common.
    fn join(&mut self, a: &Known, b: &Known, v: Value) -> Known {
        let mut axis = 0;
        self.common(a, b, v, &mut axis)
    }

    fn common(&mut self, a: &Known, b: &Known, v: Value, axis: &mut usize) -> Known {
        let mut size = |shapes: &mut Self, a: &Dim, b: &Dim| {
            let (a, b) = (shapes.dims.resolve(*a), shapes.dims.resolve(*b));
            let open = shapes.open(v, *axis);
            *axis += 1;
            if a == b { a } else { open }
        };
        let both = |a: &Vec<Dim>, b: &Vec<Dim>| a.len() == b.len();
        match (a, b) {
            (Known::Size(a), Known::Size(b)) => Known::Size(size(self, a, b)),
            (Known::Sizes(a), Known::Sizes(b)) if both(a, b) => {
                Known::Sizes(a.iter().zip(b).map(|(a, b)| size(self, a, b)).collect())
            }
            (Known::Array(a), Known::Array(b)) if both(a, b) => {
                Known::Array(a.iter().zip(b).map(|(a, b)| size(self, a, b)).collect())
            }
            (Known::Seq(n, a), Known::Seq(m, b)) => {
                let length = size(self, n, m);
                // elements have no sizes of their own where they differ
                let of = if a == b { (**a).clone() } else { Known::Nothing };
                Known::Seq(length, Box::new(of))
            }
            (Known::Tuple(a), Known::Tuple(b)) if a.len() == b.len() => {
                Known::Tuple(a.iter().zip(b).map(|(a, b)| self.common(a, b, v, axis)).collect())
            }
            _ => Known::Nothing,
        }
    }

    fn repeat(&mut self, n: Node) {
        let func = self.func;
        let data = &func[n];
        let Op::Loop(l) = &data.op else { return };
        let body = &func[l.body];
        let inits: Vec<Known> = data.args[l.kind.operands()..].iter().map(|&v| self.known(v)).collect();
        let (bound, carried) = body.params.split_at(l.kind.bindings());
        for &p in bound {
            let known = self.unknown(p);
            self.set(p, known);
        }
        let mut state = inits.clone();
        for sweep in 0..SWEEPS {
            if sweep == SWEEPS - 1 {
                state = carried.iter().map(|&p| self.unknown(p)).collect();
            }
            for (&p, known) in carried.iter().zip(&state) {
                self.set(p, known.clone());
            }
            if let LoopKind::While { cond } = l.kind {
                for (&p, known) in func[cond].params.iter().zip(&state) {
                    self.set(p, known.clone());
                }
                self.region(cond);
            }
            let results = self.region(l.body).split_off(usize::from(l.exits));
            let mut next = Vec::new();
            for ((known, result), &p) in state.iter().zip(&results).zip(carried) {
                next.push(self.join(known, result, p));
            }
            if next == state {
                break;
            }
            if sweep == 0 {
                // the second iteration, if there is one, has exactly these
                for (&p, result) in carried.iter().zip(results) {
                    self.set(p, result);
                }
                self.region(l.body);
            }
            state = next;
        }
        // a loop may run no iteration at all, or many
        for ((known, init), &out) in state.iter().zip(&inits).zip(&data.outs) {
            let known = self.join(known, init, out);
            self.set(out, known);
        }
    }
}
