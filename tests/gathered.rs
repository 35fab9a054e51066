//! Iterators of options and results: `collect`, `sum`, `product`, `try_fold`, `try_for_each`.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// `collect` into results and options, with `?`.
mod collected {
    use cotangent::differentiable;
    #[differentiable]
    fn safe_ln(x: f64) -> Result<f64, String> {
        if x > -2.0 { Ok((x + 2.0).ln()) } else { Err(format!("bad {x}")) }
    }
    #[differentiable]
    fn all(x: &[f64]) -> Result<f64, String> {
        let v: Vec<f64> = x.iter().map(|t| safe_ln(*t)).collect::<Result<Vec<_>, _>>()?;
        Ok(v.iter().sum())
    }
    #[differentiable]
    fn all3(x: &[f64]) -> Result<f64, Box<dyn std::error::Error>> {
        let v = x.iter().map(|t| safe_ln(*t)).collect::<Result<Vec<f64>, String>>()?;
        let w: Result<Vec<f64>, String> = x.iter().copied().map(safe_ln).collect();
        let w = w.map_err(|e| e.len().to_string())?;
        let n: Vec<usize> = ["1", "2"].iter().map(|s| s.parse()).collect::<Result<_, _>>()?;
        Ok(v.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() * n[1] as f64)
    }
    #[differentiable]
    fn all2(x: &[f64]) -> Option<f64> {
        let v =
            x.iter().map(|t| if *t > -3.0 { Some((t + 3.0).sqrt()) } else { None }).collect::<Option<Vec<f64>>>()?;
        Some(v.iter().product())
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        all(x).unwrap()
            + all2(x).unwrap()
            + all(&[-5.0, x[0]]).unwrap_or(x[1])
            + all3(x).unwrap()
            + all3(&[x[0], -9.0]).unwrap_or(x[2])
            + all2(&[x[0], -9.0]).unwrap_or(x[2])
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// `sum` and `product`.
mod totals {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s: Option<f64> = x.iter().map(|t| if *t > -3.0 { Some(t * t) } else { None }).sum();
        let p: Result<f64, String> =
            x.iter().map(|t| if *t > -3.0 { Ok(t + 1.0) } else { Err("no".to_string()) }).product();
        let q = x.iter().map(|t| if *t > 0.0 { Some(t * t) } else { None }).sum::<Option<f64>>();
        s.unwrap_or(0.0) + p.unwrap() + q.unwrap_or(x[1])
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// `try_fold` and `try_for_each`, which stop where there is no value.
mod folds {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let r: Result<f64, String> =
            x.iter().try_fold(1.0, |acc, t| if *t > -5.0 { Ok(acc * (1.0 + t * t)) } else { Err("neg".into()) });
        let o = x.iter().try_fold(0.0, |acc: f64, t| if acc < 10.0 { Some(acc + t.exp()) } else { None });
        let mut seen = 0;
        let mut sum = 0.0;
        let bad: Result<f64, usize> = x.iter().enumerate().try_fold(0.0, |acc, (i, t)| {
            seen += 1;
            sum += t * t;
            if *t > 0.0 { Ok(acc + t) } else { Err(i) }
        });
        let e = match bad {
            Ok(v) => v,
            Err(i) => x[i] * 3.0,
        };
        let mut t3 = 0.0;
        let done = x.iter().try_for_each(|t| {
            t3 += t * x[0];
            if t3 > 100.0 {
                return Err("big");
            }
            Ok(())
        });
        let done2 = x.iter().try_for_each(|t| {
            if *t < 0.0 {
                None
            } else {
                t3 += t.sin();
                Some(())
            }
        });
        r.unwrap_or(0.0)
            + o.unwrap_or(1.0)
            + e * seen as f64
            + sum
            + t3
            + if done.is_ok() && done2.is_none() { x[3] } else { 0.0 }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// What calls give, nested results, closures with a type.
mod called {
    use cotangent::differentiable;
    #[differentiable]
    fn step(acc: f64, t: f64) -> Result<f64, String> {
        if t > -1.0 { Ok(acc * t) } else { Err("x".into()) }
    }
    #[differentiable]
    fn run(x: &[f64]) -> Result<f64, String> {
        let a = x.iter().copied().try_fold(1.0, |a, t| step(a, t + 1.0))?;
        let b = x.iter().try_fold(0.0, |a, t| -> Result<f64, String> {
            let v = step(*t, a + 1.0)?;
            Ok(a + v)
        })?;
        x.iter().try_for_each(|t| if *t < -50.0 { Err(format!("low")) } else { Ok(()) })?;
        let rows: Vec<Vec<f64>> = (0..3)
            .map(|i| x.iter().map(|t| step(*t, i as f64)).collect::<Result<Vec<_>, _>>())
            .collect::<Result<_, _>>()?;
        Ok(a + b * rows[1][0] + rows[2].iter().sum::<f64>())
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let r = run(x);
        match &r {
            Ok(v) => v * x[0],
            Err(_) => -1.0,
        }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Methods of the user's own with these names.
mod own_methods {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    struct Stats {
        a: f64,
        b: f64,
    }
    #[differentiable]
    impl Stats {
        fn sum(&self) -> Option<f64> {
            if self.a > 0.0 { Some(self.a + self.b) } else { None }
        }
        fn product(&self) -> Result<f64, String> {
            if self.a > 0.0 { Ok(self.a * self.b) } else { Err("n".into()) }
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let st = Stats { a: x[0], b: x[1] };
        let s: Option<f64> = st.sum();
        let p: Result<f64, String> = st.product();
        s.unwrap_or(1.0) * p.unwrap_or(2.0)
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Named iterators, effects in the closures, nothing to collect.
mod order {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut it = x.iter();
        let first = it.next().unwrap();
        let rest: Option<Vec<f64>> = it.map(|t| if *t > 10.0 { None } else { Some(t * first) }).collect();
        let mut order = Vec::new();
        let mut log = |k: f64| {
            order.push(k);
            k
        };
        let r: Result<f64, String> = x
            .iter()
            .map(|t| log(*t))
            .try_fold(7.0, |a, t| if a > 1e6 { Err("big".to_string()) } else { Ok(a * 0.5 + t) });
        let nested: Option<Vec<Vec<f64>>> = x
            .chunks(2)
            .map(|c| c.iter().map(|t| if *t < 100.0 { Some(t * t) } else { None }).collect::<Option<Vec<_>>>())
            .collect();
        let e: Result<Vec<f64>, String> = (0..0).map(|k| Ok(x[k])).collect();
        rest.map_or(0.0, |v| v.iter().sum::<f64>())
            + r.unwrap() * order[0]
            + order[1] * order.len() as f64
            + nested.unwrap()[1][0]
            + e.unwrap().len() as f64
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    collected
    totals
    folds
    called
    own_methods
    order
}
