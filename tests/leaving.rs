//! `break`, `continue`, `return` and `?` from inside of an expression.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;

#[differentiable]
fn compound(x: &[f64], a: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += match i {
            3 => break,
            1 => continue,
            _ => x[i] * a,
        };
    }
    s
}

#[differentiable]
fn product(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    for i in 0..x.len() {
        s = s * (if x[i] > 2.0 { return s * a } else { x[i] }) + 1.0;
    }
    s
}

#[differentiable]
fn arguments(x: &[f64], a: f64) -> f64 {
    let y = f64::max(
        if a < 0.0 { return x[0] } else { a },
        match x.first() {
            Some(t) => *t,
            None => return a,
        },
    );
    y * y
}

#[differentiable]
fn last_value(x: &[f64], a: f64) -> f64 {
    let mut s = x[0];
    loop {
        s *= a * {
            if s > 10.0 {
                break s;
            }
            1.1
        };
    }
}

#[differentiable]
fn pushed(x: &[f64], a: f64) -> f64 {
    let mut v = vec![a, x[0]];
    for t in x {
        v.push(match v.len() {
            5 => return v[0] * v[3] + a,
            n if n % 2 == 0 => t * a,
            _ => v[0] * v[1] - t,
        });
    }
    v.iter().sum()
}

#[differentiable]
fn labels(x: &[f64], a: f64) -> f64 {
    let mut s = 0.0;
    'rows: for i in 0..4 {
        for j in 0..4 {
            let t = -(if i * j == 6 {
                break 'rows;
            } else if j > i {
                continue 'rows;
            } else {
                x[i] * x[j]
            }) * a;
            s += t + 'inner: {
                if t < 0.0 {
                    break 'inner t * a;
                }
                1.0
            };
        }
    }
    s
}

#[differentiable]
fn at_the_end(x: &[f64], a: f64) -> f64 {
    a * match x.len() {
        0 => return 1.0,
        _ => x[1],
    } + x[0]
}

#[differentiable]
fn in_conditions(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    for t in x {
        if (match t {
            t if *t < -1.0 => continue,
            t => t * a,
        }) > 1.0
        {
            s *= t;
        }
    }
    s
}

#[differentiable]
fn element(x: &[f64], a: f64) -> Option<f64> {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += a * match i {
            0 => *x.get(i)?,
            4 => return Some(s * a),
            _ => x[i],
        };
    }
    Some(s + *x.get(9)?)
}

#[differentiable]
fn of_options(x: &[f64], a: f64) -> f64 {
    element(x, a).unwrap_or(a) + element(&x[1..], a).map_or(x[0], |t| t)
}

checked! {
    compound compound_value_and_grad compound_jvp;
    product product_value_and_grad product_jvp;
    arguments arguments_value_and_grad arguments_jvp;
    last_value last_value_value_and_grad last_value_jvp;
    pushed pushed_value_and_grad pushed_jvp;
    labels labels_value_and_grad labels_jvp;
    at_the_end at_the_end_value_and_grad at_the_end_jvp;
    in_conditions in_conditions_value_and_grad in_conditions_jvp;
    of_options of_options_value_and_grad of_options_jvp;
}
