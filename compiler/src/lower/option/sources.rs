//! What gives options: conditions, and elements of sequences that may not be there.

use crate::ir::{Op, Step, Type};
use crate::lower::control::strip;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::compare;

impl Lowering<'_> {
    /// `c.then(…)` and `c.then_some(…)` of a condition.
    pub(crate) fn condition_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let [e] = m.args.iter().collect::<Vec<_>>()[..] else { return None };
        let flag = self.read(place);
        match name.as_str() {
            "then" => {
                let f = self.function_operand(e);
                Some(self.optional(flag, &mut |l: &mut Self| l.apply(&f, vec![])))
            }
            "then_some" => {
                let v = self.operand(e);
                Some(self.optional(flag, &mut |_| Operand::Value(v)))
            }
            _ => None,
        }
    }

    /// `first`, `last` and `get` of a sequence: an option of a reference.
    pub(crate) fn element_option(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let v = self.read(place);
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let zero = self.b().int(0);
        let (flag, index) = match (name.as_str(), m.args.len()) {
            ("first" | "first_mut", 0) => (self.primitive(&compare::LT, &[zero, len]), zero),
            ("last" | "last_mut", 0) => {
                let flag = self.primitive(&compare::LT, &[zero, len]);
                let one = self.b().int(1);
                // not computed where there is none: the length may be zero
                let index = self.if_value(
                    flag,
                    &mut |l: &mut Self| Operand::Value(l.usize_op(&crate::prims::arith::SUB, len, one)),
                    &mut |_| Operand::Value(zero),
                );
                (flag, self.value(index))
            }
            ("get" | "get_mut", 1) if !matches!(strip(&m.args[0]), syn::Expr::Range(_)) => {
                let k = self.operand(&m.args[0]);
                (self.primitive(&compare::LT, &[k, len]), k)
            }
            _ => return None,
        };
        let payload = place.clone().step(Step::Index, [index]).by_ref(true).mutable(name.ends_with("_mut"));
        Some(Operand::Opt(flag, Box::new(Operand::Place(payload))))
    }
}
