//! Calls of functions.

use super::argument::Arguments;
use super::env::Binding;
use super::stmt::Fate;
use super::{Lowering, Operand, types};
use crate::ir::{Arg, Callee, Float, Op, Type, Value};
use crate::prims;
use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// A call. `statement`: its value is not used.
    pub(crate) fn call(&mut self, c: &syn::ExprCall, statement: bool) -> Operand {
        let outer = std::mem::replace(&mut self.span, c.span());
        let o = self.call_inner(c, statement);
        self.span = outer;
        o
    }

    fn call_inner(&mut self, c: &syn::ExprCall, statement: bool) -> Operand {
        let path = match super::control::strip(&c.func) {
            syn::Expr::Path(p) => match named_by_type(p) {
                Some(path) => return self.call_inner(&syn::ExprCall { func: path, ..c.clone() }, statement),
                None => p,
            },
            syn::Expr::Closure(f) => {
                let Operand::Closure(k) = self.closure(f) else { unreachable!("a closure") };
                return self.call_closure_with(k, &c.args, c.span());
            }
            other => {
                let o = self.nested_expr(other);
                return self.call_operand(o, &c.args, other.span(), statement);
            }
        };
        if let Some(ident) = path.path.get_ident() {
            match self.lookup(&types::plain_name(ident)).cloned() {
                Some(Binding::Closure(k)) => return self.call_closure_with(k, &c.args, c.span()),
                Some(Binding::Function(f)) => {
                    let args = c.args.iter().map(|a| self.nested_expr(a)).collect();
                    return self.call_function(&f, args, c.span());
                }
                Some(Binding::Known(f)) => return self.call_operand(*f, &c.args, c.span(), statement),
                Some(Binding::Cell(..) | Binding::Alias(..)) => {
                    let f = self.nested_expr(&c.func);
                    if self.is_function(&f) || self.lost_function || self.is_poison(&f) {
                        return self.call_operand(f, &c.args, c.span(), statement);
                    }
                    return self.unsupported(
                        ident.span(),
                        format!("`{ident}` is a function held in a variable, and calling it is not supported yet"),
                        "bind the closure with `let` and call it by that name",
                    );
                }
                None if super::objects::is_mark(&ident.to_string()) => return self.object_of(&c.args[0]),
                Some(Binding::Item | Binding::Iter(_)) | None => {}
            }
        }
        if let Some(f) = self.sibling(&path.path)
            && self.mentions_active(c.args.to_token_stream())
        {
            let Operand::Closure(k) = self.known_closure(f) else { unreachable!("a closure") };
            return self.call_closure_with(k, &c.args, c.span());
        }
        if let Some(o) = self.boxed_function(&path.path, &c.args.iter().collect::<Vec<_>>()) {
            return o;
        }
        if let Some(o) = self.known_call(&path.path, c, statement) {
            return o;
        }
        if self.mentions_active(c.to_token_stream())
            && let Some(o) = self.array_constructor(c).or_else(|| self.shape_vec(c))
        {
            return o;
        }
        let mut arguments = Arguments::default();
        let mut closures = Vec::new();
        let mut doubtful = Vec::new();
        let fate = if self.nested == 0 { self.fate } else { Fate::Used };
        let unused = statement || fate == Fate::Unused;
        let taken = self.taken_by(path);
        for (i, a) in c.args.iter().enumerate() {
            if is_closure(a) && !self.mentions_active(a.to_token_stream()) {
                // whether it has a derivative depends on the call
                closures.push(i);
                let unit = self.unit();
                arguments.push((unit, Arg::Value, None));
                continue;
            }
            if !self.mentions_active(a.to_token_stream()) && self.opaque_argument(a) {
                let v = self.verbatim_value(a.to_token_stream(), Type::Dyn);
                arguments.push((v, Arg::Value, None));
                continue;
            }
            let own = taken.as_ref().and_then(|taken| taken.get(i).copied());
            let argument = self.argument(a, own.or(unused.then_some(true)));
            if std::mem::take(&mut self.doubtful) && own.is_none() {
                doubtful.push((i, a));
            }
            arguments.push(argument);
        }
        let active = arguments.operands.iter().any(|&v| self.is_active(v));
        if active {
            self.doubt(&mut arguments, &doubtful, unused);
        }
        let Arguments { mut operands, mut modes, places } = arguments;
        let in_doubt = (std::mem::take(&mut self.perhaps_changed), std::mem::take(&mut self.in_doubt));
        for i in closures {
            if active || self.assigns_number(&c.args[i]) {
                (operands[i], modes[i], _) = self.argument(&c.args[i], None);
            } else {
                operands[i] = self.verbatim_value(c.args[i].to_token_stream(), Type::Dyn);
            }
        }
        (self.perhaps_changed, self.in_doubt) = in_doubt;
        let active = active || !self.states_of(&operands).1.is_empty();
        if !active && !modes.iter().any(|mode| mode.changes()) {
            // no derivative passes through: any function will do
            let f = &c.func;
            let made = if statement { Type::Unit } else { self.inactive_array(c).unwrap_or(Type::Dyn) };
            let v = self.template(&operands, made, false, |p| {
                let args = p.iter().zip(&modes).map(|(a, mode)| mode.of(a));
                let call = quote!(#f(#(#args),*));
                if statement { quote!({ #call; }) } else { call }
            });
            return Operand::Value(v);
        }
        if !active {
            let tokens = c.to_token_stream();
            if statement {
                self.verbatim_effect(quote!(#tokens;));
                return Operand::Value(self.unit());
            }
            let ty = self.inactive_array(c).unwrap_or(Type::Dyn);
            return Operand::Value(self.verbatim_value(tokens, ty));
        }
        let last = path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if last.starts_with(|ch: char| ch.is_uppercase()) {
            return self.build_tuple(&path.path, operands);
        }
        if self.foreign_owner(&path.path) {
            return self.unsupported(
                path.path.span(),
                format!(
                    "`{}` on a differentiable value is not supported yet",
                    path.path.to_token_stream().to_string().replace(' ', "")
                ),
                "use a variable, a tuple, an array or a `Vec` instead",
            );
        }
        if fate == Fate::Given && !statement {
            self.doubt_value(&operands, &modes);
        }
        self.protocol(Callee::Path(path.clone()), operands, modes, places, statement)
    }

    /// `Cell::new`, `HashMap::from`, `Rc::new` …: functions of types of `std` that hold what they are given.
    fn foreign_owner(&self, path: &syn::Path) -> bool {
        let n = path.segments.len();
        n >= 2 && {
            let owner = path.segments[n - 2].ident.to_string();
            [
                "Cell", "RefCell", "Rc", "Arc", "Box", "Mutex", "RwLock", "HashMap", "BTreeMap", "Some", "VecDeque",
                "mem", "Option",
            ]
            .contains(&owner.as_str())
        }
    }

    /// Whether an argument is of a form that is better kept as it is written.
    fn opaque_argument(&self, e: &syn::Expr) -> bool {
        !matches!(
            super::control::strip(e),
            syn::Expr::Lit(_)
                | syn::Expr::Path(_)
                | syn::Expr::Reference(_)
                | syn::Expr::Binary(_)
                | syn::Expr::Unary(_)
                | syn::Expr::Index(_)
                | syn::Expr::Field(_)
                | syn::Expr::Call(_)
                | syn::Expr::MethodCall(_)
                | syn::Expr::Cast(_)
                | syn::Expr::Tuple(_)
                | syn::Expr::Array(_)
                | syn::Expr::Repeat(_)
                | syn::Expr::If(_)
                | syn::Expr::Match(_)
                | syn::Expr::Block(_)
        )
    }

    fn call_closure_with(
        &mut self,
        k: usize,
        args: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
        span: Span,
    ) -> Operand {
        let written: Vec<Option<syn::Type>> = self.closures[k].expr.inputs.iter().map(written_type).collect();
        let args = args
            .iter()
            .enumerate()
            .map(|(i, a)| {
                if let Some(Some(ty)) = written.get(i) {
                    self.expect(a, ty);
                }
                let o = self.nested_expr(a);
                match o {
                    Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
                    o => o,
                }
            })
            .collect();
        self.call_closure(k, args, span)
    }

    /// Calls a function that is named by its path, with lowered arguments.
    pub(crate) fn call_function(&mut self, f: &syn::Expr, args: Vec<Operand>, span: Span) -> Operand {
        let syn::Expr::Path(p) = f else {
            return self.unsupported(span, "this is no function", "pass a closure `|x| …`");
        };
        if self.float_path(&p.path).is_some()
            && let Some(last) = p.path.segments.last()
            && let Some(prim) = prims::method(&last.ident.to_string())
            && prim.arity == args.len()
        {
            let args: Vec<Value> = args.into_iter().map(|a| self.value(a)).collect();
            return Operand::Value(self.arithmetic(prim, &args));
        }
        if let Some([of, new]) = p.path.segments.iter().collect::<Vec<_>>().last_chunk::<2>()
            && (of.ident == "Vec" && new.ident == "new" && args.is_empty())
        {
            let ty = Type::Vec(Box::new(element_hint(&p.path)));
            return Operand::Value(self.push(Op::VecEmpty, vec![], ty));
        }
        let (mut operands, mut modes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for a in args {
            let (v, mode, place) = self.handed(a);
            operands.push(v);
            modes.push(mode);
            places.push(place);
        }
        if let Some(last) = p.path.segments.last() {
            let name = last.ident.to_string();
            if self.float_path(&p.path).is_some() && prims::INACTIVE_METHODS.contains(&name.as_str()) {
                let ty = if name.starts_with("is_") { Type::Bool } else { Type::Inactive };
                let v = self.template(&operands, ty, true, |p| {
                    let (receiver, args) = p.split_first().expect("there is a receiver");
                    let method = &last.ident;
                    quote!(#receiver.#method(#(&#args),*))
                });
                return Operand::Value(v);
            }
            if let Some(prim) = operator(&p.path).filter(|prim| prim.arity == operands.len()) {
                return Operand::Value(self.operator(prim, &operands, false));
            }
            if name == "Some" && operands.len() == 1 {
                let yes = self.b().bool(true);
                return Operand::Opt(yes, Box::new(Operand::Value(operands[0])));
            }
            if let &[v] = &operands[..]
                && let Some(o) = self.outcome_call(&p.path, |_| Operand::Value(v))
            {
                return o;
            }
            if name.starts_with(|c: char| c.is_uppercase()) {
                return self.build_tuple(&p.path, operands);
            }
        }
        if let Some(o) = self.method_by_path(&p.path, &operands) {
            return o;
        }
        if !modes.iter().any(|mode| mode.changes()) && !operands.iter().any(|&v| self.is_active(v)) {
            return Operand::Value(self.template(&operands, Type::Dyn, false, |p| {
                let args = p.iter().zip(&modes).map(|(a, mode)| mode.of(a));
                quote!(#f(#(#args),*))
            }));
        }
        self.protocol(Callee::Path(p.clone()), operands, modes, places, false)
    }

    /// `Option::unwrap` and the like as a function: the method.
    fn method_by_path(&mut self, path: &syn::Path, args: &[Value]) -> Option<Operand> {
        let mut segments = path.segments.iter().rev();
        let (method, owner) = (&segments.next()?.ident, &segments.next()?.ident);
        if args.is_empty()
            || !["Option", "Result", "Vec"].iter().any(|of| owner == of)
            || owner == "Vec" && method == "from"
        {
            return None;
        }
        self.env.push_scope();
        let names: Vec<syn::Ident> =
            (0..args.len()).map(|k| syn::Ident::new(&format!("__arg{k}"), self.span)).collect();
        for (name, &v) in names.iter().zip(args) {
            let cell = self.temporary(v);
            self.env.bind(&name.to_string(), Binding::Cell(cell, true));
        }
        let (receiver, rest) = names.split_first().expect("there is a receiver");
        let o = self.expr(&syn::parse_quote!(#receiver.#method(#(#rest),*)));
        self.env.pop_scope();
        Some(o)
    }

    /// `T::one()` and the like, for a type parameter `T` that stands for a float.
    fn generic_constant(&mut self, path: &syn::Path, name: &str, c: &syn::ExprCall) -> Option<Value> {
        let kind = self.float_path(path).filter(|kind| matches!(kind, Float::Generic(_)))?;
        let known = c.args.is_empty() && path.segments.len() == 2 && !self.mentions_active(c.to_token_stream());
        (known && name != "default").then(|| self.verbatim_value(c.to_token_stream(), Type::Float(kind)))
    }

    /// Functions of `std` that are known: `f64::sin`, `std::mem::swap`, `Vec::new` …
    fn known_call(&mut self, path: &syn::Path, c: &syn::ExprCall, statement: bool) -> Option<Operand> {
        if let Some(o) = self.converted_by_path(c) {
            return Some(o);
        }
        let n = path.segments.len();
        let last = path.segments.last()?.ident.to_string();
        let owner = if n >= 2 { path.segments[n - 2].ident.to_string() } else { String::new() };
        let args: Vec<&syn::Expr> = c.args.iter().collect();
        match (owner.as_str(), last.as_str()) {
            ("f64" | "f32", "from") if args.len() == 1 => {
                let v = self.operand(args[0]);
                let kind = if owner == "f64" { Float::F64 } else { Float::F32 };
                let ident = &path.segments[n - 2].ident;
                if matches!(self.func.ty(v), Type::Bool) {
                    return Some(Operand::Value(self.template(&[v], Type::Float(kind), true, |p| {
                        let p = &p[0];
                        quote!(#ident::from(#p))
                    })));
                }
                Some(Operand::Value(self.push(Op::Cast(quote!(#ident)), vec![v], Type::Float(kind))))
            }
            ("f64" | "f32", "sin_cos") if args.len() == 1 => {
                let v = self.operand(args[0]);
                Some(Operand::Value(self.sin_cos(v)))
            }
            (owner, name)
                if matches!(owner, "f64" | "f32") || matches!(self.float_path(path), Some(Float::Generic(_))) =>
            {
                if let Some(v) = self.generic_constant(path, name, c) {
                    return Some(Operand::Value(v));
                }
                let prim = prims::method(name).filter(|p| p.arity == args.len());
                if let Some(prim) = prim {
                    let args: Vec<Value> = args.iter().map(|a| self.operand(a)).collect();
                    self.span = c.span();
                    return Some(Operand::Value(self.arithmetic(prim, &args)));
                }
                if prims::INACTIVE_METHODS.contains(&name) {
                    let v = self.verbatim_value(
                        c.to_token_stream(),
                        if name.starts_with("is_") { Type::Bool } else { Type::Inactive },
                    );
                    return Some(Operand::Value(v));
                }
                None
            }
            ("Vec", "new") if args.is_empty() => {
                Some(Operand::Value(self.push(Op::VecEmpty, vec![], Type::Vec(Box::new(element_hint(path))))))
            }
            ("Vec", "with_capacity") if args.len() == 1 => {
                let n = self.operand(args[0]);
                Some(Operand::Value(self.push(Op::VecEmpty, vec![n], Type::Vec(Box::new(element_hint(path))))))
            }
            ("Vec", "from") if args.len() == 1 => {
                let v = self.operand(args[0]);
                let elem = self.ty(v).element();
                Some(Operand::Value(self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(elem)))))
            }
            ("" | "Option", "Some") if args.len() == 1 => {
                let o = self.nested_expr(args[0]);
                let o = self.stored(o, args[0].span());
                let payload = match o {
                    Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
                    o => o,
                };
                let yes = self.b().bool(true);
                self.certain.insert(yes, ());
                Some(Operand::Opt(yes, Box::new(payload)))
            }
            ("" | "Result", "Ok" | "Err") if args.len() == 1 => {
                let arg = args[0];
                self.outcome_call(path, |l| l.nested_expr(arg))
            }
            (_, _) if args.len() <= 2 && operator(path).is_some_and(|prim| prim.arity == args.len()) => {
                let prim = operator(path)?;
                let args: Vec<Value> = args.iter().map(|a| self.operand(a)).collect();
                Some(Operand::Value(self.operator(prim, &args, false)))
            }
            ("array", "from_fn") if args.len() == 1 => Some(self.array_from_fn(c)),
            (owner, "checkpoint") if args.len() == 1 && self.is_crate(owner) => {
                let closure = match super::control::strip(args[0]) {
                    syn::Expr::Closure(f) if f.inputs.is_empty() => self.closure(f),
                    syn::Expr::Path(_) => self.nested_expr(args[0]),
                    _ => return None,
                };
                let Operand::Closure(k) = closure else { return None };
                Some(self.run_again(k, c.span()))
            }
            (_, "stop_gradient") if args.len() == 1 => {
                let v = self.operand(args[0]);
                let ty = self.ty(v);
                let scalar = ty.is_scalar();
                Some(Operand::Value(self.template(&[v], ty, true, |p| {
                    let p = &p[0];
                    if scalar { quote!(#p) } else { quote!(#p.clone()) }
                })))
            }
            ("mem", name @ ("swap" | "replace" | "take")) => self.memory(name, &args),
            // a function of the user's may have this name: where its value is not used it makes no difference
            ("" | "mem", "drop") if args.len() == 1 && statement && !matches!(args[0], syn::Expr::Reference(_)) => {
                let o = self.nested_expr(args[0]);
                let _ = self.value(o);
                Some(Operand::Value(self.unit()))
            }
            ("Box", "new") if args.len() == 1 && self.mentions_active(args[0].to_token_stream()) => {
                let v = self.operand(args[0]);
                Some(self.boxed(path, v))
            }
            ("hint", "black_box") if args.len() == 1 => Some(self.nested_expr(args[0])),
            _ => None,
        }
    }
}

/// The type that is written for a parameter of a closure.
fn written_type(pat: &syn::Pat) -> Option<syn::Type> {
    match pat {
        syn::Pat::Type(typed) => Some((*typed.ty).clone()),
        _ => None,
    }
}

/// Whether an expression is a closure as it is written, or a reference to one.
fn is_closure(e: &syn::Expr) -> bool {
    match super::control::strip(e) {
        syn::Expr::Reference(r) => is_closure(&r.expr),
        e => matches!(e, syn::Expr::Closure(_)),
    }
}

/// The primitive of an operator's trait: `std::ops::Add::add`, `f64::add`.
fn operator(path: &syn::Path) -> Option<&'static crate::ir::Primitive> {
    let mut segments = path.segments.iter().rev().map(|s| s.ident.to_string());
    let (name, owner) = (segments.next()?, segments.next()?);
    let (prim, its) = match name.as_str() {
        "add" => (&prims::arith::ADD, "Add"),
        "sub" => (&prims::arith::SUB, "Sub"),
        "mul" => (&prims::arith::MUL, "Mul"),
        "div" => (&prims::arith::DIV, "Div"),
        "rem" => (&prims::arith::REM, "Rem"),
        "neg" => (&prims::arith::NEG, "Neg"),
        _ => return None,
    };
    (owner == its || owner == "f64" || owner == "f32").then_some(prim)
}

/// The element type of `Vec::<f64>::new`.
fn element_hint(path: &syn::Path) -> Type {
    let n = path.segments.len();
    if n >= 2
        && let syn::PathArguments::AngleBracketed(a) = &path.segments[n - 2].arguments
        && let Some(syn::GenericArgument::Type(t)) = a.args.first()
    {
        return types::of_rust(t);
    }
    Type::Dyn
}

/// `<S>::g`, `<Vec<f64>>::g` as `S::g`, `Vec::<f64>::g`.
fn named_by_type(p: &syn::ExprPath) -> Option<Box<syn::Expr>> {
    let qself = p.qself.as_ref().filter(|of| of.position == 0)?;
    let syn::Type::Path(syn::TypePath { qself: None, path: of, .. }) = types::strip(&qself.ty) else { return None };
    let mut path = of.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(of) = &mut segment.arguments {
            of.colon2_token = Some(Default::default());
        }
    }
    path.segments.extend(p.path.segments.iter().cloned());
    Some(Box::new(syn::Expr::Path(syn::ExprPath { attrs: vec![], qself: None, path })))
}
