//! Functions as values: by their names and paths, in arrays and vectors, in what others call.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};

#[differentiable]
fn add(p: f64, q: f64) -> f64 {
    p + q * p
}
#[differentiable]
fn sq(p: f64) -> f64 {
    p * p
}
#[derive(Clone, Copy, Differentiable)]
struct Wrap(f64);
#[differentiable]
impl Wrap {
    fn twice(&self, k: f64) -> f64 {
        self.0 * k * 2.0
    }
    fn make(p: f64) -> Wrap {
        Wrap(p * p)
    }
    fn val(&self) -> f64 {
        self.0
    }
}
#[differentiable]
fn apply2(f: impl Fn(f64, f64) -> f64, p: f64, q: f64) -> f64 {
    f(p, q) + f(q, p)
}
#[differentiable]
fn apply1(f: impl Fn(f64) -> f64, p: f64) -> f64 {
    f(p) * f(p + 1.0)
}
#[differentiable]
fn pair_of(f: impl Fn(f64) -> (f64, f64), p: f64) -> f64 {
    let (u, v) = f(p);
    u * v
}
#[differentiable(wrt(p))]
fn only_p(f: impl Fn(f64) -> f64, p: f64) -> f64 {
    f(p) * p
}

#[differentiable]
fn folded_by_name(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v * a).fold(1.0, add)
}

#[differentiable]
fn handed_over(x: &[f64], a: f64) -> f64 {
    apply2(|p, q| add(p, q), x[0], a) + apply2(f64::powf, x[2], a) + apply2(f64::max, x[1], a)
}

#[differentiable]
fn mapped_by_name(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v * a).map(sq).sum::<f64>() + x.iter().copied().map(f64::sin).sum::<f64>()
}

#[differentiable]
fn mapped_by_constructor(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v * a).map(Wrap).map(|w| w.0 * w.0).sum()
}

#[differentiable]
fn mapped_by_associated_function(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v * a).map(Wrap::make).map(|w| w.twice(a)).sum()
}

#[differentiable]
fn closure_of_a_pair(x: &[f64], a: f64) -> f64 {
    pair_of(|t| (t * a, t * x[0]), x[2])
}

#[differentiable]
fn nested_parts(x: &[f64], a: f64) -> f64 {
    let f = |t: f64| (t * a, [t, t * t]);
    let (u, [v, w]) = f(x[0]);
    u * v * w
}

#[differentiable]
fn function_that_wrt_leaves_out(x: &[f64], a: f64) -> f64 {
    only_p(|t| t * x[1] * a, x[0])
}

#[differentiable]
fn method_by_path(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| Some(v * a)).map(Option::unwrap).sum()
}

#[differentiable]
fn array_of_functions(x: &[f64], a: f64) -> f64 {
    let fs: [fn(f64) -> f64; 2] = [f64::sin, f64::cos];
    fs.iter().zip(x).map(|(f, v)| f(v * a)).sum()
}

#[differentiable]
fn functions_bound(x: &[f64], a: f64) -> f64 {
    let g = f64::max;
    let h = add;
    g(x[0], a) * h(x[1], a)
}

#[differentiable]
fn vector_of_boxes(x: &[f64], a: f64) -> f64 {
    let ops: Vec<Box<dyn Fn(f64) -> f64>> = vec![Box::new(|t| t * a), Box::new(move |t| t * t + x[0])];
    ops.iter().map(|f| f(x[1])).sum()
}

#[differentiable]
fn closure_of_a_closure(x: &[f64], a: f64) -> f64 {
    let comp = |f: &dyn Fn(f64) -> f64, t: f64| f(f(t));
    comp(&|t| t * a, x[0]) + comp(&sq, x[1])
}

#[differentiable]
fn pairs_folded(x: &[f64], a: f64) -> f64 {
    x.iter().zip(x.iter().skip(1)).map(|(p, q)| (p * a, q * p)).fold((0.0, 1.0), |(s, t), (p, q)| (s + p, t * q)).0
}

#[differentiable]
fn handed_over_inside(x: &[f64], a: f64) -> f64 {
    apply1(sq, x[0]) + apply1(f64::exp, a) + apply1(|t| apply1(|u| u * t * a, x[1]), x[2])
}

#[differentiable]
fn closures_made(x: &[f64], a: f64) -> f64 {
    let k = |c: f64| move |t: f64| c * t * a;
    let f = k(x[0]);
    let g = k(x[1]);
    f(g(x[2]))
}

#[differentiable]
fn reduced_by_name(x: &[f64], a: f64) -> f64 {
    x.iter().copied().reduce(add).unwrap() * x.iter().copied().map(f64::abs).reduce(f64::hypot).unwrap() * a
}

#[differentiable]
fn method_of_a_reference(x: &[f64], a: f64) -> f64 {
    let ws: Vec<Wrap> = x.iter().map(|v| Wrap(v * a)).collect();
    ws.iter().map(Wrap::val).sum::<f64>() + ws.iter().map(|w| w.val()).product::<f64>()
}

#[differentiable]
fn sorted_by_closures(x: &[f64], a: f64) -> f64 {
    let by = |p: &f64, q: &f64| p.total_cmp(q);
    let mut v = x.to_vec();
    v.sort_by(by);
    let c = v[1] * a;
    let key = |t: &f64| (t - c).abs();
    v.sort_by(|p, q| key(p).total_cmp(&key(q)));
    v.iter().enumerate().map(|(i, t)| t * i as f64).sum::<f64>() * c
}

#[differentiable]
fn sorted_by_bound_names(x: &[f64], a: f64) -> f64 {
    let cmp = f64::total_cmp;
    let mut v: Vec<(f64, f64)> = x.iter().map(|t| (*t, t * a)).collect();
    v.sort_by(|p, q| cmp(&p.1, &q.1));
    let lim = |t: &f64| *t < a;
    let w: Vec<f64> = v.iter().map(|p| p.1).collect();
    w[w.partition_point(lim).min(4)] * v[0].0
}

#[differentiable]
fn mix(p: f64, q: f64) -> f64 {
    p + p * q.sin()
}

/// How many arguments they take shows in the type that is written, or in a call.
#[differentiable]
fn of_two_arguments(x: &[f64], a: f64) -> f64 {
    #[differentiable]
    fn own(p: f64, q: f64) -> f64 {
        p * q - q
    }
    let typed: fn(f64, f64) -> f64 = add;
    let chosen: fn(f64, f64) -> f64 = if a > 0.0 { mix } else { add };
    let all: [fn(f64, f64) -> f64; 2] = [add, mix];
    let named = mix;
    let mut s = apply2(typed, x[0], a) * apply2(chosen, x[1], a) + apply2(own, x[3], a) + apply2(named, a, named(a, a));
    for k in 0..3 {
        let f = match k {
            0 => add,
            1 => mix,
            _ => f64::hypot,
        };
        s += apply2(f, x[k], a) * all.iter().map(|f| apply2(f, x[2], a)).sum::<f64>();
    }
    s
}

#[differentiable]
mod beside {
    fn product(p: f64, q: f64, r: f64) -> f64 {
        p * q.cos() + r
    }

    fn thrice(f: impl Fn(f64, f64, f64) -> f64, x: f64) -> f64 {
        f(x, 2.0, f(x, x, 0.5 * x))
    }

    pub(super) fn of_three_arguments(x: &[f64], a: f64) -> f64 {
        thrice(product, x[0] * a)
    }
}

use beside::{of_three_arguments, of_three_arguments_jvp, of_three_arguments_value_and_grad};

checked! {
    of_two_arguments of_two_arguments_value_and_grad of_two_arguments_jvp;
    of_three_arguments of_three_arguments_value_and_grad of_three_arguments_jvp;
    folded_by_name folded_by_name_value_and_grad folded_by_name_jvp;
    handed_over handed_over_value_and_grad handed_over_jvp;
    mapped_by_name mapped_by_name_value_and_grad mapped_by_name_jvp;
    mapped_by_constructor mapped_by_constructor_value_and_grad mapped_by_constructor_jvp;
    mapped_by_associated_function mapped_by_associated_function_value_and_grad mapped_by_associated_function_jvp;
    closure_of_a_pair closure_of_a_pair_value_and_grad closure_of_a_pair_jvp;
    nested_parts nested_parts_value_and_grad nested_parts_jvp;
    function_that_wrt_leaves_out function_that_wrt_leaves_out_value_and_grad function_that_wrt_leaves_out_jvp;
    method_by_path method_by_path_value_and_grad method_by_path_jvp;
    array_of_functions array_of_functions_value_and_grad array_of_functions_jvp;
    functions_bound functions_bound_value_and_grad functions_bound_jvp;
    vector_of_boxes vector_of_boxes_value_and_grad vector_of_boxes_jvp;
    closure_of_a_closure closure_of_a_closure_value_and_grad closure_of_a_closure_jvp;
    pairs_folded pairs_folded_value_and_grad pairs_folded_jvp;
    handed_over_inside handed_over_inside_value_and_grad handed_over_inside_jvp;
    closures_made closures_made_value_and_grad closures_made_jvp;
    reduced_by_name reduced_by_name_value_and_grad reduced_by_name_jvp;
    method_of_a_reference method_of_a_reference_value_and_grad method_of_a_reference_jvp;
    sorted_by_closures sorted_by_closures_value_and_grad sorted_by_closures_jvp;
    sorted_by_bound_names sorted_by_bound_names_value_and_grad sorted_by_bound_names_jvp;
}

/// What a function that is handed over gives decides only, in branches and loops that give nothing with a derivative.
mod of_values_that_decide {
    #[cotangent::differentiable]
    fn counted(x: f64, h: impl Fn(f64) -> f64) -> f64 {
        let mut n = 0;
        if x <= 1.0 {
            let _unused = h(1.0 - x);
        }
        if x <= 2.0 {
            n = h(x) as usize;
        }
        for _ in 0..3 {
            if h(x) > 100.0 {
                n += 1;
            }
        }
        let mut m = 0;
        while m < 3 && h(m as f64) < 2.0 {
            m += 1;
        }
        x * n as f64 + m as f64 + x
    }

    #[cotangent::differentiable]
    fn outer(a: f64, x: f64) -> f64 {
        counted(x, |t| a * t + 1.0) * a
    }

    #[test]
    fn agrees() {
        for x in [0.5, 1.5, 3.0] {
            let (a, h) = (1.7, 1e-6);
            let (value, (a_bar, x_bar)) = outer_value_and_grad(a, x);
            assert_eq!(value.to_bits(), outer(a, x).to_bits());
            let difference =
                |da: f64, dx: f64| (outer(a + da * h, x + dx * h) - outer(a - da * h, x - dx * h)) / (2.0 * h);
            assert!((a_bar - difference(1.0, 0.0)).abs() < 1e-7);
            assert!((x_bar - difference(0.0, 1.0)).abs() < 1e-7);
            let (value, along) = outer_jvp(a, x, 0.3, 0.4);
            assert_eq!(value.to_bits(), outer(a, x).to_bits());
            assert!((along - 0.3 * a_bar - 0.4 * x_bar).abs() < 1e-12);
        }
    }
}
