//! State without a derivative that functions are lent: generators of random numbers, counters.

mod bodies;

use cotangent::{differentiable, stop_gradient};

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
}
