//! Adjoints of operations on tuples, arrays, slices and vectors.

use super::{NoAdjoint, Reverse};
use crate::ir::{Graph, Node, NodeData, Op, Path, RangeEnd, Step, Type, Value};
use proc_macro2::Span;

impl Reverse<'_> {
    /// The adjoint of an operation on aggregates; `false` if it is none.
    pub(super) fn aggregate(&mut self, n: Node, data: &NodeData, rev: Graph) -> Result<bool, NoAdjoint> {
        let span = data.span;
        let args = &data.args;
        match &data.op {
            Op::Tuple => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                for (k, &x) in args.iter().enumerate() {
                    if self.active(x) {
                        let path = Path(vec![Step::Field(k.to_string())]);
                        let c = self.part(rev, g, x, &path, vec![], span);
                        self.add(rev, x, c, span);
                    }
                }
            }
            Op::Build(build) => {
                let Some(mut g) = self.take(data.outs[0]) else { return Ok(true) };
                for (k, &x) in args.iter().take(build.fields.len()).enumerate() {
                    if !build.base && !self.active(x) {
                        continue;
                    }
                    // the field may have no derivative: only the compiler knows what its part is
                    let (ty, whole) = (self.f.ty(x).tangent(), self.f.ty(g).clone());
                    let c = if build.base {
                        let node = n;
                        let n = self.b(rev, span).node(Op::Take(build.part(k)), vec![g], vec![ty, whole]);
                        g = self.f[n].outs[1];
                        let taken = self.f[n].outs[0];
                        g = self.of_base(rev, node, k, g);
                        taken
                    } else {
                        self.b(rev, span).push(Op::Load(build.part(k)), vec![g], ty)
                    };
                    self.f.values[c].ty = Type::Dyn;
                    self.add_unseen(rev, x, c, span);
                }
                if build.base {
                    self.add(rev, args[args.len() - 1], g, span);
                }
            }
            Op::Array | Op::VecOf => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                for (k, &x) in args.iter().enumerate() {
                    if self.active(x) {
                        let k = self.b(rev, span).int(k);
                        let c = self.part(rev, g, x, &Path(vec![Step::Index]), vec![k], span);
                        self.add(rev, x, c, span);
                    }
                }
            }
            Op::Some => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let c = self.part(rev, g, args[0], &Path(vec![Step::Part("Some_0".to_owned())]), vec![], span);
                self.add(rev, args[0], c, span);
            }
            // the cotangent is the same in each form
            Op::Outcome(_) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                self.add(rev, args[0], g, span);
            }
            Op::Repeat(_) | Op::VecRepeat => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                if self.active(args[0]) {
                    let ty = self.f.ty(args[0]).tangent();
                    let c = self.b(rev, span).push(Op::Total, vec![g], ty);
                    self.add(rev, args[0], c, span);
                }
            }
            Op::Push(path) | Op::Pop(path) => self.length(rev, data, path),
            // of an array as well as of a vector
            Op::Copy(true) if *self.f.ty(args[0]) == Type::Dyn && matches!(self.f.ty(data.outs[0]), Type::Vec(_)) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let all = Path(vec![Step::Range { from: false, end: RangeEnd::Open }]);
                self.scatter(rev, args[0], &all, &[], g, span);
            }
            Op::Copy(_) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                self.add_sequence(rev, args[0], g, span);
            }
            Op::Load(path) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                self.scatter(rev, args[0], path, &args[1..], g, span);
            }
            Op::Update(path) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let v = args[1 + path.operands()];
                if path.0.is_empty() {
                    self.add_sequence(rev, v, g, span);
                    return Ok(true);
                }
                let path = &path.of_tangent(self.f.ty(args[0]));
                let (taken, rest) = self.taken(rev, g, path, &args[1..1 + path.operands()], v, span);
                if path.has_part() {
                    self.add_unseen(rev, v, taken, span);
                } else {
                    self.add_sequence(rev, v, taken, span);
                }
                let rest = self.of_old_shape(rev, n, rest);
                self.add(rev, args[0], rest, span);
            }
            Op::AddAt(path) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let v = args[1 + path.operands()];
                if self.active(v) {
                    let path = &path.of_tangent(self.f.ty(args[0]));
                    let c = self.part(rev, g, v, path, args[1..1 + path.operands()].to_vec(), span);
                    if path.has_part() {
                        self.add_unseen(rev, v, c, span);
                    } else {
                        self.add_sequence(rev, v, c, span);
                    }
                }
                self.add(rev, args[0], g, span);
            }
            Op::Fill(path) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let v = args[1 + path.operands()];
                let ty = self.f.ty(v).tangent();
                if path.0.is_empty() {
                    if self.active(v) {
                        let c = self.b(rev, span).push(Op::Total, vec![g], ty);
                        self.add(rev, v, c, span);
                    }
                    return Ok(true);
                }
                let path = &path.of_tangent(self.f.ty(args[0]));
                let (taken, rest) = self.taken(rev, g, path, &args[1..1 + path.operands()], args[0], span);
                if self.active(v) {
                    let c = self.b(rev, span).push(Op::Total, vec![taken], ty);
                    self.add(rev, v, c, span);
                }
                let rest = self.of_old_shape(rev, n, rest);
                self.add(rev, args[0], rest, span);
            }
            Op::Swap(path) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let mut operands = args.clone();
                operands[0] = g;
                let ty = self.f.ty(g).clone();
                let path = path.of_tangent(self.f.ty(args[0]));
                let c = self.b(rev, span).push(Op::Swap(path), operands, ty);
                self.add(rev, args[0], c, span);
            }
            Op::Accumulate | Op::AddEntry => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let (sum, part) = (args[0], args[1]);
                let seen = self.f.ty(sum) == self.f.ty(part) && *self.f.ty(part) != Type::Dyn;
                if seen || matches!(data.op, Op::Accumulate) {
                    self.add(rev, part, g, span);
                } else {
                    // the part may be of another type, or `()`
                    self.add_unseen(rev, part, g, span);
                }
                self.add(rev, sum, g, span);
            }
            Op::CastTangent(to) => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                let ty = self.f.ty(args[1]).tangent();
                let c = self.b(rev, span).push(Op::CastCotangent(to.clone()), vec![args[0], g], ty);
                self.add(rev, args[1], c, span);
            }
            Op::Handed(_) | Op::Restored => {
                let Some(g) = self.take(data.outs[0]) else { return Ok(true) };
                self.add_unseen(rev, args[0], g, span);
            }
            Op::SplitDots => {
                let [pair, own] = args[..] else { return Ok(false) };
                let mut operands = args.clone();
                for &out in &data.outs {
                    let g = self.take(out);
                    operands.push(g.unwrap_or_else(|| self.zero(rev, out, span)));
                }
                let ty = self.f.ty(own).tangent();
                let join = self.b(rev, span).node(Op::JoinDots, operands, vec![Type::Dyn, ty]);
                let (dots, before) = (self.f[join].outs[0], self.f[join].outs[1]);
                self.scatter(rev, pair, &Path(vec![Step::Field("1".to_owned())]), &[], dots, span);
                self.add(rev, own, before, span);
            }
            Op::Total => {
                return Err(NoAdjoint { span, what: "a sum of tangents has no adjoint yet".to_owned() });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The cotangent of a struct from which that of the k-th field was taken, as the cotangent of the base that the other
    /// fields come from: with a zero in its place of the shape of the field of the base.
    fn of_base(&mut self, rev: Graph, n: Node, k: usize, g: Value) -> Value {
        let Op::Build(build) = &self.f[n].op else { return g };
        let (field, part) = (build.fields[k].clone(), build.part(k));
        let (x, base) = (self.f[n].args[k], *self.f[n].args.last().expect("a base"));
        if !self.active(base) || self.has_one_shape(x) {
            return g;
        }
        let zero = self.zero_before(rev, n, &Path(vec![Step::Field(field)]), &[base]);
        let (span, ty) = (self.f[n].span, self.f.ty(g).clone());
        self.b(rev, span).push(Op::Update(part), vec![g, zero], ty)
    }

    /// The adjoint of a vector that grows or shrinks by an element at its end, wherever it is: its cotangent, in the same
    /// place of the cotangent of the root, shrinks or grows by the element's.
    fn length(&mut self, rev: Graph, data: &NodeData, path: &Path) {
        let (span, args) = (data.span, &data.args);
        let root = args[0];
        let grows = matches!(data.op, Op::Push(_));
        let operands = &args[1..1 + path.operands()];
        let has_tangent = path.apply(self.f.ty(root)).can_be_active();
        let path = path.of_tangent(self.f.ty(root));
        let whole = self.take(data.outs[data.outs.len() - 1]);
        if grows {
            let Some(whole) = whole else { return };
            if !has_tangent {
                return self.add(rev, root, whole, span);
            }
            let v = args[args.len() - 1];
            let (of_v, ty) = (self.f.ty(v).tangent(), self.f.ty(whole).clone());
            let args = std::iter::once(whole).chain(operands.iter().copied()).collect();
            let n = self.b(rev, span).node(Op::Pop(path.clone()), args, vec![of_v, ty]);
            let (taken, rest) = (self.f[n].outs[0], self.f[n].outs[1]);
            if path.may_be_left_out() {
                self.add_unseen(rev, v, taken, span);
            } else {
                self.add(rev, v, taken, span);
            }
            self.add(rev, root, rest, span);
            return;
        }
        // undone by pushing the cotangent of the element back
        let element = self.take(data.outs[0]);
        if whole.is_none() && element.is_none() {
            return;
        }
        let whole = match whole {
            Some(g) => g,
            None => self.zero(rev, data.outs[1], span),
        };
        if !has_tangent {
            return self.add(rev, root, whole, span);
        }
        let element = match element {
            Some(g) => g,
            None if path.may_be_left_out() => {
                let ty = self.f.ty(data.outs[0]).tangent();
                self.b(rev, span).push(Op::ZeroOrUnit, vec![data.outs[0]], ty)
            }
            None => self.zero(rev, data.outs[0], span),
        };
        let ty = self.f.ty(whole).clone();
        let args = std::iter::once(whole).chain(operands.iter().copied()).chain([element]).collect();
        let c = self.b(rev, span).push(Op::Push(path), args, ty);
        self.add(rev, root, c, span);
    }

    /// A part of a cotangent, as the cotangent of `x`.
    fn part(&mut self, rev: Graph, g: Value, x: Value, path: &Path, operands: Vec<Value>, span: Span) -> Value {
        let ty = match path.apply(self.f.ty(g)) {
            Type::Dyn => self.f.ty(x).tangent(),
            Type::Slice(t) => Type::Slice(t),
            t => t,
        };
        let args = std::iter::once(g).chain(operands).collect();
        self.b(rev, span).push(Op::Load(path.clone()), args, ty)
    }

    /// Adds a cotangent whose type only the compiler sees; it may be `()`.
    pub(super) fn add_unseen(&mut self, rev: Graph, x: Value, entry: Value, span: Span) {
        if !self.active(x) {
            return;
        }
        let old = self.cotangent_or_zero(rev, x, span);
        let ty = self.f.ty(old).clone();
        let sum = self.b(rev, span).push(Op::AddEntry, vec![old, entry], ty);
        self.set(x, sum);
    }

    /// Adds a cotangent at a place of the cotangent of an aggregate.
    pub(super) fn scatter(&mut self, rev: Graph, root: Value, path: &Path, operands: &[Value], g: Value, span: Span) {
        if !self.active(root) {
            return;
        }
        let old = self.cotangent_or_zero(rev, root, span);
        let ty = self.f.ty(old).clone();
        let args = std::iter::once(old).chain(operands.iter().copied()).chain([g]).collect();
        let path = path.of_tangent(self.f.ty(root));
        let new = self.b(rev, span).push(Op::AddAt(path), args, ty);
        self.set(root, new);
    }

    /// Takes the cotangent at a place out: what was there, and the rest with zero there.
    fn taken(
        &mut self,
        rev: Graph,
        g: Value,
        path: &Path,
        operands: &[Value],
        like: Value,
        span: Span,
    ) -> (Value, Value) {
        let ty = self.f.ty(g).clone();
        let element = match path.apply(&ty) {
            Type::Slice(t) => Type::Vec(t),
            Type::Dyn => self.f.ty(like).tangent(),
            t => t,
        };
        let args = std::iter::once(g).chain(operands.iter().copied()).collect();
        let n = self.b(rev, span).node(Op::Take(path.clone()), args, vec![element, ty]);
        (self.f[n].outs[0], self.f[n].outs[1])
    }

    /// Adds a cotangent that may be a sequence of another kind than that of the value: a vector for an array.
    fn add_sequence(&mut self, rev: Graph, x: Value, g: Value, span: Span) {
        if !self.active(x) {
            return;
        }
        let same = match (self.f.ty(x).tangent(), self.f.ty(g)) {
            (Type::Array(_), Type::Array(_)) | (Type::Vec(_), Type::Vec(_)) => true,
            (Type::Array(_) | Type::Vec(_), Type::Slice(_) | Type::Vec(_) | Type::Array(_)) => false,
            _ => true,
        };
        if same {
            self.add(rev, x, g, span);
        } else {
            let path = Path(vec![Step::Range { from: false, end: RangeEnd::Open }]);
            self.scatter(rev, x, &path, &[], g, span);
        }
    }
}
