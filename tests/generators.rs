//! State without a derivative that functions are lent: generators of random numbers, counters.

#![allow(clippy::useless_vec)]

mod bodies;

use cotangent::{Differentiable, differentiable, stop_gradient};

/// A linear congruential generator (Knuth, The Art of Computer Programming, volume 2, section 3.3.4: the multiplier of MMIX).
#[derive(Clone)]
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / (1_u64 << 53) as f64
    }

    fn accepts(&mut self, energy: f64) -> bool {
        self.next() < (-energy).exp()
    }

    fn index(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    fn skip(&mut self) {
        self.next();
    }

    fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    fn pair(&mut self) -> (f64, f64) {
        (self.next(), self.next())
    }

    fn perhaps(&mut self) -> Option<f64> {
        let u = self.next();
        (u < 0.5).then_some(u)
    }
}

trait Source {
    fn draw(&mut self) -> f64;
}

impl Source for Lcg {
    fn draw(&mut self) -> f64 {
        self.next()
    }
}

/// By the transform of Box and Muller.
fn normal(rng: &mut Lcg) -> f64 {
    (-2.0 * rng.next().max(1e-9).ln()).sqrt() * (std::f64::consts::TAU * rng.next()).cos()
}

fn accept(rng: &mut Lcg, energy: f64) -> bool {
    rng.accepts(energy)
}

#[differentiable(wrt(start))]
fn walk(start: f64, rng: &mut Lcg) -> f64 {
    let mut p = start;
    for _ in 0..4 {
        p *= 1.0 + 0.1 * normal(rng);
    }
    p
}

#[differentiable(wrt(start))]
fn walk_opaque(start: f64, rng: &mut impl Source) -> f64 {
    start * rng.draw() + rng.draw() * start * start
}

#[differentiable(wrt(start))]
fn walk_generic<R: Source>(start: f64, rng: &mut R) -> f64 {
    start * rng.draw() + rng.draw() * start * start
}

#[differentiable(wrt(start))]
fn walk_object(start: f64, rng: &mut dyn Source) -> f64 {
    start * rng.draw() + rng.draw() * start * start
}

#[differentiable(wrt(start))]
fn metropolis(start: f64, rng: &mut Lcg) -> f64 {
    let mut p = start;
    for _ in 0..6 {
        let q = p * (1.0 + 0.1 * rng.next());
        if accept(rng, stop_gradient(q * q - p * p)) {
            p = q;
        }
    }
    p
}

#[derive(Clone)]
struct Simulation {
    rng: Lcg,
    steps: usize,
}

impl Simulation {
    #[differentiable(wrt(start))]
    fn run(&mut self, start: f64) -> f64 {
        let mut p = start;
        for _ in 0..self.steps {
            p *= 1.0 + 0.1 * self.rng.next();
        }
        p
    }
}

/// An Ornstein-Uhlenbeck process with its generator.
#[derive(Clone, Differentiable)]
struct Process {
    #[inactive]
    rng: Lcg,
    p: f64,
}

#[differentiable]
impl Process {
    fn step(&mut self, rate: f64) -> f64 {
        let z = self.rng.next();
        self.p += rate * (z - self.p);
        self.rng.skip();
        self.p
    }

    fn run(&mut self, rates: &[f64]) -> f64 {
        let mut s = 0.0;
        for rate in rates {
            s += self.step(*rate);
            if self.rng.index(2) == 0 {
                s *= 1.1;
            }
        }
        s
    }
}

#[differentiable]
fn iterate<F: FnMut(f64) -> f64>(mut f: F, n: usize, x: f64) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = f(y);
    }
    y
}

bodies! {
    one_after_the_other(x): {
        let mut rng = Lcg(7);
        walk(x[0], &mut rng) * walk(x[1], &mut rng)
    }
    in_a_loop(x): {
        let mut rng = Lcg(7);
        let mut s = 0.0;
        for v in x {
            s += walk(v * v, &mut rng);
        }
        s
    }
    in_an_iterator(x): {
        let mut rng = Lcg(7);
        let z: Vec<f64> = (0..5).map(|_| normal(&mut rng)).collect();
        z.iter().map(|t| walk(x[0] * t, &mut rng)).sum()
    }
    by_a_trait(x): {
        let mut rng = Lcg(7);
        walk_opaque(x[0], &mut rng) * walk_generic(x[1], &mut rng) * walk_object(x[3], &mut rng)
    }
    that_decides(x): {
        let mut rng = Lcg(7);
        metropolis(x[0], &mut rng) * metropolis(x[1], &mut rng)
    }
    that_decides_here(x): {
        let mut rng = Lcg(7);
        let mut p = x[0];
        for _ in 0..6 {
            let q = p * (1.0 + 0.1 * rng.next());
            if rng.accepts(stop_gradient(q * q - p * p)) {
                p = q;
            }
        }
        p * x[1]
    }
    of_a_simulation(x): {
        let mut simulation = Simulation { rng: Lcg(3), steps: 4 };
        simulation.run(x[0]) + simulation.run(x[1] * x[2])
    }
    that_shuffles(x): {
        let mut rng = Lcg(7);
        let mut shuffled = x.to_vec();
        for i in (1..shuffled.len()).rev() {
            let j = rng.index(i + 1);
            shuffled.swap(i, j);
        }
        shuffled.iter().enumerate().map(|(k, v)| v * v * k as f64).sum()
    }
    of_a_copy(x): {
        let mut rng = Lcg(7);
        let mut same = rng.clone();
        walk(x[0], &mut same) - walk(x[0] * x[0], &mut rng) + walk(x[1], &mut rng)
    }
    that_a_closure_lends(x): {
        let mut rng = Lcg(7);
        let twice = |v: f64, rng: &mut Lcg| walk(v, rng) * 2.0;
        twice(x[0], &mut rng) + twice(x[1] * x[1], &mut rng)
    }
    that_a_closure_owns(x): {
        let mut rng = Lcg(7);
        let mut twice = |v: f64| walk(v, &mut rng) * 2.0;
        twice(x[0]) + twice(x[1] * x[1])
    }
    used_afterwards(x): {
        let mut rng = Lcg(7);
        let a = walk(x[0], &mut rng);
        let z = rng.next();
        a * z * x[1]
    }
    used_in_between(x): {
        let mut rng = Lcg(7);
        let mut s = 1.0;
        for v in x {
            let z = rng.next();
            s += walk(v * z, &mut rng);
            if rng.index(2) == 0 {
                s *= v;
            }
        }
        s
    }
    that_stops_a_loop(x): {
        let mut rng = Lcg(7);
        let (mut s, mut k) = (1.0, 0);
        while k < 3 && rng.next() < 0.99 {
            s += walk(x[k], &mut rng);
            k += 1;
        }
        s
    }
    that_picks(x): {
        let mut rng = Lcg(7);
        let mut s = 1.0;
        for _ in 0..3 {
            let i = rng.index(4);
            s += walk(x[i], &mut rng) * rng.uniform(0.5, 1.0);
        }
        s
    }
    that_skips(x): {
        let mut rng = Lcg(7);
        let a = walk(x[0], &mut rng);
        rng.skip();
        rng.next();
        a * walk(x[1], &mut rng)
    }
    whose_numbers_are_many(x): {
        let mut rng = Lcg(7);
        let a = walk(x[0], &mut rng);
        let z = rng.vector(4);
        let (u, w) = rng.pair();
        z.iter().zip(x).map(|(z, v)| z * v).sum::<f64>() * a * u + w * x[3]
    }
    that_may_give_none(x): {
        let mut rng = Lcg(7);
        let mut s = walk(x[0], &mut rng);
        for v in x {
            match rng.perhaps() {
                Some(u) => s *= u + v,
                None => s += walk(*v, &mut rng),
            }
        }
        s
    }
    that_is_replaced(x): {
        let mut rng = Lcg(7);
        let a = walk(x[0], &mut rng);
        rng = Lcg(8);
        let b = walk(x[1], &mut rng);
        a * b * rng.next()
    }
    lent_in_a_branch(x): {
        let mut rng = Lcg(7);
        let a = if x[0] > 0.0 { walk(x[0], &mut rng) } else { rng.next() };
        a * rng.next() * x[1]
    }
    in_a_vector(x): {
        let mut rngs = vec![Lcg(1), Lcg(2)];
        let a = walk(x[0], &mut rngs[0]);
        let b = walk(x[1], &mut rngs[1]);
        a * b * rngs[1].next() + walk(x[2], &mut rngs[0])
    }
    in_an_array(x): {
        let mut rngs = [Lcg(1), Lcg(2)];
        let a = walk(x[0], &mut rngs[0]);
        let b = walk(x[1], &mut rngs[1]);
        a * b + walk(x[2], &mut rngs[0])
    }
    in_a_field(x): {
        let mut process = Process { rng: Lcg(3), p: x[2] };
        let a = walk(x[0], &mut process.rng);
        process.p *= a;
        process.run(x) * process.p
    }
    in_a_tuple(x): {
        let (mut rng, k) = (Lcg(7), 3.0);
        let a = walk(x[0], &mut rng);
        a * k * rng.next()
    }
    by_a_reference(x): {
        let mut rng = Lcg(7);
        let r = &mut rng;
        let a = walk(x[0], r);
        a * walk(x[1], r) * r.next()
    }
    in_a_closure_called_here(x): {
        let mut rng = Lcg(7);
        let mut step = |t: f64| {
            let z = rng.next();
            t * z + walk(t, &mut rng)
        };
        step(x[0]) * step(x[1])
    }
    in_a_closure_handed_over(x): {
        let mut rng = Lcg(7);
        let mut calls = 0;
        let a = iterate(
            |t| {
                calls += 1;
                walk(t, &mut rng) * rng.next()
            },
            4,
            x[0],
        );
        a * x[1] + rng.next() * a * calls as f64
    }
    of_the_best_of_several(x): {
        let mut rng = Lcg(7);
        let mut best = f64::MAX;
        for _ in 0..5 {
            let candidate = walk(x[0], &mut rng) + rng.uniform(-1.0, 1.0) * x[1];
            if candidate < best {
                best = candidate;
            }
        }
        best
    }
}
