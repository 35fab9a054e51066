//! The passes in order, from a function's syntax to the IR of its companions.

use crate::ad::reverse::{self, NoAdjoint};
use crate::ad::{forward, gradient, twice};
use crate::diag::{Diagnostics, catalog};
use crate::infer::shapes::Shapes;
use crate::ir::print::Place;
use crate::ir::{Builder, Const, Func, Op, verify};
use crate::lower::{self, Lowered};
use crate::syntax::by_ref;
use crate::syntax::options::Mode;
use crate::syntax::signature::{Component, Scalar, Signature};
use crate::{infer, opt, storage};
use proc_macro2::Span;

/// The IR of a function at each stage.
pub struct Stages {
    /// As it was lowered.
    pub lowered: Lowered,
    /// Types resolved, optimised.
    pub primal: Func,
    /// Its derivatives.
    pub first: Derivatives,
    /// The tangent programs as functions, with their derivatives: of the second order, the third and so on.
    pub higher: Vec<Higher>,
    /// The product of the Hessian and the tangents, which are parameters; `None` if it is not asked for.
    pub product: Option<Func>,
}

/// The derivatives of a function.
#[derive(Default)]
pub struct Derivatives {
    /// The tangent program, optimised; `None` if only reverse mode is asked for.
    pub forward: Option<Func>,
    /// With its pullback, before it is decided what is kept.
    pub reverse: Option<Func>,
    /// The same, closed and optimised.
    pub stored: Option<Func>,
    /// The value and the gradient in one, closed and optimised, where that is better than the pullback after the primal.
    pub gradient: Option<Func>,
}

impl Derivatives {
    fn named(&self, before: &str) -> [(String, Option<&Func>); 4] {
        let stages = [
            ("forward", &self.forward),
            ("reverse", &self.reverse),
            ("stored", &self.stored),
            ("gradient", &self.gradient),
        ];
        stages.map(|(stage, func)| (format!("{before}{stage}"), func.as_ref()))
    }
}

/// A tangent program that is differentiated itself.
pub struct Higher {
    /// Its signature as a function.
    pub sig: Signature,
    /// The function.
    pub primal: Func,
    /// Its derivatives.
    pub derivatives: Derivatives,
}

impl Stages {
    /// The stages in order, by the names under which they are printed; `None` where one was not asked for.
    ///
    /// Those of a tangent program have its name before theirs: `jvp.reverse`, `jvp.jvp.forward`.
    pub fn named(&self) -> Vec<(String, Option<&Func>)> {
        let mut all = vec![("lowered".to_owned(), Some(&self.lowered.func)), ("primal".to_owned(), Some(&self.primal))];
        all.extend(self.first.named(""));
        let mut before = String::new();
        for higher in &self.higher {
            before += "jvp.";
            all.push((format!("{before}primal"), Some(&higher.primal)));
            all.extend(higher.derivatives.named(&before));
        }
        all.push(("product".to_owned(), self.product.as_ref()));
        all
    }

    /// The parameters whose cotangent is always zero, by their places among those that have one: the result does not
    /// depend on them, or only by steps.
    pub fn without_effect(&self) -> Vec<usize> {
        let Some(f) = &self.first.reverse else { return Vec::new() };
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
    let rewritten = by_ref::rewritten(body);
    let lowered = lower::lower(sig, rewritten.as_ref().unwrap_or(body), &mut problems);
    let failed = problems.has_errors();
    diags.absorb(problems);
    if failed {
        return None;
    }
    if differ(&lowered.func, diags) {
        return None;
    }
    check(&lowered.func, "lowering");
    let mut primal = lowered.func.clone();
    infer::types::resolve(&mut primal);
    if sig.params.iter().any(|param| param.sizes.is_some()) {
        for fault in Shapes::of(&primal).contradictions() {
            diags.error_with(fault.span, &catalog::SHAPES_DIFFER, fault.message, fault.help);
        }
        if diags.has_errors() {
            return None;
        }
    }
    opt::optimise(&mut primal);
    infer::types::resolve(&mut primal);
    if differ(&primal, diags) {
        return None;
    }
    check(&primal, "type inference");
    match derive(sig, &primal, body) {
        Ok((first, higher, product)) => Some(Stages { lowered, primal, first, higher, product }),
        Err(NoAdjoint { span, what }) => {
            let help = "write this part with scalars and loops, or as a function with hand-written companions";
            diags.error_with(span, &catalog::UNSUPPORTED_SYNTAX, what, help.to_owned());
            None
        }
    }
}

type Derived = (Derivatives, Vec<Higher>, Option<Func>);

/// The derivatives of a function, then those of its tangent program, and so on up to the order that is asked for.
fn derive(sig: &Signature, primal: &Func, body: &syn::Block) -> Result<Derived, NoAdjoint> {
    let product = sig.hvp || sig.hessian;
    let first = derivatives(sig, primal, product || sig.order > 1)?;
    let mut higher: Vec<Higher> = Vec::new();
    let tangent = |sig: &Signature, forward: &Option<Func>| {
        let forward = forward.as_ref().expect("a tangent program");
        let mut func = twice::function(forward, sig);
        infer::types::resolve(&mut func);
        check(&func, "the tangent program as a function");
        (sig.of_jvp(body), func)
    };
    for order in 2..=sig.order {
        let (own, primal) = match higher.last() {
            None => tangent(sig, &first.forward),
            Some(last) => tangent(&last.sig, &last.derivatives.forward),
        };
        let derivatives = derivatives(&own, &primal, order < sig.order)?;
        higher.push(Higher { sig: own, primal, derivatives });
    }
    let product = if product { Some(hessian_product(tangent(sig, &first.forward))?) } else { None };
    Ok((first, higher, product))
}

/// `forward`: whether the tangent program is needed for others.
fn derivatives(sig: &Signature, primal: &Func, forward: bool) -> Result<Derivatives, NoAdjoint> {
    let active: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let mut all = Derivatives::default();
    if forward || sig.mode != Mode::Reverse {
        let mut f = forward::forward(primal, &active)?;
        check(&f, "forward");
        opt::optimise(&mut f);
        all.forward = Some(f);
    }
    if sig.mode != Mode::Forward {
        let mut f = reversed(sig, primal)?;
        all.reverse = Some(f.clone());
        all.gradient = gradient::gradient(&f)
            .filter(|_| sig.scalar() != Scalar::No && sig.functions().is_empty() && !f.shares_frames());
        let results = primal[primal.root].results.len();
        for stored in all.gradient.iter_mut().chain([&mut f]) {
            merge(stored, results);
            opt::shape::run(stored, results);
            store(stored);
            merge(stored, results);
            opt::unbroadcast::advance(stored);
            if opt::unroll::run(stored, results) {
                check(stored, "written out");
            }
            opt::reciprocal::run(stored, results);
            let distributed = opt::distribute::run(stored, results);
            check(stored, "sums apart");
            if opt::block::run(stored, results, &distributed) {
                check(stored, "blocks");
            }
            if opt::jam::run(stored) {
                check(stored, "iterations together");
            }
        }
        all.stored = Some(f);
    }
    Ok(all)
}

fn reversed(sig: &Signature, primal: &Func) -> Result<Func, NoAdjoint> {
    let active: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let mut f = reverse::reverse(primal, &active, &useful(sig, primal))?;
    check(&f, "reverse");
    opt::optimise(&mut f);
    Ok(f)
}

/// From the function `f_jvp` of a scalar function the product of its Hessian and the tangents, which is the gradient of
/// the tangent: `f_jvp`'s results are the value and the tangent, of which only the latter has the cotangent 1. Results:
/// `()`, what is left behind `&mut`, and the entries of the product.
fn hessian_product((sig, primal): (Signature, Func)) -> Result<Func, NoAdjoint> {
    let mut f = gradient::seeded(&reversed(&sig, &primal)?, gradient::tangent_alone);
    let root = f.root;
    let unit = Builder::new(&mut f, root, Span::call_site()).unit();
    f[root].results[0] = unit;
    let finals = primal[primal.root].results.len();
    let own = (f[root].results.len() - finals) / 2;
    f[root].results.truncate(finals + own);
    opt::optimise(&mut f);
    store(&mut f);
    Ok(f)
}

/// Merges elementwise operations of the adjoint of a function with so many results.
fn merge(func: &mut Func, results: usize) {
    if opt::merge::run(func, results) {
        check(func, "merging");
        opt::optimise(func);
        infer::types::resolve(func);
    }
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

/// Tells of types that do not go together in the function itself, which the compiler of Rust does not accept either.
fn differ(func: &Func, diags: &mut Diagnostics) -> bool {
    let faults = verify::verify(func).err().unwrap_or_default();
    let differ = !faults.is_empty() && faults.iter().all(|fault| fault.types);
    for fault in faults.into_iter().filter(|_| differ) {
        let Place::Node(n) = fault.place else { continue };
        diags.error(func[n].span, &catalog::TYPES_DIFFER, &[("detail", &fault.message)]);
    }
    differ
}

/// Stops at the stage that broke an invariant, rather than go on to a wrong derivative.
fn check(func: &Func, stage: &str) {
    if let Err(faults) = verify::verify(func) {
        let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("`{}` is broken after {stage}:\n{}", func.name, text.join("\n"));
    }
}
