//! Second derivatives of the same functions.

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::interp::{self, Val};
use cotangent_compiler::pipeline;
use cotangent_compiler::syntax::{options, signature};

use super::close;

/// The same for the function `f_jvp`: of its tangent, the cotangent of the tangents is the gradient, that of the
/// parameters the derivative of the gradient along the tangents; and the product of the Hessian and these is the latter.
pub(super) fn check(source: &str, args: &[Val], flags: &[bool], gradient: &[f64]) {
    let item: syn::ItemFn = syn::parse_str(source).unwrap();
    let mut diags = Diagnostics::new();
    let options = options::parse("order = 2, hvp".parse().unwrap(), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    let problems: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    assert!(problems.is_empty(), "{source}: {problems:?}");
    let s = stages.unwrap();
    let mut k = 0.0;
    let directions: Vec<Val> = (args.iter().zip(flags))
        .map(|(arg, &active)| {
            let mut next = |_: &f64| {
                k += 1.0;
                0.4 + 0.7 * k % 1.1
            };
            if active { arg.with_flat(&arg.flat().iter().map(&mut next).collect::<Vec<_>>()) } else { Val::Unit }
        })
        .collect();
    let all: Vec<Val> = args.iter().chain(&directions).cloned().collect();
    let first = s.first.stored.as_ref().unwrap();
    let moved = |h: f64| -> Vec<f64> {
        let args: Vec<Val> = (args.iter().zip(&directions).zip(flags))
            .map(|((arg, d), &active)| {
                let flat: Vec<f64> = arg.flat().iter().zip(d.flat()).map(|(x, d)| x + h * d).collect();
                if active { arg.with_flat(&flat) } else { arg.clone() }
            })
            .collect();
        let out = interp::run(first, &args).unwrap();
        let entries = interp::call(first, out.last().unwrap(), &[Val::Float(1.0)]).unwrap();
        entries.iter().flat_map(Val::flat).collect()
    };
    let h = 1e-5;
    let ends = [moved(h), moved(-h), moved(2.0 * h), moved(-2.0 * h)];
    let want: Vec<f64> = (0..gradient.len())
        .map(|i| (8.0 * (ends[0][i] - ends[1][i]) - (ends[2][i] - ends[3][i])) / (12.0 * h))
        .collect();
    let derivatives = &s.higher[0].derivatives;
    for f in [&derivatives.reverse, &derivatives.stored] {
        let f = f.as_ref().unwrap();
        let out = interp::run(f, &all).unwrap_or_else(|e| panic!("{source}: {e:?}\n{f}"));
        let seed = Val::Tuple(vec![Val::Float(0.0), Val::Float(1.0)]);
        let entries = interp::call(f, out.last().unwrap(), &[seed]).unwrap_or_else(|e| panic!("{source}: {e:?}\n{f}"));
        let flat: Vec<f64> = entries.iter().flat_map(Val::flat).collect();
        let (moved, own) = flat.split_at(flat.len() / 2);
        close(own, gradient, 1e-12, &format!("{source}: the gradient by the tangents"), f);
        close(moved, &want, 1e-7, &format!("{source}: along the tangents"), f);
    }
    let product = s.product.as_ref().unwrap();
    let out = interp::run(product, &all).unwrap_or_else(|e| panic!("{source}: {e:?}\n{product}"));
    let flat: Vec<f64> = out[1..].iter().flat_map(Val::flat).collect();
    close(&flat, &want, 1e-7, &format!("{source}: the product"), product);
}
