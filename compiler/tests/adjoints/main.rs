//! Whole functions in the interpreter: the tangent program, the pullback before and after it is decided what is kept,
//! and central differences must agree, and all must give the primal's value.

mod second;
mod written_once;

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::interp::{self, Val};
use cotangent_compiler::ir::{Func, Op};
use cotangent_compiler::pipeline;
use cotangent_compiler::syntax::{options, signature};

/// Runs all stages of a function at a point and compares. `args`: floats are differentiable, the rest is not.
fn check(source: &str, args: &[Val]) {
    check_with("", source, args);
    check_with("checkpoint(steps = 2)", source, args);
}

fn check_with(options: &str, source: &str, args: &[Val]) {
    let item: syn::ItemFn = syn::parse_str(source).unwrap();
    let name = item.sig.ident.to_string();
    let mut diags = Diagnostics::new();
    let options = options::parse(options.parse().unwrap(), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    let problems: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    assert!(problems.is_empty(), "{name}: {problems:?}");
    let s = stages.unwrap();
    let primal = |args: &[Val]| -> f64 {
        interp::run(&s.lowered.func, args).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", s.lowered.func))[0].flat()[0]
    };
    let y = primal(args);
    let flags: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let reverse = s.first.reverse.as_ref().unwrap();
    let stored = s.first.stored.as_ref().unwrap();
    let forward = s.first.forward.as_ref().unwrap();
    let optimised = interp::run(&s.primal, args).unwrap()[0].flat()[0];
    assert_eq!(y.to_bits(), optimised.to_bits(), "{name}: the optimiser changed the value");
    let gradient = |f: &Func, stage: &str| -> Vec<f64> {
        let out = interp::run(f, args).unwrap_or_else(|e| panic!("{name}, {stage}: {e:?}\n{f}"));
        assert_eq!(out[0].flat()[0].to_bits(), y.to_bits(), "{name}: {stage} changed the value");
        let entries = interp::call(f, out.last().unwrap(), &[Val::Float(1.0)])
            .unwrap_or_else(|e| panic!("{name}, {stage}: {e:?}\n{f}"));
        entries.iter().flat_map(Val::flat).collect()
    };
    let before = gradient(reverse, "reverse");
    let after = gradient(stored, "stored");
    close(&before, &after, 1e-13, &name, stored);
    if let Some(joined) = &s.first.gradient {
        let out = interp::run(joined, args).unwrap_or_else(|e| panic!("{name}, gradient: {e:?}\n{joined}"));
        assert_eq!(out[0].flat()[0].to_bits(), y.to_bits(), "{name}: gradient changed the value");
        let entries: Vec<f64> = out[1..].iter().flat_map(Val::flat).collect();
        close(&after, &entries, 1e-13, &name, joined);
    }
    let mut at = 0;
    for (i, arg) in args.iter().enumerate() {
        if !flags[i] {
            continue;
        }
        let flat = arg.flat();
        for k in 0..flat.len() {
            let shifted = |h: f64| {
                let mut x = flat.clone();
                x[k] += h;
                let mut args = args.to_vec();
                args[i] = arg.with_flat(&x);
                primal(&args)
            };
            let h = 1e-5;
            // fourth order
            let d = (8.0 * (shifted(h) - shifted(-h)) - (shifted(2.0 * h) - shifted(-2.0 * h))) / (12.0 * h);
            close(&[after[at]], &[d], 1e-7, &format!("{name} by parameter {i}, entry {k}"), stored);
            let mut all = args.to_vec();
            for (j, a) in args.iter().enumerate() {
                if flags[j] {
                    let mut dx = vec![0.0; a.flat().len()];
                    if j == i {
                        dx[k] = 1.0;
                    }
                    all.push(a.with_flat(&dx));
                }
            }
            let out = interp::run(forward, &all).unwrap_or_else(|e| panic!("{name}, forward: {e:?}\n{forward}"));
            assert_eq!(out[0].flat()[0].to_bits(), y.to_bits(), "{name}: forward changed the value");
            close(&out.last().unwrap().flat(), &[after[at]], 1e-12, &format!("{name} forward, {i}, {k}"), stored);
            at += 1;
        }
    }
    assert_eq!(at, after.len());
    second::check(source, args, &flags, &after);
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tol: f64, what: &str, func: &Func) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().zip(b) {
        let scale = x.abs().max(y.abs()).max(1.0);
        assert!((x - y).abs() <= tol * scale, "{what}: {a:?} is not {b:?}\n{func}");
    }
}

fn floats(x: &[f64]) -> Val {
    Val::floats(x)
}

#[test]
fn scalars() {
    check(
        "fn f(x: f64, y: f64) -> f64 { let z = x * y.sin(); z.exp() / (x + 2.0) + z.atan2(y) }",
        &[1.3.into(), 0.7.into()],
    );
    check(
        "fn f(x: f64) -> f64 { let mut y = x; y *= 2.0 - y; y += y * y; y -= 0.5 * y; y /= 1.0 + y; y *= y; y }",
        &[0.7.into()],
    );
    check("fn f(x: f64) -> f64 { let (s, c) = x.sin_cos(); let t = (s, c * s); t.0 * t.1 }", &[0.7.into()]);
}

#[test]
fn branches() {
    let chain =
        "fn f(x: f64, y: f64) -> f64 { if x > 2.0 { x * y } else if x > 1.0 { x * x + y } else { x.sin() / y } }";
    for x in [2.5, 1.5, 0.5] {
        check(chain, &[x.into(), 0.5.into()]);
    }
    let early = "fn f(x: f64, k: i64) -> f64 {
        let base = match k { 0 => x, 1 | 2 => x * x, 3..=5 => { let t = x.sin(); t * t } n if n < 0 => x / n as f64, _ => return 9.0 * x };
        match (k % 2, x > 1.0) { (0, true) => base + x, (_, false) => base * 2.0, _ => base }
    }";
    for (x, k) in [(1.5, 2), (1.5, 0), (0.5, 4), (0.5, -2), (1.5, 99), (1.5, 1)] {
        check(early, &[x.into(), Val::Int(k)]);
    }
    check(
        "fn f(x: f64, n: usize) -> f64 { let mut v = x * x; if n > 2 { if x > 1.0 { return v.exp(); } v = v.sin(); } v * x }",
        &[1.5.into(), 3_usize.into()],
    );
    check(
        "fn f(x: f64, n: usize) -> f64 { let mut v = x * x; if n > 2 { if x > 1.0 { return v.exp(); } v = v.sin(); } v * x }",
        &[0.5.into(), 3_usize.into()],
    );
}

#[test]
fn loops() {
    check(
        "fn f(x: f64, n: usize) -> f64 { let mut s = 1.0; for i in 0..n { s = s * x + (i as f64).sin(); } s }",
        &[0.8.into(), 5_usize.into()],
    );
    let capped = "fn f(x: f64, n: usize) -> f64 { let mut s = 1.0; for i in 0..n { s = s * x + i as f64; if s > 10.0 { return s * x; } } s - x }";
    check(capped, &[1.5.into(), 3_usize.into()]);
    check(capped, &[1.5.into(), 20_usize.into()]);
    check(
        "fn f(x: f64, n: usize) -> f64 { let mut sum = 0.0; for i in 0..n { let mut p = 1.0; for j in 0..=i { p *= x + j as f64; } sum += p / (i + 1) as f64; } sum }",
        &[0.6.into(), 5_usize.into()],
    );
    check(
        "fn f(a: f64) -> f64 { let mut x = a; while (x * x - a).abs() > 1e-13 * a { x = 0.5 * (x + a / x); } x }",
        &[2.0.into()],
    );
    check(
        "fn f(x: f64) -> f64 { let mut t = x; let mut n = 0; let last = loop { t = t * t + x; n += 1; if t > 50.0 { break t / n as f64; } }; last + x }",
        &[1.2.into()],
    );
    check(
        "fn f(x: f64, y: f64) -> f64 { let mut s = 0.0; 'rows: for i in 0..6 { for j in 0..6 { if j > i { continue 'rows; } let t = x * i as f64 + y * j as f64; if t > 4.0 { break 'rows; } s += t * t; } } s }",
        &[0.7.into(), 0.9.into()],
    );
    check(
        "fn f(x: f64) -> f64 { let mut s = 0.0; for i in (0..5).rev() { s = s * x + i as f64; } for i in (1..10).step_by(3) { s += x / i as f64; } for i in (1..=6).rev().step_by(2) { s /= x + i as f64; } s }",
        &[1.7.into()],
    );
    check(
        "fn f(a: f64, b: f64) -> f64 { let mut sum = 0.0; let mut c = 0; while { sum += a * b; sum != 0.0 } { let mut d = 0; while { sum += a * b; sum != 0.0 } { if d == 1 { sum += a * b; break; } d += 1; } if c == 1 { sum += a * b; break; } c += 1; } sum }",
        &[3.0.into(), 5.0.into()],
    );
}

#[test]
fn sequences() {
    check(
        "fn f(a: &[f64], b: &[f64]) -> f64 { let mut s = 0.0; for i in 0..a.len() { s += a[i] * b[i].exp(); } s }",
        &[floats(&[1.0, -2.0, 3.0]), floats(&[0.4, 0.5, -1.0])],
    );
    let bubble = "fn f(x: &[f64], w: &[f64]) -> f64 { let mut v = x.to_vec(); for i in 0..v.len() { for j in 0..v.len() - 1 - i { if v[j] > v[j + 1] { v.swap(j, j + 1); } } } let mut s = 0.0; for i in 0..v.len() { s += v[i] * w[i]; } s }";
    check(bubble, &[floats(&[3.0, -1.0, 2.0, 0.5]), floats(&[1.0, 10.0, 100.0, 1000.0])]);
    check(
        "fn f(x: &[f64]) -> f64 { let mut x = x.to_vec(); for i in 1..x.len() { x[i] *= x[i - 1]; } for i in 0..x.len() { x[i] = x[i] * x[i]; } let mut s = 0.0; for (i, v) in x.iter().enumerate() { s += (i + 1) as f64 * v; } s }",
        &[floats(&[1.5, -0.5, 2.0, 0.8])],
    );
    check(
        "fn f(u: &[f64], k: f64, steps: usize) -> f64 { let n = u.len(); let mut now = u.to_vec(); let mut next = vec![0.0; n]; for _ in 0..steps { for i in 0..n { let left = if i == 0 { now[0] } else { now[i - 1] }; let right = if i + 1 == n { now[n - 1] } else { now[i + 1] }; next[i] = now[i] + k * (left - 2.0 * now[i] + right); } std::mem::swap(&mut now, &mut next); } let mut e = 0.0; for t in &now { e += t * t; } e }",
        &[floats(&[0.0, 1.0, 4.0, 2.0, 0.5]), 0.2.into(), 6_usize.into()],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for pair in x.chunks(2) { let mut p = 1.0; for t in pair { p *= t; } s += p; } for w in x.windows(3) { s += w[0] * w[1] * w[2]; } let (l, r) = x.split_at(3); s - l[0] * r[0] * r[1] + l[2] }",
        &[floats(&[1.0, 2.0, -1.0, 0.5, 3.0])],
    );
    check(
        "fn f(x: &[f64], c: f64) -> f64 { let mut y = x.to_vec(); let mut z = y.clone(); z.fill(c); z[1..3].copy_from_slice(&x[0..2]); y[0] *= z[1]; y[2..].copy_from_slice(&z[2..]); let mut s = x[0]; for i in 0..y.len() { s += y[i] * z[i]; } s }",
        &[floats(&[2.0, 3.0, 5.0, 7.0]), 0.5.into()],
    );
    check(
        "fn f(v: Vec<f64>) -> f64 { let mut v = v; let mut s = 1.0; for x in v.iter_mut() { *x = 1.0 + *x * *x; } for x in v { s *= x; } s }",
        &[floats(&[0.5, -1.5, 2.0])],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let mut out = Vec::with_capacity(x.len()); let mut s = 0.0; for v in x { s += v * v; out.push(s); } let mut t = 0.0; for o in &out { t += o * o.sin(); } t }",
        &[floats(&[1.0, 2.0, 3.0])],
    );
    check(
        "fn f(x: f64, n: usize) -> f64 { let mut p = [x, 1.0, 0.5 * x]; for _ in 0..n { p = [p[1] * p[2], p[0] + 0.3 * p[2], p[0] * p[0] - p[1]]; } p[0] + 2.0 * p[1] + 3.0 * p[2] }",
        &[0.8.into(), 3_usize.into()],
    );
}

#[test]
fn closures() {
    check(
        "fn f(a: f64, x: f64) -> f64 { let f = |t: f64| a * t * t + t.sin(); f(x) + f(2.0 * x) + f(a) }",
        &[0.7.into(), 1.1.into()],
    );
    check(
        "fn f(x: f64, y: f64) -> f64 { let mut total = y; let mut add = |t: f64| total = total * t + t; add(x); add(y); add(x * y); total }",
        &[1.5.into(), (-0.5).into()],
    );
    check(
        "fn f(x: f64, y: f64) -> f64 { let mut a = x * x; let f = move |t: f64| a * t; a = y; f(3.0) + a * x }",
        &[2.0.into(), 5.0.into()],
    );
}

#[test]
fn iterators() {
    check(
        "fn f(x: &[f64], y: f64) -> f64 { let xy: Vec<f64> = x.iter().map(|xi| xi / y).collect(); let a: f64 = xy.iter().sum(); let b = x.iter().zip(xy.iter()).fold(0.0, |acc, (p, q)| acc + p * q); let c: f64 = x.windows(2).map(|w| w[0] * w[1]).sum(); let d = x.iter().rev().fold(0.0, |acc, c| acc * y + c); a + b + c + d }",
        &[floats(&[1.0, 2.0, 3.0]), 1.5.into()],
    );
    check(
        "fn f(x: &[f64], k: f64) -> f64 { x.iter().filter(|t| **t > 0.0).map(|t| k * t.exp()).sum::<f64>() + x.iter().skip(1).step_by(2).product::<f64>() }",
        &[floats(&[1.0, -2.0, 0.3, 0.7]), 1.5.into()],
    );
    check(
        "fn f(x: &[f64], k: f64) -> f64 { let mut s = 0.0; for (i, v) in x.iter().enumerate().filter(|(i, _)| i % 2 == 0) { s += k * v * i as f64; } (0..4).fold(s, |a, _| if a < 20.0 { a * a } else { a }) }",
        &[floats(&[1.0, -2.0, 0.3, 0.7, 0.9]), 1.5.into()],
    );
    check(
        "fn f(x: &[f64], k: f64) -> f64 { x.iter().chain(&[k, 2.0 * k]).take_while(|t| t.abs() < 100.0).map(|t| t * k).sum() }",
        &[floats(&[1.0, -2.0, 0.3]), 1.5.into()],
    );
    check(
        "fn f(x: &[f64], k: f64) -> f64 { x.iter().flat_map(|a| x.iter().map(move |b| a * b * k)).sum::<f64>() + x.iter().scan(1.0, |s, t| { *s *= t; Some(*s) }).sum::<f64>() }",
        &[floats(&[1.0, -2.0, 0.3]), 1.5.into()],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let n = x.iter().filter(|t| **t > 0.0).count(); let all = x.iter().all(|t| *t > -10.0); let m = x.iter().map(|t| t.abs() as usize).sum::<usize>(); if all { x[0] * n as f64 + m as f64 * x[1] } else { 0.0 } }",
        &[floats(&[1.4, -2.5, 0.3])],
    );
    check(
        "fn f(v: &[f64]) -> f64 { v.iter().copied().fold(f64::NEG_INFINITY, f64::max) }",
        &[floats(&[0.1, 0.2, 0.9])],
    );
}

#[test]
fn options() {
    check(
        "fn f(y: f64, extra: bool) -> f64 { let mut v = None; if extra { v = Some(y.sin()); } let mut z = y.cos(); if extra { z += v.unwrap(); } z }",
        &[1.1.into(), true.into()],
    );
    check(
        "fn f(y: f64, extra: bool) -> f64 { let mut v = None; if extra { v = Some(y.sin()); } let mut z = y.cos(); if extra { z += v.unwrap(); } z }",
        &[1.1.into(), false.into()],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let a = match x.first() { Some(a) => a * a, None => 0.0 }; let b = if let Some(b) = x.get(7) { *b } else { x[1] }; a * b + x.last().copied().unwrap_or(0.0) + x.iter().map(|t| Some(*t)).map(|o| o.map_or(0.0, |t| t * t)).sum::<f64>() }",
        &[floats(&[1.0, -2.0, 0.3])],
    );
}

#[test]
fn growing_and_shrinking() {
    check(
        "fn f(x: f64, y: f64) -> f64 { let mut a: Vec<f64> = Vec::with_capacity(2); for i in 0..5 { a.push(i as f64 + y); a[i] *= x; } let last = a.pop().unwrap_or(0.0); a.truncate(3); a.extend_from_slice(&[x * y, last]); a.insert(1, y); a.remove(0) * a[1] + a[a.len() - 1] + a.iter().sum::<f64>() }",
        &[3.0.into(), 4.0.into()],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let mut v = x.to_vec(); v.reverse(); v.rotate_left(1); v.resize(6, x[0] * x[1]); let Some(last) = v.last() else { return 0.0; }; let mut s = *last; for (k, t) in v.iter().enumerate() { s += k as f64 * t * t; } s }",
        &[floats(&[1.0, -2.0, 0.3])],
    );
}

#[test]
fn growing_and_shrinking_in_their_places() {
    check(
        "fn f(x: &[f64]) -> f64 { let mut m = vec![vec![x[0]], vec![x[1], x[2]]]; let mut t = (vec![x[0]], 2.0); for i in 0..2 { m[i].push(x[i] * x[2]); t.0.push(m[i][0]); } let last = m[1].pop().unwrap_or(0.0); m[0].truncate(1); m[0].insert(0, last * t.0[2]); t.1 = m[1].remove(0); t.0.clear(); t.0.push(t.1); m[0][0] * m[0][1] + m[1][0] * t.0[0] }",
        &[floats(&[0.3, -2.0, 0.9])],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let mut m = vec![vec![x[0]], vec![x[1], x[2]]]; let s = m[1][1] * m[0][0]; m[1] = vec![s]; m[0] = m[1].clone(); m[0].push(s); m[1] = vec![m[0][1], x[0], s]; m[1][0] * m[1][1] + m[0][0] }",
        &[floats(&[0.3, -2.0, 0.9])],
    );
    check(
        "fn f(x: f64, y: f64) -> f64 { let mut o = Some(vec![x]); if let Some(v) = &mut o { v.push(y * x); v.push(x); } if let Some(v) = o.as_mut() { v.truncate(2); v[0] *= y; } match o { Some(v) => v[0] * v[1], None => y } }",
        &[0.7.into(), 1.3.into()],
    );
}

#[test]
fn many_branches_one_after_the_other() {
    // in as many steps as there are branches, not in one for each way through them
    let branches: String = (0..64).map(|k| format!("if n > {k} {{ v[{}] *= x; }} ", k % 2)).collect();
    check(
        &format!("fn f(x: f64, n: usize) -> f64 {{ let mut v = vec![x, 1.0]; {branches} v[0] + v[1] }}"),
        &[1.01.into(), 40.into()],
    );
}

#[test]
fn chosen_items() {
    check(
        "fn f(x: &[f64], k: f64) -> f64 { x.iter().find(|t| **t < 0.0).unwrap() * k + x[x.iter().position(|t| *t > 0.5).unwrap()] }",
        &[floats(&[0.3, -2.0, 0.9]), 0.7.into()],
    );
    check(
        "fn f(x: [f64; 3]) -> f64 { let y = x.map(|t| t * t); y.into_iter().sum::<f64>() * y[0] + x.iter().last().unwrap() * x.iter().map(|t| t.sin()).nth(1).unwrap() }",
        &[floats(&[0.3, -2.0, 0.9])],
    );
}

#[test]
fn options_in_loops() {
    check(
        "fn f(x: &[f64]) -> f64 { let mut best = None; for t in x { if best.is_none() || *t > best.unwrap() { best = Some(*t); } } let mut s = 0.0; while let Some(b) = best { s += b * b; if s > 3.0 { best = None; } else { best = Some(b * 1.5); } } s }",
        &[floats(&[0.3, 0.9, -2.0])],
    );
    check(
        "fn f(x: &[f64]) -> f64 { let mut kept = Vec::new(); for t in x { if *t > 0.0 { kept.push(t * t); } } let mut s = 0.0; for i in 0..kept.len() { s += kept[i] * kept[kept.len() - 1 - i]; } s }",
        &[floats(&[0.3, 0.9, -2.0, 0.4])],
    );
}

/// Loops whose adjoints may, or must not, join them ([`cotangent_compiler::opt::fuse`]).
#[test]
fn joined_sweeps() {
    let x = || floats(&[0.3, -0.8, 1.2, 0.5]);
    let programs = [
        // the cotangent depends on what the loop gives
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s.sqrt() }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let mut p = 1.0; for i in 0..x.len() { s += x[i].exp(); p *= x[i]; } s + p }",
        // the second loop needs the first one's result
        "fn f(x: &[f64]) -> f64 { let mut m = 0.0; for i in 0..x.len() { m += x[i]; } m /= x.len() as f64;
            let mut v = 0.0; for i in 0..x.len() { v += (x[i] - m) * (x[i] - m); } v }",
        // two loops that add into one cotangent
        "fn f(x: &[f64]) -> f64 { let mut a = 0.0; for i in 0..x.len() { a += x[i].sin(); } let mut b = 0.0; for i in 0..x.len() { b += x[i] * x[i] * x[i]; } a + 0.5 * b }",
        // exits, conditions, counting down
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { if x[i] > 1.0 { break; } s += x[i].exp(); } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in (0..x.len()).rev() { if x[i] < 0.0 { continue; } s += x[i].exp() * i as f64; } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let mut i = 0; while i < x.len() { s += x[i].exp(); i += 2; } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let mut i = 0; loop { s += x[i].exp(); i += 1; if i == x.len() { return s; } } }",
        // what is changed in place is not what it was at the end of an iteration
        "fn f(x: &[f64]) -> f64 { let mut y = x.to_vec(); let mut s = 0.0; for i in 0..y.len() { s += y[i] * y[i]; y[i] = 0.0; } s }",
        "fn f(x: &[f64]) -> f64 { let mut y = x.to_vec(); let mut s = 0.0; for i in 1..y.len() { y[i] = y[i] * y[i - 1].sin(); s += y[i] * y[i]; } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { let mut y = x.to_vec(); y[i] = y[i].exp(); for j in 0..y.len() { s += y[j] * y[j] * (i + j) as f64; } } s }",
        // rows: the inner sum is needed before its adjoint
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..3 { let mut z = 0.1; for j in 0..x.len() { z += x[j] * x[(i + j) % 4].exp(); } s += z.tanh() * x[i]; } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..3 { let mut z = 1.0; for j in 0..x.len() { if x[j] > 0.0 { z *= x[j]; } } if z > 0.1 { s += z.ln() * x[i]; } else { s += z; } } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..3 { let mut v = vec![0.0; 4]; for j in 0..x.len() { v[j] = x[j] * x[i]; } let mut t = 0.0; for j in 0..4 { t += v[j] * v[j].cos(); } s += t * t; } s }",
        // a branch around and inside of loops
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; if x[0] > 0.0 { for i in 0..x.len() { s += x[i].exp(); } } else { s = x[1]; } s * x[2] }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let mut best = x[0]; for i in 0..x.len() { if x[i] > best { best = x[i]; } s += best * x[i]; } s }",
        // the sum is read on the way
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i]; s += s * x[i]; } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let mut t = 0.0; for i in 0..x.len() { s += x[i]; t += s * s; } t }",
        "fn f(x: &[f64]) -> f64 { let mut v = Vec::new(); let mut s = 0.0; for i in 0..x.len() { v.push(x[i] * 2.0); s += v[i] * v[i / 2]; } s + v[1] }",
    ];
    for program in programs {
        check(program, &[x()]);
    }
}

/// What is the same in all iterations, and what counts them, is not kept for each ([`cotangent_compiler::storage`]).
#[test]
fn invariants_and_counters() {
    let x = || floats(&[0.3, -0.8, 1.2, 0.5, 0.9, -0.4]);
    // a packed triangle, column by column: what is kept, is kept for a column; the exponentials stay in their vector
    let triangle = "fn f(x: &[f64]) -> f64 { let mut u = vec![0.0; 3]; let mut y = vec![0.0; 3]; for r in 0..3 { u[r] = x[r].exp(); }
        let mut at = 0; for c in 0..3 { for r in c..3 { y[r] += x[at] * u[c]; at += 1; } } let mut s = 0.0; for r in 0..3 { s += y[r] * y[r]; } s }";
    assert_eq!(slots(triangle), ["Vec<(f64, usize)>"]);
    let programs = [
        triangle,
        // no iteration, and an index that would be out of bounds
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut s = 0.0; for c in 0..9 { for r in c + 1..x.len() { u[r] *= x[r]; s += u[c] * x[r]; } } s }",
        "fn f(x: &[f64]) -> f64 { let u = vec![x[0] * x[1]]; let mut s = 0.0; for c in 0..3 { for r in 1..c.min(1) { s += u[c] * x[r]; } for r in c..2 { s += u[0].exp() * u[c / 2] * x[r]; } } s }",
        // the index is in a branch that is not taken
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut s = 0.0; for c in 0..9 { for r in 0..x.len() { u[r] *= x[r]; if c < x.len() { s += u[c] * x[r]; } } } s }",
        // what is loaded changes within the loop
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut s = 0.0; for c in 0..3 { for r in 0..x.len() { s += u[c] * x[r]; u[c] += x[r] * x[r]; } } s }",
        // what is the same follows from more than one operation
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); u[0] *= u[1]; let mut p = 1.0; for r in 0..x.len() { p *= x[r] * (u[0] * u[1]).exp(); } p }",
        // downwards, inclusive, by steps, and downwards counting
        "fn f(x: &[f64]) -> f64 { let mut u = vec![0.0; 8]; let mut at = 7; for r in (0..x.len()).rev() { u[at] += x[r] * x[at - 2]; at -= 1; } u.iter().map(|t| t * t).sum() }",
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut at = 1; for r in (1..=4).rev() { u[at] += x[r] * u[at - 1] * x[at]; at += 1; } u.iter().map(|t| t * t).sum() }",
        "fn f(x: &[f64], k: usize) -> f64 { let mut u = x.to_vec(); let mut at = 0; for r in 0..=2 { u[at] *= x[r] * u[at + 1]; at += k; } u[at - k] + u.iter().product::<f64>() + at as f64 * x[1] }",
        // a counter that leaves the loop early, one that counts some iterations, and one with another type
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut at = 0; for r in 0..5 { u[at] *= u[at + 1] * x[at]; at += 1; if x[r] > 1.0 { break; } } u[at] + u[0] }",
        "fn f(x: &[f64]) -> f64 { let mut u = x.to_vec(); let mut at = 0; for r in 0..5 { u[at] *= u[at + 1] * x[at]; if x[r] > 0.0 { at += 1; } } u[at] + u[0] }",
        "fn f(x: &[f64]) -> f64 { let mut p = 1.0; let mut k: i32 = -3; for r in 0..x.len() { p *= x[r] * (k as f64 * p).cos(); k += 2; } p }",
    ];
    for program in programs {
        let mut args = vec![x()];
        args.extend(program.contains("k: usize").then_some(Val::Int(2)));
        check(program, &args);
    }
}

/// Adjoints of loops that always add to the same place ([`cotangent_compiler::opt::promote`]), and sums that start late
/// ([`cotangent_compiler::opt::fuse`]).
#[test]
fn sums_of_adjoints() {
    let x = || floats(&[0.3, -0.8, 1.2, 0.5, 0.9, -0.4]);
    let programs = [
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for c in 0..9 { for r in c + 1..x.len() { s += x[c] * x[r].exp(); } } s }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for c in 0..4 { for r in (c..=3).rev() { s += x[c] * x[r] * x[0].sin(); } for r in 1..=c { s += x[r] * x[5]; } } s * s }",
        "fn f(x: &[f64]) -> f64 { let mut y = x.to_vec(); for c in 0..6 { for r in c + 1..6 { y[r] -= y[c] * x[r]; } } y.iter().map(|t| t * t).sum() }",
        "fn f(x: &[f64]) -> f64 { let mut y = [[0.0; 2]; 3]; for c in 0..3 { for r in 0..6 { y[c][1] += x[r] * x[c]; y[c][0] += y[c][1] * x[r]; } } y[0][0] * y[1][1] + y[2][0] }",
        "fn f(x: &[f64]) -> f64 { let p = (x[0] * x[1], x[2]); let mut s = 0.0; for r in 0..6 { s += p.0 * x[r] + p.1; if x[r] > 0.0 { s += p.0; } } s.cos() }",
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; let mut r = 0; while r < 6 { s *= x[2] * x[r]; r += 1; } for r in 0..6 { if r > 3 { break; } s += x[1] * x[r]; } s }",
        // the cotangent of `x` has a start that is known only after the loop
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for r in 0..6 { s += x[r].exp() * x[2]; } let mut t = 1.0; for r in 0..6 { t *= x[r] + s * 0.0; } s + t + x[0] }",
        "fn f(x: &[f64]) -> f64 { let y = vec![x[0] * x[1], x[2]]; let mut s = 0.0; for r in 0..6 { s += x[r].exp() * y[r % 2]; } let mut t = y[0]; while t < 9.0 { t += t * t + y[1] * y[1] + 1.0; } s + t }",
    ];
    for program in programs {
        check(program, &[x()]);
    }
}

/// What an iteration or an arm has computed is not computed again for its adjoint.
#[test]
fn adjoints_that_use_what_there_is() {
    let waves = "fn f(x: f64) -> f64 { let mut y = x; for _ in 0..4 { y = y.sin() * y.cos(); } y }";
    assert_eq!(slots(waves), ["Vec<(f64, f64)>"]);
    let programs = [
        waves,
        "fn f(x: f64) -> f64 { let mut y = x; let mut k = 0; while y < 9.0 { y += y.sin() * y.cos() + y.exp(); k += 1; } y * k as f64 }",
        "fn f(x: f64) -> f64 { if x > 0.5 { let (s, c) = x.sin_cos(); s * c / x } else { x.sinh() + x.cosh() } }",
        "fn f(x: f64) -> f64 { let mut y = x; for i in 0..5 { if i % 2 == 0 { y *= y.sin(); } else { y += y.cos() * y.sin() / (i as f64 + y); } } y }",
    ];
    for program in programs {
        check(program, &[0.7.into()]);
        check(program, &[0.4.into()]);
    }
}

/// The zero of an array follows from its type, so none is kept for its sake; nor is what a constant item says.
#[test]
fn arrays_and_items_that_are_not_kept() {
    let stages = "fn f(x: [f64; 2], h: f64) -> f64 { let mut y = x; for s in 0..3 { let mut k = [[0.0; 2]; 2]; \
                  let mut z = y; for j in 0..2 { for i in 0..2 { k[j][i] = h * z[i]; } z = y; z[0] += k[j][1].sin(); } \
                  if s != 1 { y = z; } } y[0] * y[1] }";
    assert_eq!(slots(stages), ["Vec<f64>", "Vec<f64>"]);
    check(stages, &[floats(&[0.3, 0.8]), 0.9.into()]);
    let items = "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { y += x * ROWS[i % 2][i]; } y }";
    assert_eq!(slots(items), [""; 0]);
}

/// The residual vectors that are made before loops.
fn slots(source: &str) -> Vec<String> {
    let item: syn::ItemFn = syn::parse_str(source).unwrap();
    let mut diags = Diagnostics::new();
    let options = options::parse(proc_macro2::TokenStream::new(), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    let f = pipeline::run(&sig, &item.block, &mut diags).and_then(|stages| stages.first.stored).unwrap();
    let mut found = Vec::new();
    f.walk(f.root, &mut |_, n| {
        if matches!(f[n].op, Op::Lengthen) {
            found.push(f.ty(f[n].outs[0]).to_string());
        }
    });
    found
}

fn matrix() -> Val {
    Val::Array { shape: vec![3, 2], data: vec![0.9, -1.4, 0.3, 2.2, -0.7, 1.1] }
}

#[test]
fn reductions_of_arrays() {
    for reduced in ["sum()", "product()", "var(1.0)", "std(0.5)", "mean().unwrap()", "pow2().mean().unwrap()"] {
        check(&format!("fn f(x: &Array2<f64>) -> f64 {{ let y = x.{reduced}; y * y }}"), &[matrix()]);
    }
    for axis in [0, 1] {
        for reduced in
            ["sum_axis(A)", "product_axis(A)", "var_axis(A, 1.0)", "std_axis(A, 0.0)", "mean_axis(A).unwrap()"]
        {
            let reduced = reduced.replace('A', &format!("Axis({axis})"));
            check(
                &format!("fn f(x: &Array2<f64>) -> f64 {{ let y = x.{reduced}; (&y * &y.exp()).sum() }}"),
                &[matrix()],
            );
        }
    }
}

/// The reverse program is run before and after its operations are merged and its shapes are noted.
#[test]
fn elementwise_operations_of_arrays() {
    for body in [
        "let w = (-(x * x)).exp() * x.sin(); (w + x / 2.0).tanh().sum()",
        "let t = x.tanh(); let u = &t * x + &t / (x * x + 1.0); (&u * &t).sum()",
        "let t = (x * 2.0).sin(); let p = &t * x; let q = &t + x; (p.dot(&q.t()) + q.dot(&p.t())).tanh().sum()",
        "let s = x.sum_axis(Axis(0)); ((x + &s).exp() * &s).sum()",
        "let mut s = x.dot(&x.t()); for _ in 0..3 { s = (s.dot(&s) * 0.1 + x.sum()).tanh(); } s.sum()",
        "let mut t = x * x; t += &x.sum_axis(Axis(0)); t *= x; t -= 0.5; let u = &t * &t; (u / (t + 9.0)).sum()",
        "let mut a = 0.0; let mut w = x * 0.1; for _ in 0..3 { w = w.dot(&x.t().dot(x)).tanh(); a += (&w * &w).sin().sum(); } a",
    ] {
        check(&format!("fn f(x: &Array2<f64>) -> f64 {{ {body} }}"), &[matrix()]);
    }
}

#[test]
fn reductions_where_they_have_no_derivative() {
    let gradient = |source: &str, data: &[f64]| -> Vec<f64> {
        let item: syn::ItemFn = syn::parse_str(source).unwrap();
        let mut diags = Diagnostics::new();
        let options = options::parse(proc_macro2::TokenStream::new(), &mut diags);
        let sig = signature::analyse(&item, &options, &mut diags);
        let stages = pipeline::run(&sig, &item.block, &mut diags).unwrap();
        assert!(!diags.has_errors());
        let (x, f) = (Val::Array { shape: vec![data.len()], data: data.to_vec() }, stages.first.stored.unwrap());
        let out = interp::run(&f, &[x]).unwrap();
        interp::call(&f, out.last().unwrap(), &[Val::Float(1.0)]).unwrap().iter().flat_map(Val::flat).collect()
    };
    let product = "fn f(x: &Array1<f64>) -> f64 { x.product() }";
    assert_eq!(gradient(product, &[2.0, 0.0, 5.0]), [0.0, 10.0, 0.0]);
    assert_eq!(gradient(product, &[0.0, 7.0, 0.0]), [0.0, 0.0, 0.0]);
    let std = "fn f(x: &Array1<f64>) -> f64 { x.std(0.0) }";
    assert_eq!(gradient(std, &[0.1, 0.1, 0.1]), [0.0, 0.0, 0.0]);
    let log = "fn f(x: &Array1<f64>) -> f64 { x.product().powf(0.0) }";
    assert_eq!(gradient(log, &[f64::INFINITY, 0.0]), [0.0, 0.0]);
}
