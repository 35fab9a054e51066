//! What the user asks to be run again instead of being remembered: loops with an attribute, all loops of a function, and
//! blocks.

use super::{Lowering, Operand, TargetKind};
use crate::ir::{Graph, LoopKind, Op, Recomputed};
use crate::syntax::checkpoint;
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// A loop with these attributes.
    pub(crate) fn repeat(
        &mut self,
        attributes: &[syn::Attribute],
        lower: impl FnOnce(&mut Lowering<'a>) -> Operand,
    ) -> Operand {
        let own = checkpoint::of(attributes, self.diags);
        let outermost = self.targets.iter().all(|t| !matches!(t.kind, TargetKind::Loop(_)));
        let Some(how) = own.or(self.sig.checkpoint.filter(|_| outermost)) else {
            return lower(self);
        };
        let first = self.func.nodes.len();
        let o = lower(self);
        for n in self.func[self.graph].nodes.clone() {
            let new = n.into_raw().into_u32() as usize >= first;
            let Op::Loop(l) = &self.func[n].op else { continue };
            let body = l.body;
            match l.kind {
                _ if !new => {}
                LoopKind::Iter { .. } if own.is_some() => {
                    let span = attributes.iter().find_map(checkpoint::place).unwrap_or(self.span);
                    self.unsupported(
                        span,
                        "the iterations of a loop over this iterator cannot be run again",
                        "collect its items into a `Vec` and loop over that",
                    );
                }
                LoopKind::Iter { .. } => {}
                _ => {
                    self.func[body].recomputed = Some(Recomputed { limit: how.steps });
                    self.check_repeatable(body);
                }
            }
        }
        o
    }

    /// What has a state that is not seen here cannot be called again as if for the first time.
    fn check_repeatable(&mut self, body: Graph) {
        let mut found = None;
        self.func.walk(body, &mut |_, n| {
            if matches!(&self.func[n].op, Op::Call(call) if call.ordered) {
                found.get_or_insert(n);
            }
        });
        if let Some(n) = found {
            let span = self.func[n].span;
            self.unsupported(
                span,
                "what is run again calls a function parameter that may change what it captures",
                "take it as `impl Fn(…)`, or remove `checkpoint`",
            );
        }
    }

    /// Whether a segment before the name of a function is, or may stand for, the crate `cotangent`.
    pub(crate) fn is_crate(&self, owner: &str) -> bool {
        let renamed = self.sig.krate.segments.last().is_some_and(|last| last.ident == owner);
        owner.is_empty() || owner == "cotangent" || renamed
    }

    /// `checkpoint(|| block)`
    pub(crate) fn run_again(&mut self, closure: usize, span: Span) -> Operand {
        let arm = self.arm(&mut |l: &mut Self| l.call_closure(closure, Vec::new(), span));
        let Some(result) = arm.result else {
            return self.unsupported(
                span,
                "a block that is run again must give a value",
                "call a function that it gives outside, and let it end",
            );
        };
        let mut outs = vec![(result, None)];
        for (i, cell) in arm.cells[..self.env.cells.len()].iter().enumerate() {
            if let Some(v) = cell.value
                && self.env.cells[i].value != Some(v)
            {
                outs.push((v, Some(i)));
            }
        }
        self.func[arm.graph].results = outs.iter().map(|(v, _)| *v).collect();
        self.func[arm.graph].recomputed = Some(Recomputed { limit: None });
        self.check_repeatable(arm.graph);
        let types = outs.iter().map(|(v, _)| self.func.ty(*v).clone()).collect();
        let node = self.b().node(Op::Apply(arm.graph), Vec::new(), types);
        for ((v, cell), out) in outs.into_iter().zip(self.func[node].outs.clone()) {
            let active = self.is_active(v);
            self.maybe_active.insert(out, active);
            self.func.values[out].name = self.func[v].name.clone();
            if let Some(cell) = cell {
                self.set_cell(cell, out);
            }
        }
        Operand::Value(self.func[node].outs[0])
    }
}
