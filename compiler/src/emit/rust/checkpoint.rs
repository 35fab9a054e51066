//! The states of a loop that are kept so that its iterations can be run again.

use super::{Emitter, Result};
use crate::emit::places::Hold;
use crate::ir::{Checkpoint, CheckpointStep, Node};
use crate::syntax::signature::one_or_tuple;
use quote::{ToTokens, quote};

/// How many parts a tuple may have that is to be cloned.
const WIDEST: usize = 12;

impl Emitter<'_> {
    pub(super) fn checkpoint(&mut self, n: Node, c: Checkpoint) -> Result<()> {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        match c.step {
            CheckpointStep::Start { limit } => {
                let option = |tokens: Option<_>| match tokens {
                    Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
                    None => quote!(::core::option::Option::None),
                };
                let trips = args.first().map(|&a| self.scalar(a)).transpose()?;
                let trips = option(trips.map(|e| e.tokens));
                let limit = option(limit.map(|n| proc_macro2::Literal::usize_unsuffixed(n).into_token_stream()));
                let f = self.private("Checkpoints");
                let place = self.declare(outs[0], Hold::Owned);
                self.let_(vec![Some(place)], None, quote!(#f::new(#trips, #limit)));
            }
            CheckpointStep::Save => {
                let mut parts = Vec::new();
                for &v in &args[CheckpointStep::STATE_ARGS..] {
                    let (ty, e) = (self.func.ty(v).clone(), self.expr(v)?);
                    parts.push(self.copied(&e, &ty));
                }
                let place = self.mutable(args[0], outs[0])?;
                let ident = &self.places[place].ident;
                let state = one_or_tuple(parts.chunks(WIDEST).map(|part| one_or_tuple(part.iter())));
                self.push(quote!(#ident.step(|| #state);));
                self.put(outs[0], place);
            }
            CheckpointStep::Replay => {
                let (root, _) = self.root(args[0])?;
                let place = self.declare(outs[0], Hold::Owned);
                self.let_(vec![Some(place)], None, quote!(#root.replay()));
            }
            CheckpointStep::Restore => {
                let k = self.scalar(args[1])?.tokens;
                let place = self.mutable(args[0], outs[0])?;
                let ident = self.places[place].ident.clone();
                let from = self.declare(outs[1], Hold::Owned);
                let state = &outs[CheckpointStep::STATE_OUTS..];
                let parts: Vec<_> = state.iter().map(|&v| Some(self.declare(v, Hold::Owned))).collect();
                let restored = quote!(#ident.restore(#k));
                if let [Some(one)] = parts[..] {
                    self.let_(vec![Some(from), Some(one)], None, restored);
                } else if parts.len() <= WIDEST {
                    self.let_nested(Some(from), parts, restored);
                } else {
                    let chunks: Vec<_> = parts.chunks(WIDEST).map(|_| self.names.unique("t")).collect();
                    let from = &self.places[from].ident;
                    self.push(quote!(let (#from, (#(#chunks),*)) = #restored;));
                    for (ident, parts) in chunks.iter().zip(parts.chunks(WIDEST)) {
                        self.let_(parts.to_vec(), None, quote!(#ident));
                    }
                }
                self.put(outs[0], place);
            }
        }
        Ok(())
    }
}
