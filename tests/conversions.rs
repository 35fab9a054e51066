//! Slices, vectors and arrays to each other, integers, and options in place; every companion against differences.

#![allow(clippy::needless_range_loop, clippy::unnecessary_fallible_conversions, clippy::useless_vec)]

mod agree;

/// `try_into` and `try_from` on parts of a slice.
mod try_into {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let p: [f64; 3] = x[1..4].try_into().unwrap();
        let q: [f64; 2] = x[..2].try_into().expect("two");
        let r = <[f64; 2]>::try_from(&x[2..4]).unwrap();
        p[0] * q[1] + p[2] * a * r[0]
    }
}

/// Patterns of slices, with `else`.
mod patterns {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let [p, q, rest @ ..] = x else { return 0.0 };
        let [u, v] = x[..2] else { return a };
        let &[s, t] = &rest[..2] else { return a };
        p * q + u * v * a + s * t + rest.iter().sum::<f64>()
    }
}

/// `first_chunk` and `last_chunk`.
mod chunks {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let h: &[f64; 2] = x.first_chunk().unwrap();
        let l = x.last_chunk::<2>().unwrap();
        let f = x.first_chunk::<2>().unwrap();
        let r = [x[2]];
        let c = [[x[0], x[1]], [x[2], x[3]]];
        let rem: [f64; 0] = [];
        let mut s = h[0] * l[1] + f[1] * r[0];
        for [p, q] in c {
            s += p * q * a;
        }
        s + rem.len() as f64 + c[1][0]
    }
}

/// Vectors and arrays to each other.
mod vectors {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let v = vec![x[0], a, x[1]];
        let w: [f64; 3] = v.clone().try_into().unwrap();
        let z: Vec<f64> = w.into();
        let y = Vec::from(w);
        let b: &[f64] = &v;
        let m = w.to_vec();
        let sl: &[f64] = w.as_slice();
        z[0] * y[1] + b[2] * m[0] + sl[1]
    }
}

/// Chunks and windows as arrays.
mod in_loops {
    use cotangent::differentiable;
    #[differentiable]
    fn dot(p: [f64; 2], q: &[f64; 2]) -> f64 {
        p[0] * q[0] + p[1] * q[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = 0.0;
        for c in x.chunks_exact(2) {
            let p: [f64; 2] = c.try_into().unwrap();
            s += dot(p, &[a, p[0]]);
        }
        for w in x.windows(2) {
            if let [p, q] = w {
                s += p * q;
            }
            if let &[p, q] = w {
                s += p - q;
            }
        }
        s
    }
}

/// Options that are changed in place: `get_or_insert`, `insert`, `replace`, `take`.
mod options {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut o: Option<f64> = None;
        let p = o.get_or_insert(x[0] * a);
        *p *= 2.0;
        let old = o.replace(a).unwrap();
        let q = o.insert(old * x[1]);
        *q += a;
        let t = o.take();
        let mut v: Option<Vec<f64>> = None;
        v.get_or_insert_with(Vec::new).push(x[2]);
        v.get_or_insert_with(Vec::new).push(a);
        let n = v.as_ref().map_or(0.0, |v| v[0] * v[1]);
        let mut arr = [Some(x[0]), None, Some(a)];
        let k = arr[0].take().unwrap_or(0.0) * arr[2].replace(x[3]).unwrap_or(1.0);
        arr[1] = Some(k);
        let mut s = 0.0;
        for u in arr.iter().flatten() {
            s = s * 2.0 + u;
        }
        t.unwrap() + n + s + o.unwrap_or(0.5)
    }
}

/// Integers have the limits of their types also where these stand at a variable, or nowhere near.
mod integers_of_types {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let k: u8 = 200;
        let big: u64 = 5_000_000_000;
        let n: usize = 3;
        let least: i8 = -128;
        let mut seed: u32 = 12_345;
        let mut sum = 0.0;
        for v in x {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            sum += v * (seed >> 8) as f64 / (1_u32 << 24) as f64;
        }
        let wrapped = (k.wrapping_add(100) as f64, least.wrapping_neg() as f64);
        let powers = (n.pow(3) as f64, (big * 2) as f64, big.leading_zeros() as f64);
        let closure = |k: u8, t: f64| k.wrapping_mul(2) as f64 * t;
        sum * wrapped.0
            + a * a * wrapped.1 * 1e-3
            + powers.0 * x[n]
            + powers.1 * 1e-11 * a
            + closure(200, x[1]) * powers.2
    }
}

agree! {
    try_into
    patterns
    chunks
    vectors
    in_loops
    options
    integers_of_types
}
