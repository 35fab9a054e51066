//! Parts of sequences handed to functions that change them: every companion against differences.

#![allow(clippy::assign_op_pattern, clippy::needless_range_loop, clippy::ptr_arg, clippy::useless_vec)]

mod agree;

/// The tail from each place on.
mod tails_in_a_loop {
    use cotangent::differentiable;

    #[differentiable]
    fn scale(v: &mut [f64], k: f64) {
        for t in v.iter_mut() {
            *t *= k;
        }
        if v.len() > 1 {
            v[0] += v[1];
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        for i in 0..v.len() - 1 {
            scale(&mut v[i..], a);
        }
        v.iter().sum::<f64>() * v[2]
    }
}

/// The function gives something as well.
mod with_a_result {
    use cotangent::differentiable;

    #[differentiable]
    fn step(v: &mut [f64], k: f64) -> f64 {
        v[0] *= k;
        v[0] + v[v.len() - 1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut s = 0.0;
        for i in 0..v.len() {
            s += step(&mut v[i..], a) * v[0];
        }
        s
    }
}

/// The tail of a parameter, by recursion.
mod tails_by_recursion {
    use cotangent::differentiable;

    #[differentiable]
    fn r(v: &mut [f64], k: f64) {
        if v.len() < 2 {
            return;
        }
        v[1] += k * v[0];
        r(&mut v[1..], k);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        r(&mut v, a);
        v.iter().sum::<f64>() * v[2]
    }
}

/// Both halves at once.
mod halves {
    use cotangent::differentiable;

    #[differentiable]
    fn mix(p: &mut [f64], q: &mut [f64], k: f64) {
        for i in 0..p.len() {
            let t = p[i];
            p[i] += k * q[i];
            q[i] = t * q[i];
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let h = v.len() / 2;
        {
            let (l, r) = v.split_at_mut(h);
            mix(l, r, a);
            l[0] *= r[1];
        }
        v.iter().sum::<f64>() * v[2]
    }
}

/// Sorts its halves.
mod merge_sort {
    use cotangent::differentiable;

    #[differentiable]
    fn sort(v: &mut [f64]) {
        let n = v.len();
        if n <= 1 {
            return;
        }
        let m = n / 2;
        {
            let (l, r) = v.split_at_mut(m);
            sort(l);
            sort(r);
        }
        let mut out = Vec::with_capacity(n);
        let (mut i, mut j) = (0, m);
        while i < m && j < n {
            if v[i] <= v[j] {
                out.push(v[i]);
                i += 1;
            } else {
                out.push(v[j]);
                j += 1;
            }
        }
        while i < m {
            out.push(v[i]);
            i += 1;
        }
        while j < n {
            out.push(v[j]);
            j += 1;
        }
        v.copy_from_slice(&out);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        sort(&mut v);
        let mut s = 0.0;
        for i in 0..v.len() {
            s += v[i] * v[i] * (i as f64 + a);
        }
        s
    }
}

/// Sorts the parts beside the pivot.
mod quicksort {
    use cotangent::differentiable;

    #[differentiable]
    fn quick(v: &mut [f64]) {
        let n = v.len();
        if n <= 1 {
            return;
        }
        let p = n - 1;
        let mut k = 0;
        for i in 0..p {
            if v[i] < v[p] {
                v.swap(i, k);
                k += 1;
            }
        }
        v.swap(k, p);
        let (l, r) = v.split_at_mut(k);
        quick(l);
        quick(&mut r[1..]);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        quick(&mut v);
        let mut s = 0.0;
        for i in 0..v.len() {
            s += v[i] * v[i] * (i as f64 + a);
        }
        s
    }
}

/// A Fourier transform in place.
mod fft {
    use cotangent::differentiable;

    #[differentiable]
    fn fft(re: &mut [f64], im: &mut [f64]) {
        let n = re.len();
        if n == 1 {
            return;
        }
        let h = n / 2;
        for k in 0..h {
            let t = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
            let (s, c) = t.sin_cos();
            let (ur, ui) = (re[k] - re[k + h], im[k] - im[k + h]);
            re[k] += re[k + h];
            im[k] += im[k + h];
            re[k + h] = c * ur - s * ui;
            im[k + h] = c * ui + s * ur;
        }
        let (rl, rr) = re.split_at_mut(h);
        let (il, ir) = im.split_at_mut(h);
        fft(rl, il);
        fft(rr, ir);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut re = x.to_vec();
        let mut im = vec![0.0; x.len()];
        im[1] = a;
        fft(&mut re, &mut im);
        let mut s = 0.0;
        for k in 0..re.len() {
            s += (re[k] * re[k] + im[k] * im[k]) * (k as f64 + 1.0).sqrt();
        }
        s
    }
}

/// Chunks, of which the last is short.
mod chunks {
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
        let mut v = x.to_vec();
        for row in v.chunks_mut(3) {
            norm(row, a * a + 1.0);
        }
        v.iter().enumerate().map(|(i, t)| t * i as f64).sum::<f64>()
    }
}

/// Rows that a closure hands on.
mod rows_by_closure {
    use cotangent::differentiable;

    #[differentiable]
    fn norm(row: &mut [f64; 2], k: f64) {
        let s = row[0] * row[0] + k;
        row[1] /= s;
        row[0] *= k;
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = [[x[0], x[1]], [x[2], a], [x[3], x[4]]];
        v.iter_mut().for_each(|row| norm(row, a * a + 1.0));
        v[0][0] * v[1][1] + v[2][0] * v[0][1]
    }
}

/// What a mutable reference leads to is only read.
mod read_by_name {
    use cotangent::differentiable;

    #[differentiable]
    fn norm(v: &[f64]) -> f64 {
        v.iter().map(|t| t * t).sum::<f64>().sqrt()
    }
    #[differentiable]
    fn first(v: &mut [f64]) -> f64 {
        let t = v[0];
        v[0] *= 2.0;
        t
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = [[x[0], x[1], a], [x[2], x[3], x[4]]];
        for row in m.iter_mut() {
            let n = norm(row);
            for t in row.iter_mut() {
                *t /= n;
            }
            let k = first(&mut row[..]);
            row[1] += k;
        }
        let mut v = x.to_vec();
        let (l, r) = v.split_at_mut(3);
        let s = norm(l) * norm(r);
        l[0] *= s;
        for c in v.chunks_mut(3) {
            let n = norm(c);
            c[0] += n;
        }
        m[0][0] * m[1][2] + v[0] * v[3]
    }
}

/// References that are handed on again.
mod reborrowed {
    use cotangent::differentiable;

    #[differentiable]
    fn inner(v: &mut [f64], k: f64) -> f64 {
        v[0] *= k;
        v[1]
    }
    #[differentiable]
    fn outer(v: &mut Vec<f64>, w: &mut [f64], k: f64) -> f64 {
        let s = inner(v, k) + inner(&mut *w, k);
        let r = &mut v[1..];
        let t = inner(&mut *r, s);
        r[0] += t;
        inner(&mut *r, k) + inner(w, t)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut w = [a, x[0], x[1]];
        let s = outer(&mut v, &mut w, a);
        s * v[1] + w[0]
    }
}

/// Numbers in vectors, arrays and tuples.
mod numbers {
    use cotangent::differentiable;

    #[differentiable]
    fn bump(t: &mut f64, k: f64) {
        *t = t.sin() * k;
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut m = [[a, x[0]], [x[1], 2.0]];
        let mut p = (a, [x[2], x[3]]);
        bump(&mut v[3], a);
        bump(&mut m[1][0], v[3]);
        bump(&mut p.1[1], p.0);
        bump(&mut p.0, 2.0);
        for t in v.iter_mut().skip(2).step_by(2) {
            bump(t, a);
        }
        for (i, t) in v.iter_mut().enumerate().rev() {
            if i % 3 == 0 {
                bump(t, i as f64);
            }
        }
        if let Some(t) = v.last_mut() {
            bump(t, a)
        }
        if let Some(t) = v.get_mut(1) {
            bump(t, a);
            *t += 1.0;
        }
        for row in m.iter_mut() {
            for t in row.iter_mut() {
                bump(t, a)
            }
        }
        v.iter().sum::<f64>() + m[1][0] * m[0][1] + p.0 * p.1[1]
    }
}

/// Rows that are taken out and put back.
mod rows_taken_out {
    use cotangent::differentiable;

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1]], vec![x[2], a]];
        let mut w = vec![a * 2.0, x[3]];
        std::mem::swap(&mut m[1], &mut w);
        m.swap(0, 1);
        let r = std::mem::take(&mut m[0]);
        let old = std::mem::replace(&mut m[1], r);
        m[1][0] * old[1] + w[0] * w[1] + m[0].len() as f64
    }
}

agree! {
    read_by_name
    reborrowed
    numbers
    rows_taken_out
    tails_in_a_loop
    with_a_result
    tails_by_recursion
    halves
    merge_sort
    quicksort
    fft
    chunks
    rows_by_closure
}
