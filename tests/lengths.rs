//! Vectors that change their length where they lie: in rows, tuples, arrays, options, boxes; every companion against
//! differences.

#![allow(clippy::assign_op_pattern, clippy::needless_range_loop, clippy::ptr_arg, clippy::useless_vec)]

mod agree;

/// A vector in a tuple grows and shrinks.
mod in_tuples {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut t = (vec![x[0], x[1]], a);
        t.0.push(x[2] * a);
        let s = t.0[2] * t.0[0] + t.1;
        t.0.pop();
        t.0.push(s * s);
        t.0[2] * t.0[1]
    }
}

/// Vectors in an array.
mod in_arrays {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut t = [vec![x[0]], vec![x[1], a]];
        t[0].push(x[2] * a);
        t[1].truncate(1);
        t[1].push(t[0][1] * x[3]);
        t[0][0] * t[0][1] + t[1][0] * t[1][1]
    }
}

/// A vector in an option, by `if let` and by `as_mut`.
mod in_options {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut o = Some(vec![x[0]]);
        if let Some(v) = &mut o {
            v.push(a * x[1]);
            v.push(x[2]);
        }
        if let Some(v) = o.as_mut() {
            v.truncate(2);
            v[0] *= a;
        }
        match o {
            Some(v) => v[0] * v[1] * v.len() as f64,
            None => a,
        }
    }
}

/// Vectors in boxes, alone and in a tuple.
mod in_boxes {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut b: Box<Vec<f64>> = Box::new(vec![x[0]]);
        b.push(a);
        let mut t = (Box::new(vec![x[1]]), Some(vec![vec![x[2]]]));
        t.0.push(b[1] * b[0]);
        if let Some(m) = &mut t.1 {
            m[0].push(x[3]);
            m.push(vec![a]);
            m[1].push(t.0[1]);
        }
        let m = t.1.unwrap();
        m[0][0] * m[0][1] + m[1][0] * m[1][1]
    }
}

/// Vectors in the tuples of a vector.
mod in_pairs_of_a_vector {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![(vec![x[0], x[1], a], 2.0), (vec![x[1], x[2]], a)];
        for p in m.iter_mut() {
            p.0.push(p.1 * x[3]);
            p.1 *= p.0[0];
        }
        m[1].0.truncate(1);
        m[0].0 = vec![m[0].1; 4];
        let mut s = 0.0;
        for (v, w) in &m {
            for t in v {
                s += t * w;
            }
        }
        s
    }
}

/// Vectors in vectors in a vector.
mod two_deep {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![vec![x[0]], vec![]], vec![vec![x[1], x[2]]]];
        for i in 0..m.len() {
            for j in 0..m[i].len() {
                m[i][j].push(a * (i + j) as f64);
            }
        }
        m[0].push(vec![x[3], a]);
        m[1][0].clear();
        m[0][2].insert(1, x[0]);
        let mut s = 1.0;
        for p in &m {
            for q in p {
                for t in q {
                    s = s * t + a;
                }
            }
        }
        s
    }
}

/// Rows are handed to a function that lengthens them.
mod rows_handed_over {
    use cotangent::differentiable;
    #[differentiable]
    fn grow(row: &mut Vec<f64>, k: f64) {
        let t = row[0] * k;
        row.push(t);
        row.push(k);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0]], vec![x[1], x[2]]];
        for i in 0..m.len() {
            grow(&mut m[i], a);
        }
        for row in m.iter_mut() {
            grow(row, a * a);
        }
        for row in &mut m {
            grow(row, x[3]);
        }
        let mut s = 0.0;
        for r in &m {
            for (k, t) in r.iter().enumerate() {
                s += t * t * k as f64;
            }
        }
        s
    }
}

/// Functions change the length of what is in a row, a tuple, an option.
mod parts_handed_over {
    use cotangent::differentiable;
    #[differentiable]
    fn eat(v: &mut Vec<f64>) -> f64 {
        let mut s = 0.0;
        while let Some(t) = v.pop() {
            s = s * 0.5 + t;
        }
        s
    }
    #[differentiable]
    fn both(p: &mut (Vec<f64>, f64), o: &mut Option<Vec<f64>>, a: f64) {
        p.0.push(a);
        p.1 += a * p.0[0];
        *o = Some(p.0.clone());
        p.0.clear();
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1]], vec![x[2]]];
        let s = eat(&mut m[0]);
        let mut p = (vec![x[3]], a);
        let mut o = None;
        both(&mut p, &mut o, s);
        let mut q = [vec![x[0], a, x[1]], vec![]];
        let r = eat(&mut q[0]);
        q[0].push(r);
        let z = match o {
            Some(mut v) => eat(&mut v),
            None => 0.0,
        };
        z * p.1 + q[0][0] * m[1][0] + m[0].len() as f64
    }
}

/// Functions that lengthen all the rows, and what is in a tuple.
mod functions_that_lengthen {
    use cotangent::differentiable;
    #[differentiable]
    fn push_all(m: &mut Vec<Vec<f64>>, a: f64) {
        for r in m.iter_mut() {
            r.push(a);
        }
        m.push(vec![a]);
    }
    #[differentiable]
    fn cut(t: &mut (Vec<f64>, Option<Vec<f64>>, [Vec<f64>; 2])) {
        t.0.truncate(1);
        t.2[0].push(t.0[0]);
        if let Some(v) = &mut t.1 {
            v.pop();
        }
        t.2[1].clear();
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0]]];
        for k in 0..3 {
            push_all(&mut m, a * x[k]);
        }
        let mut t = (vec![x[0], a], Some(vec![x[1], x[2]]), [vec![], vec![x[3]]]);
        let z = t.2[1][0];
        cut(&mut t);
        let mut s = z;
        for r in &m {
            for q in r {
                s += q * q;
            }
        }
        s + t.0[0] * t.2[0][0] + t.1.unwrap()[0] + t.2[1].len() as f64
    }
}

/// `drain` on rows.
mod rows_drained {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1], a], vec![x[1], x[2]]];
        let d: Vec<f64> = m[0].drain(1..).collect();
        let s: f64 = d.iter().map(|t| t * t).sum();
        m[1].drain(..1);
        let e: f64 = m[1].drain(..).sum();
        m[1].push(s);
        m[0][0] * m[1][0] + e * a
    }
}

/// Rows are replaced by ones of other lengths.
mod rows_replaced {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1], a], vec![x[1], x[2]]];
        m[0] = vec![a * x[0]];
        m[1] = m[0].clone();
        let t = m[1][0];
        m[1] = vec![t, t * x[3], t];
        m[0][0] * m[1][1] + m[1][2]
    }
}

/// `fill` and `clone_from_slice` put rows of other lengths in their places.
mod rows_filled {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0]], vec![x[1], x[2]], vec![]];
        let n = vec![vec![a, a * a], vec![x[3]]];
        let s = m[0][0] * m[1][1];
        m[1..].clone_from_slice(&n);
        let s2 = m[1][1] * m[2][0];
        m.fill(vec![s, a, s2]);
        m[0][1] * m[2][2] + m[1][0]
    }
}

/// Loops with early exits over rows that grow and are filtered.
mod early_exits {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m: Vec<Vec<f64>> = vec![Vec::new(); 3];
        for (i, t) in x.iter().enumerate() {
            m[i % 3].push(t * a);
            if *t < 0.0 {
                continue;
            }
            m[(i + 1) % 3].push(a);
            if m[0].len() > 1 {
                break;
            }
        }
        let mut s = a;
        for r in m.iter_mut() {
            r.retain(|t| *t > -1.0);
            r.push(s);
            s += r[0];
        }
        for r in m {
            for t in r {
                s += t * t;
            }
        }
        s
    }
}

/// Rows as stacks in labelled loops.
mod labels {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![x.to_vec(), vec![a; 3]];
        let mut s = 0.0;
        'o: for i in 0..4 {
            while let Some(t) = m[i % 2].pop() {
                s += t * a;
                if t > 1.0 {
                    m[(i + 1) % 2].push(t * x[i]);
                    continue 'o;
                }
                if m[0].len() + m[1].len() < 3 {
                    break 'o;
                }
                if t < -1.0 {
                    break;
                }
            }
            m[1].insert(0, s);
        }
        for r in &m {
            for t in r {
                s = 0.7 * s + t;
            }
        }
        s
    }
}

/// Elements and rows move from one vector to another.
mod between_rows {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1]], vec![x[2]], vec![a]];
        let mut tail = m[0].split_off(1);
        m[1].append(&mut tail);
        m[2].extend_from_slice(&x[1..]);
        m[2].resize(2, a * x[0]);
        m[2].dedup();
        m[1].swap_remove(0);
        tail.push(x[3]);
        let r = m.remove(1);
        m.insert(0, r);
        let q = m.swap_remove(0);
        q[0] * m[0][0] * m[1][0] + tail[0] * a + m[0].len() as f64
    }
}

/// Arrays of other lengths take the places of others.
mod arrays_in_a_vector {
    use cotangent::differentiable;
    use ndarray::Array1;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m: Vec<Array1<f64>> = vec![Array1::from_vec(vec![x[0], a]), Array1::from_vec(vec![x[1]])];
        let s = m[0][1] * m[1][0];
        m[0] = Array1::from_vec(vec![x[2], s, x[3]]);
        let p = (&m[0] * a).sum();
        m[1] = m[0].clone();
        m[1][2] *= p;
        m[1].sum() + m[0][1]
    }
}

agree! {
    in_tuples
    in_arrays
    in_options
    in_boxes
    in_pairs_of_a_vector
    two_deep
    rows_handed_over
    parts_handed_over
    functions_that_lengthen
    rows_drained
    rows_replaced
    rows_filled
    early_exits
    labels
    between_rows
    arrays_in_a_vector
}
