//! `Option` with a differentiable value in it.
//!
//! An option that is taken apart where it is made is a flag and a payload, and nothing of it remains. Anything else is
//! a value of type `Option`, whose flag is [`Op::IsSome`] and whose payload is the place behind [`Step::some`], which is
//! read only where the flag holds.

mod sources;

use super::control::{ArmFn, strip};
use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::ir::{Op, Step, Type, Value};
use crate::prims::compare;
use quote::quote;

/// Methods that hardly anything but an option has.
const TELLING: [&str; 14] = [
    "unwrap",
    "expect",
    "is_some",
    "is_none",
    "is_some_and",
    "is_none_or",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "map_or",
    "map_or_else",
    "and_then",
    "get_or_insert",
    "get_or_insert_with",
];

/// Methods from options to options that other types have as well.
const COMMON: [&str; 14] = [
    "map", "filter", "or", "or_else", "zip", "take", "replace", "insert", "as_ref", "as_mut", "as_deref", "copied",
    "cloned", "flatten",
];

/// Methods of sequences that give options.
const OF_SEQUENCES: [&str; 11] = [
    "first",
    "last",
    "get",
    "first_mut",
    "last_mut",
    "get_mut",
    "pop",
    "split_first",
    "split_first_mut",
    "split_last",
    "split_last_mut",
];

/// Whether a pattern is one of an option.
pub(crate) fn is_option_pattern(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::TupleStruct(t) => t.path.segments.last().is_some_and(|s| s.ident == "Some"),
        syn::Pat::Path(p) => p.path.segments.last().is_some_and(|s| s.ident == "None"),
        syn::Pat::Ident(p) => p.ident == "None" || p.subpat.as_ref().is_some_and(|(_, p)| is_option_pattern(p)),
        syn::Pat::Or(o) => o.cases.iter().any(is_option_pattern),
        syn::Pat::Paren(p) => is_option_pattern(&p.pat),
        syn::Pat::Reference(p) => is_option_pattern(&p.pat),
        syn::Pat::Guard(g) => is_option_pattern(&g.pat),
        _ => false,
    }
}

/// Whether a method that gives an option is one of options.
pub(crate) fn is_common_method(name: &str) -> bool {
    COMMON.contains(&name)
}

/// Whether a method tells that its receiver is an option.
pub(crate) fn is_option_method(name: &str) -> bool {
    TELLING.contains(&name)
}

impl<'a> Lowering<'a> {
    /// The flag and the payload of an option.
    pub(crate) fn option_parts(&mut self, o: &Operand) -> Option<(Value, Operand)> {
        match o {
            Operand::Opt(flag, payload) => Some((*flag, (**payload).clone())),
            Operand::Value(v) if matches!(self.func.ty(*v), Type::Option(_)) => Some(self.parts_of(o)),
            Operand::Place(p) if matches!(self.place_type(p), Type::Option(_)) => Some(self.parts_of(o)),
            _ => None,
        }
    }

    /// The flag and the payload of what is known to be an option although its type is not visible.
    pub(crate) fn parts_of(&mut self, o: &Operand) -> (Value, Operand) {
        let place = match o {
            Operand::Opt(flag, payload) => return (*flag, (**payload).clone()),
            Operand::Place(p) => p.clone(),
            o => {
                let v = self.value(o.clone());
                Place::whole(Root::Value(v))
            }
        };
        let v = self.read(&place);
        let flag = self.push(Op::IsSome, vec![v], Type::Bool);
        self.maybe_active.insert(flag, false);
        (flag, Operand::Place(place.within(Step::some(), [])))
    }

    /// An option as one value.
    pub(crate) fn option_value(&mut self, flag: Value, payload: Operand) -> Value {
        if self.certain.contains_idx(flag) {
            return match payload {
                Operand::Never => self.absent(Type::Dyn),
                o => self.some(o),
            };
        }
        let o = self.optional(flag, &mut |_| payload.clone());
        self.value(o)
    }

    /// `Some(…)` as a value.
    pub(crate) fn some(&mut self, payload: Operand) -> Value {
        let v = self.value(payload);
        let ty = Type::Option(Box::new(self.ty(v)));
        self.push(Op::Some, vec![v], ty)
    }

    /// `None` with a payload of this type.
    pub(crate) fn absent(&mut self, ty: Type) -> Value {
        let v = self.push(Op::Absent, vec![], Type::Option(Box::new(ty)));
        self.nones.insert(v, ());
        v
    }

    /// `if flag { Some(…) } else { None }`
    pub(crate) fn optional(&mut self, flag: Value, payload: ArmFn<'_, 'a>) -> Operand {
        let mut ty = Type::Dyn;
        let a = self.arm(&mut |l: &mut Self| {
            let o = payload(l);
            if matches!(o, Operand::Never) {
                return o;
            }
            let v = l.some(o);
            ty = l.ty(v);
            Operand::Value(v)
        });
        let b = self.arm(&mut |l: &mut Self| {
            let ty = match &ty {
                Type::Option(t) => (**t).clone(),
                _ => Type::Dyn,
            };
            Operand::Value(l.absent(ty))
        });
        let (then_, else_) = (a.graph, b.graph);
        self.merge(Op::If { then_, else_ }, vec![flag], a, b)
    }

    /// `None`.
    pub(crate) fn none(&mut self) -> Operand {
        let no = self.b().bool(false);
        self.certain.insert(no, ());
        Operand::Opt(no, Box::new(Operand::Never))
    }

    /// `None` as an option of another type, if `v` is one whose type is not known yet.
    pub(crate) fn none_as(&mut self, v: Value, ty: &Type) -> Option<Value> {
        if let (Type::Tuple(of), true) = (ty, ty.is_outcome()) {
            let (_, node) = self.func.nodes.iter().find(|(_, node)| node.outs[..] == [v])?;
            let (Op::Tuple, &[value, fault]) = (&node.op, &node.args[..]) else { return None };
            let value = self.none_as(value, &of[0])?;
            return Some(self.push(Op::Tuple, vec![value, fault], ty.clone()));
        }
        let Type::Option(new) = ty else { return None };
        (self.nones.contains_idx(v) && *self.func.ty(v) != *ty).then(|| self.absent((**new).clone()))
    }

    /// Lowers an expression that is an option, whatever else its form might be.
    pub(crate) fn option_expr(&mut self, e: &syn::Expr) -> Operand {
        self.option_by(e, Self::nested_expr)
    }

    /// The same with the function that lowers it.
    pub(crate) fn option_by(&mut self, e: &syn::Expr, lower: fn(&mut Self, &syn::Expr) -> Operand) -> Operand {
        let o = self.as_option_method(e, lower);
        self.as_option(o)
    }

    /// The receiver of a method of options, which may be a result too.
    pub(crate) fn option_receiver(&mut self, m: &syn::ExprMethodCall) -> Operand {
        let o = self.as_option_method(&m.receiver, Self::nested_expr);
        let o = self.present(o, m);
        self.as_option(o)
    }

    /// Lowers an expression in whose place an option stands.
    fn as_option_method(&mut self, e: &syn::Expr, lower: fn(&mut Self, &syn::Expr) -> Operand) -> Operand {
        match strip(e) {
            syn::Expr::MethodCall(m) if COMMON.iter().chain(&OF_SEQUENCES).any(|name| m.method == name) => {
                let outer = std::mem::replace(&mut self.option_method_of, true);
                let o = lower(self, e);
                self.option_method_of = outer;
                o
            }
            _ => lower(self, e),
        }
    }

    /// What is known to be an option, with that type.
    pub(crate) fn as_option(&mut self, o: Operand) -> Operand {
        let value = match &o {
            Operand::Value(v) => Some(*v),
            Operand::Place(p) if p.path.0.is_empty() => Some(self.root_value(p)),
            _ => None,
        };
        if let Some(v) = value
            && *self.func.ty(v) == Type::Dyn
            && self.is_active(v)
        {
            self.func.values[v].ty = Type::Option(Box::new(Type::Dyn));
        }
        o
    }

    /// A method call whose receiver is an option; `None` if it is none.
    pub(crate) fn method_of_option(
        &mut self,
        receiver: &Operand,
        m: &syn::ExprMethodCall,
        known: bool,
    ) -> Option<Operand> {
        let name = m.method.to_string();
        let parts = match self.option_parts(receiver) {
            Some(parts) => parts,
            None if self.may_be_option(receiver, m, known) => {
                let receiver = self.as_option(receiver.clone());
                self.parts_of(&receiver)
            }
            None => return None,
        };
        let o = self.option_method(receiver, parts, m);
        Some(o.unwrap_or_else(|| {
            self.unsupported(
                m.method.span(),
                format!("the method `{name}` of an option with a differentiable value is not supported yet"),
                "use `if let`, `match`, `map`, `unwrap_or` or `unwrap`",
            )
        }))
    }

    /// Whether a receiver of an unknown type is an option, as the method tells.
    fn may_be_option(&mut self, receiver: &Operand, m: &syn::ExprMethodCall, known: bool) -> bool {
        let (active, ty, returned) = match receiver {
            Operand::Value(v) => (self.is_active(*v), self.ty(*v), self.returned.contains_idx(*v)),
            Operand::Place(p) => {
                let root = self.root_value(p);
                let returned = p.path.0.is_empty() && self.returned.contains_idx(root);
                (self.place_active(p), self.place_type(p), returned)
            }
            _ => return false,
        };
        let is = |names: &[&str]| names.iter().any(|name| m.method == name);
        let telling = is(&TELLING) || is(&["take"]) && m.args.is_empty();
        active && ty == Type::Dyn && (telling || is(&COMMON) && (known || returned))
    }

    /// Makes the value of an option a new one.
    fn set_option(&mut self, receiver: &Operand, m: &syn::ExprMethodCall, v: Value) {
        match receiver {
            Operand::Place(p) => self.write(p, v),
            _ => {
                self.unsupported(
                    m.method.span(),
                    "this changes an option that has no name",
                    "give the option a name with `let mut` and change that",
                );
            }
        }
    }

    /// What is in an option, by a mutable reference.
    fn payload_place(&mut self, receiver: &Operand) -> Operand {
        match self.parts_of(receiver).1 {
            Operand::Place(p) => Operand::Place(p.by_ref(true).mutable(true)),
            o => o,
        }
    }

    /// A method of an option; `None` if it is not one that is known.
    fn option_method(
        &mut self,
        receiver: &Operand,
        (flag, payload): (Value, Operand),
        m: &syn::ExprMethodCall,
    ) -> Option<Operand> {
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
        let mut some = |_: &mut Self| payload.clone();
        let arguments: Vec<&syn::Expr> = m.args.iter().collect();
        Some(match (name.as_str(), &arguments[..]) {
            ("is_some", []) => Operand::Value(flag),
            ("is_none", []) => Operand::Value(self.primitive(&compare::NOT, &[flag])),
            ("unwrap", []) => {
                fail(self, quote!(::core::panic!("called `Option::unwrap()` on a `None` value")));
                payload
            }
            ("expect", [text]) => {
                fail(self, quote!(::core::panic!("{}", #text)));
                payload
            }
            ("copied" | "cloned" | "clone", []) => Operand::Value(self.option_value(flag, payload)),
            (name @ ("as_ref" | "as_mut" | "as_deref" | "as_deref_mut"), []) => {
                let payload = match payload {
                    Operand::Place(p) => Operand::Place(p.by_ref(true).mutable(name.ends_with("_mut"))),
                    o => o,
                };
                Operand::Opt(flag, Box::new(payload))
            }
            ("unwrap_or", [other]) => {
                let other = self.operand(other);
                self.if_value(flag, &mut some, &mut |_| Operand::Value(other))
            }
            ("unwrap_or_default", []) => self.if_value(flag, &mut some, &mut |l: &mut Self| {
                let ty = match &payload {
                    Operand::Place(p) => l.place_type(p),
                    o => {
                        let v = l.value(o.clone());
                        l.ty(v)
                    }
                };
                if let (Type::Dyn, Operand::Place(_) | Operand::Value(_)) = (&ty, receiver) {
                    let (option, private) = (l.value(receiver.clone()), l.private());
                    return Operand::Value(l.template(&[option], Type::Dyn, true, |p| {
                        let option = &p[0];
                        quote!(#private::default_of(&#option))
                    }));
                }
                l.dummy(&ty).map_or(Operand::Never, Operand::Value)
            }),
            ("unwrap_or_else", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut some, &mut |l: &mut Self| l.apply(&f, vec![]))
            }
            ("map", [f]) => {
                let f = self.function_operand(f);
                self.optional(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]))
            }
            ("and_then", [f]) => {
                let f = self.function_operand(f);
                self.if_value(
                    flag,
                    &mut |l: &mut Self| {
                        let o = l.apply(&f, vec![payload.clone()]);
                        let o = l.present(o, m);
                        l.as_option(o)
                    },
                    &mut |l: &mut Self| l.none(),
                )
            }
            ("filter", [f]) => {
                let f = self.function_operand(f);
                let keeps = self.if_value(
                    flag,
                    &mut |l: &mut Self| {
                        let place = l.place(payload.clone()).by_ref(true).mutable(false);
                        l.apply(&f, vec![Operand::Place(place)])
                    },
                    &mut |l: &mut Self| Operand::Value(l.b().bool(false)),
                );
                let keeps = self.value(keeps);
                self.optional(keeps, &mut some)
            }
            ("is_some_and" | "is_none_or", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |l: &mut Self| {
                    Operand::Value(l.b().bool(name == "is_none_or"))
                })
            }
            ("or", [other]) => {
                let o = self.option_expr(other);
                let other = self.value(o);
                self.if_value(flag, &mut |l: &mut Self| Operand::Value(l.some(payload.clone())), &mut |_| {
                    Operand::Value(other)
                })
            }
            ("or_else", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| Operand::Value(l.some(payload.clone())), &mut |l: &mut Self| {
                    let o = l.apply(&f, vec![]);
                    let o = l.present(o, m);
                    l.as_option(o)
                })
            }
            ("zip", [other]) => {
                let o = self.option_expr(other);
                let (second, other) = self.option_parts(&o)?;
                let both = self.if_value(flag, &mut |_| Operand::Value(second), &mut |l: &mut Self| {
                    Operand::Value(l.b().bool(false))
                });
                let both = self.value(both);
                self.optional(both, &mut |_| Operand::Parts(vec![payload.clone(), other.clone()]))
            }
            ("map_or", [other, f]) => {
                let other = self.operand(other);
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |_| {
                    Operand::Value(other)
                })
            }
            ("map_or_else", [g, f]) => {
                let g = self.function_operand(g);
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |l: &mut Self| {
                    l.apply(&g, vec![])
                })
            }
            ("flatten", []) => self.if_value(
                flag,
                &mut |l: &mut Self| {
                    let v = l.value(payload.clone());
                    l.as_option(Operand::Value(v))
                },
                &mut |l: &mut Self| l.none(),
            ),
            ("take", []) => {
                let old = self.option_value(flag, payload);
                let none = self.absent_like(old);
                self.set_option(receiver, m, none);
                Operand::Value(old)
            }
            ("replace", [new]) => {
                let old = self.option_value(flag, payload);
                let new = self.operand(new);
                let new = self.some(Operand::Value(new));
                self.set_option(receiver, m, new);
                Operand::Value(old)
            }
            ("insert", [new]) => {
                let new = self.operand(new);
                let new = self.some(Operand::Value(new));
                self.set_option(receiver, m, new);
                self.payload_place(receiver)
            }
            ("get_or_insert" | "get_or_insert_with", [new]) => {
                let missing = self.primitive(&compare::NOT, &[flag]);
                let new = match name.as_str() {
                    "get_or_insert" => Operand::Value(self.operand(new)),
                    _ => self.function_operand(new),
                };
                self.if_value(
                    missing,
                    &mut |l: &mut Self| {
                        let new = if l.is_function(&new) { l.apply(&new, vec![]) } else { new.clone() };
                        let new = l.some(new);
                        l.set_option(receiver, m, new);
                        Operand::Value(l.unit())
                    },
                    &mut |l: &mut Self| Operand::Value(l.unit()),
                );
                self.payload_place(receiver)
            }
            _ => return None,
        })
    }

    /// `None` of the type of an option.
    fn absent_like(&mut self, v: Value) -> Value {
        match self.ty(v) {
            Type::Option(t) => self.absent(*t),
            _ => self.absent(Type::Dyn),
        }
    }
}
