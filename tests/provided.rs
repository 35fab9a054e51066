//! Functions that a trait provides, called in loops and branches, by generic functions, and in rounds with what types
//! implement; every companion against differences, and every pullback shared between threads.

mod agree;

mod in_loops_and_branches {
    use cotangent::{Differentiable, differentiable};

    #[differentiable]
    trait Model {
        fn predict(&self, x: f64) -> f64;

        fn loss(&self, xs: &[f64], y: f64) -> f64 {
            let mut sum = 0.0;
            for x in xs {
                let r = self.predict(*x) - y;
                sum += r * r;
            }
            sum / xs.len() as f64
        }

        fn regularised(&self, xs: &[f64], k: f64) -> f64 {
            if k > 0.0 { self.loss(xs, k) + k * self.predict(k) } else { self.loss(xs, k) }
        }
    }

    #[derive(Clone, Differentiable)]
    struct Line {
        slope: f64,
        offset: f64,
    }

    #[derive(Clone, Differentiable)]
    struct Scaled<M> {
        model: M,
        by: f64,
    }

    #[differentiable]
    impl Model for Line {
        fn predict(&self, x: f64) -> f64 {
            self.slope * x + self.offset
        }
    }

    #[differentiable]
    impl<M: Model + Differentiable + Clone> Model for Scaled<M> {
        fn predict(&self, x: f64) -> f64 {
            self.by * self.model.predict(x) + self.model.predict(self.by * x)
        }
    }

    #[differentiable]
    fn all<M: Model + Differentiable + Clone>(model: &M, xs: &[f64], n: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..n {
            sum += model.regularised(xs, i as f64 - 0.5);
        }
        sum
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let line = Line { slope: x[0], offset: a };
        let scaled = Scaled { model: line.clone(), by: x[1] };
        let mut sum = 0.0;
        for k in &x[..3] {
            if *k != 7.0 {
                sum += line.regularised(x, *k) * scaled.regularised(x, -k);
            }
        }
        if a > 0.0 { sum + all(&scaled, x, 2) } else { sum * all(&line, x, 3) }
    }
}

/// What is provided calls what is implemented, and that comes back, in rounds of all kinds.
mod rounds {
    use cotangent::{Differentiable, differentiable};

    #[differentiable]
    trait Term {
        fn value(&self, x: f64) -> f64;

        fn twice(&self, x: f64) -> f64 {
            2.0 * self.value(x)
        }

        fn positive(&self, x: f64) -> f64 {
            if x > 0.0 { self.twice(x) } else { x }
        }
    }

    #[derive(Clone, Differentiable)]
    enum Tree {
        Leaf(f64),
        Node(Box<Tree>, Box<Tree>),
    }

    #[differentiable]
    impl Term for Tree {
        fn value(&self, x: f64) -> f64 {
            match self {
                Tree::Leaf(a) => a * x,
                Tree::Node(a, b) => a.twice(x) * b.positive(x),
            }
        }
    }

    #[derive(Clone, Differentiable)]
    struct Children(Vec<Children>, f64);

    #[differentiable]
    impl Term for Children {
        fn value(&self, x: f64) -> f64 {
            let mut sum = self.1 * x;
            for child in &self.0 {
                sum += child.positive(x) * child.twice(sum);
            }
            sum
        }
    }

    #[differentiable]
    fn through<T: Term + Differentiable + Clone>(term: &T, x: f64) -> f64 {
        term.positive(x) + term.value(x)
    }

    #[derive(Clone, Differentiable)]
    struct Chain(Option<Box<Chain>>, f64);

    #[differentiable]
    impl Term for Chain {
        fn value(&self, x: f64) -> f64 {
            match &self.0 {
                Some(next) => through(&**next, x * self.1),
                None => self.1 * x,
            }
        }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let tree = Tree::Node(Box::new(Tree::Leaf(x[0])), Box::new(Tree::Leaf(x[1])));
        let children = Children(vec![Children(vec![], x[2]), Children(vec![Children(vec![], x[3])], x[4])], x[5]);
        let chain = Chain(Some(Box::new(Chain(None, x[6]))), x[7]);
        let mut sum = 0.0;
        for i in 0..2 {
            sum += tree.positive(a) + children.value(0.1 * (a + i as f64)) * chain.positive(a);
        }
        sum
    }
}

/// A round of functions that the trait itself sees.
#[test]
fn rounds_within_a_trait() {
    use cotangent::{Differentiable, differentiable};

    #[differentiable]
    trait Round {
        fn base(&self, x: f64) -> f64;

        fn even(&self, n: u32, x: f64) -> f64 {
            if n == 0 { self.base(x) } else { self.odd(n - 1, x * x) }
        }

        fn odd(&self, n: u32, x: f64) -> f64 {
            let y = self.even(n.saturating_sub(1), x * x);
            y + x
        }
    }

    #[derive(Clone, Differentiable)]
    struct Line(f64);

    #[differentiable]
    impl Round for Line {
        fn base(&self, x: f64) -> f64 {
            self.0 * x
        }
    }

    // a x⁴ + x²
    let (value, pullback) = Line(3.0).even_vjp(2, 2.0);
    let (line, (), x) = pullback(1.0);
    assert_eq!((value, line.0, x), (52.0, 16.0, 100.0));
}

agree! { in_loops_and_branches rounds }
