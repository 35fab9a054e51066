//! Zero cotangents of the right shape.
//!
//! Only the shape of a value matters for its zero, so the zero is made from whatever has the same shape and is at hand:
//! a parameter, the length that a vector was made with. Otherwise the length is noted in the primal.

use super::Reverse;
use crate::ir::{Const, Float, Graph, Kind, Node, NodeData, Op, Path, Type, Value};
use crate::lower::types::lengths_of_elements;
use proc_macro2::Span;

impl Reverse<'_> {
    /// A zero cotangent of `v`.
    pub(super) fn zero(&mut self, rev: Graph, v: Value, span: Span) -> Value {
        let ty = self.f.ty(v).clone();
        match &ty {
            Type::Float(_) => {
                return self.b(rev, span).push(Op::Const(Const::Float(0.0, "0.0".to_owned())), vec![], ty);
            }
            Type::Function => return self.b(rev, span).push(Op::Empty, vec![], Type::Dyn),
            t if !t.can_be_active() => return self.b(rev, span).unit(),
            Type::Option(_)
                if self.f[v].written.is_none()
                    && self.definition(v).is_some_and(|n| matches!(self.f[n].op, Op::Absent)) =>
            {
                return self.b(rev, span).push(Op::Absent, vec![], ty.tangent());
            }
            Type::Tuple(_) => {
                if let Some(n) = self.definition(v)
                    && matches!(self.f[n].op, Op::Tuple)
                {
                    let parts: Vec<Value> = self.f[n].args.clone();
                    let zeros: Vec<Value> = parts.into_iter().map(|p| self.zero(rev, p, span)).collect();
                    return self.b(rev, span).push(Op::Tuple, zeros, ty.tangent());
                }
            }
            _ => {}
        }
        let source = self.shape_source(v, 0);
        let tangent = ty.tangent();
        let float = matches!(ty.element(), Type::Float(_));
        let def = self.definition(source).map(|n| self.f[n].clone());
        match (&tangent, def.as_ref().map(|d| &d.op)) {
            (Type::Vec(e), Some(Op::VecRepeat)) if float => {
                let n = def.expect("checked").args[1];
                let zero = self.float_zero(rev, e, span);
                self.b(rev, span).push(Op::VecRepeat, vec![zero, n], tangent)
            }
            (Type::Array(e), Some(Op::Repeat(n))) if float => {
                let n = n.clone();
                let zero = self.float_zero(rev, e, span);
                self.b(rev, span).push(Op::Repeat(n), vec![zero], tangent)
            }
            (Type::Array(e), Some(Op::Array)) if float => {
                let n = def.as_ref().expect("checked").args.len();
                let zero = self.float_zero(rev, e, span);
                self.b(rev, span).push(Op::Repeat(quote::quote!(#n)), vec![zero], tangent)
            }
            // arrays in arrays, of one shape as all elements are of one type
            (Type::Array(_), Some(Op::Repeat(n))) if one_shape(&ty) => {
                let (n, part) = (n.clone(), def.as_ref().expect("checked").args[0]);
                let zero = self.zero(rev, part, span);
                self.b(rev, span).push(Op::Repeat(n), vec![zero], tangent)
            }
            (Type::Vec(e), _) if float && !self.is_parameter(source) => {
                let n = self.length_of(source, span);
                let zero = self.float_zero(rev, e, span);
                self.b(rev, span).push(Op::VecRepeat, vec![zero, n], tangent)
            }
            (Type::Vec(e), _) if !self.is_parameter(source) && self.lengths(source, e).is_some() => {
                let mut lengths = self.lengths(source, e).unwrap_or_default();
                let n = self.length_of(source, span);
                let mut types = vec![(**e).clone()];
                lengths.iter().for_each(|_| types.extend(types.last().map(Type::element)));
                let mut zero = self.float_zero(rev, &types[lengths.len()], span);
                while let Some(length) = lengths.pop() {
                    let ty = types[lengths.len()].clone();
                    zero = self.b(rev, span).push(Op::Repeat(quote::quote!(#length)), vec![zero], ty);
                }
                self.b(rev, span).push(Op::VecRepeat, vec![zero, n], tangent)
            }
            _ => {
                // the type of the zero is that of `v`: an array's slice has a vector
                let source = if self.f.ty(source).tangent() == tangent { source } else { v };
                self.b(rev, span).push(Op::ZeroLike, vec![source], tangent)
            }
        }
    }

    fn float_zero(&mut self, rev: Graph, ty: &Type, span: Span) -> Value {
        let kind = match ty {
            Type::Float(k) => k.clone(),
            _ => Float::Any,
        };
        self.b(rev, span).push(Op::Const(Const::Float(0.0, "0.0".to_owned())), vec![], Type::Float(kind))
    }

    /// How long the arrays are that a vector is of, whose elements are of the given type.
    fn lengths(&self, v: Value, element: &Type) -> Option<Vec<syn::LitInt>> {
        let written = syn::parse2(self.f[v].written.clone()?).ok()?;
        let lengths = lengths_of_elements(&written)?;
        let scalar = lengths.iter().fold(element.clone(), |ty, _| ty.element());
        matches!(scalar, Type::Float(_)).then_some(lengths)
    }

    /// The length of a primal sequence, computed in the primal right after it.
    fn length_of(&mut self, v: Value, span: Span) -> Value {
        let graph = self.owners.get(v).copied().unwrap_or(self.f.root);
        let existing =
            self.f[graph].nodes.iter().copied().find(|&n| matches!(self.f[n].op, Op::Len) && self.f[n].args[0] == v);
        if let Some(n) = existing {
            return self.f[n].outs[0];
        }
        let at = self.f[graph].nodes.iter().position(|&n| self.f[n].outs.contains(&v)).map_or(0, |i| i + 1);
        let len = self.f.value(Type::USIZE, None, span);
        let n = self.f.node(Op::Len, vec![v], vec![len], span);
        self.f[graph].nodes.insert(at, n);
        self.owners.insert(len, graph);
        self.defs.insert(len, n);
        len
    }

    fn is_parameter(&self, v: Value) -> bool {
        self.f[self.f.root].params.contains(&v)
    }

    /// The node that defines a primal value, if a node does.
    fn definition(&self, v: Value) -> Option<Node> {
        self.defs.get(v).copied()
    }

    /// A value of the same shape, as far back as it can be followed.
    fn shape_source(&self, v: Value, depth: usize) -> Value {
        if depth > 64 {
            return v;
        }
        let Some(graph) = self.owners.get(v).copied() else { return v };
        if let Some(k) = self.f[graph].params.iter().position(|p| *p == v) {
            return self.carried_source(graph, k, v, depth);
        }
        let Some(n) = self.definition(v) else { return v };
        let data = &self.f[n];
        match &data.op {
            Op::Copy(_) => self.shape_source(data.args[0], depth + 1),
            op if op.path().is_some() && !matches!(op, Op::Take(_)) => match self.of_the_shape_of(data, depth) {
                Some(old) => self.shape_source(old, depth + 1),
                None => v,
            },
            Op::Take(_) if data.outs[1] == v => self.shape_source(data.args[0], depth + 1),
            Op::Loop(l) => {
                let j = data.outs.iter().position(|o| *o == v).expect("an out");
                let init = data.args[l.kind.operands() + j];
                if self.is_one_type(v, init)
                    || self.keeps_shape(l.body, l.kind.bindings() + j, usize::from(l.exits) + j, depth)
                {
                    self.shape_source(init, depth + 1)
                } else {
                    v
                }
            }
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                let j = data.outs.iter().position(|o| *o == v).expect("an out");
                let a = self.updates_of(self.f[*then_].results[j], *then_);
                let b = self.updates_of(self.f[*else_].results[j], *else_);
                let (Some(a), Some(b)) = (a, b) else { return v };
                let source = self.shape_source(a, depth + 1);
                // one walk where both arms change the same
                if a == b || source == self.shape_source(b, depth + 1) { source } else { v }
            }
            _ => v,
        }
    }

    /// The source of a loop's carried parameter.
    fn carried_source(&self, graph: Graph, k: usize, v: Value, depth: usize) -> Value {
        let mut found = None;
        self.f.walk(self.f.root, &mut |_, n| {
            if let Op::Loop(l) = &self.f[n].op
                && l.body == graph
            {
                found = Some(n);
            }
        });
        let Some(n) = found else { return v };
        let Op::Loop(l) = &self.f[n].op else { return v };
        let Some(j) = k.checked_sub(l.kind.bindings()) else { return v };
        let init = self.f[n].args[l.kind.operands() + j];
        if self.is_one_type(v, init) || self.keeps_shape(graph, k, usize::from(l.exits) + j, depth) {
            self.shape_source(init, depth + 1)
        } else {
            v
        }
    }

    /// Whether a variable that a loop carries is an array with its length in its type, which is that of its first value.
    fn is_one_type(&self, carried: Value, init: Value) -> bool {
        let ty = self.f.ty(carried);
        matches!(ty, Type::Array(_)) && one_shape(ty) && ty == self.f.ty(init)
    }

    /// Whether a carried aggregate leaves the body of a loop in the shape in which it came.
    fn keeps_shape(&self, body: Graph, param: usize, result: usize, depth: usize) -> bool {
        let p = self.f[body].params[param];
        let mut at = self.f[body].results[result];
        // follow the updates of this one variable only; what goes through a nested loop or branch by the same rules
        for _ in 0..256 {
            if at == p {
                return true;
            }
            let Some(n) = self.definition(at) else { return false };
            let data = &self.f[n];
            at = match &data.op {
                Op::Copy(_) => data.args[0],
                Op::Loop(l) if depth < 16 => {
                    let j = data.outs.iter().position(|o| *o == at).expect("an out");
                    if !self.keeps_shape(l.body, l.kind.bindings() + j, usize::from(l.exits) + j, depth + 1) {
                        return false;
                    }
                    data.args[l.kind.operands() + j]
                }
                Op::If { then_, else_ } if depth < 16 => {
                    let j = data.outs.iter().position(|o| *o == at).expect("an out");
                    let a = self.updates_of(self.f[*then_].results[j], *then_);
                    let b = self.updates_of(self.f[*else_].results[j], *else_);
                    match (a, b) {
                        (Some(a), Some(b)) if a == b => a,
                        _ => return false,
                    }
                }
                _ => match self.of_the_shape_of(data, depth) {
                    Some(old) => old,
                    None => return false,
                },
            };
        }
        false
    }

    /// The aggregate that an operation changes, if it leaves the shape as it is.
    fn of_the_shape_of(&self, data: &NodeData, depth: usize) -> Option<Value> {
        let (&root, last) = (data.args.first()?, *data.args.last()?);
        let keeps = match &data.op {
            Op::Update(path) if path.0.is_empty() => false,
            Op::Update(path) if path.view().is_some() => true,
            Op::Update(path) => self.keeps_old_shape(data, &path.apply(self.f.ty(root)), last, depth),
            Op::AddAt(_) => true,
            Op::Fill(_) => self.has_one_shape(last),
            Op::Swap(path) => one_shape(&path.apply(self.f.ty(root)).element()),
            _ => false,
        };
        keeps.then_some(root)
    }

    /// Whether a value has the shape of whatever stood in its place: what is computed elementwise is taken to be that.
    pub(super) fn has_one_shape(&self, v: Value) -> bool {
        let computed = self.definition(v).is_some_and(|n| match &self.f[n].op {
            Op::Prim(prim) => prim.kind != Kind::Whole,
            // an operator of the user's may give anything
            Op::Map { operator, .. } => !operator.is_some_and(|of| of.may_be_foreign(self.f, &self.f[n].args)),
            op => matches!(op, Op::Cast(_)),
        });
        computed || one_shape(self.f.ty(v))
    }

    /// The cotangent of an aggregate from whose place that of a new value was taken, with a zero there of the shape of
    /// what stood there before. The shape of that is noted in the primal, before it is gone.
    pub(super) fn of_old_shape(&mut self, rev: Graph, n: Node, rest: Value) -> Value {
        let data = self.f[n].clone();
        let Some(path) = data.op.path() else { return rest };
        let (root, v) = (data.args[0], data.args[1 + path.operands()]);
        let at = path.apply(self.f.ty(root));
        if !self.active(root) || path.view().is_some() || !at.can_be_active() || self.keeps_old_shape(&data, &at, v, 0)
        {
            return rest;
        }
        let zero = self.zero_before(rev, n, path, &data.args[..1 + path.operands()]);
        let tangent = path.of_tangent(self.f.ty(root));
        let operands = &data.args[1..1 + path.operands()];
        let args = std::iter::once(rest).chain(operands.iter().copied()).chain([zero]).collect();
        let ty = self.f.ty(rest).clone();
        self.b(rev, data.span).push(Op::Update(tangent), args, ty)
    }

    /// A zero cotangent of the shape of what was at a path before a primal node. `operands`: the root, and those of the path.
    pub(super) fn zero_before(&mut self, rev: Graph, n: Node, path: &Path, operands: &[Value]) -> Value {
        let (span, at) = (self.f[n].span, path.apply(self.f.ty(operands[0])));
        let graph = self.owners[self.f[n].outs[0]];
        let index = self.f[graph].nodes.iter().position(|&m| m == n).expect("the node is in its graph");
        let unseen = matches!(at, Type::Dyn | Type::Option(_) | Type::Boxed(_));
        let old = self.f.value(at, None, span);
        let load = self.f.node(Op::Load(path.clone()), operands.to_vec(), vec![old], span);
        self.f[graph].nodes.insert(index, load);
        self.owners.insert(old, graph);
        self.defs.insert(old, load);
        if unseen {
            let ty = self.f.ty(old).tangent();
            return self.b(rev, span).push(Op::ZeroOrUnit, vec![old], ty);
        }
        self.zero(rev, old, span)
    }

    /// Whether what is written to a place, whose type is `at`, certainly has the shape of what stood there.
    fn keeps_old_shape(&self, data: &NodeData, at: &Type, v: Value, depth: usize) -> bool {
        if one_shape(at) || matches!(at, Type::Slice(t) if one_shape(t)) {
            return true;
        }
        match &data.op {
            Op::Update(path) if !path.is_slice() && depth < 16 => {
                let source = self.shape_source(v, depth + 8);
                let itself = self.definition(source).is_some_and(|n| {
                    matches!(&self.f[n].op, Op::Load(p) if p == path)
                        && self.f[n].args == data.args[..1 + path.operands()]
                });
                itself || self.has_one_shape(v)
            }
            Op::Fill(_) => self.has_one_shape(v),
            _ => false,
        }
    }

    /// The value outside of an arm that a result of it is an update of.
    fn updates_of(&self, mut v: Value, arm: Graph) -> Option<Value> {
        for _ in 0..256 {
            if self.owners.get(v) != Some(&arm) {
                return Some(v);
            }
            let n = self.definition(v)?;
            let data = &self.f[n];
            v = match &data.op {
                Op::Copy(_) => data.args[0],
                Op::Loop(l) => {
                    let j = data.outs.iter().position(|o| *o == v)?;
                    if !self.keeps_shape(l.body, l.kind.bindings() + j, usize::from(l.exits) + j, 8) {
                        return None;
                    }
                    data.args[l.kind.operands() + j]
                }
                Op::If { then_, else_ } => {
                    let j = data.outs.iter().position(|o| *o == v)?;
                    let a = self.updates_of(self.f[*then_].results[j], *then_)?;
                    let b = self.updates_of(self.f[*else_].results[j], *else_)?;
                    if a != b {
                        return None;
                    }
                    a
                }
                _ => self.of_the_shape_of(data, 8)?,
            };
        }
        None
    }
}

/// Whether all values of a type have tangents of one shape.
pub(super) fn one_shape(ty: &Type) -> bool {
    match ty {
        Type::Array(t) => one_shape(t),
        Type::Tuple(ts) => ts.iter().all(one_shape),
        ty => ty.is_scalar(),
    }
}
