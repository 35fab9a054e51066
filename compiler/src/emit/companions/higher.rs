//! The derivatives of gradients, from those of tangents.
//!
//! The companions of `f_jvp` come from its program. Those of `f_grad` need no program: for a scalar function f, with
//! `f_jvp_vjp` at the cotangent (0, 1),
//!
//! ```text
//! f_grad_jvp(x, d)       (f_grad(x), ∇(∇f·d))
//! f_grad_vjp(x)          (f_grad(x), move |g| ∇(∇f·g))
//! ```
//!
//! where `∇(∇f·d)` is the cotangent of x. So is it at any depth: in the program of `f_jvp_…_jvp`, with `levels` times
//! `jvp`, a parameter x stands for 2^levels *slots*, x itself and its tangents, and the result has as many *leaves*.
//! Bit j of the number of a slot or a leaf says whether it is a tangent along the j-th direction. With the cotangent 1 of
//! the last leaf, the cotangent of a slot is the derivative of the gradient along all directions that the slot is not a
//! tangent along.
//!
//! Where a gradient is a float, it has a gradient itself, which is its tangent along 1: the first directions are then
//! constants.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Block;

use super::arguments::{self, Kept};
use super::{Kind, gradient};
use crate::syntax::options::Mode;
use crate::syntax::signature::{By, Component, Float, Names, Scalar, Signature, TypeClass, bare, one_or_tuple};

/// A companion of a companion.
pub(super) struct Member {
    /// The function that it belongs to.
    pub(super) signature: Signature,
    pub(super) kind: Kind,
    pub(super) body: TokenStream,
}

/// The companions of `f_grad` and `f_value_and_grad`, and theirs, up to the order that is asked for. `body`: that of the
/// function.
pub(super) fn of_gradients(signature: &Signature, body: &Block) -> Vec<Member> {
    let mut members = Vec::new();
    if !has_derivatives(signature) {
        return members;
    }
    let mut base = signature.clone();
    for depth in 1..=signature.order {
        if depth > 1 {
            for (kind, with_value) in [(Kind::ValueAndGrad, true), (Kind::Grad, false)] {
                let body = gradient::body(&base, with_value);
                members.push(Member { signature: base.clone(), kind, body });
            }
        }
        let gradient = base.of_gradient(false, body);
        for (with_value, mut own) in [(false, gradient.clone()), (true, base.of_gradient(true, body))] {
            let both = signature.mode == Mode::Both;
            let levels = signature.order - depth;
            for levels in 0..if both { levels } else { levels.min(1) } {
                let chain = Chain { base: signature, own: &own, depth, levels, with_value };
                members.push(Member { signature: own.clone(), kind: Kind::Vjp, body: chain.vjp() });
                if both {
                    members.push(Member { signature: own.clone(), kind: Kind::Jvp, body: chain.jvp() });
                }
                own = own.of_jvp(body);
            }
        }
        if gradient.scalar() != Scalar::Yes {
            break;
        }
        base = gradient;
    }
    members
}

/// Whether the gradient has derivatives: it exists, and the parameters can be handed on as they are.
fn has_derivatives(signature: &Signature) -> bool {
    let plain = signature.params.iter().all(|param| param.by != By::RefMut && param.function.is_none());
    signature.order > 1 && signature.mode != Mode::Forward && signature.scalar() != Scalar::No && plain
}

/// `f_grad_…_grad_jvp_…_jvp`, or with `value_and_grad` as the last gradient.
struct Chain<'s> {
    /// f
    base: &'s Signature,
    /// The signature of the chain.
    own: &'s Signature,
    /// How often `grad`.
    depth: usize,
    /// How often `jvp`.
    levels: usize,
    with_value: bool,
}

impl Chain<'_> {
    /// How many of the first directions are constants.
    fn constants(&self) -> usize {
        self.depth - 1
    }

    /// The leaf of the derivative of `f_grad` that is the gradient of a leaf of the chain.
    fn leaf(&self, of: usize) -> usize {
        (of << self.constants()) + (1 << self.constants()) - 1
    }

    /// The one that is the value beside it, if that is a gradient as well.
    fn value_leaf(&self, of: usize) -> Option<usize> {
        let before = self.constants().checked_sub(1)?;
        Some((of << self.constants()) + (1 << before) - 1)
    }

    /// The name of `f_jvp_…_jvp_vjp` with a direction more than the chain.
    fn core(&self) -> TokenStream {
        let suffix = "jvp_".repeat(self.constants() + self.levels + 1) + "vjp";
        self.base.called_path(&self.base.companion(&suffix))
    }

    /// The arguments of the core. `given`: the arguments of the chain with one more direction, for each slot those of the
    /// parameters.
    fn slots(&self, given: &[Vec<TokenStream>]) -> Vec<TokenStream> {
        let constants = self.constants();
        let count = given.len() << constants;
        let slots = (0..count).flat_map(|slot| {
            let (constant, own) = (slot % (1 << constants), slot >> constants);
            self.base.params.iter().enumerate().map(move |(k, param)| match constant.count_ones() {
                0 => given[own][k].clone(),
                _ if !param.differentiable => quote!(()),
                1 if own == 0 => number(&param.class, "1.0"),
                _ => number(&param.class, "0.0"),
            })
        });
        slots.collect()
    }

    /// The patterns of the entries of the core: those of a slot have names if it is wanted.
    fn entries(&self, names: &mut Names, wanted: impl Fn(usize) -> bool) -> (TokenStream, Vec<Vec<Option<Ident>>>) {
        let slots = 2 << (self.constants() + self.levels);
        let all: Vec<Vec<Option<Ident>>> = (0..slots)
            .map(|slot| {
                let name = |param: &crate::syntax::signature::Param| {
                    (param.differentiable && wanted(slot)).then(|| names.fresh(&format!("{}_bar", bare(&param.arg))))
                };
                self.base.params.iter().map(name).collect()
            })
            .collect();
        let patterns = all.iter().flatten().map(|name| name.as_ref().map_or_else(|| quote!(_), |name| quote!(#name)));
        (one_or_tuple(patterns), all)
    }

    /// `(C(x, d), (the derivative of C along the tangents))`
    fn jvp(&self) -> TokenStream {
        let mut names = self.own.names.clone();
        let (value, pullback) = (names.fresh("value"), names.fresh("pullback"));
        let function = self.own.called_path(&self.own.name);
        let arguments = Kept::once(self.own);
        let n = self.base.params.len();
        let given: Vec<TokenStream> = arguments::last(self.own)
            .into_iter()
            .chain(self.own.params.iter().map(|param| {
                let name = &param.tangent_name;
                quote!(#name)
            }))
            .collect();
        let given: Vec<Vec<TokenStream>> = given.chunks(n).map(<[_]>::to_vec).collect();
        let (core, slots) = (self.core(), self.slots(&given));
        let half = 1 << (self.constants() + self.levels);
        let ys: Vec<Ident> = (0..2 * half).map(|_| names.fresh("y")).collect();
        let results = leaves(&ys.iter().map(|y| quote!(#y)).collect::<Vec<_>>());
        let seeds: Vec<TokenStream> = ys.iter().map(|y| self.zero(y)).collect();
        let seeds = leaves(&[&seeds[..2 * half - 1], &[self.one()]].concat());
        // what is not a tangent along the new direction gives the derivatives along it
        let (pattern, bars) = self.entries(&mut names, |slot| slot < half);
        let gradient = |leaf: usize| one_or_tuple(bars[half - 1 - leaf].iter().flatten());
        let parts: Vec<TokenStream> = (0..1 << self.levels)
            .map(|leaf| {
                let own = gradient(self.leaf(leaf));
                match (self.with_value, self.value_leaf(leaf)) {
                    (false, _) => own,
                    (true, Some(value)) => {
                        let value = gradient(value);
                        quote!((#value, #own))
                    }
                    (true, None) => {
                        let value = &ys[half + leaf];
                        quote!((#value, #own))
                    }
                }
            })
            .collect();
        let tangent = leaves(&parts);
        quote! {
            let #value = #function(#(#arguments),*);
            let (#results, #pullback) = #core(#(#slots),*);
            let #pattern = #pullback(#seeds);
            (#value, #tangent)
        }
    }

    /// `(C(x, d), move |seed| the cotangents of x and d)`
    fn vjp(&self) -> TokenStream {
        let mut names = self.own.names.clone();
        let (value, pullback) = (names.fresh("value"), names.fresh("pullback"));
        let function = self.own.called_path(&self.own.name);
        let arguments = Kept::once(self.own);
        let (n, count) = (self.base.params.len(), 1 << self.levels);
        let half = 1 << (self.constants() + self.levels);
        let wanted: Vec<usize> = (0..n).filter(|&k| self.base.params[k].differentiable).collect();
        // the seeds: for each leaf of the chain that of the value and those of the gradient
        let of_value: Vec<Ident> = (0..count).map(|_| names.fresh("y_bar")).collect();
        let of_gradient: Vec<Vec<Ident>> =
            (0..count).map(|_| wanted.iter().map(|_| names.fresh("seed")).collect()).collect();
        let patterns: Vec<TokenStream> = (0..count)
            .map(|leaf| {
                let (y, own) = (&of_value[leaf], one_or_tuple(&of_gradient[leaf]));
                if self.with_value { quote!((#y, #own)) } else { own }
            })
            .collect();
        let pattern = leaves(&patterns);
        // the new direction is the seeds, those of a leaf in the slot that stands opposite
        let seed = |slot: usize, k: usize| {
            let leaf = half - 1 - slot;
            let place = wanted.iter().position(|&of| of == k)?;
            let of_leaf = |of: usize| of_gradient[of][place].clone();
            let own = (0..count).find(|&of| self.leaf(of) == leaf).map(of_leaf);
            let of_values = || (0..count).find(|&of| self.with_value && self.value_leaf(of) == Some(leaf));
            own.or_else(|| of_values().map(|of| of_value[of].clone()))
        };
        let kept: Vec<Vec<TokenStream>> = Kept::once(self.own).chunks(n).map(<[_]>::to_vec).collect();
        let mut slots = self.slots(&kept);
        for slot in 0..half {
            for (k, param) in self.base.params.iter().enumerate() {
                slots.push(match seed(slot, k) {
                    Some(seed) => quote!(#seed),
                    None if !param.differentiable => quote!(()),
                    None if self.constants() > 0 => number(&param.class, "0.0"),
                    None => unreachable!("every leaf has a seed"),
                });
            }
        }
        let core = self.core();
        let ys: Vec<Ident> = (0..2 * half).map(|_| names.fresh("y")).collect();
        let results = leaves(&ys.iter().map(|y| quote!(#y)).collect::<Vec<_>>());
        let mut seeds: Vec<TokenStream> = ys.iter().map(|y| self.zero(y)).collect();
        if self.with_value && self.constants() == 0 {
            for (leaf, y) in of_value.iter().enumerate() {
                seeds[leaf] = quote!(#y);
            }
        }
        seeds[2 * half - 1] = self.one();
        let seeds = leaves(&seeds);
        let constants = self.constants();
        let (entries, bars) = self.entries(&mut names, |slot| slot < half && slot % (1 << constants) == 0);
        let own = (0..count).flat_map(|leaf| &bars[leaf << constants]);
        let own = one_or_tuple(own.map(|bar| bar.as_ref().map_or_else(|| quote!(()), |bar| quote!(#bar))));
        let ty = self.own.seed_type();
        quote! {
            let #value = #function(#(#arguments),*);
            (#value, move |#pattern: #ty| {
                let (#results, #pullback) = #core(#(#slots),*);
                let #entries = #pullback(#seeds);
                #own
            })
        }
    }

    /// The zero cotangent of a result.
    fn zero(&self, y: &Ident) -> TokenStream {
        let krate = &self.base.krate;
        quote!(#krate::Differentiable::zero_tangent(&#y))
    }

    /// The cotangent 1 of a result.
    fn one(&self) -> TokenStream {
        gradient::seed(self.base, Component::Return)
    }
}

/// A constant tangent of a float.
fn number(class: &TypeClass, text: &str) -> TokenStream {
    let literal = |kind: &str| {
        let literal: TokenStream = format!("{text}_{kind}").parse().expect("a literal");
        literal
    };
    match class {
        TypeClass::Float(Float::F32) => literal("f32"),
        TypeClass::Float(Float::F64) => literal("f64"),
        _ => text.parse().expect("a literal"),
    }
}

/// `((a, b), (c, d))`: 2^k leaves as pairs of pairs.
fn leaves(of: &[TokenStream]) -> TokenStream {
    match of {
        [alone] => alone.clone(),
        of => {
            let (left, right) = of.split_at(of.len() / 2);
            let (left, right) = (leaves(left), leaves(right));
            quote!((#left, #right))
        }
    }
}
