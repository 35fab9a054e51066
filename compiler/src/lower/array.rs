//! Whole-array code on `ndarray` types.

mod axes;
mod constant;
mod each;
mod fallible;
pub(crate) mod items;
mod join;
mod make;
mod others;
mod product;
mod reduce;
mod spaced;
pub(crate) mod unseen;
mod view;
mod zip;

use super::iter::Iter;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Float, Op, Operator, Primitive, Step, Type, Value};
use crate::prims;

impl Lowering<'_> {
    /// A primitive on every element of arrays, broadcast. Inactive scalars are captured.
    pub(crate) fn map_primitive(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        self.map_over(prim, args, false, None)
    }

    /// An operator as it stands in the source, on values of which at least one is of unknown type.
    pub(crate) fn map_operator(&mut self, prim: &'static Primitive, args: &[Value], operator: Operator) -> Value {
        self.mapped(prim, args, false, None, Some(operator))
    }

    /// The same in the shape of the first operand if `like_first`, or over an operand that is given away.
    pub(crate) fn map_over(
        &mut self,
        prim: &'static Primitive,
        args: &[Value],
        like_first: bool,
        over: Option<usize>,
    ) -> Value {
        self.mapped(prim, args, like_first, over, None)
    }

    fn mapped(
        &mut self,
        prim: &'static Primitive,
        args: &[Value],
        like_first: bool,
        over: Option<usize>,
        operator: Option<Operator>,
    ) -> Value {
        let body = self.func.graph();
        let mut operands = Vec::new();
        let mut inner = Vec::new();
        let kind = args.iter().find_map(|&a| match self.func.ty(a) {
            Type::NdArray(k, _) => Some(k.clone()),
            _ => None,
        });
        let unseen = kind.is_none() && prim.name != "powi";
        let elem = Type::Float(kind.unwrap_or(Float::Any));
        for &a in args {
            let int = matches!(self.func.ty(a), Type::Int(_));
            let number = int || self.func.ty(a).is_scalar() && !self.is_active(a);
            // beside an integer there may be another one, and then the closure works on these
            if number && operator.is_none() && !(int && unseen) {
                inner.push(a);
                continue;
            }
            let p = self.func.value(elem.clone(), None, self.span);
            self.func[body].params.push(p);
            self.maybe_active.insert(p, self.is_active(a));
            operands.push(a);
            inner.push(if number && !int { a } else { p });
        }
        let outer = std::mem::replace(&mut self.graph, body);
        let r = self.primitive(prim, &inner);
        self.graph = outer;
        self.func[body].results.push(r);
        let floats: Vec<Value> = args.iter().copied().filter(|&a| !matches!(self.func.ty(a), Type::Int(_))).collect();
        let ty = if like_first { self.ty(args[0]) } else { self.broadcast_type(&floats) };
        let over = over.filter(|_| operands.len() == 2);
        self.push(Op::Map { body, like_first, over, operator }, operands, ty)
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
        let x = self.read_array(place);
        let Type::NdArray(kind, rank) = self.ty(x) else { return None };
        let own = self
            .view_method(place, m)
            .or_else(|| self.array_elements(place, m))
            .or_else(|| self.appended(place, m))
            .or_else(|| self.axis_method(place, m));
        if own.is_some() {
            return own;
        }
        if let Some(o) = self.whole_method(place, m) {
            return Some(o);
        }
        let v = match (name.as_str(), m.args.len()) {
            ("t", 0) => self.push(Op::Prim(&prims::whole::TRANSPOSE), vec![x], Type::NdArray(kind, rank)),
            ("dot", 1) => {
                self.expect_array(&m.args[0]);
                let y = self.operand(&m.args[0]);
                self.dot(x, y)
            }
            ("mapv" | "map" | "mapv_into" | "mapv_into_any", 1) => {
                let f = self.function_operand(&m.args[0]);
                return Some(self.map_closure(x, kind, rank, f, m));
            }
            // it stays as it lies in memory
            ("clone", 0) => x,
            ("to_owned" | "into_owned", 0) => self.push(Op::Copy(false), vec![x], Type::NdArray(kind, rank)),
            _ => return None,
        };
        Some(Operand::Value(v))
    }

    /// A method that changes the array or goes through its elements.
    fn array_elements(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        match (name.as_str(), m.args.len()) {
            ("assign", 1) => {
                self.expect_array(&m.args[0]);
                let v = self.operand(&m.args[0]);
                self.assign_array(place, v);
                Some(Operand::Value(self.unit()))
            }
            ("fill", 1) => {
                let v = self.operand(&m.args[0]);
                self.change(place, Op::Fill, &[v]);
                Some(Operand::Value(self.unit()))
            }
            ("assign_to", 1) => {
                let o = self.nested_expr(&m.args[0]);
                let target = self.place(o);
                let v = self.read_array(place);
                self.assign_array(&target, v);
                Some(Operand::Value(self.unit()))
            }
            ("zip_mut_with", 2) => {
                let f = self.function_operand(&m.args[1]);
                Some(self.zip_mut_with(place, &m.args[0], &f))
            }
            ("accumulate_axis_inplace", 2) => {
                let f = self.function_operand(&m.args[1]);
                Some(self.accumulate(place, &m.args[0], &f))
            }
            ("cumprod", 1) => Some(self.running_product(place, &m.args[0])),
            ("diff", 2) => Some(self.differences(place, m)),
            ("mapv_inplace" | "map_inplace", 1) => {
                let f = self.function_operand(&m.args[0]);
                Some(self.map_in_place(place, &f, name == "map_inplace"))
            }
            ("fold", 2) => {
                let init = self.nested_expr(&m.args[0]);
                let f = self.function_operand(&m.args[1]);
                let elements = self.in_memory_order(place);
                Some(self.fold(&Iter::Seq(elements, true), init, &f))
            }
            ("for_each", 1) => {
                let f = self.function_operand(&m.args[0]);
                let elements =
                    if self.shows_order(&f) { self.in_memory_order(place) } else { place.clone().by_ref(true) };
                let it = Iter::Seq(elements, true);
                let mut cells = self.iter_cells(&it);
                cells.extend(self.function_cells(&f));
                Some(self.drive(&it, None, &cells, &mut |l, item, _| {
                    l.apply(&f, vec![item]);
                    Operand::Value(l.unit())
                }))
            }
            ("into_scalar", 0) => {
                let zero = self.b().int(0);
                let element = place.clone().step(Step::Flat, [zero]);
                Some(Operand::Value(self.read(&element)))
            }
            ("to_vec", 0) => {
                let x = self.read_array(place);
                Some(Operand::Value(self.elements(x)))
            }
            ("into_raw_vec" | "into_raw_vec_and_offset", 0) => {
                let x = self.read_array(place);
                let krate = self.sig.krate.clone();
                let offset = self.template(&[x], Type::Inactive, true, |p| {
                    let p = &p[0];
                    quote::quote!(#krate::__private::raw_offset(&#p))
                });
                let elements = self.in_memory_order(place);
                let x = self.read(&elements);
                let v = Operand::Value(self.elements(x));
                Some(if name == "into_raw_vec" { v } else { Operand::Parts(vec![v, Operand::Value(offset)]) })
            }
            ("as_slice_mut" | "to_slice_mut", 0) => {
                let x = self.read_array(place);
                if self.rank_at(place) != Some(1) {
                    return Some(self.unsupported(
                        m.method.span(),
                        format!("`{name}` is supported for vectors only"),
                        "go through the elements with `iter_mut()`, or assign to them by their indices",
                    ));
                }
                let flag = self.template(&[x], Type::Bool, true, |p| {
                    let p = &p[0];
                    quote::quote!(#p.is_standard_layout())
                });
                Some(Operand::Opt(flag, Box::new(Operand::Place(place.clone().by_ref(true).mutable(true)))))
            }
            ("first" | "last" | "first_mut" | "last_mut", 0) | ("get" | "get_mut", 1) => {
                Some(self.perhaps_element(place, m))
            }
            ("as_slice" | "to_slice", 0) => {
                let x = self.read(place);
                let flag = self.template(&[x], Type::Bool, true, |p| {
                    let p = &p[0];
                    quote::quote!(#p.is_standard_layout())
                });
                let elements = Self::value_place(self.elements(x));
                Some(Operand::Opt(flag, Box::new(Operand::Place(elements))))
            }
            ("swap", 2) => {
                let places = [0, 1].map(|k| {
                    let i = self.operand(&m.args[k]);
                    place.clone().step(Step::Index, [i])
                });
                let [a, b] = [self.read(&places[0]), self.read(&places[1])];
                self.write(&places[0], b);
                self.write(&places[1], a);
                Some(Operand::Value(self.unit()))
            }
            _ => None,
        }
    }

    /// The elements of an array in logical order, in a vector.
    fn elements(&mut self, x: Value) -> Value {
        let ty = self.vector_type(x);
        self.push(Op::Prim(&prims::whole::FLAT), vec![x], ty)
    }

    /// An element that there may not be.
    fn perhaps_element(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Operand {
        let x = self.read_array(place);
        let (name, is_mut) = (m.method.to_string(), m.method.to_string().ends_with("_mut"));
        let (flag, element) = if let Some(index) = m.args.first() {
            let i = self.operand(index);
            let flag = self.template(&[x, i], Type::Bool, true, |p| {
                let (x, i) = (&p[0], &p[1]);
                quote::quote!(#x.get(#i.clone()).is_some())
            });
            (flag, place.clone().step(Step::Index, [i]))
        } else {
            let len = self.array_len(x);
            let zero = self.b().int(0);
            let flag = self.primitive(&prims::compare::LT, &[zero, len]);
            let one = self.b().int(1);
            let k = if name.starts_with("first") { zero } else { self.usize_op(&prims::arith::SUB, len, one) };
            (flag, place.clone().step(Step::Flat, [k]))
        };
        Operand::Opt(flag, Box::new(Operand::Place(element.by_ref(true).mutable(is_mut))))
    }

    /// Assigns to all elements of the array in a place what an array broadcasts to.
    fn assign_array(&mut self, place: &Place, v: Value) {
        let old = self.read_array(place);
        let body = self.func.graph();
        let Type::NdArray(kind, _) = self.ty(old) else { return };
        let params: Vec<Value> = (0..2).map(|_| self.func.value(Type::Float(kind.clone()), None, self.span)).collect();
        self.maybe_active.insert(params[0], false);
        self.maybe_active.insert(params[1], self.is_active(v));
        self.func[body].results.push(params[1]);
        self.func[body].params = params;
        let ty = self.ty(old);
        let new = self.push(Op::Map { body, like_first: true, over: None, operator: None }, vec![old, v], ty);
        let active = self.is_active(v);
        self.maybe_active.insert(new, active);
        self.write(place, new);
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
        let before = self.env.cells.clone();
        let problems = self.diags.has_errors();
        let o = self.apply(&f, vec![Operand::Value(p)]);
        let r = self.value(o);
        self.graph = outer;
        self.func[body].results.push(r);
        let changes = self.env.cells.iter().zip(&before).any(|(c, b)| c.value != b.value);
        let elements = self.elements_like(r);
        if !changes && !matches!(elements, others::Elements::Floats) {
            return self.map_to_others(&elements, x, m);
        }
        let captures = self.func.free(body).into_iter().any(|v| self.is_active(v));
        let straight =
            !self.func.any(body, |n| !matches!(self.func[n].op, Op::Prim(_) | Op::Const(_) | Op::Verbatim(_)));
        let other =
            matches!(self.ty(r), Type::Float(found) if found != Float::Any && kind != Float::Any && found != kind);
        if (changes || captures || !straight || other) && (problems || !self.diags.has_errors()) {
            // the general form
            self.env.cells = before;
            let found = match self.ty(r) {
                Type::Float(kind) => kind,
                _ => Float::Any,
            };
            if m.method == "mapv_into" || m.method == "mapv_into_any" && !other {
                let cell = self.temporary(x);
                self.map_in_place(&Self::cell_place(cell), &f, false);
                return Operand::Value(self.cell_value(cell));
            }
            return self.map_each(x, &f, m.method == "map", &found);
        }
        let ty = Type::NdArray(kind, rank);
        Operand::Value(self.push(Op::Map { body, like_first: false, over: None, operator: None }, vec![x], ty))
    }
}
