//! What code without a derivative gives, in what is run again: it ran in the primal, and what it gave is kept.
//!
//! Only the user knows whether a call of anything gives the same twice. What is an expression of operators alone is
//! evaluated again.
//!
//! ```text
//! primal: %v = effect `draw()`        once more: %v = load %log[%i]
//!         %log.2 = push(%log.1, %v)              %i.2 = %i + 1
//! ```

use super::key;
use crate::ir::{Builder, Func, Graph, LoopKind, Node, Op, Path, Step, Type, Value, Verbatim};
use crate::prims::arith;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// The values in a graph that come from calls of which nothing is known, in order.
pub(super) fn sites(f: &Func, g: Graph) -> Vec<Value> {
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    let mut graphs = vec![g];
    f.walk(g, &mut |_, n| {
        used.extend(f[n].args.iter().map(|&a| key(a)));
        graphs.extend(f[n].op.graphs());
        if let Op::Verbatim(code) = &f[n].op
            && is_unknown(code)
        {
            found.push(f[n].outs[0]);
        }
    });
    graphs.iter().for_each(|&g| used.extend(f[g].results.iter().map(|&r| key(r))));
    let mut tested = BTreeSet::new();
    f.walk(g, &mut |_, n| {
        if let Op::Loop(l) = &f[n].op
            && let LoopKind::While { cond } = l.kind
        {
            tested.extend(f.owners(cond).iter().map(|(v, _)| key(v)));
        }
    });
    found.retain(|&v| used.contains(&key(v)) && !tested.contains(&key(v)) && *f.ty(v) != Type::Unit);
    found
}

/// Whether code calls something, and comes back.
fn is_unknown(code: &Verbatim) -> bool {
    !code.pure_ && !code.diverges && calls(code.code.clone())
}

fn calls(tokens: TokenStream) -> bool {
    let mut callable = false;
    for tree in tokens {
        callable = match tree {
            TokenTree::Group(group) if callable && group.delimiter() == Delimiter::Parenthesis => return true,
            TokenTree::Group(group) => {
                if calls(group.stream()) {
                    return true;
                }
                true
            }
            TokenTree::Ident(_) => true,
            // `f::<T>(x)`, `vec![…]`
            TokenTree::Punct(p) if p.as_char() == '!' && callable && p.spacing() == Spacing::Alone => return true,
            TokenTree::Punct(p) => p.as_char() == '>',
            TokenTree::Literal(_) => false,
        };
    }
    false
}

/// Lets something pass through a graph to every execution of a site and on: `step` appends to a graph what becomes of
/// it there, before or after the node. Gives what comes out.
pub(super) fn thread(
    f: &mut Func,
    g: Graph,
    site: Value,
    mut now: Value,
    step: &mut dyn FnMut(&mut Func, Graph, Node, Value) -> Value,
) -> Value {
    let holds = |f: &Func, g: Graph| f.any(g, |n| f[n].outs.first() == Some(&site));
    for n in std::mem::take(&mut f[g].nodes) {
        if f[n].outs.first() == Some(&site) {
            now = step(f, g, n, now);
            continue;
        }
        let nested = f[n].op.graphs();
        if nested.iter().any(|&g| holds(f, g)) {
            let span = f[n].span;
            let ty = f.ty(now).clone();
            let name = f[now].name.clone();
            let fresh = |f: &mut Func| f.value(ty.clone(), name.clone(), span);
            if let Op::Loop(l) = f[n].op.clone() {
                let inside = fresh(f);
                f[l.body].params.push(inside);
                let after = thread(f, l.body, site, inside, step);
                f[l.body].results.push(after);
                if let LoopKind::While { cond } = l.kind {
                    let tested = fresh(f);
                    f[cond].params.push(tested);
                }
                f[n].args.push(now);
            } else {
                for arm in nested {
                    let after = thread(f, arm, site, now, step);
                    f[arm].results.push(after);
                }
            }
            now = fresh(f);
            f[n].outs.push(now);
        }
        f[g].nodes.push(n);
    }
    now
}

/// In the primal, adds what the site gives to the log.
pub(super) fn write(f: &mut Func, g: Graph, n: Node, log: Value) -> Value {
    f[g].nodes.push(n);
    let (v, span, ty) = (f[n].outs[0], f[n].span, f.ty(log).clone());
    Builder::new(f, g, span).push(Op::Push(Path::default()), vec![log, v], ty)
}

/// Where the site is run again, takes it from there. The code is run only for what it changes.
pub(super) fn read(f: &mut Func, g: Graph, n: Node, log: Value, at: Value) -> Value {
    let (v, span) = (f[n].outs[0], f[n].span);
    let load = f.node(Op::Load(Path(vec![Step::Index])), vec![log, at], vec![v], span);
    if let Op::Verbatim(code) = &mut f[n].op
        && !code.defs.is_empty()
    {
        code.pure_ = true;
        let unused = f.value_like(v);
        f[n].outs[0] = unused;
        f[g].nodes.push(n);
    }
    f[g].nodes.push(load);
    let mut b = Builder::new(f, g, span);
    let one = b.int(1);
    b.prim(&arith::ADD, &[at, one])
}
