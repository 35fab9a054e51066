//! Variants without the name of their enum, beside structs under other names; every companion against differences.

mod agree;

mod variants {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Differentiable)]
    enum Term {
        Number(f64),
        Variable,
        Sum(Box<Term>, Box<Term>),
        Power { base: Box<Term>, exponent: f64 },
        Weights(Vec<f64>),
    }
    use Term::*;

    #[differentiable]
    fn value(term: &Term, x: f64) -> f64 {
        match term {
            Number(a) => *a,
            Variable => x,
            Sum(a, b) => value(a, x) + value(b, x),
            Power { base, exponent } => (value(base, x).powi(2) + 0.1).powf(*exponent),
            Weights(w) if w.len() > 1 => w[0] * w[1] * x,
            Weights(w) => w[0],
        }
    }

    #[differentiable]
    fn changed(term: &Term, x: f64) -> f64 {
        let mut term = term.clone();
        match &mut term {
            Number(a) => *a *= x,
            Weights(w) => {
                w[0] += x;
                w.push(x * x);
            }
            Power { exponent, .. } => *exponent += x,
            _ => {}
        }
        if let Number(a) = &mut term {
            *a = a.sin();
        }
        let Weights(w) = &term else { return value(&term, x) };
        w.iter().product()
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let power = Term::Power { base: Box::new(Sum(Box::new(Number(x[0])), Box::new(Variable))), exponent: x[1] };
        let weights = Weights(vec![x[2], x[3]]);
        let sum = Sum(Box::new(Number(x[4] * a)), Box::new(Weights(vec![x[5]])));
        value(&power, a) * value(&weights, x[6])
            + value(&sum, a)
            + changed(&weights, a)
            + changed(&Number(x[7]), a)
            + changed(&power, a)
    }
}

mod structs {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Differentiable)]
    struct Pair<T> {
        first: T,
        second: f64,
    }
    type State = Pair<f64>;

    #[derive(Clone, Differentiable)]
    struct Mixed(f64, usize, Vec<f64>);

    #[differentiable]
    impl Mixed {
        fn new(x: f64, v: Vec<f64>) -> Self {
            Self(x, 2, v)
        }

        fn total(&self) -> f64 {
            let Self(x, n, v) = self;
            match self {
                Mixed(y, _, w) if w.len() > 7 => *y,
                Mixed(y, ..) => x * y * *n as f64 + v[0],
            }
        }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let state = State { first: x[0] * a, second: x[1] };
        let State { first, second } = &state;
        let by_name = match &state {
            Pair { first, second } if *first > 100.0 => first + second,
            Pair { first: p, second } => p * second,
        };
        let mixed = Mixed(x[2], 3, x.to_vec());
        let Mixed(p, n, v) = &mixed;
        by_name + first * second + p * *n as f64 * v[3] + Mixed::new(a, vec![x[4]]).total() + mixed.total()
    }
}

/// Literals with fields in braces, of variants with fields of the same name and of others.
mod braces {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Differentiable)]
    enum Event {
        Tick { dt: f64, v: f64 },
        Kick { v: f64, at: Vec<f64> },
        Turn { by: f64, n: usize },
        Stop,
    }
    use Event::*;

    #[differentiable]
    fn made(k: usize, x: &[f64]) -> Event {
        match k {
            0 => Tick { dt: x[0], v: x[1] * x[2] },
            1 => Kick { at: x[1..].to_vec(), v: x[0] },
            2 => Turn { by: x[2] * x[0], n: k },
            _ => Stop,
        }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = a;
        let own = [Tick { dt: x[0], v: a }, Turn { by: x[1], n: 1 }];
        for k in 0..6 {
            match if k < 4 { made(k, x) } else { own[k - 4].clone() } {
                Tick { dt, v } => s += dt * v,
                Kick { v, at } => s *= v + at[1],
                Turn { by, n } => s -= by * by * x[n],
                Stop => s *= 2.0,
            }
        }
        s
    }
}

/// Comparisons of numbers whose type the macro does not see.
mod compared {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Copy, Differentiable)]
    struct Point {
        x: f64,
        y: f64,
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let points: Vec<Point> = x.windows(2).map(|w| Point { x: w[0], y: w[1] * a }).collect();
        let right = points.iter().max_by(|p, q| p.x.total_cmp(&q.x)).unwrap();
        let low = points.iter().min_by(|p, q| p.y.partial_cmp(&q.y).unwrap()).unwrap();
        let finite = if points[0].x.is_finite() && !points[1].y.is_sign_negative() { points[1].y } else { a };
        right.y * low.x + finite
    }
}

agree! { variants structs braces compared }
