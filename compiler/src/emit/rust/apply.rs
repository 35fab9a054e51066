//! Closures that are called where they are known.

use super::{Emitter, Repr, Result};
use crate::ir::{Graph, Node, Value};

impl Emitter<'_> {
    /// A closure applied where it is known: its nodes, in place of the node.
    pub(super) fn apply(&mut self, n: Node, g: Graph) -> Result<()> {
        let node = &self.func[n];
        self.flush_for_graphs();
        for (&p, &a) in self.func[g].params.iter().zip(&node.args) {
            self.share_argument(p, a)?;
        }
        let here = (self.graph, self.index);
        self.nodes(g)?;
        for (&o, &r) in node.outs.iter().zip(&self.func[g].results) {
            if let Some(Repr::Expr(e)) = self.reprs.get(r).cloned()
                && (e.effect || !e.reads.is_empty())
            {
                self.bind(r, e);
            }
            self.share(o, r);
        }
        self.stand_at(here);
        Ok(())
    }

    /// The parameter of a closure that is written out is its argument, in a variable if need be.
    pub(super) fn share_argument(&mut self, p: Value, a: Value) -> Result<()> {
        let waits = matches!(self.reprs.get(a), Some(Repr::Expr(e)) if e.effect || !e.reads.is_empty());
        if waits {
            let e = self.take(a)?;
            self.bind(p, e);
        } else {
            self.share(p, a);
        }
        Ok(())
    }

    /// A value is what another is.
    pub(super) fn share(&mut self, v: Value, with: Value) {
        match self.reprs.get(with).cloned() {
            Some(Repr::Place(p)) => self.put(v, p),
            Some(e) => drop(self.reprs.insert(v, e)),
            None => {}
        }
    }
}
