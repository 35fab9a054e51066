//! Functions that call themselves: all calls leave what their pullbacks need in one vector.
//!
//! ```text
//! let mut frames = Vec::new();
//! let forward = |again: &Forward<'_, (u32,), _, f64>, (n,): (u32,), frames: &mut Vec<_>| -> f64 {
//!     let (t, pullback) = again.call((n - 1,), frames);
//!     let value = x * t;
//!     frames.push((t, pullback));
//!     value
//! };
//! let value = Forward(&forward).begin((n,), &mut frames).0;
//! (value, move |y_bar: f64| {
//!     let undo = |again: &Undo<'_, f64, (f64, ())>, frame: usize, y_bar: f64| -> (f64, ()) {
//!         let &(t, pullback) = &frames[frame];
//!         …
//!     };
//!     Undo(&undo).begin(frames.len() - 1, y_bar)
//! })
//! ```
//!
//! What every call hands on as it is (`x` here) is no argument of these closures: they capture it.

use super::places::{Hold, PlaceId, is_copy};
use super::rust::Emitter;
use crate::ir::{Func, Graph, Op, ParamMode};
use crate::syntax::signature::{By, Param, Signature};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What the calls share.
pub(super) struct Frames {
    /// The function itself, or what undoes it.
    pub(super) again: Ident,
    /// The vector.
    pub(super) vector: Ident,
    /// The position of a frame.
    frame: Ident,
    /// The sweeps.
    forward: Ident,
    undo: Ident,
    /// What a call gives, and the cotangent of that.
    value: Ident,
    seed: Ident,
    /// Which parameters every call hands on as they are.
    pub(super) handed_on: Vec<bool>,
}

impl Frames {
    /// Of a function that ends in its pullback, if it calls itself.
    pub(super) fn of(func: &Func, emitter: &mut Emitter<'_>) -> Option<Self> {
        if !func.shares_frames() {
            return None;
        }
        let params = &func[func.root].params;
        let copied = |k: usize| match func.modes[k] {
            ParamMode::Ref => true,
            ParamMode::Value => is_copy(func.ty(params[k])),
            ParamMode::RefMut => false,
        };
        let mut handed_on: Vec<bool> = (0..params.len()).map(copied).collect();
        func.walk(func.root, &mut |_, n| {
            if let Op::CallVjp(call) = &func[n].op
                && call.itself
            {
                handed_on.iter_mut().zip(&func[n].args).zip(params).for_each(|((same, arg), own)| *same &= arg == own);
            }
        });
        let mut name = |base| emitter.names.unique(base);
        let (again, vector, frame) = (name("again"), name("frames"), name("frame"));
        let (forward, undo, value, seed) = (name("forward"), name("undo"), name("value"), name("seed"));
        Some(Frames { again, vector, frame, forward, undo, value, seed, handed_on })
    }
}

/// The variables that the pullback needs, as they stand in a frame.
pub(super) struct Contents {
    values: Vec<TokenStream>,
    patterns: Vec<TokenStream>,
}

impl Emitter<'_> {
    /// What the pullback, a graph, finds in the frame. From here on it is seen there.
    pub(super) fn frame_contents(&mut self, pullback: Graph, params: &[(PlaceId, bool)]) -> Contents {
        let mut contents = Contents { values: Vec::new(), patterns: Vec::new() };
        let mut places: Vec<PlaceId> = Vec::new();
        for v in self.func.free(pullback) {
            places.extend(self.seen_in(v));
        }
        places.sort_unstable();
        places.dedup();
        for p in places {
            // what is captured as it was handed on
            if params.contains(&(p, true)) && !self.places[p].mutated {
                continue;
            }
            let copied = match self.places[p].hold {
                Hold::Owned => self.places[p].holders.iter().all(|&v| is_copy(self.func.ty(v))),
                Hold::Ref | Hold::View => true,
                Hold::Mut => false,
            };
            let ident = self.places[p].ident.clone();
            contents.patterns.push(if copied { quote!(#ident) } else { quote!(ref #ident) });
            contents.values.push(quote!(#ident));
            if !copied {
                self.places[p].hold = Hold::Ref;
                self.places[p].lent = false;
            }
        }
        contents
    }
}

/// What stands in the closures.
pub(super) struct Sweeps {
    /// The statements of the forward sweep and its value.
    pub(super) forward: (TokenStream, TokenStream),
    /// What a call leaves.
    pub(super) contents: Contents,
    /// The pattern of the seed.
    pub(super) seed: TokenStream,
    /// The statements of the reverse sweep and the entries.
    pub(super) undo: (TokenStream, TokenStream),
}

/// The function with its pullback.
pub(super) fn assemble(frames: &Frames, sig: &Signature, sweeps: &Sweeps) -> TokenStream {
    let Frames { again, vector, frame, forward, undo, value, seed, handed_on } = frames;
    let krate = &sig.krate;
    let private = |name: &str| {
        let name = format_ident!("{name}");
        quote!(#krate::__private::#name)
    };
    let own: Vec<&Param> =
        sig.params.iter().zip(handed_on).filter(|(_, same)| !**same).map(|(param, _)| param).collect();
    let (changed, passed): (Vec<&Param>, Vec<&Param>) = own.into_iter().partition(|param| param.by == By::RefMut);
    let (names, types): (Vec<_>, Vec<_>) = passed.iter().map(|param| (&param.arg, &param.bound_ty)).unzip();
    let targets: Vec<TokenStream> = changed.iter().map(|param| referred(&param.ty)).collect();
    let changed: Vec<&Ident> = changed.iter().map(|param| &param.arg).collect();
    let count = if changed.is_empty() { String::new() } else { changed.len().to_string() };
    let (forward_type, undo_type, vec) = (private(&format!("Forward{count}")), private("Undo"), private("Vec"));
    let (result_type, seed_type, entries_type) = (sig.value_type(true), sig.seed_type(), sig.entries_type());
    let (sweep, result) = &sweeps.forward;
    let Contents { values, patterns } = &sweeps.contents;
    let (seed_pattern, (unsweep, entries)) = (&sweeps.seed, &sweeps.undo);
    quote! {
        let mut #vector = #vec::new();
        let #forward = |
            #again: &#forward_type<'_, (#(#types,)*), #(#targets,)* _, #result_type>,
            (#(#names,)*): (#(#types,)*),
            #(#changed: &mut #targets,)*
            #vector: &mut #vec<_>
        | -> #result_type {
            #sweep
            let #value = #result;
            #vector.push((#(#values,)*));
            #value
        };
        let #value = #forward_type(&#forward).begin((#(#names,)*), #(&mut *#changed,)* &mut #vector).0;
        (#value, move |#seed: #seed_type| {
            let #undo = |
                #again: &#undo_type<'_, #seed_type, #entries_type>,
                #frame: usize,
                #seed_pattern: #seed_type
            | -> #entries_type {
                let &(#(#patterns,)*) = &#vector[#frame];
                #unsweep
                #entries
            };
            #undo_type(&#undo).begin(#vector.len() - 1, #seed)
        })
    }
}

/// `T` of `&mut T`.
fn referred(ty: &syn::Type) -> TokenStream {
    match ty {
        syn::Type::Reference(reference) => {
            let ty = &reference.elem;
            quote!(#ty)
        }
        ty => quote!(#ty),
    }
}
