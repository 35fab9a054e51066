//! Macros, and code that is kept as it is written.

use super::env::Binding;
use super::{Lowering, Operand, scan, types};
use crate::diag::{Code, catalog};
use crate::ir::{Op, Type, Value, Verbatim};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// Macros that only read their arguments and give nothing that a derivative passes through.
const READ_ONLY: [&str; 18] = [
    "println",
    "print",
    "eprintln",
    "eprint",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "format",
    "matches",
    "concat",
    "stringify",
];

impl Lowering<'_> {
    /// A macro call.
    pub(crate) fn macro_(&mut self, mac: &syn::Macro, statement: bool) -> Operand {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        self.span = mac.span();
        match name.as_str() {
            "vec" => return self.vec_macro(mac),
            "array" | "concatenate" | "stack" if self.mentions_active(mac.tokens.clone()) => {
                let made = match name.as_str() {
                    "array" => self.array_macro(mac),
                    name => self.joining_macro(mac, name == "stack"),
                };
                if let Some(o) = made {
                    return o;
                }
            }
            "azip" if self.mentions_active(mac.tokens.clone()) => {
                if let Some(o) = self.azip(mac) {
                    return o;
                }
            }
            "dbg" => {
                self.verbatim_effect(mac.to_token_stream());
                if let Ok(e) = syn::parse2::<syn::Expr>(mac.tokens.clone()) {
                    return self.expr(&e);
                }
            }
            _ => {}
        }
        let tokens = mac.to_token_stream();
        if READ_ONLY.contains(&name.as_str()) {
            if ["panic", "unreachable", "todo", "unimplemented"].contains(&name.as_str()) {
                self.verbatim_effect(tokens);
                return Operand::Never;
            }
            if matches!(name.as_str(), "format" | "matches" | "concat" | "stringify") {
                let ty = if name == "matches" { Type::Bool } else { Type::Inactive };
                let v = self.verbatim_value(tokens, ty);
                self.maybe_active.insert(v, false);
                return Operand::Value(v);
            }
            self.verbatim_effect(tokens);
            return Operand::Value(self.unit());
        }
        if let "write" | "writeln" = name.as_str() {
            // text, whatever it is written to
            let v = self.verbatim_value(tokens, Type::Inactive);
            return Operand::Value(v);
        }
        if self.mentions_active(tokens.clone()) {
            let span = mac.path.segments.last().map_or_else(|| mac.path.span(), |s| s.ident.span());
            return self.refuse(span, &catalog::UNKNOWN_MACRO, &[("name", &name)]);
        }
        if statement {
            self.verbatim_effect(tokens);
            return Operand::Value(self.unit());
        }
        let ty = self.inactive_array_macro(mac).unwrap_or(Type::Dyn);
        Operand::Value(self.verbatim_value(tokens, ty))
    }

    fn vec_macro(&mut self, mac: &syn::Macro) -> Operand {
        if let Ok(list) = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(mac.tokens.clone()) {
            if list.is_empty() {
                return Operand::Value(self.push(Op::VecEmpty, vec![], Type::Vec(Box::new(Type::Dyn))));
            }
            let parts = match self.parts(&list) {
                Ok(parts) => parts,
                Err(functions) => return functions,
            };
            let elem = self.common_type(&parts);
            return Operand::Value(self.push(Op::VecOf, parts, Type::Vec(Box::new(elem))));
        }
        let repeat = |input: syn::parse::ParseStream<'_>| -> syn::Result<(syn::Expr, syn::Expr)> {
            let v = input.parse()?;
            input.parse::<syn::Token![;]>()?;
            Ok((v, input.parse()?))
        };
        match repeat.parse2(mac.tokens.clone()) {
            Ok((v, n)) => {
                let v = self.operand(&v);
                let n = self.operand(&n);
                let ty = Type::Vec(Box::new(self.ty(v)));
                Operand::Value(self.push(Op::VecRepeat, vec![v, n], ty))
            }
            Err(e) => self.unsupported(
                e.span(),
                "this is no list of a vector's elements",
                "write `vec![a, b]` or `vec![a; n]`",
            ),
        }
    }

    /// Whether some tokens mention a local that may hold a differentiable value.
    pub(crate) fn mentions_active(&mut self, tokens: TokenStream) -> bool {
        scan::mentioned(tokens).iter().any(|ident| match self.lookup(&types::plain_name(ident)).cloned() {
            None if super::objects::is_mark(&ident.to_string()) => true,
            Some(Binding::Cell(c, _)) => {
                self.env.cells[c].value.is_some_and(|v| self.is_active(v))
                    || self.env.cells[c].value.is_none() && self.active_cells.contains(&self.env.cells[c].key)
            }
            Some(Binding::Alias(p, _)) => self.place_active(&p),
            Some(Binding::Closure(k)) => {
                let cells: Vec<usize> = self.closures[k].cells.iter().copied().collect();
                cells.iter().any(|c| self.env.cells[*c].value.is_some_and(|v| self.is_active(v)))
            }
            Some(Binding::Iter(it)) => self.iter_active(&it),
            Some(Binding::Known(o)) => {
                let cells = self.function_cells(&o);
                cells.iter().any(|c| self.env.cells[*c].value.is_some_and(|v| self.is_active(v)))
            }
            _ => false,
        })
    }

    /// The locals that some tokens use: names, values, and whether the name is a reference there.
    pub(crate) fn captures(&mut self, tokens: TokenStream) -> (Vec<Ident>, Vec<Value>, Vec<bool>) {
        let (mut names, mut values, mut refs) = (Vec::new(), Vec::new(), Vec::new());
        for ident in scan::mentioned(tokens) {
            let (v, is_ref) = match self.lookup(&types::plain_name(&ident)).cloned() {
                Some(Binding::Cell(c, is_ref)) if self.env.cells[c].value.is_some() => {
                    let v = self.cell_value(c);
                    let o = self.contents(c, v);
                    (self.value(o), is_ref)
                }
                Some(Binding::Alias(p, is_ref)) => (self.read(&p), is_ref),
                _ => continue,
            };
            names.push(ident);
            let v = self.seen(v);
            values.push(v);
            refs.push(is_ref);
        }
        (names, values, refs)
    }

    /// Which of the locals some kept code may change.
    pub(crate) fn possible_defs(&mut self, names: &[Ident], values: &[Value]) -> Vec<usize> {
        (0..names.len())
            .filter(|&i| {
                let mutable = match self.lookup(&types::plain_name(&names[i])) {
                    Some(Binding::Cell(c, _)) => self.env.cells[*c].mutable && !self.env.cells[*c].slot,
                    _ => false,
                };
                mutable
                    && !self.is_active(values[i])
                    && !matches!(self.func.ty(values[i]), Type::Float(_) | Type::Int(_) | Type::Bool)
            })
            .collect()
    }

    /// Whether a name is a variable that may change, and nothing differentiable is in it.
    pub(super) fn is_variable(&self, name: &Ident, v: Value) -> bool {
        let cell = match self.lookup(&types::plain_name(name)) {
            Some(Binding::Cell(c, _)) => &self.env.cells[*c],
            _ => return false,
        };
        cell.mutable && !cell.slot && !self.is_active(v)
    }

    /// Code that is kept, with its value.
    pub(crate) fn verbatim_value(&mut self, code: TokenStream, ty: Type) -> Value {
        self.verbatim(code, ty)
    }

    /// Code that is kept for what it does.
    pub(crate) fn verbatim_effect(&mut self, code: TokenStream) {
        self.verbatim(code, Type::Unit);
    }

    fn verbatim(&mut self, code: TokenStream, ty: Type) -> Value {
        let (uses, args, refs) = self.captures(code.clone());
        let read_only = syn::parse2::<syn::Macro>(code.clone())
            .is_ok_and(|m| m.path.segments.last().is_some_and(|s| READ_ONLY.iter().any(|n| s.ident == n)));
        self.expect_no_function(&uses, &args);
        self.expect_forgetful(&code, &args);
        let defs = if read_only { vec![] } else { self.possible_defs(&uses, &args) };
        let lent = scan::lent_mutably(code.clone());
        let of_lent = |k: &usize| defs.contains(k) || lent.contains(&uses[*k]) && self.is_variable(&uses[*k], args[*k]);
        let defs: Vec<usize> = (0..uses.len()).filter(of_lent).collect();
        let pure_ = syn::parse2::<syn::ExprPath>(code.clone()).is_ok() || syn::parse2::<syn::Lit>(code.clone()).is_ok();
        self.keep(Verbatim { code, uses, refs, defs, pure_, diverges: false }, args, ty)
    }

    /// Appends code that is kept, after which the variables that it changes are what it made them.
    pub(crate) fn keep(&mut self, kept: Verbatim, args: Vec<Value>, ty: Type) -> Value {
        let mut types = vec![ty];
        types.extend(kept.defs.iter().map(|&d| self.ty(args[d])));
        let names: Vec<String> = kept.defs.iter().map(|&d| types::plain_name(&kept.uses[d])).collect();
        for name in &names {
            if let Some(&Binding::Cell(c, _)) = self.lookup(name) {
                self.expect_owned(c, false, true);
            }
        }
        let node = self.b().node(Op::Verbatim(Box::new(kept)), args, types);
        let outs = self.func[node].outs.clone();
        for &o in &outs {
            self.maybe_active.insert(o, false);
        }
        for (name, &v) in names.iter().zip(&outs[1..]) {
            if let Some(Binding::Cell(c, _)) = self.lookup(name).cloned() {
                self.set_cell(c, v);
            }
        }
        outs[0]
    }

    /// A function parameter of a companion is another one than that of the function: kept code cannot call it.
    pub(crate) fn expect_no_function(&mut self, names: &[Ident], values: &[Value]) {
        if let Some(k) = values.iter().position(|&v| *self.func.ty(v) == Type::Function) {
            let name = &names[k];
            self.unsupported(
                name.span(),
                format!("the function parameter `{name}` is used in code that is kept as it is written"),
                format!("call it before: `let y = {name}(…);`"),
            );
        }
    }

    /// Keeps an expression as it is written if nothing differentiable occurs in it, else reports `what`.
    pub(crate) fn verbatim_or(&mut self, e: &syn::Expr, span: Span, what: &str, help: &str) -> Operand {
        let tokens = e.to_token_stream();
        if self.mentions_active(tokens.clone()) {
            return self.unsupported(span, what, help);
        }
        Operand::Value(self.verbatim_value(tokens, Type::Dyn))
    }

    /// The same with an entry of the catalogue.
    pub(crate) fn verbatim_or_refuse(&mut self, e: &syn::Expr, span: Span, code: &'static Code) -> Operand {
        let tokens = e.to_token_stream();
        if self.mentions_active(tokens.clone()) {
            return self.refuse(span, code, &[]);
        }
        Operand::Value(self.verbatim_value(tokens, Type::Dyn))
    }

    /// Inactive code with lowered operands in it: `make` gets a placeholder for each.
    pub(crate) fn template(
        &mut self,
        operands: &[Value],
        ty: Type,
        pure_: bool,
        make: impl FnOnce(&[Ident]) -> TokenStream,
    ) -> Value {
        let uses: Vec<Ident> = (0..operands.len()).map(|i| Ident::new(&format!("__{i}"), self.span)).collect();
        let code = make(&uses);
        let refs = vec![false; uses.len()];
        let op = Op::Verbatim(Box::new(Verbatim { code, uses, refs, defs: vec![], pure_, diverges: false }));
        let v = self.b().push(op, operands.to_vec(), ty);
        self.maybe_active.insert(v, false);
        v
    }

    /// The path of what generated code calls.
    pub(crate) fn private(&self) -> TokenStream {
        let krate = &self.sig.krate;
        quote::quote!(#krate::__private)
    }
}
