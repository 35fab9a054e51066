//! Whole-array code on `ndarray` types.

mod reduce;

use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Float, Op, Primitive, Type, Value};
use crate::prims;

impl Lowering<'_> {
    /// A primitive on every element of arrays, broadcast. Inactive scalars are captured.
    pub(crate) fn map_primitive(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        self.map_over(prim, args, false, None)
    }

    /// The same in the shape of the first operand if `like_first`, or over an operand that is given away.
    pub(crate) fn map_over(
        &mut self,
        prim: &'static Primitive,
        args: &[Value],
        like_first: bool,
        over: Option<usize>,
    ) -> Value {
        let body = self.func.graph();
        let mut operands = Vec::new();
        let mut inner = Vec::new();
        let kind = args.iter().find_map(|&a| match self.func.ty(a) {
            Type::NdArray(k, _) => Some(k.clone()),
            _ => None,
        });
        let elem = Type::Float(kind.unwrap_or(Float::Any));
        for &a in args {
            if matches!(self.func.ty(a), Type::Int(_)) || self.func.ty(a).is_scalar() && !self.is_active(a) {
                inner.push(a);
                continue;
            }
            let p = self.func.value(elem.clone(), None, self.span);
            self.func[body].params.push(p);
            self.maybe_active.insert(p, self.is_active(a));
            operands.push(a);
            inner.push(p);
        }
        let outer = std::mem::replace(&mut self.graph, body);
        let r = self.primitive(prim, &inner);
        self.graph = outer;
        self.func[body].results.push(r);
        let floats: Vec<Value> = args.iter().copied().filter(|&a| !matches!(self.func.ty(a), Type::Int(_))).collect();
        let ty = if like_first { self.ty(args[0]) } else { self.broadcast_type(&floats) };
        let over = over.filter(|_| operands.len() == 2);
        self.push(Op::Map { body, like_first, over }, operands, ty)
    }

    fn broadcast_type(&self, args: &[Value]) -> Type {
        let mut out: Option<Type> = None;
        for &a in args {
            let t = self.func.ty(a);
            out = Some(match (out, t) {
                (None, t) => t.clone(),
                // of what is not visible, an array makes an array of some rank
                (Some(Type::NdArray(k, _)), Type::Dyn) => Type::NdArray(k, None),
                (Some(Type::Dyn), Type::NdArray(k, _)) => Type::NdArray(k.clone(), None),
                (_, Type::Dyn) | (Some(Type::Dyn), _) => Type::Dyn,
                (Some(Type::NdArray(k, r)), Type::NdArray(_, s)) => Type::NdArray(k, r.zip(*s).map(|(r, s)| r.max(s))),
                (Some(Type::NdArray(k, r)), _) => Type::NdArray(k, r),
                (Some(_), t) => t.clone(),
            });
        }
        out.unwrap_or(Type::Dyn)
    }

    /// A method of an array; `None` if it is not one that is known.
    pub(crate) fn array_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let x = self.read(place);
        let Type::NdArray(kind, rank) = self.ty(x) else { return None };
        if let Some(o) = self.whole_method(place, m) {
            return Some(o);
        }
        let v = match (name.as_str(), m.args.len()) {
            ("t", 0) => self.push(Op::Prim(&prims::whole::TRANSPOSE), vec![x], Type::NdArray(kind, rank)),
            ("dot", 1) => {
                let y = self.operand(&m.args[0]);
                self.dot(x, y)
            }
            ("mapv" | "map", 1) => {
                let f = self.expr(&m.args[0]);
                return Some(self.map_closure(x, kind, rank, f, m));
            }
            ("to_owned" | "clone" | "into_owned", 0) => self.push(Op::Copy(false), vec![x], Type::NdArray(kind, rank)),
            ("view", 0) => x,
            _ => return None,
        };
        Some(Operand::Value(v))
    }

    fn map_closure(
        &mut self,
        x: Value,
        kind: Float,
        rank: Option<usize>,
        f: Operand,
        m: &syn::ExprMethodCall,
    ) -> Operand {
        let body = self.func.graph();
        let p = self.func.value(Type::Float(kind.clone()), None, self.span);
        self.maybe_active.insert(p, self.is_active(x));
        self.func[body].params.push(p);
        let outer = std::mem::replace(&mut self.graph, body);
        let before: Vec<Option<Value>> = self.env.cells.iter().map(|c| c.value).collect();
        let o = match f {
            Operand::Closure(k) => self.call_closure(k, vec![Operand::Value(p)], m.method.span()),
            f => self.apply(&f, vec![Operand::Value(p)]),
        };
        let r = self.value(o);
        self.graph = outer;
        if self.env.cells.iter().zip(&before).any(|(c, b)| c.value != *b) {
            return self.unsupported(
                m.method.span(),
                "a closure that changes what it captures is not supported here",
                "write a loop over the elements",
            );
        }
        self.func[body].results.push(r);
        let active_capture = self.func.free(body).into_iter().any(|v| self.is_active(v));
        if active_capture {
            return self.unsupported(
                m.method.span(),
                "a closure over array elements that captures a differentiable value is not supported yet",
                "use arithmetic on the whole array instead: `x * a` for `x.mapv(|t| t * a)`",
            );
        }
        let ty = Type::NdArray(kind, rank);
        Operand::Value(self.push(Op::Map { body, like_first: false, over: None }, vec![x], ty))
    }
}
