//! `Result` with a differentiable value in it: an option of the value beside an option of the error.
//!
//! Both stand together as a pair of the type [`Type::outcome`], so that all that is known of options holds for results
//! too; errors have no derivative. A result of an unknown type is split where something shows that it is one, and a variable
//! that turns out to hold one is split where it is set, from the next round of lowering on.

pub(crate) mod methods;
pub(crate) mod patterns;

pub(crate) use patterns::{is_pattern, pattern};

use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::diag::catalog;
use crate::ir::{Op, Outcome, Step, Type, Value};
use quote::{ToTokens, quote};

/// Whether a path is `Ok`; `None` if it is not `Err` either.
fn of_path(path: &syn::Path) -> Option<bool> {
    let mut segments = path.segments.iter().rev();
    let ok = match segments.next()?.ident.to_string().as_str() {
        "Ok" => true,
        "Err" => false,
        _ => return None,
    };
    segments.next().is_none_or(|of| of.ident == "Result").then_some(ok)
}

/// The types of the value and of the error of a result, as far as they are written.
pub(crate) fn of_type(ty: &syn::Type) -> Option<(&syn::Type, Option<&syn::Type>)> {
    let syn::Type::Path(p) = super::types::strip(ty) else { return None };
    let last = p.path.segments.last().filter(|last| last.ident == "Result")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some((types.next()?, types.next()))
}

impl Lowering<'_> {
    /// The option of the value and that of the error, if an operand is a result.
    pub(crate) fn outcome_parts(&mut self, o: &Operand) -> Option<(Operand, Operand)> {
        let place = match o {
            Operand::Parts(parts) => match &parts[..] {
                [value, Operand::Value(fault)] if *self.func.ty(*fault) == Type::Fault => {
                    return Some((value.clone(), Operand::Value(*fault)));
                }
                _ => return None,
            },
            Operand::Value(v) if self.func.ty(*v).is_outcome() => Place::whole(Root::Value(*v)),
            Operand::Place(p) if self.place_type(p).is_outcome() => p.clone(),
            _ => return None,
        };
        let part = |k: &str| Operand::Place(place.clone().within(Step::Field(k.to_owned()), []));
        Some((part("0"), part("1")))
    }

    /// What is a result, as one whose parts are known. One without a derivative is left as it is, unless that is wanted.
    pub(crate) fn as_outcome(&mut self, o: Operand, inactive: bool) -> Operand {
        let v = match &o {
            Operand::Value(v) => *v,
            Operand::Place(p) if p.path.0.is_empty() => self.root_value(p),
            Operand::Place(p) if self.place_type(p) == Type::Dyn && (inactive || self.place_active(p)) => {
                return self.lost_outcome();
            }
            _ => return o,
        };
        if !matches!(self.func.ty(v), Type::Dyn | Type::Inactive) || !(inactive || self.is_active(v)) {
            return o;
        }
        if let Operand::Place(p) = &o {
            let key = match p.root {
                Root::Cell(c) => Some(self.env.cells[c].key).filter(|key| *key != usize::MAX),
                Root::Value(_) => None,
            };
            let new = key.is_some_and(|key| self.outcomes.insert(key));
            if p.is_ref && !new {
                return self.lost_outcome();
            }
        }
        self.outcome_of(v)
    }

    pub(crate) fn lost_outcome(&mut self) -> Operand {
        let span = self.span;
        self.unsupported(
            span,
            "a `Result` in a field, an element or behind a reference is not supported",
            "keep an `Option` there, or take it as a value of its own: `r: Result<f64, E>`",
        )
    }

    /// A result of an unknown type as its parts.
    pub(crate) fn outcome_of(&mut self, v: Value) -> Operand {
        let types = vec![Type::Option(Box::new(Type::Dyn)), Type::Fault];
        let node = self.b().node(Op::Outcome(Outcome::Split), vec![v], types);
        let outs = self.func[node].outs.clone();
        let active = self.is_active(v);
        self.maybe_active.insert(outs[0], active);
        self.maybe_active.insert(outs[1], false);
        Operand::Parts(outs.into_iter().map(Operand::Value).collect())
    }

    /// What a variable is set to, if it is one that holds results.
    pub(crate) fn outcome_of_cell(&mut self, key: usize, v: Value) -> Value {
        if self.outcomes.contains(&key) && *self.func.ty(v) == Type::Dyn {
            let parts = self.outcome_of(v);
            return self.value(parts);
        }
        v
    }

    /// The result itself, where an operand is one.
    pub(crate) fn as_result(&mut self, o: Operand) -> Operand {
        let Some((value, fault)) = self.outcome_parts(&o) else { return o };
        let (value, fault) = (self.value(value), self.value(fault));
        Operand::Value(self.push(Op::Outcome(Outcome::Join), vec![value, fault], Type::Dyn))
    }

    /// A value as code that is kept sees it: a result of references.
    pub(crate) fn seen(&mut self, v: Value) -> Value {
        if !self.func.ty(v).is_outcome() {
            return v;
        }
        let private = self.private();
        self.template(&[v], Type::Dyn, true, |p| {
            let r = &p[0];
            quote!(#private::seen(&#r.0, &#r.1))
        })
    }

    /// What becomes a part of something: a result is there as it is, and may have no derivative.
    pub(crate) fn stored(&mut self, o: Operand, span: proc_macro2::Span) -> Operand {
        let Some((value, _)) = self.outcome_parts(&o) else { return o };
        let value = self.value(value);
        if self.is_active(value) {
            return self.unsupported(
                span,
                "a `Result` with a differentiable value in a tuple, an array or a struct is not supported",
                "take it apart with `?`, `match` or `ok()` first",
            );
        }
        self.as_result(o)
    }

    /// Writes down what the error of a result is, where the type is known.
    pub(crate) fn declare_error(&mut self, o: &Operand, ty: Option<&syn::Type>) {
        if let (Operand::Parts(parts), Some(ty)) = (o, ty)
            && let Some(&Operand::Value(fault)) = parts.get(1)
        {
            self.declare_fault(fault, ty);
        }
    }

    /// The same for the part that is the error: nothing else may say it, such as where it is `"text".into()` and not looked at.
    fn declare_fault(&mut self, fault: Value, ty: &syn::Type) {
        let Some(n) = self.func.maker(fault) else { return };
        let k = self.func[n].outs.iter().position(|&out| out == fault).expect("one of them");
        match &mut self.func[n].op {
            Op::Verbatim(made) if !matches!(ty, syn::Type::Infer(_)) => {
                if let Ok(syn::Expr::Call(syn::ExprCall { func, args, .. })) = syn::parse2(made.code.clone())
                    && func.to_token_stream().to_string() == some_fault().to_string()
                {
                    made.code = quote!(#func::<#ty>(#args));
                }
            }
            Op::Absent if matches!(ty, syn::Type::Path(_)) && !super::scan::borrows(ty) => {
                self.func.values[fault].written = Some(quote!(::core::option::Option<#ty>));
            }
            Op::If { then_, else_ } => {
                for arm in [*then_, *else_] {
                    let left = self.func[arm].results[k];
                    self.declare_fault(left, ty);
                }
            }
            _ => {}
        }
    }

    /// Whether what `return` leaves is declared to be a result.
    pub(crate) fn leaves_outcome(&self, target: usize) -> bool {
        let declared = self.targets[target].value.and_then(|cell| self.env.cells[cell].declared_rust.as_ref());
        declared.is_some_and(|ty| of_type(ty).is_some())
    }

    /// What `return` leaves, if it is a result of the declared type.
    pub(crate) fn result_outcome(&mut self, target: usize, o: Operand) -> Operand {
        let Some(cell) = self.targets[target].value else { return o };
        let Some(declared) = self.env.cells[cell].declared_rust.clone() else { return o };
        let Some((ty, error)) = of_type(&declared) else { return o };
        if matches!(o, Operand::Never | Operand::Left(_)) {
            return o;
        }
        let o = self.as_outcome(o, true);
        self.declare_error(&o, error);
        let ty = super::types::of_rust(ty);
        match (self.outcome_parts(&o), &o) {
            (Some((value, fault)), Operand::Parts(_)) if ty != Type::Dyn => {
                let value = match value {
                    Operand::Opt(_, none) if matches!(*none, Operand::Never) => self.absent(ty),
                    value => {
                        let v = self.value(value);
                        if *self.func.ty(v) == Type::Option(Box::new(Type::Dyn)) {
                            self.func.values[v].ty = Type::Option(Box::new(ty));
                        }
                        v
                    }
                };
                Operand::Parts(vec![Operand::Value(value), fault])
            }
            _ => o,
        }
    }

    /// `Ok(…)` and `Err(…)`; `None` if the path is another, or stands for something else.
    pub(crate) fn outcome_call(&mut self, path: &syn::Path, arg: impl FnOnce(&mut Self) -> Operand) -> Option<Operand> {
        let ok = of_path(path)?;
        if let Some(name) = path.get_ident().map(ToString::to_string)
            && (self.lookup(&name).is_some() || self.imports.contains_key(&name))
        {
            return None;
        }
        let o = arg(self);
        Some(if ok { self.ok(o) } else { self.err(o) })
    }

    fn ok(&mut self, o: Operand) -> Operand {
        let payload = match o {
            Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
            o => o,
        };
        let yes = self.b().bool(true);
        self.certain.insert(yes, ());
        let none = self.push(Op::Absent, vec![], Type::Fault);
        Operand::Parts(vec![Operand::Opt(yes, Box::new(payload)), Operand::Value(none)])
    }

    fn err(&mut self, o: Operand) -> Operand {
        let e = self.value(o);
        let fault = self.fault(e);
        Operand::Parts(vec![self.none(), Operand::Value(fault)])
    }

    /// An error, which must have no derivative.
    pub(crate) fn fault(&mut self, e: Value) -> Value {
        if self.is_active(e) {
            let span = self.span;
            self.refuse(span, &catalog::ACTIVE_ERROR, &[]);
        }
        self.template(&[e], Type::Fault, false, |p| {
            let e = &p[0];
            let some = some_fault();
            quote!(#some(#e))
        })
    }

    /// The error, which is there; by reference where the result is taken apart so.
    pub(crate) fn error(&mut self, fault: &Operand, by_ref: bool) -> Operand {
        let fault = self.value(fault.clone());
        Operand::Value(self.template(&[fault], Type::Dyn, false, |p| {
            let f = &p[0];
            if by_ref { quote!(#f.as_ref().unwrap()) } else { quote!(#f.unwrap()) }
        }))
    }
}

/// What makes an error one that is there.
fn some_fault() -> proc_macro2::TokenStream {
    quote!(::core::option::Option::Some)
}
