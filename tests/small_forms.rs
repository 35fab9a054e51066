//! Forms that stand alone: arrays by `from_fn` whose length is written inside, vectors under other names, `next_if`, ranges of
//! characters, closures that move what they read; every companion against differences.

mod agree;

/// The length is in the turbofish, or in the type around.
mod arrays_that_are_made {
    use cotangent::differentiable;

    const LENGTH: usize = 3;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let squares = std::array::from_fn::<f64, 4, _>(|i| x[i] * x[i]);
        let named = std::array::from_fn::<_, LENGTH, _>(|i| a * squares[i]);
        let table: [[f64; 2]; 3] = std::array::from_fn(|i| core::array::from_fn(|j| named[i] * x[j + 4]));
        table.as_flattened().iter().map(|t| t.sin()).sum::<f64>() + table.as_flattened()[3] * squares[3]
    }
}

/// `type` gives a vector another name.
mod vectors_under_other_names {
    use cotangent::differentiable;

    type Row = Vec<f64>;
    type Matrix = Vec<Row>;

    #[differentiable]
    fn transposed(m: &Matrix) -> Matrix {
        (0..m[0].len()).map(|j| m.iter().map(|row| row[j]).collect()).collect()
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let m: Matrix = x.chunks(4).map(|row| row.iter().map(|t| a * t).collect::<Row>()).collect();
        let t = transposed(&m);
        let scaled: Row = t[1].iter().map(|t| t * a).collect();
        scaled[0] * t[2][1] + m[1][3]
    }
}

/// An item is taken only if it is accepted.
mod next_if {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut rest = x.iter().copied().peekable();
        let (mut sum, mut runs) = (0.0, 1.0);
        while let Some(first) = rest.next() {
            let mut run = first;
            while let Some(next) = rest.next_if(|t| *t > first) {
                run += next * first;
            }
            sum += run * run * runs;
            runs *= a;
        }
        sum
    }
}

mod ranges_of_characters {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut sum = 0.0;
        for c in 'a'..='d' {
            sum = a * sum + x[c as usize - 'a' as usize];
        }
        for (k, c) in ('c'..'g').rev().enumerate() {
            sum += x[k] * f64::from(c as u8 - b'a') * sum;
        }
        sum
    }
}

/// A closure that moves a vector and only reads it is handed over.
mod moved_and_read {
    use cotangent::differentiable;

    #[differentiable]
    fn once(f: impl FnOnce(f64) -> f64, x: f64) -> f64 {
        f(x * x)
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let (v, w) = (x.to_vec(), x[2..].to_vec());
        let chain = once(move |t| v.iter().map(|s| s * t).sum(), a);
        chain
            + once(
                move |t| {
                    let mut sum = 0.0;
                    for s in &w {
                        sum = sum * t + s;
                    }
                    sum
                },
                x[0],
            )
    }
}

/// What is known when it is compiled, in code that is kept as it is written: `self` after it was replaced, and a number that a
/// closure gets.
mod constants_in_kept_code {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Copy, Differentiable)]
    struct Phase {
        a: f64,
        n: usize,
    }
    #[differentiable]
    impl Phase {
        fn restarted(&mut self, p: f64) -> Option<f64> {
            *self = Phase { a: 1.5, n: 3 };
            Some(self.a.mul_add(self.a, p))
        }
        fn reset(&mut self) -> f64 {
            *self = Phase { a: 4.0, n: 0 };
            self.a.sqrt() * 2.0
        }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut p = Phase { a: x[0], n: 1 };
        let first = p.restarted(x[1]).unwrap() * p.a * a;
        let second = p.reset() * p.a + p.n as f64;
        let h = |t: f64| {
            let q = Phase { a: t.sin() / 2.0, n: 2 };
            t * x[2] + q.a
        };
        first + second * x[3] + h(0.3)
    }
}

agree! {
    arrays_that_are_made vectors_under_other_names next_if ranges_of_characters moved_and_read
    constants_in_kept_code
}

/// Sorting what has no derivative, of any type.
#[test]
fn references_are_sorted() {
    use cotangent::differentiable;
    use std::collections::HashMap;

    #[differentiable(wrt(x))]
    fn f(x: f64, settings: &HashMap<String, f64>) -> f64 {
        let mut names: Vec<_> = settings.keys().collect();
        names.sort();
        x * names.len() as f64
    }

    let settings: HashMap<String, f64> = [("b".to_owned(), 1.0), ("a".to_owned(), 2.0)].into();
    assert_eq!(f_grad(0.5, &settings), 2.0);
}
