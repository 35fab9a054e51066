//! Arrays whose elements are no floats but are made from what is differentiable: `x.mapv(|t| t > a)`,
//! `x.map_axis(Axis(1), argmax)`, `Zip::from(x).and(y).map_collect(|x, y| x < y)`. No derivative goes through them, and the
//! code that makes them stays as it is.

use crate::ir::{Op, Type, Value, Verbatim};
use crate::lower::{Lowering, Operand};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// What the elements are that a function gives.
pub(super) enum Elements {
    Floats,
    /// Nothing differentiable.
    Others,
    /// Several values at once.
    Parts,
}

impl Lowering<'_> {
    /// What a function gives for these arguments; nothing of it is kept.
    pub(super) fn elements_of(&mut self, f: &Operand, args: impl FnOnce(&mut Self) -> Vec<Operand>) -> Elements {
        if self.diags.has_errors() {
            return Elements::Floats;
        }
        let scratch = self.func.graph();
        let outer = std::mem::replace(&mut self.graph, scratch);
        let before = self.env.cells.clone();
        let args = args(self);
        let o = self.apply(f, args);
        let elements = match o {
            Operand::Parts(_) => Elements::Parts,
            Operand::Value(_) | Operand::Place(_) => {
                let v = self.value(o);
                self.elements_like(v)
            }
            _ => Elements::Floats,
        };
        self.graph = outer;
        self.env.cells = before;
        elements
    }

    /// What elements are of which this is one.
    pub(super) fn elements_like(&self, v: Value) -> Elements {
        match self.func.ty(v) {
            Type::Bool | Type::Int(_) | Type::Inactive => Elements::Others,
            Type::Tuple(_) | Type::Array(_) | Type::Vec(_) | Type::NdArray(..) | Type::Option(_) => Elements::Parts,
            _ => Elements::Floats,
        }
    }

    /// A method of an array, or a function, with a closure whose results are no floats.
    pub(super) fn of_others(&mut self, elements: &Elements, code: TokenStream) -> Operand {
        self.others(elements, None, |_| code)
    }

    /// The same of an array that is there already.
    pub(super) fn map_to_others(&mut self, elements: &Elements, x: Value, m: &syn::ExprMethodCall) -> Operand {
        let arguments = m.args.iter().map(|a| match self.named_closure(a) {
            Some(k) => self.closures[k].expr.to_token_stream(),
            None => a.to_token_stream(),
        });
        let (method, arguments): (_, Vec<TokenStream>) = (&m.method, arguments.collect());
        self.others(elements, Some(x), |x| quote!(#x.#method(#(#arguments),*)))
    }

    fn others(&mut self, elements: &Elements, x: Option<Value>, code: impl FnOnce(&Ident) -> TokenStream) -> Operand {
        let name = Ident::new("__0", self.span);
        let code = code(&name);
        let span = self.span;
        if let Elements::Parts = elements {
            return self.unsupported(
                span,
                "the elements of this array would be tuples, or others with several differentiable values",
                "make an array of each part, or collect the elements into a `Vec`",
            );
        }
        if self.mentions_function(code.clone()) {
            return self.unsupported(
                span,
                "the elements of this array are no floats, and a closure with a name is called for them",
                "write out what the closure does",
            );
        }
        let (mut uses, mut operands, mut refs) = self.captures(code.clone());
        if let Some(x) = x {
            uses.push(name);
            operands.push(x);
            refs.push(false);
        }
        self.expect_forgetful(&code, &operands);
        let code = Verbatim { code, uses, refs, defs: vec![], pure_: false, diverges: false };
        let v = self.b().push(Op::Verbatim(Box::new(code)), operands, Type::Dyn);
        self.maybe_active.insert(v, false);
        Operand::Value(v)
    }
}
