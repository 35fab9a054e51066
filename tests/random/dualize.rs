//! A program in which every `f64` is a dual number.
//!
//! Before: `fn f(x: f64, n: usize) -> f64 { x.sin() * 0.5 + n as f64 }`.
//! After: `fn f(x: Dual, n: usize) -> Dual { x.sin() * lit(0.5) + Cast::float(n) }`.
//! A function that is generic over a float is written for the dual number.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};

/// The items of a program.
pub(crate) fn items(source: &str) -> syn::Result<String> {
    let mut file: syn::File = syn::parse_str(source)?;
    Dualize { arguments: false, floats: Vec::new() }.visit_file_mut(&mut file);
    Ok(file.to_token_stream().to_string())
}

/// An argument of it, whose floats are parameters in their order.
pub(crate) fn argument(text: &str) -> syn::Result<String> {
    let mut e: syn::Expr = syn::parse_str(text)?;
    Dualize { arguments: true, floats: Vec::new() }.visit_expr_mut(&mut e);
    Ok(e.to_token_stream().to_string())
}

/// The items of a program as they are without this crate.
pub(crate) fn plain(source: &str) -> syn::Result<String> {
    let mut file: syn::File = syn::parse_str(source)?;
    Plain.visit_file_mut(&mut file);
    Ok(file.to_token_stream().to_string())
}

/// Removes what this crate declares.
struct Plain;

impl VisitMut for Plain {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        attrs.retain(|a| !a.path().is_ident("differentiable") && !a.path().is_ident("inactive"));
        for attr in attrs.iter_mut().filter(|a| a.path().is_ident("derive")) {
            let mut others = Vec::new();
            let _ = attr.parse_nested_meta(|meta| {
                others.extend((!meta.path.is_ident("Differentiable")).then_some(meta.path));
                Ok(())
            });
            *attr = syn::parse_quote!(#[derive(#(#others),*)]);
        }
    }
}

struct Dualize {
    /// Whether literals are parameters.
    arguments: bool,
    /// The type parameters in scope, all of which are floats.
    floats: Vec<String>,
}

impl Dualize {
    fn literal(&self, e: &syn::Expr) -> syn::Expr {
        if self.arguments { syn::parse_quote!(arg(&mut turn, #e)) } else { syn::parse_quote!(lit(#e)) }
    }
}

fn compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::{AddAssign, DivAssign, MulAssign, RemAssign, SubAssign};
    matches!(op, AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_))
}

fn is_float(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(_), .. }))
}

impl VisitMut for Dualize {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        Plain.visit_attributes_mut(attrs);
    }

    fn visit_ident_mut(&mut self, ident: &mut syn::Ident) {
        if ident == "f64" || ident == "f32" || self.floats.iter().any(|t| ident == t) {
            *ident = syn::Ident::new("Dual", Span::call_site());
        }
    }

    fn visit_item_fn_mut(&mut self, f: &mut syn::ItemFn) {
        self.floats = f.sig.generics.type_params().filter(|p| !is_function(p)).map(|p| p.ident.to_string()).collect();
        let params = std::mem::take(&mut f.sig.generics.params);
        f.sig.generics.params = params
            .into_iter()
            .filter(|p| !matches!(p, syn::GenericParam::Type(t) if self.floats.iter().any(|f| t.ident == f)))
            .collect();
        visit_mut::visit_item_fn_mut(self, f);
        self.floats.clear();
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_)) && is_float(&u.expr) => *e = self.literal(e),
            e if is_float(e) => *e = self.literal(e),
            syn::Expr::Cast(cast) => {
                self.visit_expr_mut(&mut cast.expr);
                let (inner, ty) = (&cast.expr, &cast.ty);
                *e = match ty.to_token_stream().to_string().as_str() {
                    "f64" => syn::parse_quote!(Cast::float(#inner)),
                    "f32" => syn::parse_quote!(narrow(Cast::float(#inner))),
                    _ => syn::parse_quote!((Cast::whole(#inner) as #ty)),
                };
            }
            // of numbers, the right side is evaluated first
            syn::Expr::Binary(b) if compound(&b.op) => {
                visit_mut::visit_expr_binary_mut(self, b);
                let (left, op, right) = (&b.left, &b.op, &b.right);
                *e = syn::parse_quote!({ let right = #right; #left #op right; });
            }
            // no function is generic here
            syn::Expr::Path(p) if p.path.segments.len() == 1 => p.path.segments[0].arguments = syn::PathArguments::None,
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_macro_mut(&mut self, m: &mut syn::Macro) {
        let one = |this: &mut Self, tokens: &proc_macro2::TokenStream| -> syn::Result<proc_macro2::TokenStream> {
            let mut list: syn::ExprArray = syn::parse2(quote::quote!([#tokens]))?;
            list.elems.iter_mut().for_each(|e| this.visit_expr_mut(e));
            let elems = &list.elems;
            Ok(quote::quote!(#elems))
        };
        let repeat = |this: &mut Self, tokens: &proc_macro2::TokenStream| -> syn::Result<proc_macro2::TokenStream> {
            let mut list: syn::ExprRepeat = syn::parse2(quote::quote!([#tokens]))?;
            this.visit_expr_mut(&mut list.expr);
            this.visit_expr_mut(&mut list.len);
            let (e, n) = (&list.expr, &list.len);
            Ok(quote::quote!(#e; #n))
        };
        if let Ok(tokens) = one(self, &m.tokens.clone()).or_else(|_| repeat(self, &m.tokens.clone())) {
            m.tokens = tokens;
        }
    }
}

/// Whether a type parameter is a function.
fn is_function(p: &syn::TypeParam) -> bool {
    p.bounds.to_token_stream().to_string().contains("Fn")
}
