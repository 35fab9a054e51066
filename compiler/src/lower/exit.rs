//! Exits: `break`, `continue` and `return` set the flags of what they leave.

use super::control::Tail;
use super::{Lowering, Operand, TargetKind};
use crate::ir::Value;
use crate::prims::compare;

impl<'a> Lowering<'a> {
    /// Whether any flag that leaves a target has changed since `before`; gives the condition.
    pub(crate) fn exits_since(&mut self, before: &[Option<Value>]) -> Option<Value> {
        let flags: Vec<Value> = self
            .flags()
            .into_iter()
            .zip(before)
            .filter_map(|(c, old)| self.env.cells[c].value.filter(|v| Some(*v) != *old))
            .collect();
        flags.into_iter().reduce(|a, b| {
            let v = self.b().prim(&compare::OR, &[a, b]);
            self.maybe_active.insert(v, false);
            v
        })
    }

    /// The flags of all targets.
    pub(crate) fn flags(&self) -> Vec<usize> {
        self.targets.iter().flat_map(|t| std::iter::once(t.brk).chain(t.cont)).collect()
    }

    /// The current versions of the flags.
    pub(crate) fn flag_values(&self) -> Vec<Option<Value>> {
        self.flags().into_iter().map(|c| self.env.cells[c].value).collect()
    }

    /// `break`, `continue` or `return`.
    pub(crate) fn exit(
        &mut self,
        target: usize,
        cont: bool,
        value: Option<&syn::Expr>,
        span: proc_macro2::Span,
        tail: Tail,
    ) -> Operand {
        if self.targets[target].nested != self.nested {
            return self.unsupported(
                span,
                "leaving from inside an expression is not supported",
                "give the expression a name with `let` and leave in a statement of its own",
            );
        }
        let Some(e) = value else { return self.exit_with(target, cont, None, tail) };
        self.then(
            &mut |l| if l.leaves_outcome(target) { l.outcome_by(e, Self::expr) } else { l.expr(e) },
            &mut |l, o| {
                let o = l.result_outcome(target, o);
                l.exit_with(target, cont, Some(o), tail)
            },
        )
    }

    fn exit_with(&mut self, target: usize, cont: bool, operand: Option<Operand>, tail: Tail) -> Operand {
        if tail == Tail::Of(target) && (cont || self.targets[target].cont.is_none()) {
            return operand.unwrap_or_else(|| Operand::Value(self.unit()));
        }
        operand.iter().for_each(|o| self.declare_result(target, o));
        let v = operand.map(|o| self.value(o));
        if let (Some(v), Some(cell)) = (v, self.targets[target].value) {
            let v = self.filling(cell, v);
            self.set_cell(cell, v);
        }
        let yes = self.b().bool(true);
        let t = &self.targets[target];
        let flag = if cont { t.cont.expect("only loops are continued") } else { t.brk };
        self.env.cells[flag].value = Some(yes);
        Operand::Never
    }

    /// The target of a `break` or `continue`.
    pub(crate) fn target(&self, label: Option<&syn::Lifetime>, cont: bool) -> Option<usize> {
        let wanted = label.map(|l| l.ident.to_string());
        for (i, t) in self.targets.iter().enumerate().rev() {
            match (&t.kind, &wanted) {
                (TargetKind::Function, _) => return None,
                (TargetKind::Loop(_), None) => return Some(i),
                (TargetKind::Loop(l), Some(w)) if l.as_ref() == Some(w) => return Some(i),
                (TargetKind::Block(l), Some(w)) if !cont && l.as_ref() == Some(w) => return Some(i),
                _ => {}
            }
        }
        None
    }

    /// The target of a `return`.
    pub(crate) fn return_target(&self) -> usize {
        self.targets.iter().rposition(|t| matches!(t.kind, TargetKind::Function)).expect("inside a function")
    }
}
