//! Methods of results.

use crate::ir::{Op, Type, Value};
use crate::lower::control::strip;
use crate::lower::{Lowering, Operand};
use crate::prims::compare;
use quote::quote;

/// Methods that only results have.
const TELLING: [&str; 9] =
    ["is_ok", "is_err", "is_ok_and", "is_err_and", "ok", "err", "map_err", "unwrap_err", "expect_err"];

/// Methods from results to results that other types have as well.
const COMMON: [&str; 9] = ["map", "and_then", "or_else", "or", "and", "as_ref", "as_mut", "copied", "cloned"];

/// Methods of options that give results.
const OF_OPTIONS: [&str; 2] = ["ok_or", "ok_or_else"];

/// Methods of options and results alike that look at nothing but the value.
const OF_BOTH: [&str; 8] =
    ["unwrap", "expect", "unwrap_or", "unwrap_or_default", "map_or", "map", "and_then", "or_else"];

/// Whether a method call tells that its receiver is a result.
pub(crate) fn tells(m: &syn::ExprMethodCall) -> bool {
    let name = m.method.to_string();
    let takes_error = |f: &syn::Expr| matches!(strip(f), syn::Expr::Closure(f) if f.inputs.len() == 1);
    match name.as_str() {
        "unwrap_or_else" | "or_else" | "map_or_else" => m.args.first().is_some_and(takes_error),
        "ok" | "err" => m.args.is_empty(),
        name => TELLING.contains(&name),
    }
}

/// Whether a method that gives a result may be one of results.
pub(crate) fn is_common(m: &syn::ExprMethodCall) -> bool {
    COMMON.iter().any(|name| m.method == name)
}

impl<'a> Lowering<'a> {
    /// Lowers an expression that is a result, whatever else its form might be.
    pub(crate) fn outcome_expr(&mut self, e: &syn::Expr) -> Operand {
        self.outcome_by(e, Self::nested_expr)
    }

    /// The same with the function that lowers it.
    pub(crate) fn outcome_by(&mut self, e: &syn::Expr, lower: fn(&mut Self, &syn::Expr) -> Operand) -> Operand {
        let o = match strip(e) {
            syn::Expr::MethodCall(m) if is_common(m) || super::super::gather::may_stop(m) => {
                let outer = std::mem::replace(&mut self.outcome_method_of, true);
                let o = lower(self, e);
                self.outcome_method_of = outer;
                o
            }
            _ => lower(self, e),
        };
        self.as_outcome(o, false)
    }

    /// What an option or a result of another function has in it, as an option: the methods that look at that only are the
    /// same of both.
    pub(crate) fn present(&mut self, o: Operand, m: &syn::ExprMethodCall) -> Operand {
        let v = match &o {
            Operand::Value(v) => *v,
            Operand::Place(p) if p.path.0.is_empty() && !p.is_ref => self.root_value(p),
            _ => return o,
        };
        let both = OF_BOTH.iter().any(|name| m.method == name);
        if !both || !self.returned.contains_idx(v) || *self.func.ty(v) != Type::Dyn || !self.is_active(v) {
            return o;
        }
        let ty = Type::Option(Box::new(Type::Dyn));
        Operand::Value(self.push(Op::Outcome(crate::ir::Outcome::Present), vec![v], ty))
    }

    /// A method call whose receiver is a result; `None` if it is none.
    pub(crate) fn method_of_outcome(&mut self, receiver: &Operand, m: &syn::ExprMethodCall) -> Option<Operand> {
        let (value, fault) = self.outcome_parts(receiver)?;
        let (flag, payload) = self.parts_of(&value);
        let name = m.method.to_string();
        let arguments: Vec<&syn::Expr> = m.args.iter().collect();
        let by_ref = matches!(receiver, Operand::Place(p) if p.is_ref);
        let mut some = |_: &mut Self| payload.clone();
        Some(match (name.as_str(), &arguments[..]) {
            ("is_ok", []) => Operand::Value(flag),
            ("is_err", []) => Operand::Value(self.primitive(&compare::NOT, &[flag])),
            ("ok", []) => match value {
                Operand::Place(_) => Operand::Opt(flag, Box::new(payload)),
                value => value,
            },
            ("err", []) => {
                let fault = self.value(fault);
                Operand::Value(self.template(&[fault], Type::Inactive, false, |p| {
                    let f = &p[0];
                    quote!(#f)
                }))
            }
            ("unwrap", []) => {
                self.fail(flag, false, &fault, quote!("called `Result::unwrap()` on an `Err` value"));
                payload
            }
            ("expect", [text]) => {
                self.fail(flag, false, &fault, quote!(#text));
                payload
            }
            ("unwrap_err" | "expect_err", _) => {
                let text = match &arguments[..] {
                    [text] => quote!(#text),
                    _ => quote!("called `Result::unwrap_err()` on an `Ok` value"),
                };
                self.fail(flag, true, &fault, text);
                self.error(&fault, by_ref)
            }
            ("map", [f]) => {
                let f = self.function_operand(f);
                let mapped = self.optional(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]));
                self.paired(mapped, fault)
            }
            ("copied" | "cloned", []) => {
                let value = Operand::Value(self.option_value(flag, payload));
                self.paired(value, fault)
            }
            ("as_ref" | "as_mut", []) => {
                let payload = match payload {
                    Operand::Place(p) => Operand::Place(p.by_ref(true).mutable(name == "as_mut")),
                    o => o,
                };
                let fault = self.value(fault);
                let fault = self.template(&[fault], Type::Fault, true, |p| {
                    let f = &p[0];
                    quote!(#f.as_ref())
                });
                self.paired(Operand::Opt(flag, Box::new(payload)), Operand::Value(fault))
            }
            ("map_err", [f]) => {
                let f = self.function_operand(f);
                let fault = self.if_value(
                    flag,
                    &mut |l: &mut Self| Operand::Value(l.push(Op::Absent, vec![], Type::Fault)),
                    &mut |l: &mut Self| {
                        let e = l.error(&fault, by_ref);
                        let e = l.apply(&f, vec![e]);
                        let e = l.value(e);
                        Operand::Value(l.fault(e))
                    },
                );
                self.paired(Operand::Opt(flag, Box::new(payload)), fault)
            }
            ("and_then", [f]) => {
                let f = self.function_operand(f);
                self.if_value(
                    flag,
                    &mut |l: &mut Self| {
                        let o = l.apply(&f, vec![payload.clone()]);
                        l.as_outcome(o, true)
                    },
                    &mut |l: &mut Self| {
                        let none = l.none();
                        l.paired(none, fault.clone())
                    },
                )
            }
            ("and", [other]) => {
                let other = self.outcome_expr(other);
                let other = self.as_outcome(other, true);
                let other = Operand::Value(self.value(other));
                self.if_value(flag, &mut |_| other.clone(), &mut |l: &mut Self| {
                    let none = l.none();
                    l.paired(none, fault.clone())
                })
            }
            ("or", [other]) => {
                let other = self.outcome_expr(other);
                let other = self.as_outcome(other, true);
                let other = Operand::Value(self.value(other));
                self.if_value(flag, &mut |l: &mut Self| l.ok(payload.clone()), &mut |_| other.clone())
            }
            ("or_else", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.ok(payload.clone()), &mut |l: &mut Self| {
                    let e = l.error(&fault, by_ref);
                    let o = l.apply(&f, vec![e]);
                    l.as_outcome(o, true)
                })
            }
            ("unwrap_or_else", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut some, &mut |l: &mut Self| {
                    let e = l.error(&fault, by_ref);
                    l.apply(&f, vec![e])
                })
            }
            ("map_or_else", [g, f]) => {
                let g = self.function_operand(g);
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |l: &mut Self| {
                    let e = l.error(&fault, by_ref);
                    l.apply(&g, vec![e])
                })
            }
            ("is_err_and", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| Operand::Value(l.b().bool(false)), &mut |l: &mut Self| {
                    let e = l.error(&fault, by_ref);
                    l.apply(&f, vec![e])
                })
            }
            ("is_ok_and", [f]) => {
                let f = self.function_operand(f);
                self.if_value(flag, &mut |l: &mut Self| l.apply(&f, vec![payload.clone()]), &mut |l: &mut Self| {
                    Operand::Value(l.b().bool(false))
                })
            }
            ("clone", []) => {
                let v = self.value(receiver.clone());
                let ty = self.ty(v);
                Operand::Value(self.push(Op::Copy(false), vec![v], ty))
            }
            ("unwrap_or" | "unwrap_or_default" | "map_or", _) => {
                return self.method_of_option(&value, m, true);
            }
            _ => self.unsupported(
                m.method.span(),
                format!("the method `{name}` of a `Result` with a differentiable value is not supported yet"),
                "use `?`, `match`, `map`, `map_err`, `unwrap_or` or `ok`",
            ),
        })
    }

    /// `ok_or` and `ok_or_else` of an option; `None` for any other method.
    pub(crate) fn outcome_of_option(&mut self, m: &syn::ExprMethodCall) -> Option<Operand> {
        let [arg] = m.args.iter().collect::<Vec<_>>()[..] else { return None };
        if !OF_OPTIONS.iter().any(|name| m.method == name) {
            return None;
        }
        let o = self.option_expr(&m.receiver);
        let (flag, payload) = self.option_parts(&o)?;
        let f = if m.method == "ok_or" { Operand::Value(self.operand(arg)) } else { self.function_operand(arg) };
        let fault = self.if_value(
            flag,
            &mut |l: &mut Self| Operand::Value(l.push(Op::Absent, vec![], Type::Fault)),
            &mut |l: &mut Self| {
                let e = if l.is_function(&f) { l.apply(&f, vec![]) } else { f.clone() };
                let e = l.value(e);
                Operand::Value(l.fault(e))
            },
        );
        let value = match o {
            Operand::Opt(..) => Operand::Opt(flag, Box::new(payload)),
            o => Operand::Value(self.value(o)),
        };
        Some(self.paired(value, fault))
    }

    fn paired(&mut self, value: Operand, fault: Operand) -> Operand {
        let fault = self.value(fault);
        Operand::Parts(vec![value, Operand::Value(fault)])
    }

    /// The panic of the user's program where a flag is not as it should be.
    fn fail(&mut self, flag: Value, wanted: bool, fault: &Operand, text: proc_macro2::TokenStream) {
        let at_fault = if wanted { flag } else { self.primitive(&compare::NOT, &[flag]) };
        self.if_value(
            at_fault,
            &mut |l: &mut Self| {
                if wanted {
                    l.verbatim_effect(quote!(::core::panic!("{}", #text)));
                } else {
                    let fault = l.value(fault.clone());
                    l.template(&[fault], Type::Unit, false, |p| {
                        let f = &p[0];
                        quote!(::core::panic!("{}: {:?}", #text, #f.as_ref().unwrap()))
                    });
                }
                Operand::Value(l.unit())
            },
            &mut |l: &mut Self| Operand::Value(l.unit()),
        );
    }
}
