//! Parts of sequences handed to functions that change them: every companion against differences.

#![allow(clippy::assign_op_pattern, clippy::needless_range_loop)]

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

agree! {
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
