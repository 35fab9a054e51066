//! `general_mat_mul(alpha, &a, &b, beta, &mut c)` and its like for a vector: the product takes the place of `c`.

use crate::ir::{Op, Value};
use crate::lower::{Lowering, Operand, types};
use crate::prims::product::GENERAL_PRODUCT;

impl Lowering<'_> {
    /// Such a call; `None` if it is another one.
    pub(super) fn general_product(&mut self, path: &syn::Path, c: &syn::ExprCall) -> Option<Operand> {
        let last = path.segments.last()?;
        if c.args.len() != 5 || last.ident != "general_mat_mul" && last.ident != "general_mat_vec_mul" {
            return None;
        }
        let of_ndarray = path.segments.iter().rev().nth(1).is_some_and(|s| s.ident == "linalg");
        if !of_ndarray && self.lookup(&types::plain_name(path.get_ident()?)).is_some() {
            return None;
        }
        let [alpha, a, b, beta] = [0, 1, 2, 3].map(|k| self.operand(&c.args[k]));
        let target = self.nested_expr(&c.args[4]);
        let target = self.place(target);
        let old = self.read_array(&target);
        let [alpha, beta] = [alpha, beta].map(|v| self.like_elements(v, old));
        let ty = self.ty(old);
        let args: Vec<Value> = vec![old, a, b, alpha, beta];
        let active = args.iter().any(|&v| self.is_active(v));
        let new = self.push(Op::Prim(&GENERAL_PRODUCT), args, ty);
        self.maybe_active.insert(new, active);
        self.write(&target, new);
        Some(Operand::Value(self.unit()))
    }
}
