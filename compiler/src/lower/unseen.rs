//! Operands whose type is not visible, beside others that tell what it is: the compiler of Rust checks that they are that.

use super::control::strip;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Type, Value};
use crate::prims;
use quote::quote;
use syn::spanned::Spanned;

impl Lowering<'_> {
    /// `name == "text"`, where `name` is a reference: a value is what it refers to, and so is the text then.
    pub(crate) fn compared_with_text(&mut self, b: &syn::ExprBinary, operands: [(Value, bool); 2]) -> Option<Operand> {
        let text = |e: &syn::Expr| matches!(strip(e), syn::Expr::Lit(lit) if matches!(lit.lit, syn::Lit::Str(_)));
        let [(x, first), (y, second)] = operands;
        let lent = |v: Value, given: bool| !given && *self.func.ty(v) == Type::Inactive;
        let (v, text, flipped) = match (text(&b.left), text(&b.right)) {
            (false, true) if lent(x, first) => (x, &b.right, false),
            (true, false) if lent(y, second) => (y, &b.left, true),
            _ => return None,
        };
        let (operator, method) = match b.op {
            syn::BinOp::Eq(_) => ("PartialEq", "eq"),
            syn::BinOp::Ne(_) => ("PartialEq", "ne"),
            syn::BinOp::Lt(_) => ("PartialOrd", "lt"),
            syn::BinOp::Le(_) => ("PartialOrd", "le"),
            syn::BinOp::Gt(_) => ("PartialOrd", "gt"),
            _ => ("PartialOrd", "ge"),
        };
        let [operator, method] = [operator, method].map(|name| syn::Ident::new(name, b.op.span()));
        Some(Operand::Value(self.template(&[v], Type::Bool, true, |p| {
            let v = &p[0];
            let pair = if flipped { quote!(#text, &#v) } else { quote!(&#v, #text) };
            quote!(<::core::primitive::str as ::core::cmp::#operator>::#method(#pair))
        })))
    }

    /// A method of a constant of unknown type, of a setting: of a float, if it has the name of one that takes numbers.
    pub(crate) fn constant_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let prim = prims::method(&m.method.to_string()).filter(|prim| prim.arity == m.args.len() + 1)?;
        let x = self.read(place);
        if self.may_be_struct(x) {
            return None;
        }
        let mut args = vec![x];
        for a in &m.args {
            args.push(self.operand(a));
        }
        let args = self.numbers(&args);
        self.span = m.method.span();
        Some(Operand::Value(self.arithmetic(prim, &args)))
    }

    /// `s.n.max(1)`, `s.n.clamp(lo, 3)`: what is compared with an integer is one, and has no derivative.
    pub(crate) fn compared_with_integer(
        &mut self,
        prim: &str,
        args: &[Value],
        m: &syn::ExprMethodCall,
    ) -> Option<Operand> {
        let compares = matches!(prim, "max" | "min" | "clamp");
        if !compares || !args[1..].iter().any(|&a| matches!(self.func.ty(a), Type::Int(_))) {
            return None;
        }
        let (private, method) = (self.private(), &m.method);
        Some(Operand::Value(self.template(args, Type::Dyn, true, |p| {
            let (receiver, args) = p.split_first().expect("there is a receiver");
            quote!((*#private::inactive(&#receiver)).#method(#(#args),*))
        })))
    }
}
