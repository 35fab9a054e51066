//! Variables that are changed and began with a value of which nothing is known, such as what a call gives.
//!
//! That may be a guard, or something else that refers to a value which is kept elsewhere: what is stored there would be lost
//! to the companions. The types are not visible here, so that the companions ask the compiler of Rust: what differentiable
//! values are stored in must be differentiable itself, and anything else that is changed no guard.

use super::env::{Binding, CellId};
use super::{Lowering, types};
use crate::ir::{Op, Step, Type, Value};
use quote::quote_spanned;

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
            let x = quote_spanned!(span=> #x #(.#fields)*);
            let stores = stores.then(|| quote_spanned!(span=> #private::Probe(&#x).stores();));
            let apart = lenders.iter().map(|y| quote_spanned!(span=> #private::apart(&#y, &#x);));
            quote_spanned!(span=> {
                use #private::{Believed as _, Lent as _, Owned as _};
                (&&&&#private::Probe(&#x)).owned();
                #stores
                #(#apart)*
            })
        });
    }

    /// The value of which another is a field of a field, and so on, and the names of these.
    fn part_of(&self, v: Value) -> Option<(Value, Vec<syn::Member>)> {
        let (_, node) = self.func.nodes.iter().find(|(_, node)| node.outs.contains(&v))?;
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
        let Some((_, node)) = self.func.nodes.iter().find(|(_, node)| node.outs.contains(&origin)) else {
            return vec![];
        };
        let Op::Verbatim(verbatim) = &node.op else { return vec![] };
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
        let (_, node) = self.func.nodes.iter().find(|(_, node)| node.outs.contains(&v))?;
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
