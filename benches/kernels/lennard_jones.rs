//! The Lennard-Jones energy of 200 particles: pairs, which scatter into both of their particles.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const PARTICLES: usize = 200;

#[cotangent::differentiable]
pub(crate) fn lennard_jones(p: &[f64]) -> f64 {
    let n = p.len() / 3;
    let mut energy = 0.0;
    for i in 0..n {
        for j in i + 1..n {
            let dx = p[3 * i] - p[3 * j];
            let dy = p[3 * i + 1] - p[3 * j + 1];
            let dz = p[3 * i + 2] - p[3 * j + 2];
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz);
            let cube = inverse * inverse * inverse;
            energy += 4.0 * (cube * cube - cube);
        }
    }
    energy
}

/// A jittered grid.
fn inputs() -> Vec<f64> {
    let coordinates = |i: usize| {
        let phase = i as f64;
        [
            1.2 * (i % 6) as f64 + 0.1 * phase.sin(),
            1.2 * (i / 6 % 6) as f64 + 0.1 * (2.0 * phase + 0.5).sin(),
            1.2 * (i / 36) as f64 + 0.1 * (3.0 * phase).cos(),
        ]
    };
    (0..PARTICLES).flat_map(coordinates).collect()
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let p = inputs();
    Kernel {
        iterations: PARTICLES * (PARTICLES - 1) / 2,
        oracle: Oracle::Numbers(Expected {
            value: -6.184451791208936e2,
            sum: 0.0, // the energy does not change when all particles move alike
            norm: 5.759519953112081e1,
            last: None,
            agreement: 1e-12,
        }),
        primal: || lennard_jones(black_box(&p)),
        ours: || lennard_jones_value_and_grad(black_box(&p)),
        by_hand: || by_hand::value_and_grad(black_box(&p)),
        flatten: Vec::clone,
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! One sweep over the pairs, with the coordinates apart, so that all pairs of one particle run in vectors. Only what
    //! adds up over them, their energy and the particle's own gradient, is then summed one by one.

    pub(crate) fn value_and_grad(p: &[f64]) -> (f64, Vec<f64>) {
        let (points, _) = p.as_chunks::<3>();
        let n = points.len();
        let [x, y, z] = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).collect::<Vec<f64>>());
        let [mut x_bar, mut y_bar, mut z_bar] = [0; 3].map(|_| vec![0.0; n]);
        let mut energies = vec![0.0; n];
        let (mut x_forces, mut y_forces, mut z_forces) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut energy = 0.0;
        for i in 0..n {
            let others = n - i - 1;
            let (xs, ys, zs) = (&x[i + 1..][..others], &y[i + 1..][..others], &z[i + 1..][..others]);
            let energies = &mut energies[..others];
            let (x_forces, y_forces, z_forces) =
                (&mut x_forces[..others], &mut y_forces[..others], &mut z_forces[..others]);
            for j in 0..others {
                let (dx, dy, dz) = (x[i] - xs[j], y[i] - ys[j], z[i] - zs[j]);
                let inverse = 1.0 / (dx * dx + dy * dy + dz * dz);
                let cube = inverse * inverse * inverse;
                energies[j] = 4.0 * (cube * cube - cube);
                // The derivative by the squared distance, times the 2 of its own derivative.
                let factor = 24.0 * inverse * (cube - 2.0 * cube * cube);
                x_forces[j] = factor * dx;
                y_forces[j] = factor * dy;
                z_forces[j] = factor * dz;
            }
            let mut own = [0.0; 3];
            for j in 0..others {
                energy += energies[j];
                own[0] += x_forces[j];
                own[1] += y_forces[j];
                own[2] += z_forces[j];
            }
            for (bar, forces, own) in
                [(&mut x_bar, x_forces, own[0]), (&mut y_bar, y_forces, own[1]), (&mut z_bar, z_forces, own[2])]
            {
                bar[i] += own;
                for (bar, force) in bar[i + 1..].iter_mut().zip(forces) {
                    *bar -= *force;
                }
            }
        }
        let mut p_bar = Vec::with_capacity(3 * n);
        p_bar.extend((0..n).flat_map(|i| [x_bar[i], y_bar[i], z_bar[i]]));
        (energy, p_bar)
    }
}
