//! Structs and enums of the user's: building them and taking them apart.

use super::control::strip;
use super::env::Binding;
use super::place::{Place, Root};
use super::{Lowering, Operand, scan, types};
use crate::ir::{Build, Op, Step, Type, Value};
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowering<'_> {
    /// A struct literal.
    pub(crate) fn build(&mut self, s: &syn::ExprStruct, whole: &syn::Expr) -> Operand {
        if !self.mentions_active(whole.to_token_stream()) {
            return Operand::Value(self.verbatim_value(whole.to_token_stream(), Type::Dyn));
        }
        let mut args = Vec::new();
        let mut fields = Vec::new();
        for f in &s.fields {
            self.check_stored(&f.expr);
            let o = self.nested_expr(&f.expr);
            let o = self.stored(o, f.expr.span());
            let o = if self.holds_function(&o) {
                self.lost_function = true;
                self.unsupported(
                    f.expr.span(),
                    "a function in a field of a struct is not supported",
                    "keep it in a variable, a tuple or an array beside the struct, or pass it to the method that calls it",
                )
            } else {
                o
            };
            args.push(self.value(o));
            fields.push(scan::member(&f.member));
        }
        if let Some(base) = &s.rest {
            args.push(self.operand(base));
        }
        let variant = scan::variant(&s.path, scan::Form::Braces);
        let build = Build { path: s.path.to_token_stream(), fields, tuple: false, variant, base: s.rest.is_some() };
        let v = self.push(Op::Build(Box::new(build)), args, Type::Dyn);
        self.structs.insert(v, ());
        Operand::Value(v)
    }

    /// Whether a place of unknown type is surely of a type of the user's, or a parameter of one that may be.
    pub(crate) fn is_struct(&mut self, place: &Place) -> bool {
        if !place.path.0.is_empty() {
            return false;
        }
        let v = self.root_value(place);
        self.structs.contains_idx(v) || self.func[self.func.root].params.contains(&v)
    }

    /// A tuple struct or a tuple variant, written as a call.
    pub(crate) fn build_tuple(&mut self, path: &syn::Path, args: Vec<Value>) -> Operand {
        let fields = (0..args.len()).map(|k| k.to_string()).collect();
        let variant = scan::variant(path, scan::Form::Named);
        let build = Build { path: path.to_token_stream(), fields, tuple: true, variant, base: false };
        let v = self.push(Op::Build(Box::new(build)), args, Type::Dyn);
        self.structs.insert(v, ());
        Operand::Value(v)
    }

    /// Whether an expression is a variable, and shows that it holds a struct or an enum of the user's: it began
    /// as a literal. A method that is called on it is the user's, whatever the name.
    pub(crate) fn is_users_own(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip(e) else { return false };
        let Some(name) = p.path.get_ident() else { return false };
        let Some(&Binding::Cell(c, _)) = self.lookup(&types::plain_name(name)) else { return false };
        let own = |v: Value| *self.func.ty(v) == Type::Dyn && self.is_active(v) && self.is_built(v);
        self.env.cells[c].value.is_some_and(own)
    }

    /// A method of a type of the user's, whatever its name.
    pub(crate) fn own_method(&mut self, m: &syn::ExprMethodCall, statement: bool) -> Operand {
        let receiver = self.nested_expr(&m.receiver);
        let place = self.place(receiver);
        let ty = self.place_type(&place);
        let length = if m.method == "len" { self.dyn_method(&place, m) } else { None };
        length.unwrap_or_else(|| self.called_method(place, ty, m, statement))
    }

    /// Whether a value was built by a literal, and perhaps changed since.
    pub(crate) fn is_built(&self, v: Value) -> bool {
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        match &node.op {
            Op::Build(_) => true,
            Op::Update(path) | Op::AddAt(path) | Op::Push(path) => !path.0.is_empty() && self.is_built(node.args[0]),
            Op::Call(call) => {
                let mut changed = (0..call.args.len()).filter(|&i| call.args[i].changes());
                let k = node.outs.iter().position(|&out| out == v).expect("one of them");
                k > 0 && changed.nth(k - 1).is_some_and(|i| self.is_built(node.args[i]))
            }
            _ => false,
        }
    }

    /// `Box::new(x)`.
    pub(crate) fn boxed(&mut self, path: &syn::Path, x: Value) -> Operand {
        let build = Build {
            path: path.to_token_stream(),
            fields: vec!["box".to_owned()],
            tuple: true,
            variant: None,
            base: false,
        };
        let ty = Type::Boxed(Box::new(self.ty(x)));
        Operand::Value(self.push(Op::Build(Box::new(build)), vec![x], ty))
    }

    /// `*b` of a place that is no reference: what is in the box, if it is one.
    pub(crate) fn unboxed(&mut self, place: Place) -> Operand {
        let bound = matches!(place.root, Root::Cell(c) if place.path.0.is_empty() && self.env.cells[c].bound);
        match self.place_type(&place) {
            _ if place.is_ref => Operand::Place(place.by_ref(false)),
            Type::Boxed(_) => Operand::Place(place.step(Step::Unbox, [])),
            Type::Dyn if bound && self.place_active(&place) => Operand::Place(place.step(Step::Unbox, [])),
            _ => Operand::Place(place),
        }
    }

    /// Binds the fields that a struct pattern that always matches names.
    pub(crate) fn bind_fields(&mut self, fields: Vec<(String, &syn::Pat)>, operand: &Operand, is_ref: bool) {
        for (name, pat) in fields {
            if matches!(pat, syn::Pat::Rest(_)) {
                continue;
            }
            let part = self.part(operand, Step::Field(name), None, is_ref || scan::takes_reference(pat));
            self.bind_pattern(pat, part, is_ref);
        }
    }
}
