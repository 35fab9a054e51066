//! Variables that refer to one slice after the other, and patterns on slices: every companion against differences.

#![allow(clippy::needless_late_init, clippy::needless_range_loop)]

mod agree;

/// A slice, a vector or an array, as a branch chooses.
mod chosen {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let b = vec![a, a * a, x[0], x[1]];
        let c = [a, 2.0, x[2]];
        let s: &[f64] = if a > 0.0 { &b } else { &c };
        let r: &[f64] = match s.len() {
            3 => x,
            4 => &b[1..],
            _ => &c,
        };
        let mut t = 0.0;
        for (v, w) in s.iter().zip(r) {
            t += v * w;
        }
        t * s[1]
    }
}

/// The rest of a slice, again and again.
mod the_rest {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut r = x;
        let mut s = a;
        while !r.is_empty() {
            s = s * 0.5 + r[0] * a;
            r = &r[1..];
        }
        s
    }
}

/// The same by a pattern.
mod the_rest_by_pattern {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut r = x;
        let mut s = a;
        while let [first, rest @ ..] = r {
            s = s * 0.5 + first * a;
            r = rest;
        }
        s
    }
}

/// The same by `split_at` and `split_first`.
mod the_rest_by_parts {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut r = x;
        let mut s = 0.0;
        while r.len() >= 3 {
            let (h, t) = r.split_at(3);
            s += h[0] * h[1] * h[2] * a;
            r = t;
        }
        for v in r {
            s += v;
        }
        while let Some((h, t)) = r.split_first() {
            s *= h;
            r = t;
        }
        s
    }
}

/// Two references that are exchanged.
mod exchanged {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let (mut lo, mut hi) = x.split_at(4);
        if lo[0] > hi[0] {
            (lo, hi) = (hi, lo);
        }
        std::mem::swap(&mut lo, &mut hi);
        lo[0] * hi[1] * a + hi[3]
    }
}

/// Patterns on slices and on pairs in options.
mod patterns {
    use cotangent::differentiable;

    #[differentiable]
    fn pick(x: &[f64], a: f64) -> f64 {
        let o = if a > 0.0 { Some((x[0], x[1] * a)) } else { None };
        if let Some((p, q)) = o { p * q } else { a * x[2] }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        pick(x, a)
            + match x.split_last() {
                Some((l, rest)) => l * rest[1],
                None => 0.0,
            }
            + match x {
                [p, q, .., r] if *p > 1.0 => p * q * r,
                [p, ..] => p * a,
                [] => 0.0,
            }
    }
}

/// A pattern that may not match.
mod patterns_or_else {
    use cotangent::differentiable;

    #[differentiable]
    fn g(x: &[f64]) -> f64 {
        let [a, b, rest @ ..] = x else { return 0.0 };
        a * b + if rest.is_empty() { 1.0 } else { g(rest) }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        g(x) * a + g(&x[..1]) + g(&x[1..4])
    }
}

/// References to numbers.
mod the_best {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut best = &x[0];
        let mut other = &a;
        for t in x {
            if t > best {
                other = best;
                best = t;
            }
        }
        best * other * a
    }
}

/// References that are set later.
mod set_later {
    use cotangent::differentiable;

    #[differentiable]
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let v = vec![a, 2.0 * a];
        let s: &[f64];
        if a > 0.0 {
            s = &x[2..4];
        } else {
            s = &v;
        }
        let r;
        if a > 1.0 {
            r = x
        } else {
            r = &x[1..]
        }
        dot(s, s) * r[0] + dot(r, x)
    }
}

/// From one slice to another in a loop.
mod one_after_the_other {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let v: Vec<f64> = x.iter().map(|t| t * a).collect();
        let mut r: &[f64] = &v;
        let mut s = 0.0;
        for i in 0..5 {
            s += r[0];
            if i % 2 == 0 {
                r = &r[1..];
            } else {
                r = x;
            }
        }
        let mut q = &v;
        if a > 0.0 {
            q = &v;
        }
        s * r[1] + q[2]
    }
}

/// What was taken from a slice stays when the reference moves on.
mod what_it_was {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut r = x;
        let mut s = 0.0;
        while let [first, rest @ ..] = r {
            r = rest;
            s = s * a + first * r.len() as f64;
            if let Some(n) = r.first() {
                s += n * first;
            }
        }
        s
    }
}

/// Two slices are used up.
mod two_at_once {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let (mut p, mut q) = x.split_at(3);
        let mut s = 0.0;
        while !p.is_empty() && !q.is_empty() {
            if p[0] < q[0] {
                s = s * 0.5 + p[0];
                p = &p[1..];
            } else {
                s = s * a + q[0];
                q = &q[1..];
            }
        }
        for t in p.iter().chain(q) {
            s += t * a;
        }
        s
    }
}

/// One that began as a parameter is still needed, and is of another length.
mod begun_as_another {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let w = [x[1] * a, x[0]];
        let mut s = x;
        let mut sum = 0.0;
        for i in 0..5 {
            sum += s[1] * s.len() as f64;
            s = if i % 2 == 0 { &w } else { x };
        }
        sum * s[0]
    }
}

agree! {
    begun_as_another
    chosen
    the_rest
    the_rest_by_pattern
    the_rest_by_parts
    exchanged
    patterns
    patterns_or_else
    the_best
    set_later
    one_after_the_other
    what_it_was
    two_at_once
}
