//! An index of the user's: `m[(i, j)]` and `self[k]`, with `impl Index<…> for M`.
//!
//! Reading and assigning through it are calls of functions of the runtime, which find what the index leads to.

use super::control::strip;
use super::env::Binding;
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{Arg, Callee, Type, Value};

impl Lowering<'_> {
    /// Whether the index of a place is certainly none of a slice, or the place is of the user's type: then it is the user's.
    pub(crate) fn indexes_own(&mut self, place: &Place, i: &syn::ExprIndex) -> bool {
        self.is_own_index(i) && self.place_type(place) == Type::Dyn && self.place_active(place)
    }

    fn is_own_index(&self, i: &syn::ExprIndex) -> bool {
        let whole = !matches!(strip(&i.index), syn::Expr::Range(_));
        whole && (shows_own_index(&i.index) || self.is_users_own(&i.expr) || self.is_of_self(&i.expr))
    }

    /// Whether an expression is `self` or a parameter of the type `Self`, in the `impl` of no trait: that is of a type of
    /// the user's.
    fn is_of_self(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip(e) else { return false };
        let Some(name) = p.path.get_ident().map(types::plain_name) else { return false };
        let of_self = |ty: &syn::Type| matches!(types::strip(ty), syn::Type::Path(p) if p.path.is_ident("Self"));
        let given = || self.sig.params.iter().any(|of| types::plain_name(&of.arg) == name && of_self(&of.ty));
        self.is_inherent() && (name == "self" || given() && !self.rebinds(&name))
    }

    /// Whether a name stands for something else than a parameter.
    fn rebinds(&self, name: &str) -> bool {
        let Some(Binding::Cell(c, _)) = self.lookup(name) else { return true };
        self.env.cells[*c].declared_rust.is_some()
            || self.env.cells[*c].value.is_none_or(|v| self.parameter(v).is_none() && !self.env.cells[*c].mutable)
    }

    /// `m[i]`
    pub(crate) fn read_indexed(&mut self, place: &Place, i: &syn::ExprIndex) -> Operand {
        let (m, k) = (self.read(place), self.own_index(&i.index));
        let path = self.of_runtime("indexed");
        self.protocol(path, vec![m, k], vec![Arg::Ref, Arg::Value], vec![None, None], false)
    }

    /// The place that is indexed by an index of the user's, if an assignment goes through one.
    pub(crate) fn assigned_through<'e>(
        &mut self,
        left: &'e syn::Expr,
        x: Value,
    ) -> Option<(Place, &'e syn::ExprIndex)> {
        let syn::Expr::Index(i) = strip(left) else { return None };
        if !self.is_own_index(i) || !is_plain_place(&i.expr) {
            return None;
        }
        let operand = self.nested_expr(&i.expr);
        let place = self.place(operand);
        let active = self.place_active(&place) || self.is_active(x);
        (active && self.place_type(&place) == Type::Dyn).then_some((place, i))
    }

    /// `m[i] = x`, or `m[i] += x` by what is made of the old value.
    pub(crate) fn assign_indexed(
        &mut self,
        (place, i): (Place, &syn::ExprIndex),
        make: &mut dyn FnMut(&mut Self, Option<Value>) -> Value,
        old: bool,
    ) {
        let k = self.own_index(&i.index);
        let old = old.then(|| {
            let m = self.read(&place);
            let path = self.of_runtime("indexed");
            let o = self.protocol(path, vec![m, k], vec![Arg::Ref, Arg::Value], vec![None, None], false);
            self.value(o)
        });
        let x = make(self, old);
        let m = self.read(&place);
        let (modes, path) = (vec![Arg::RefMut, Arg::Value, Arg::Value], self.of_runtime("assign_indexed"));
        self.protocol(path, vec![m, k, x], modes, vec![Some(place), None, None], true);
    }

    /// The value of an index, which has no derivative.
    fn own_index(&mut self, index: &syn::Expr) -> Value {
        let k = self.operand(index);
        let k = self.template(&[k], Type::Inactive, true, |p| {
            let k = &p[0];
            quote::quote!(#k)
        });
        self.maybe_active.insert(k, false);
        k
    }

    fn of_runtime(&self, name: &str) -> Callee {
        let (private, name) = (self.private(), syn::Ident::new(name, self.span));
        Callee::Path(syn::parse_quote!(#private::#name))
    }
}

/// Whether it makes no difference how often the place that an expression names is looked for.
fn is_plain_place(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(f) => is_plain_place(&f.base),
        syn::Expr::Unary(u) => is_plain_place(&u.expr),
        syn::Expr::Index(i) => {
            is_plain_place(&i.expr) && matches!(strip(&i.index), syn::Expr::Path(_) | syn::Expr::Lit(_))
        }
        _ => false,
    }
}

/// Whether an index shows that it is none of a slice: a tuple, or a value of the user's type.
fn shows_own_index(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Tuple(t) => !t.elems.is_empty(),
        syn::Expr::Struct(_) => true,
        syn::Expr::Path(p) => {
            let segments: Vec<String> = p.path.segments.iter().map(|s| s.ident.to_string()).collect();
            let is_type = |name: &String| name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase);
            segments.len() >= 2 && segments.iter().rev().take(2).all(is_type)
        }
        _ => false,
    }
}
