//! Tangents of operations on aggregates, which mirror the operation on the tangent aggregate, and of the operations of
//! derivatives, which are linear.

use super::{At, Forward};
use crate::ir::{Node, Op, Path, Step, Type, Value};

impl Forward<'_> {
    /// Appends the tangents of a node's results; the node itself is not appended here.
    pub(super) fn aggregate(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        let (args, outs, op) = (node.args, node.outs, node.op);
        let ty = self.func.ty(outs[0]).tangent();
        let dot = match &op {
            Op::Cast(to) => {
                let Some(dot) = self.dot(args[0]) else { return };
                if self.func.ty(args[0]).is_float() && ty.is_float() {
                    self.push(at, op, vec![dot], ty)
                } else {
                    self.push(at, Op::CastTangent(to.clone()), vec![args[0], dot], ty)
                }
            }
            Op::Tuple => {
                let entries = args.iter().map(|&a| self.entry(at, a)).collect();
                self.push(at, op, entries, ty)
            }
            Op::Build(build) => {
                let base = if build.base { self.dot(args[args.len() - 1]) } else { None };
                let mut dot = match base {
                    Some(base) => self.owned(at, base),
                    None => self.push(at, Op::ZeroLike, vec![outs[0]], ty.clone()),
                };
                for (k, &x) in args.iter().take(build.fields.len()).enumerate() {
                    if build.base || self.dot(x).is_some() {
                        let x_dot = match self.dot(x) {
                            Some(x_dot) => x_dot,
                            None if self.func.ty(x).is_scalar() => self.dot_or_zero(at, x),
                            // what it is a zero of is in the declaration of the struct
                            None => {
                                let field = Path(vec![Step::Field(build.fields[k].clone())]);
                                let field = self.builder(at).load(outs[0], &field, &[]);
                                let ty = self.func.ty(x).tangent();
                                self.push(at, Op::ZeroOrUnit, vec![field], ty)
                            }
                        };
                        dot = self.push(at, Op::Update(build.part(k)), vec![dot, x_dot], ty.clone());
                    }
                }
                dot
            }
            Op::Some => {
                let dots = args.iter().map(|&a| self.owned_dot(at, a)).collect();
                self.push(at, op, dots, ty)
            }
            // the tangent is the same in each form
            Op::Outcome(_) => {
                let Some(dot) = self.dot(args[0]) else { return };
                if *self.func.ty(dot) == Type::Dyn {
                    self.func.values[dot].ty = ty;
                }
                dot
            }
            Op::Array | Op::VecOf => {
                let dots = args.iter().map(|&a| self.owned_dot(at, a)).collect();
                self.push(at, op, dots, ty)
            }
            Op::Repeat(_) | Op::VecRepeat => {
                let mut operands = args.clone();
                operands[0] = self.owned_dot(at, args[0]);
                self.push(at, op, operands, ty)
            }
            Op::Copy(to_vec) => {
                let Some(dot) = self.dot(args[0]) else { return };
                let to_vec = match (&ty, self.func.ty(dot)) {
                    (Type::Vec(_), from) => !matches!(from, Type::Vec(_)) && (*to_vec || *from != Type::Dyn),
                    _ => *to_vec,
                };
                self.push(at, Op::Copy(to_vec), vec![dot], ty)
            }
            Op::Load(path) => {
                let Some(dot) = self.dot(args[0]) else { return };
                {
                    let path = path.of_tangent(self.func.ty(args[0]));
                    let part = self.builder(at).load(dot, &path, &args[1..]);
                    self.of_part(at, outs[0], &path, part)
                }
            }
            Op::Pop(path) if !path.apply(self.func.ty(args[0])).can_be_active() => {
                if let Some(dot) = self.dot(args[0]) {
                    self.set(outs[1], dot);
                }
                return;
            }
            Op::Pop(path) | Op::Take(path) => {
                let Some(dot) = self.dot(args[0]) else { return };
                let mut operands = args.clone();
                operands[0] = dot;
                let types = vec![ty, self.func.ty(dot).clone()];
                let op = with_path(&op, path.of_tangent(self.func.ty(args[0])));
                let tangent = self.builder(at).node(op, operands, types);
                let dots = self.func[tangent].outs.clone();
                for (&out, dot) in outs.iter().zip(dots) {
                    if self.func.ty(out).can_be_active() {
                        self.set(out, dot);
                    }
                }
                return;
            }
            // also a zero: the type of an argument is not known before the call
            Op::Handed(_) => {
                let dot = self.dot_or_zero(at, args[0]);
                self.push(at, op, vec![dot, args[1]], ty)
            }
            Op::Restored => {
                let Some(dot) = self.dot(args[0]) else { return };
                self.push(at, op, vec![dot, args[1]], ty)
            }
            Op::SplitDots => {
                let operands = args.iter().map(|&a| self.dot_or_zero(at, a)).collect();
                let types = outs.iter().map(|&out| self.func.ty(out).tangent()).collect();
                let split = self.builder(at).node(op, operands, types);
                let dots = self.func[split].outs.clone();
                outs.iter().zip(dots).for_each(|(&out, dot)| self.set(out, dot));
                return;
            }
            Op::Update(path) | Op::Fill(path) | Op::Push(path) => self.write(at, &op, path, &args, outs[0]),
            Op::AddAt(path) => {
                let root = self.root(at, args[0]);
                match self.dot(args[1 + path.operands()]) {
                    Some(v) => self.at_path(at, &op, path, root, &args, v),
                    None => root,
                }
            }
            Op::Swap(path) => {
                let Some(dot) = self.dot(args[0]) else { return };
                let mut operands = args.clone();
                operands[0] = self.owned(at, dot);
                let ty = self.func.ty(operands[0]).clone();
                let path = path.of_tangent(self.func.ty(args[0]));
                self.push(at, Op::Swap(path), operands, ty)
            }
            Op::Accumulate => match (self.dot(args[0]), self.dot(args[1])) {
                (Some(a), Some(b)) => {
                    let a = self.owned(at, a);
                    self.push(at, op, vec![a, b], ty)
                }
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => return,
            },
            Op::AddEntry => {
                let a = self.owned_dot(at, args[0]);
                match self.dot(args[1]) {
                    Some(b) => self.push(at, op, vec![a, b], ty),
                    None => a,
                }
            }
            Op::CastTangent(_) | Op::CastCotangent(_) => {
                let Some(dot) = self.dot(args[1]) else { return };
                self.push(at, op, vec![args[0], dot], ty)
            }
            Op::Total => {
                let Some(dot) = self.dot(args[0]) else { return };
                self.push(at, op, vec![dot], ty)
            }
            Op::Unbroadcast => {
                let Some(dot) = self.dot(args[0]) else { return };
                self.push(at, op, vec![dot, args[1]], ty)
            }
            _ => return,
        };
        self.set(outs[0], dot);
    }

    /// The tangent of an aggregate that is about to change.
    fn root(&mut self, at: At, root: Value) -> Value {
        self.owned_dot(at, root)
    }

    /// Whether a node writes a value without a tangent to a place of which only the compiler knows whether it has one.
    pub(super) fn writes_unseen(&self, path: &Path, n: Node) -> bool {
        let args = &self.func[n].args;
        let (root, v) = (args[0], args[1 + path.operands()]);
        let unseen = path.of_tangent(self.func.ty(root)).may_be_left_out() && !self.func.ty(v).is_scalar();
        unseen && !path.is_slice() && self.dot(v).is_none() && self.dot(root).is_some()
    }

    /// The tangent of an aggregate after a value was written into it.
    fn write(&mut self, at: At, op: &Op, path: &Path, args: &[Value], out: Value) -> Value {
        let v = args[1 + path.operands()];
        let place = path.apply(self.func.ty(args[0]));
        if path.0.is_empty() && matches!(op, Op::Update(_)) {
            return self.owned_dot(at, v);
        }
        let root = self.root(at, args[0]);
        if !place.can_be_active() || !self.func.ty(v).can_be_active() {
            return root;
        }
        let unseen = path.of_tangent(self.func.ty(args[0])).may_be_left_out()
            && !self.func.ty(v).is_scalar()
            && !path.is_slice();
        let v = match self.dot(v) {
            None if unseen && matches!(op, Op::Update(_)) => {
                // what it is a zero of is known where it has been written
                let written = self.builder(at).load(out, path, &args[1..1 + path.operands()]);
                let ty = self.func.ty(v).tangent();
                self.push(at, Op::ZeroOrUnit, vec![written], ty)
            }
            None if unseen => {
                let ty = self.func.ty(v).tangent();
                self.push(at, Op::ZeroOrUnit, vec![v], ty)
            }
            _ if path.is_slice() => self.dot_or_zero(at, v),
            _ => self.owned_dot(at, v),
        };
        self.at_path(at, op, path, root, args, v)
    }

    /// The tangent of `v`, a part of something, from what there is at `path` in the tangent of that. A field that was left
    /// out has no part: its tangent is zero.
    pub(super) fn of_part(&mut self, at: At, v: Value, path: &Path, part: Value) -> Value {
        if !path.may_be_left_out() {
            return part;
        }
        let ty = self.func.ty(v).tangent();
        let zero = self.push(at, Op::ZeroOrUnit, vec![v], ty.clone());
        self.push(at, Op::AddEntry, vec![zero, part], ty)
    }

    fn at_path(&mut self, at: At, op: &Op, path: &Path, root: Value, args: &[Value], v: Value) -> Value {
        let op = match op.path() {
            Some(p) => with_path(op, p.of_tangent(self.func.ty(args[0]))),
            None => op.clone(),
        };
        let mut operands = vec![root];
        operands.extend(&args[1..1 + path.operands()]);
        operands.push(v);
        let ty = self.func.ty(root).clone();
        self.push(at, op, operands, ty)
    }
}

/// The same operation at another path.
fn with_path(op: &Op, path: Path) -> Op {
    match op {
        Op::Update(_) => Op::Update(path),
        Op::AddAt(_) => Op::AddAt(path),
        Op::Fill(_) => Op::Fill(path),
        Op::Swap(_) => Op::Swap(path),
        Op::Push(_) => Op::Push(path),
        Op::Pop(_) => Op::Pop(path),
        Op::Take(_) => Op::Take(path),
        other => other.clone(),
    }
}
