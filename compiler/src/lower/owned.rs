//! Variables that are changed and began with a value of which nothing is known, such as what a call gives.
//!
//! That may be a guard, or something else that refers to a value which is kept elsewhere: what is stored there would be lost
//! to the companions. The types are not visible here, so that the companions ask the compiler of Rust: what differentiable
//! values are stored in must be differentiable itself, and anything else that is changed no guard.

use super::control::strip;
use super::env::{Binding, CellId};
use super::place::{Place, Root};
use super::{Lowering, scan, types};
use crate::ir::{Op, Step, Type, Value};
use crate::prims;
use crate::syntax::question;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

impl Lowering<'_> {
    /// Notes that a variable has a value of which nothing is known.
    pub(super) fn note_origin(&mut self, cell: CellId, v: Value) {
        let data = &self.env.cells[cell];
        if data.mutable && data.origin.is_none() && *self.func.ty(v) == Type::Dyn && !self.is_active(v) {
            self.env.cells[cell].origin = Some(v);
        }
    }

    /// Has the compiler of Rust check that what is stored in a variable is kept there. Whether that is `active`; whether it
    /// is stored by code that is `kept` as it is.
    pub(super) fn expect_owned(&mut self, cell: CellId, active: bool, kept: bool) {
        let data = &self.env.cells[cell];
        let (Some(origin), Some(now)) = (data.origin, data.value) else { return };
        let Some(made) = self.is_made(origin) else { return };
        if kept && made || !self.asked.insert((data.key, active, kept)) {
            return;
        }
        let lenders = if kept { vec![] } else { self.lenders(cell, origin) };
        let (private, span) = (self.private(), self.span);
        // what is only taken for differentiable need not be
        let stores = active && !self.lent.contains_idx(origin);
        // a part of what a call gave is asked where it is: a copy of a guard is one of what it refers to
        let (now, fields) = self.part_of(origin).unwrap_or((now, vec![]));
        let operands: Vec<Value> = std::iter::once(now).chain(lenders).collect();
        self.template(&operands, Type::Unit, false, |p| {
            let (x, lenders) = p.split_first().expect("the variable");
            let x = quote!(#x #(.#fields)*);
            let stores = stores.then(|| quote!(#private::Probe(&#x).stores();));
            let apart = lenders.iter().map(|y| quote!(#private::apart(&#y, &#x);));
            let code = quote!({
                use #private::{Believed as _, Lent as _, Owned as _};
                (&&&&#private::Probe(&#x)).owned();
                #stores
                #(#apart)*
            });
            question::told_at(code, span)
        });
    }

    /// Has the compiler of Rust check that what is used in kept code keeps no differentiable value that is used there as well.
    pub(super) fn expect_forgetful(&mut self, code: &TokenStream, used: &[Value]) {
        if !used.iter().any(|&v| self.is_active(v)) || !scan::has_call(code.clone()) {
            return;
        }
        let (krate, span) = (&self.sig.krate, self.span);
        for i in self.keepers(used, &[]) {
            self.template(&used[i..=i], Type::Unit, false, |p| {
                let x = &p[0];
                question::forgets(krate, &quote!(&#x), false, span)
            });
        }
    }

    /// Which operands of a call may keep what they are given beside them: of a type that is not visible here, but visible to
    /// the compiler of Rust, and either changed by the call or without a derivative.
    pub(super) fn keepers(&self, operands: &[Value], places: &[Option<Place>]) -> Vec<usize> {
        let unseen = |v: Value| {
            let mut ty = self.func.ty(v).clone();
            while let Type::Vec(of) | Type::Slice(of) | Type::Array(of) | Type::Boxed(of) | Type::Option(of) = ty {
                ty = *of;
            }
            matches!(ty, Type::Dyn | Type::Inactive)
        };
        let keeper = |i: &usize| {
            let v = operands[*i];
            let beside = operands.iter().enumerate().any(|(k, &other)| k != *i && self.is_active(other));
            unseen(v)
                && beside
                && match places.get(*i) {
                    Some(Some(changed)) => self.is_own(changed),
                    _ => !self.is_active(v) && !self.is_part_of_generic(v),
                }
        };
        (0..operands.len()).filter(keeper).collect()
    }

    /// Whether a place is a variable that began with a value of which nothing is known, or a part of one.
    fn is_own(&self, place: &Place) -> bool {
        let Root::Cell(cell) = place.root else { return false };
        self.env.cells[cell].origin.is_some_and(|origin| self.is_made(origin).is_some())
    }

    /// Whether a value is a parameter, or a part of one, whose type only the caller knows.
    fn is_part_of_generic(&self, v: Value) -> bool {
        let mut root = v;
        while let Some(n) = self.func.maker(root)
            && let Op::Load(_) = self.func[n].op
        {
            root = self.func[n].args[0];
        }
        let params = &self.func[self.func.root].params;
        let Some(k) = params.iter().position(|&p| p == root) else { return false };
        let param = &self.sig.params[k];
        let outer = self.sig.owner.generics().into_iter().chain([&self.sig.generics]);
        let generics: Vec<&Ident> = outer.flat_map(|of| of.type_params()).map(|of| &of.ident).collect();
        let mentioned = scan::mentioned(param.ty.to_token_stream());
        // around a method there may be generics that it does not see
        param.receiver || mentioned.iter().any(|name| name == "dyn" || generics.contains(&name))
    }

    /// The value of which another is a field of a field, and so on, and the names of these.
    fn part_of(&self, v: Value) -> Option<(Value, Vec<syn::Member>)> {
        let node = &self.func[self.func.maker(v)?];
        let Op::Load(path) = &node.op else { return None };
        let field = |step: &Step| match step {
            Step::Field(name) => syn::parse_str(name).ok(),
            _ => None,
        };
        let fields = path.0.iter().map(field).collect::<Option<Vec<_>>>()?;
        Some((node.args[0], fields))
    }

    /// What was lent to the call that gave a value so that it may be changed, as far as that is still in sight.
    fn lenders(&mut self, cell: CellId, origin: Value) -> Vec<Value> {
        let node = self.func.maker(origin).map(|n| &self.func[n].op);
        let Some(Op::Verbatim(verbatim)) = node else { return vec![] };
        let names: Vec<String> = verbatim.defs.iter().map(|&d| types::plain_name(&verbatim.uses[d])).collect();
        let cells = names.iter().filter_map(|name| match self.lookup(name) {
            Some(&Binding::Cell(c, _)) if c != cell => Some(c),
            _ => None,
        });
        cells.filter_map(|c| self.env.cells[c].value).collect()
    }

    /// Whether a value is made by a function of its type, such as `Grid::new(3)`, or is a literal or a macro. `None` if it
    /// is a parameter.
    pub(super) fn is_made(&self, v: Value) -> Option<bool> {
        let node = &self.func[self.func.maker(v)?];
        let Op::Verbatim(verbatim) = &node.op else { return Some(false) };
        Some(match syn::parse2::<syn::Expr>(verbatim.code.clone()).ok().as_ref().map(super::control::strip) {
            Some(syn::Expr::Call(call)) => match super::control::strip(&call.func) {
                syn::Expr::Path(p) => types::is_of_type(&p.path),
                _ => false,
            },
            Some(syn::Expr::MethodCall(_)) => false,
            _ => true,
        })
    }
}

/// Whether what an expression gives refers to something that is kept elsewhere: `cell.borrow_mut()`.
pub(super) fn guarded(e: &syn::Expr) -> bool {
    const GUARDS: [&str; 8] =
        ["lock", "write", "try_lock", "try_write", "or_insert", "or_insert_with", "or_insert_with_key", "or_default"];
    match strip(e) {
        syn::Expr::MethodCall(m) => {
            let name = m.method.to_string();
            GUARDS.contains(&name.as_str()) || name.ends_with("_mut") || guarded(&m.receiver)
        }
        syn::Expr::Try(t) => guarded(&t.expr),
        _ => false,
    }
}

/// Whether a method gives a reference into what a call before it gave, which has to have a name then:
/// `name.to_lowercase().as_str()`.
pub(super) fn borrows_temporary(m: &syn::ExprMethodCall) -> bool {
    let temporary = matches!(strip(&m.receiver), syn::Expr::MethodCall(_) | syn::Expr::Call(_) | syn::Expr::Macro(_));
    temporary && prims::LENDING_METHODS.iter().any(|name| m.method == name)
}
