//! Shapes that may not fit, where that is no panic: `x.to_shape(…)?`, `if let Some(wide) = x.broadcast(…)`,
//! `concatenate(…)?`.
//!
//! `ndarray` is asked with an array of the same shape first; the array itself is made only if it says yes.

use crate::ir::view::ViewMethod;
use crate::ir::{Type, Value};
use crate::lower::array::view::Arguments;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use quote::quote;

impl Lowering<'_> {
    /// A view that there may not be.
    pub(super) fn fallible_view(
        &mut self,
        place: &Place,
        method: &'static ViewMethod,
        m: &syn::ExprMethodCall,
    ) -> Operand {
        let x = self.read_array(place);
        let (args, rank) = self.view_arguments(place, method, m);
        let (name, turbofish) = (&m.method, &m.turbofish);
        if name == "into_dimensionality" && turbofish.is_none() {
            return self.unsupported(
                name.span(),
                "the number of axes that this leads to is not visible",
                "write it: `x.into_dimensionality::<Ix2>()`",
            );
        }
        if name == "broadcast" {
            let flag = self.asked(x, &args, Type::Bool, |x, args| quote!(#x.broadcast(#args).is_some()));
            // a place, which is not looked at unless it is there
            let view = self.viewed(place, method, args, None, rank).viewed(false);
            return Operand::Opt(flag, Box::new(Operand::Place(view)));
        }
        let fault = self.asked(x, &args, Type::Fault, |x, args| quote!(#x.view().#name #turbofish(#args).err()));
        self.unless(fault, &mut |l| l.view_method(place, m).expect("a view"))
    }

    /// `from_shape_vec(shape, v)`, whose shape may be one of another number of elements.
    pub(super) fn fallible_shape(&mut self, c: &syn::ExprCall, path: &syn::ExprPath, owner: &str, v: Value) -> Operand {
        let mut args = Arguments::default();
        let shape = match &c.args[0] {
            syn::Expr::MethodCall(m) if m.method == "f" && m.args.is_empty() => {
                let shape = self.view_argument(&m.receiver, &mut args);
                let krate = &self.sig.krate;
                quote!(#krate::__private::ndarray::ShapeBuilder::f(#shape))
            }
            shape => self.view_argument(shape, &mut args),
        };
        args.code = shape;
        let private = self.private();
        let of = if owner.starts_with("ArrayView") { quote!(ArrayView) } else { quote!(Array) };
        let last = &path.path.segments.last().expect("a name").ident;
        let borrow = (last == "from_shape").then(|| quote!(&));
        let fault = self.asked(v, &args, Type::Fault, |v, shape| {
            let places = quote!(#private::Vec::from_iter(#v.iter().map(|_| ())));
            quote!(#private::ndarray::#of::<(), _>::#last(#shape, #borrow #places).err())
        });
        self.unless(fault, &mut |l| l.shape_vec(c).expect("an array"))
    }

    /// What `made` gives, unless there is an error: a result.
    pub(super) fn unless(&mut self, fault: Value, made: &mut dyn FnMut(&mut Self) -> Operand) -> Operand {
        let flag = self.template(&[fault], Type::Bool, true, |p| {
            let fault = &p[0];
            quote!(#fault.is_none())
        });
        let value = self.optional(flag, &mut |l| {
            let unwraps = std::mem::replace(&mut l.unwraps, true);
            let o = made(l);
            l.unwraps = unwraps;
            match o {
                Operand::Opt(_, payload) => *payload,
                o => o,
            }
        });
        Operand::Parts(vec![value, Operand::Value(fault)])
    }
}
