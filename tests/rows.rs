//! Rows, fields and elements handed to functions that change them: every companion against differences.

#![allow(
    clippy::assign_op_pattern,
    clippy::misrefactored_assign_op,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::useless_vec
)]

mod agree;

/// Rows of a vector of vectors, by index and by iterator.
mod rows_of_vectors {
    use cotangent::differentiable;

    #[differentiable]
    fn norm(row: &mut [f64], k: f64) {
        let mut s = k;
        for t in row.iter() {
            s += t * t;
        }
        for t in row.iter_mut() {
            *t /= s;
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1]], vec![x[2], a, x[3]]];
        for i in 0..m.len() {
            norm(&mut m[i], a * a + 1.0);
        }
        for row in m.iter_mut() {
            norm(row, 2.0);
        }
        for row in &mut m {
            norm(row, 1.0);
        }
        m[0][1] * m[1][0] + m[1][2]
    }
}

/// Rows of parameters, and parts of rows.
mod rows_of_parameters {
    use cotangent::differentiable;

    #[differentiable]
    fn norm(row: &mut [f64], k: f64) {
        let mut s = k;
        for t in row.iter() {
            s += t * t;
        }
        for t in row.iter_mut() {
            *t /= s;
        }
    }
    #[differentiable]
    fn all(m: &mut [[f64; 3]], k: f64) {
        for i in 0..m.len() {
            norm(&mut m[i], k);
        }
        for row in m.iter_mut() {
            norm(row, 2.0);
        }
        norm(&mut m[0][1..], k);
    }
    #[differentiable]
    fn allv(m: &mut Vec<Vec<f64>>, k: f64) {
        for i in 0..m.len() {
            norm(&mut m[i], k);
        }
        for row in m.iter_mut() {
            norm(row, 2.0);
        }
        norm(&mut m[0][1..], k);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = [[x[0], x[1], a], [x[2], x[3], x[4]]];
        all(&mut m, a * a);
        let mut w = vec![vec![x[0], x[1], a], vec![x[2], x[3], x[4]]];
        allv(&mut w, a * a + 1.0);
        m[0][1] * m[1][0] + w[1][2] * w[0][1]
    }
}

/// One row is read while another changes.
mod two_rows {
    use cotangent::differentiable;

    #[differentiable]
    fn axpy(k: f64, x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            y[i] += k * x[i];
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1], a], vec![x[2], x[3], x[4]], vec![a, x[5], x[6]]];
        for i in 1..3 {
            let (top, bottom) = m.split_at_mut(i);
            let k = bottom[0][0] / (2.0 + top[0][0].powi(2));
            axpy(k, &top[i - 1], &mut bottom[0]);
        }
        m[0][1] * m[1][0] + m[2][2] * m[2][1]
    }
}

/// Fields of a struct, and parts of fields.
mod fields {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    struct St {
        pos: Vec<f64>,
        vel: Vec<f64>,
        t: f64,
    }
    #[differentiable]
    fn push(p: &mut [f64], v: &mut [f64], t: &mut f64, k: f64) {
        for i in 0..p.len() {
            p[i] += k * v[i];
            v[i] -= k * p[i];
        }
        *t += k * p[0];
    }
    #[differentiable]
    fn run(s: &mut St, k: f64) {
        push(&mut s.pos, &mut s.vel, &mut s.t, k);
        push(&mut s.pos[1..], &mut s.vel[..1], &mut s.t, 0.5 * k)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = St { pos: vec![x[0], x[1]], vel: vec![x[2], x[3]], t: a };
        for _ in 0..3 {
            push(&mut s.pos, &mut s.vel, &mut s.t, 0.1);
        }
        run(&mut s, a);
        s.t * s.pos[1] + s.vel[0]
    }
}

/// Fields of `self`.
mod fields_in_methods {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    struct St {
        pos: Vec<f64>,
        vel: Vec<f64>,
        t: f64,
    }
    #[differentiable]
    fn push(p: &mut [f64], v: &[f64], k: f64) {
        for i in 0..p.len() {
            p[i] += k * v[i];
        }
    }
    #[differentiable]
    impl St {
        fn step(&mut self, k: f64) {
            push(&mut self.pos, &self.vel, k);
            let t = self.t;
            push(&mut self.vel, &self.pos, -k * t);
            self.t += k;
        }
        fn energy(&self) -> f64 {
            self.pos.iter().zip(&self.vel).map(|(p, v)| p * p + v * v * self.t).sum()
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = St { pos: vec![x[0], x[1]], vel: vec![x[2], x[3]], t: a };
        for _ in 0..3 {
            s.step(0.1 * x[4]);
        }
        s.energy()
    }
}

/// Slices that are exchanged.
mod slices_exchanged {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut w = vec![a; 8];
        v[..2].swap_with_slice(&mut w[3..5]);
        let (l, r) = v.split_at_mut(4);
        l.swap_with_slice(r);
        v[0] * v[4] + w[3] * w[4] * v[1]
    }
}

/// Changes after an early return.
mod after_an_early_return {
    use cotangent::differentiable;

    #[differentiable]
    fn blank(r: &mut [f64], k: f64) {
        if k > 0.0 {
            return;
        }
        r.fill(k);
        r[0] *= 2.0;
    }
    #[differentiable]
    fn rev(r: &mut [f64], k: f64) {
        if k > 0.0 {
            r.reverse();
            return;
        }
        r.rotate_left(1);
        r.copy_within(0..2, 1);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        blank(&mut v, a);
        blank(&mut v[1..3], x[0]);
        rev(&mut v, a);
        rev(&mut v[2..6], -x[0]);
        v.iter().enumerate().map(|(i, t)| t * t * i as f64).sum::<f64>()
    }
}

/// Changes in one arm only.
mod in_one_arm {
    use cotangent::differentiable;

    #[differentiable]
    fn g(r: &mut [f64], b: &[f64], k: f64) {
        if k > 0.0 {
            r.copy_from_slice(b);
        } else if k < -1.0 {
            for i in 0..r.len() {
                r[i] *= b[i];
            }
        }
    }
    #[differentiable]
    fn h(r: &mut [f64], k: f64) {
        if k > 0.0 {
            let w = r.to_vec();
            for i in 0..r.len() {
                r[i] = w[i] * w[0];
            }
        }
    }
    #[differentiable]
    fn h2(r: &mut [f64], k: f64) -> f64 {
        let t = if k > 0.0 {
            r[0] *= k;
            r[1]
        } else {
            0.5
        };
        t * r[0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        g(&mut v, x, a);
        h(&mut v, -a);
        h(&mut v[1..3], a);
        let t = h2(&mut v, a);
        v.iter().sum::<f64>() * t
    }
}

/// LU decomposition with pivots.
mod pivots {
    use cotangent::differentiable;

    #[differentiable]
    fn lu(m: &mut [Vec<f64>], b: &mut [f64]) -> f64 {
        let n = b.len();
        let mut det = 1.0;
        for k in 0..n {
            let mut p = k;
            for i in k + 1..n {
                if m[i][k].abs() > m[p][k].abs() {
                    p = i;
                }
            }
            if p != k {
                m.swap(p, k);
                b.swap(p, k);
                det = -det;
            }
            det *= m[k][k];
            for i in k + 1..n {
                let t = m[i][k] / m[k][k];
                for j in k..n {
                    m[i][j] -= t * m[k][j];
                }
                b[i] -= t * b[k];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                b[i] -= m[i][j] * b[j];
            }
            b[i] /= m[i][i];
        }
        det
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1], a], vec![x[2], 3.0 + x[3], x[4]], vec![a, x[5], 4.0 + x[6]]];
        let mut b = [1.0, a, x[7]];
        let d = lu(&mut m, &mut b);
        d * 0.1 + b[0] + b[1] * b[2]
    }
}

/// Running sums, in a row and by halves.
mod prefix_sums {
    use cotangent::differentiable;

    #[differentiable]
    fn prefix(v: &mut [f64]) {
        for i in 1..v.len() {
            v[i] += v[i - 1];
        }
    }
    #[differentiable]
    fn scan(v: &mut [f64]) -> f64 {
        let n = v.len();
        if n == 1 {
            return v[0];
        }
        let m = n / 2;
        let s = scan(&mut v[..m]);
        let t = scan(&mut v[m..]);
        for x in &mut v[m..] {
            *x += s;
        }
        s + t
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        prefix(&mut v);
        let mut w = v.clone();
        let t = scan(&mut w);
        let mut s = t;
        for i in 0..v.len() {
            s += v[i] * w[i] * (i as f64 + a);
        }
        s
    }
}

/// Structs in a vector, one by one and in pairs.
mod bodies {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    struct B {
        p: [f64; 2],
        m: f64,
    }
    #[differentiable]
    fn kick(b: &mut B, k: f64) {
        b.p[0] += k * b.m;
        b.p[1] *= b.m;
    }
    #[differentiable]
    fn pair(a: &mut B, b: &mut B, k: f64) {
        let d = a.p[0] - b.p[0];
        a.p[0] -= k * d * b.m;
        b.p[0] += k * d * a.m;
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut bs = vec![B { p: [x[0], x[1]], m: a }, B { p: [x[2], x[3]], m: x[4] }, B { p: [a, a], m: 1.0 }];
        for b in bs.iter_mut() {
            kick(b, 0.3);
        }
        for i in 0..3 {
            kick(&mut bs[i], a);
        }
        for i in 0..2 {
            let (l, r) = bs.split_at_mut(i + 1);
            pair(&mut l[i], &mut r[0], 0.1);
        }
        bs[0].p[0] * bs[1].p[1] + bs[2].p[0]
    }
}

/// A named function for each element.
mod by_name {
    use cotangent::differentiable;

    #[differentiable]
    fn halve(t: &mut f64) {
        *t *= 0.5 * *t;
    }
    #[differentiable]
    fn sq(t: &f64) -> f64 {
        t * t
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        v[2] = a;
        v.iter_mut().for_each(halve);
        let h = halve;
        h(&mut v[1]);
        v.iter().map(sq).sum::<f64>() + v[1]
    }
}

/// A call at the end of an arm.
mod in_arms {
    use cotangent::differentiable;

    #[differentiable]
    fn up(v: &mut [f64], k: f64) {
        v[0] *= k;
    }
    #[differentiable]
    fn down(v: &mut [f64], k: f64) {
        v[1] -= k * v[0];
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        for i in 0..4 {
            if i % 2 == 0 {
                up(&mut v, a)
            } else {
                down(&mut v, a)
            }
            match i {
                0 => up(&mut v[1..], a),
                1 => down(&mut v[2..], a),
                _ => {}
            }
        }
        v[0] * v[1] + v[2] * v[3]
    }
}

agree! {
    rows_of_vectors
    rows_of_parameters
    two_rows
    fields
    fields_in_methods
    slices_exchanged
    after_an_early_return
    in_one_arm
    pivots
    prefix_sums
    bodies
    by_name
    in_arms
}
