//! Functions that call themselves, directly and through others: every companion against differences.

#![allow(clippy::manual_is_multiple_of, clippy::needless_range_loop)]

mod agree;

/// Two functions that call each other in loops.
mod each_other_in_loops {
    use cotangent::differentiable;

    #[differentiable]
    fn alpha(x: f64, n: usize) -> f64 {
        let mut s = x;
        for i in 0..n {
            s += 0.3 * beta(x, i);
        }
        s
    }
    #[differentiable]
    fn beta(x: f64, n: usize) -> f64 {
        let mut s = x * x;
        for i in 0..n {
            s += alpha(x, i).sin();
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        alpha(x[0] * a, 4) + beta(x[1], 3)
    }
}

/// Three functions in a circle.
mod in_a_circle {
    use cotangent::differentiable;

    #[differentiable]
    fn c3(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { a3(x, n - 1) * x }
    }
    #[differentiable]
    fn a3(x: f64, n: usize) -> f64 {
        if n == 0 { x.sin() } else { b3(x, n - 1) + x }
    }
    #[differentiable]
    fn b3(x: f64, n: usize) -> f64 {
        let mut s = 0.0;
        for k in 0..n {
            if k % 2 == 0 {
                s += c3(x, k)
            }
        }
        s * x
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        a3(x[0] * a, 6) + b3(x[1], 7) + c3(x[2], 5)
    }
}

/// A call in a loop in a branch.
mod in_a_loop_in_a_branch {
    use cotangent::differentiable;

    #[differentiable]
    fn walk(x: f64, n: usize) -> f64 {
        if n > 2 {
            let mut s = 0.0;
            for i in 0..2 {
                s += walk(x, n - 1 - i) * x;
            }
            s
        } else if n == 1 {
            x.exp()
        } else {
            x
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        walk(0.4 * a, 8) + walk(x[1] * 0.3, 6) * x[0]
    }
}

/// What is visited goes to one variable.
mod with_an_accumulator {
    use cotangent::differentiable;

    #[differentiable]
    fn visit(x: &[f64], k: usize, depth: f64, acc: &mut f64) {
        if k >= x.len() {
            return;
        }
        *acc += x[k] * depth;
        visit(x, 2 * k + 1, depth * x[k], acc);
        visit(x, 2 * k + 2, depth + x[k], acc);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = a;
        visit(x, 0, a, &mut s);
        s * a
    }
}

/// The same, by two functions in turns.
mod with_an_accumulator_in_turns {
    use cotangent::differentiable;

    #[differentiable]
    fn even(x: &[f64], k: usize, acc: &mut f64) -> f64 {
        if k >= x.len() {
            return 1.0;
        }
        *acc *= x[k];
        odd(x, k + 1, acc) + *acc
    }
    #[differentiable]
    fn odd(x: &[f64], k: usize, acc: &mut f64) -> f64 {
        if k >= x.len() {
            return 2.0;
        }
        *acc += x[k];
        for _ in 0..1 {
            *acc += even(x, k + 1, acc);
        }
        *acc
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = a;
        let r = even(x, 0, &mut s);
        s * a + r
    }
}

/// A slice is changed on the way down and on the way up.
mod with_a_slice_that_changes {
    use cotangent::differentiable;

    #[differentiable]
    fn spread(x: &[f64], k: usize, out: &mut [f64]) {
        if k == x.len() {
            return;
        }
        for j in 0..out.len() {
            out[j] = out[j] * 0.5 + x[k] * (j as f64 + 1.0).sin();
        }
        spread(x, k + 1, out);
        out[0] += x[k] * out[1];
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut o = [a, 1.0, a * a];
        spread(x, 0, &mut o);
        o[0] * o[1] + o[2]
    }
}

/// A module with the attribute.
mod in_a_module {
    use cotangent::differentiable;

    #[differentiable]
    mod inner {
        pub(super) fn up(x: f64, n: usize) -> f64 {
            if n == 0 { x } else { down(x, n - 1) * 1.1 + x }
        }
        pub(super) fn down(x: f64, n: usize) -> f64 {
            let mut s = 0.0;
            for i in 0..n {
                s += up(x, i)
            }
            s + x.cos()
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        inner::up(x[0] * a, 6) + inner::down(x[1], 5)
    }
}

/// Functions of one name in different modules.
mod of_one_name {
    use cotangent::differentiable;

    mod left {
        use cotangent::differentiable;
        #[differentiable]
        pub(super) fn go(x: f64, n: usize) -> f64 {
            if n == 0 { x } else { super::right::go(x, n - 1) * x }
        }
    }
    mod right {
        use cotangent::differentiable;
        #[differentiable]
        pub(super) fn go(x: f64, n: usize) -> f64 {
            if n == 0 {
                x.sin()
            } else {
                let mut s = x;
                for k in 0..2 {
                    s += super::left::go(x, n - 1) * k as f64;
                }
                s
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        left::go(x[0] * a, 4) + right::go(x[1], 5)
    }
}

/// Methods and associated functions.
mod of_methods {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    struct P {
        w: f64,
        v: Vec<f64>,
    }
    #[differentiable]
    impl P {
        fn zeta(&self, x: f64, n: usize) -> f64 {
            if n == 0 {
                self.w * x
            } else {
                let mut s = 0.0;
                for k in 0..n {
                    s += self.eta(x, k) * self.v[k % 2];
                }
                s
            }
        }
        fn eta(&self, x: f64, n: usize) -> f64 {
            if n == 0 { x + self.w } else { self.zeta(x, n - 1) * self.v[n % 2] }
        }
        fn assoc(x: f64, n: usize) -> f64 {
            if n == 0 { x } else { Self::assoc(x * 0.9, n - 1) * P::assoc2(x, n - 1) }
        }
        fn assoc2(x: f64, n: usize) -> f64 {
            if n == 0 { x + 0.5 } else { Self::assoc(x.sin(), n - 1) }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let p = P { w: a, v: vec![x[0], x[1]] };
        p.zeta(x[2], 4) + P::assoc(x[3], 4)
    }
}

/// A call in a closure.
mod in_a_closure {
    use cotangent::differentiable;

    #[differentiable]
    fn outer(x: f64, n: usize) -> f64 {
        let g = |t: f64| if n == 0 { t } else { outer(t * x, n - 1) + t };
        g(x) * g(0.5)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        outer(x[0] * a, 3)
    }
}

/// A call in an iterator chain.
mod in_an_iterator {
    use cotangent::differentiable;

    #[differentiable]
    fn nest(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { (0..n).map(|k| nest(x * 0.7, k) * x).sum::<f64>() + x }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        nest(x[0] * a, 4)
    }
}

/// A function is handed on.
mod with_a_function {
    use cotangent::differentiable;

    #[differentiable]
    fn iterate(f: &dyn Fn(f64) -> f64, x: f64, n: usize) -> f64 {
        if n == 0 { x } else { f(iterate(f, x, n - 1)) }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        iterate(&|t| t * a + x[1] * t.sin(), x[0], 5)
    }
}

/// Results are kept in a table.
mod with_a_table {
    use cotangent::differentiable;

    #[differentiable]
    fn fib(x: f64, n: usize, memo: &mut Vec<f64>, have: &mut [bool]) -> f64 {
        if n < 2 {
            return x;
        }
        if have[n] {
            return memo[n];
        }
        let v = fib(x, n - 1, memo, have) + x * fib(x, n - 2, memo, have);
        memo[n] = v;
        have[n] = true;
        v
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut memo = vec![0.0; 8];
        let mut have = [false; 8];
        fib(x[0] * a, 6, &mut memo, &mut have)
    }
}

agree! {
    with_a_table
    each_other_in_loops
    in_a_circle
    in_a_loop_in_a_branch
    with_an_accumulator
    with_an_accumulator_in_turns
    with_a_slice_that_changes
    in_a_module
    of_one_name
    of_methods
    in_a_closure
    in_an_iterator
    with_a_function
}
