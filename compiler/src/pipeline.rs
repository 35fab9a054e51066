//! The passes in order, from a function's syntax to the IR of its companions.

use crate::ad::reverse::{self, NoAdjoint};
use crate::ad::{forward, gradient};
use crate::diag::{Diagnostics, catalog};
use crate::ir::{Const, Func, Op, verify};
use crate::lower::{self, Lowered};
use crate::syntax::options::Mode;
use crate::syntax::signature::{Component, Scalar, Signature};
use crate::{infer, opt, storage};

/// The IR of a function at each stage.
pub struct Stages {
    /// As it was lowered.
    pub lowered: Lowered,
    /// Types resolved, optimised.
    pub primal: Func,
    /// The tangent program, optimised; `None` if only reverse mode is asked for.
    pub forward: Option<Func>,
    /// With its pullback, before it is decided what is kept.
    pub reverse: Option<Func>,
    /// The same, closed and optimised.
    pub stored: Option<Func>,
    /// The value and the gradient in one, closed and optimised, where that is better than the pullback after the primal.
    pub gradient: Option<Func>,
}

impl Stages {
    /// The stages in order, by the names under which they are printed; `None` where one was not asked for.
    pub fn named(&self) -> [(&'static str, Option<&Func>); 6] {
        [
            ("lowered", Some(&self.lowered.func)),
            ("primal", Some(&self.primal)),
            ("forward", self.forward.as_ref()),
            ("reverse", self.reverse.as_ref()),
            ("stored", self.stored.as_ref()),
            ("gradient", self.gradient.as_ref()),
        ]
    }

    /// The parameters whose cotangent is always zero, by their places among those that have one: the result does not
    /// depend on them, or only by steps.
    pub fn without_effect(&self) -> Vec<usize> {
        let Some(f) = &self.reverse else { return Vec::new() };
        let mut closures = f[f.root].nodes.iter().rev().filter_map(|&n| match f[n].op {
            Op::Closure(g) => Some(g),
            _ => None,
        });
        let Some(pullback) = closures.next() else { return Vec::new() };
        let zeros: Vec<_> = (f[pullback].nodes.iter().map(|&n| &f[n]))
            .filter(|node| match &node.op {
                Op::ZeroLike => true,
                Op::Const(Const::Float(x, _)) => *x == 0.0,
                _ => false,
            })
            .map(|node| node.outs[0])
            .collect();
        let results = f[pullback].results.iter().enumerate();
        results.filter(|(_, entry)| zeros.contains(entry)).map(|(k, _)| k).collect()
    }
}

/// Runs all stages. Problems go to `diags`.
pub fn run(sig: &Signature, body: &syn::Block, diags: &mut Diagnostics) -> Option<Stages> {
    let mut problems = Diagnostics::new();
    let lowered = lower::lower(sig, body, &mut problems);
    let failed = problems.has_errors();
    diags.absorb(problems);
    if failed {
        return None;
    }
    check(&lowered.func, "lowering");
    let mut primal = lowered.func.clone();
    infer::types::resolve(&mut primal);
    opt::optimise(&mut primal);
    infer::types::resolve(&mut primal);
    check(&primal, "type inference");
    let active: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let (mut forward_func, mut reverse_func, mut stored, mut fused) = (None, None, None, None);
    let derivatives = (|| -> Result<(), NoAdjoint> {
        if sig.mode != Mode::Reverse {
            let mut f = forward::forward(&primal, &active)?;
            check(&f, "forward");
            opt::optimise(&mut f);
            forward_func = Some(f);
        }
        if sig.mode != Mode::Forward {
            let mut f = reverse::reverse(&primal, &active, &useful(sig, &primal))?;
            check(&f, "reverse");
            opt::optimise(&mut f);
            reverse_func = Some(f.clone());
            fused = gradient::gradient(&f)
                .filter(|_| sig.scalar() != Scalar::No && sig.functions().is_empty() && !f.shares_frames());
            fused.iter_mut().for_each(store);
            store(&mut f);
            stored = Some(f);
        }
        Ok(())
    })();
    if let Err(NoAdjoint { span, what }) = derivatives {
        let help = "write this part with scalars and loops, or as a function with hand-written companions";
        diags.error_with(span, &catalog::UNSUPPORTED_SYNTAX, what, help.to_owned());
        return None;
    }
    Some(Stages { lowered, primal, forward: forward_func, reverse: reverse_func, stored, gradient: fused })
}

/// Decides what is kept.
fn store(func: &mut Func) {
    check(func, "reverse");
    storage::run(func);
    check(func, "storage");
    opt::optimise(func);
    infer::types::resolve(func);
}

/// Which results of the root have a cotangent: the return value and the final versions of the `&mut` parameters.
fn useful(sig: &Signature, func: &Func) -> Vec<bool> {
    let components = sig.components();
    let has_value = components.first() == Some(&Component::Return);
    let mut flags = vec![has_value && sig.component_differentiable(Component::Return)];
    for c in components {
        if let Component::Final(_) = c {
            flags.push(sig.component_differentiable(c));
        }
    }
    debug_assert_eq!(flags.len(), func[func.root].results.len());
    flags
}

/// Stops a debug build at the stage that broke an invariant.
fn check(func: &Func, stage: &str) {
    if cfg!(debug_assertions)
        && let Err(faults) = verify::verify(func)
    {
        let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("`{}` is broken after {stage}:\n{}", func.name, text.join("\n"));
    }
}
