//! `Option` with a differentiable value in it: a flag and a payload.
//!
//! Inside the function an option is the pair `(is_some, payload)`; where there is no payload it is a constant that is
//! never read. Nothing of this is visible outside: options that are parameters or results are of the user's types.

use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::ir::{Op, Path, Step, Type, Value};
use crate::prims::compare;
use quote::quote;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// The flag and the payload of an option.
    pub(crate) fn option_parts(&mut self, o: &Operand) -> Option<(Value, Operand)> {
        match o {
            Operand::Opt(flag, payload) => Some((*flag, (**payload).clone())),
            Operand::Value(v) if matches!(self.func.ty(*v), Type::Option(_)) => {
                let place = Place { root: Root::Value(*v), path: Path::default(), operands: vec![], is_ref: false };
                Some(self.place_parts(place))
            }
            Operand::Place(p) if matches!(self.place_type(p), Type::Option(_)) => Some(self.place_parts(p.clone())),
            _ => None,
        }
    }

    fn place_parts(&mut self, place: Place) -> (Value, Operand) {
        let is_ref = place.is_ref;
        let flag = place.clone().step(Step::Field("0".to_owned()), []);
        let flag = self.read(&flag);
        self.maybe_active.insert(flag, false);
        (flag, Operand::Place(place.step(Step::Field("1".to_owned()), []).by_ref(is_ref)))
    }

    /// An option as one value.
    pub(crate) fn option_value(&mut self, flag: Value, payload: Operand) -> Value {
        let payload = self.read_payload(flag, payload);
        let payload = self.value(payload);
        let ty = Type::Option(Box::new(self.ty(payload)));
        self.push(Op::Tuple, vec![flag, payload], ty)
    }

    /// Reads a payload that is still a place: only where there is one.
    fn read_payload(&mut self, flag: Value, payload: Operand) -> Operand {
        match payload {
            Operand::Place(p) if !p.path.0.is_empty() => {
                self.if_value(flag, &mut |l: &mut Self| Operand::Value(l.read(&p)), &mut |_| Operand::Never)
            }
            o => o,
        }
    }

    /// `None`.
    pub(crate) fn none(&mut self) -> Operand {
        let no = self.b().bool(false);
        let nothing = self.unit();
        Operand::Opt(no, Box::new(Operand::Value(nothing)))
    }

    /// `None` as an option of another type, if `v` is one whose type is not known yet.
    pub(crate) fn none_as(&mut self, v: Value, ty: &Type) -> Option<Value> {
        let (Type::Option(old), Type::Option(new)) = (self.ty(v), ty) else { return None };
        if *old != Type::Unit || **new == Type::Unit {
            return None;
        }
        let no = self.b().bool(false);
        let payload = self.dummy(new)?;
        Some(self.push(Op::Tuple, vec![no, payload], ty.clone()))
    }

    /// A method of an option; `None` if it is not one that is known.
    pub(crate) fn option_method(&mut self, flag: Value, payload: Operand, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let fail = |l: &mut Self, message: proc_macro2::TokenStream| {
            // the panic of the user's program
            let missing = l.primitive(&compare::NOT, &[flag]);
            l.if_value(
                missing,
                &mut |l: &mut Self| {
                    l.verbatim_effect(message.clone());
                    Operand::Value(l.unit())
                },
                &mut |l: &mut Self| Operand::Value(l.unit()),
            );
        };
        match (name.as_str(), m.args.len()) {
            ("is_some", 0) => Some(Operand::Value(flag)),
            ("is_none", 0) => Some(Operand::Value(self.primitive(&compare::NOT, &[flag]))),
            ("unwrap", 0) => {
                fail(self, quote!(::core::panic!("called `Option::unwrap()` on a `None` value")));
                Some(payload)
            }
            ("expect", 1) => {
                let text = &m.args[0];
                fail(self, quote!(::core::panic!("{}", #text)));
                Some(payload)
            }
            ("copied" | "cloned", 0) => {
                let payload = self.read_payload(flag, payload);
                Some(Operand::Opt(flag, Box::new(payload)))
            }
            ("as_ref" | "as_mut" | "as_deref", 0) => {
                let payload = match payload {
                    Operand::Place(p) => Operand::Place(p.by_ref(true)),
                    o => o,
                };
                Some(Operand::Opt(flag, Box::new(payload)))
            }
            ("unwrap_or", 1) => {
                let other = self.operand(&m.args[0]);
                Some(self.if_value(flag, &mut |_| payload.clone(), &mut |_| Operand::Value(other)))
            }
            ("unwrap_or_default", 0) => Some(self.if_value(flag, &mut |_| payload.clone(), &mut |l: &mut Self| {
                let v = l.value(payload.clone());
                let ty = l.ty(v);
                match l.dummy(&ty) {
                    Some(v) => Operand::Value(v),
                    None => Operand::Never,
                }
            })),
            ("unwrap_or_else", 1) => {
                let f = self.function_operand(&m.args[0]);
                Some(self.if_value(flag, &mut |_| payload.clone(), &mut |l: &mut Self| l.apply(&f, vec![])))
            }
            ("map", 1) => {
                let f = self.function_operand(&m.args[0]);
                let mapped = self.if_value(
                    flag,
                    &mut |l: &mut Self| {
                        let o = l.apply(&f, vec![payload.clone()]);
                        Operand::Value(l.value(o))
                    },
                    &mut |_| Operand::Never,
                );
                Some(Operand::Opt(flag, Box::new(mapped)))
            }
            ("map_or", 2) => {
                let other = self.operand(&m.args[0]);
                let f = self.function_operand(&m.args[1]);
                Some(self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |_| {
                    Operand::Value(other)
                }))
            }
            ("map_or_else", 2) => {
                let g = self.function_operand(&m.args[0]);
                let f = self.function_operand(&m.args[1]);
                Some(self.if_value(
                    flag,
                    &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]),
                    &mut |l: &mut Self| l.apply(&g, vec![]),
                ))
            }
            ("clone", 0) => Some(Operand::Opt(flag, Box::new(payload))),
            _ => None,
        }
    }

    /// `first`, `last` and `get` of a sequence: an option of a reference.
    pub(crate) fn element_option(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let v = self.read(place);
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let zero = self.b().int(0);
        let (flag, index) = match (name.as_str(), m.args.len()) {
            ("first" | "first_mut", 0) => (self.primitive(&compare::LT, &[zero, len]), zero),
            ("last" | "last_mut", 0) => {
                let flag = self.primitive(&compare::LT, &[zero, len]);
                let one = self.b().int(1);
                // not computed where there is none: the length may be zero
                let index = self.if_value(
                    flag,
                    &mut |l: &mut Self| Operand::Value(l.usize_op(&crate::prims::arith::SUB, len, one)),
                    &mut |_| Operand::Value(zero),
                );
                (flag, self.value(index))
            }
            ("get" | "get_mut", 1) if !matches!(super::control::strip(&m.args[0]), syn::Expr::Range(_)) => {
                let k = self.operand(&m.args[0]);
                (self.primitive(&compare::LT, &[k, len]), k)
            }
            _ => return None,
        };
        let payload = place.clone().step(Step::Index, [index]).by_ref(true);
        let _ = m.span();
        Some(Operand::Opt(flag, Box::new(Operand::Place(payload))))
    }
}
