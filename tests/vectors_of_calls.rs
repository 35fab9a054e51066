//! Vectors and arrays that calls give: their types are not visible, and the methods that are called on them tell.

mod bodies;

use cotangent::{Differentiable, differentiable};

#[differentiable]
fn squares(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| v * v).collect()
}

#[differentiable]
fn four(x: &[f64]) -> [f64; 4] {
    [x[0] * x[0], x[1] * x[1], x[2], x[3] * x[0]]
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| k as f64 + 0.5).collect()
}

#[derive(Clone, Differentiable)]
struct Path {
    v: Vec<f64>,
}

#[differentiable]
fn path(x: &[f64]) -> Path {
    Path { v: x.iter().map(|t| t * t).collect() }
}

#[derive(Clone, Differentiable)]
struct Row {
    v: [f64; 4],
}

#[differentiable]
fn row(x: &[f64]) -> Row {
    Row { v: [x[0] * x[0], x[1] * x[1], x[2], x[3] * x[0]] }
}

bodies! {
    given_push(x): {
        let mut v = squares(x);
        v.push(x[0] * x[1]);
        v[4] * v[0]
    }
    given_pop(x): {
        let mut v = squares(x);
        v[3] = x[2] * x[1];
        let p = v.pop().unwrap();
        p * v[0] * x[0]
    }
    given_extend(x): {
        let mut v = squares(x);
        v.extend(x.iter().map(|t| t.cos()));
        v[4] * v[5] + v[0] * x[3]
    }
    given_insert(x): {
        let mut v = squares(x);
        v.insert(0, x[0] * x[1]);
        v[0] * v[1]
    }
    given_swap(x): {
        let mut v = squares(x);
        v[0] *= x[0];
        v.swap(0, 2);
        v[0] * v[1] + v[2]
    }
    given_sort(x): {
        let mut v = squares(x);
        v[1] += x[0];
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        v[0] * v[1] + v[2]
    }
    given_iter_mut(x): {
        let mut v = squares(x);
        for (t, u) in v.iter_mut().zip(x) { *t *= u;
        } v[0] * v[1] + v[2]
    }
    given_iter_mut2(x): {
        let mut v = squares(x);
        v.iter_mut().for_each(|t| *t *= x[0]);
        v[0] * v[1] + v[2]
    }
    given_for_mut(x): {
        let mut v = squares(x);
        for t in &mut v { *t *= x[1];
        } v[0] * v[1] + v[2]
    }
    given_last(x): {
        let mut v = squares(x);
        v[3] *= x[0];
        *v.last().unwrap() * v[0]
    }
    given_last_mut(x): {
        let mut v = squares(x);
        *v.last_mut().unwrap() += x[0] * x[1];
        v[3] * v[0]
    }
    given_truncate(x): {
        let mut v = squares(x);
        v[0] += x[1];
        v.truncate(2);
        v.iter().sum::<f64>() * x[0]
    }
    given_retain(x): {
        let mut v = squares(x);
        v[0] += x[1];
        v.retain(|t| *t > 0.3);
        v.iter().sum::<f64>() * x[0]
    }
    given_reverse(x): {
        let mut v = squares(x);
        v[0] *= x[2];
        v.reverse();
        v[3] * v[1]
    }
    given_windows(x): {
        let mut v = squares(x);
        v[1] *= x[2];
        v.windows(2).map(|w| w[0] * w[1]).sum::<f64>()
    }
    given_chunks(x): {
        let mut v = squares(x);
        v[1] *= x[2];
        v.chunks(2).map(|w| w[0] * w[1]).sum::<f64>()
    }
    given_slice(x): {
        let mut v = squares(x);
        v[1] *= x[2];
        let s = &v[1..3];
        s[0] * s[1]
    }
    given_slice_mut(x): {
        let mut v = squares(x);
        let s = &mut v[1..3];
        s[0] = x[0];
        s[1] *= x[1];
        v[1] * v[2]
    }
    given_append_two(x): {
        let mut v = squares(x);
        let mut w = squares(x);
        v.append(&mut w);
        v[0] * v[6]
    }
    given_clone(x): {
        let mut v = squares(x);
        v[2] *= x[0];
        let w = v.clone();
        w[2] * w[0] * x[1]
    }
    given_resize(x): {
        let mut v = squares(x);
        v.resize(6, x[0] * x[1]);
        v[5] * v[0]
    }
    given_drain(x): {
        let mut v = squares(x);
        v[0] *= x[1];
        let s: f64 = v.drain(..2).sum();
        s * x[0]
    }
    given_concat(x): {
        let mut v = squares(x);
        v[0] *= x[1];
        let w = [v.clone(), x.to_vec()].concat();
        w[0] * w[5]
    }
    given_split_at(x): {
        let mut v = squares(x);
        v[0] *= x[1];
        let (a, b) = v.split_at(2);
        a[0] * b[1]
    }
    given_split_at_mut(x): {
        let mut v = squares(x);
        let (a, b) = v.split_at_mut(2);
        a[0] *= x[1];
        b[1] = a[0] * x[2];
        v[3] * x[0]
    }
    given_chunks_mut(x): {
        let mut v = squares(x);
        for c in v.chunks_mut(2) { c[0] *= x[0];
        c[1] += c[0];
        } v[3] * v[1]
    }
    given_rotate(x): {
        let mut v = squares(x);
        v[0] *= x[1];
        v.rotate_left(1);
        v[3] * x[0]
    }
    given_dedup(x): {
        let mut v = squares(x);
        v.push(x[0]);
        v.dedup();
        v[3] * v[4]
    }
    given_copy_from(x): {
        let mut v = squares(x);
        v.copy_from_slice(x);
        v[3] * v[1]
    }
    given_range(x): {
        let mut v = squares(x);
        v[..2].copy_from_slice(&x[1..3]);
        v[0] * v[1]
    }
    given_is_empty(x): {
        let mut v = squares(x);
        v[0] *= x[0];
        if v.is_empty() { 0.0 } else { v.len() as f64 * v[0] }
    }
    given_first(x): {
        let mut v = squares(x);
        v[0] *= x[0];
        v.first().copied().unwrap_or(0.0) * x[1]
    }
    given_get(x): {
        let mut v = squares(x);
        v[0] *= x[0];
        v.get(1).map_or(0.0, |t| t * x[1])
    }
    given_into_iter(x): {
        let mut v = squares(x);
        v[0] *= x[0];
        v.into_iter().sum()
    }
    plain_push(x): {
        let mut v = numbers(4);
        v.push(x[0] * x[1]);
        v[4] * v[0]
    }
    plain_extend(x): {
        let mut v = numbers(4);
        v.extend(x.iter().map(|t| t.cos()));
        v[4] * v[5] + v[0] * x[3]
    }
    plain_insert(x): {
        let mut v = numbers(4);
        v.insert(0, x[0] * x[1]);
        v[0] * v[1]
    }
    plain_swap(x): {
        let mut v = numbers(4);
        v[0] *= x[0];
        v.swap(0, 2);
        v[0] * v[1] + v[2]
    }
    plain_sort(x): {
        let mut v = numbers(4);
        v[1] += x[0];
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        v[0] * v[1] + v[2]
    }
    plain_iter_mut(x): {
        let mut v = numbers(4);
        for (t, u) in v.iter_mut().zip(x) { *t *= u;
        } v[0] * v[1] + v[2]
    }
    plain_iter_mut2(x): {
        let mut v = numbers(4);
        v.iter_mut().for_each(|t| *t *= x[0]);
        v[0] * v[1] + v[2]
    }
    plain_for_mut(x): {
        let mut v = numbers(4);
        for t in &mut v { *t *= x[1];
        } v[0] * v[1] + v[2]
    }
    plain_last_mut(x): {
        let mut v = numbers(4);
        *v.last_mut().unwrap() += x[0] * x[1];
        v[3] * v[0]
    }
    plain_split_at_mut(x): {
        let mut v = numbers(4);
        let (a, b) = v.split_at_mut(2);
        a[0] *= x[1];
        b[1] = a[0] * x[2];
        v[3] * x[0]
    }
    array_swap(x): {
        let mut v = four(x);
        v[0] *= x[0];
        v.swap(0, 2);
        v[0] * v[1] + v[2]
    }
    array_sort(x): {
        let mut v = four(x);
        v[1] += x[0];
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        v[0] * v[1] + v[2]
    }
    array_reverse(x): {
        let mut v = four(x);
        v[0] *= x[2];
        v.reverse();
        v[3] * v[1]
    }
    array_split_at(x): {
        let mut v = four(x);
        v[0] *= x[1];
        let (a, b) = v.split_at(2);
        a[0] * b[1]
    }
    array_rotate(x): {
        let mut v = four(x);
        v[0] *= x[1];
        v.rotate_left(1);
        v[3] * x[0]
    }
    array_copy_from(x): {
        let mut v = four(x);
        v.copy_from_slice(x);
        v[3] * v[1]
    }
    array_first(x): {
        let mut v = four(x);
        v[0] *= x[0];
        v.first().copied().unwrap_or(0.0) * x[1]
    }
    field_reverse(x): {
        let mut p = path(x);
        p.v[0] *= x[2];
        p.v.reverse();
        p.v[3] * p.v[1]
    }
    field_split_at(x): {
        let mut p = path(x);
        p.v[0] *= x[1];
        let (a, b) = p.v.split_at(2);
        a[0] * b[1]
    }
    field_rotate(x): {
        let mut p = path(x);
        p.v[0] *= x[1];
        p.v.rotate_left(1);
        p.v[3] * x[0]
    }
    field_copy_from(x): {
        let mut p = path(x);
        p.v.copy_from_slice(x);
        p.v[3] * p.v[1]
    }
    array_field_sort(x): {
        let mut p = row(x);
        p.v[1] += x[0];
        p.v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        p.v[0] * p.v[1] + p.v[2]
    }
    array_field_reverse(x): {
        let mut p = row(x);
        p.v[0] *= x[2];
        p.v.reverse();
        p.v[3] * p.v[1]
    }
    array_field_rotate(x): {
        let mut p = row(x);
        p.v[0] *= x[1];
        p.v.rotate_left(1);
        p.v[3] * x[0]
    }
}

bodies! {
    given_copy_within(x): {
        let mut v = squares(x);
        v.copy_within(0..2, 2);
        v[2] * v[3] + v[0]
    }
    given_array_copy_within(x): {
        let mut v = four(x);
        v.copy_within(1.., 0);
        v[2] * v[0] + v[3]
    }
    given_swap_with_slice(x): {
        let mut v = squares(x);
        let mut w = four(x);
        v.swap_with_slice(&mut w);
        v[3] * w[2] + w[0]
    }
    given_copy_from_an_array(x): {
        let mut v = squares(x);
        v.copy_from_slice(&four(x));
        v[3] * v[0]
    }
    given_clone_from_slice(x): {
        let mut v = squares(x);
        let w = four(x);
        v.clone_from_slice(&w);
        v[0] * v[3]
    }
    given_split_first_mut(x): {
        let mut v = squares(x);
        if let Some((a, rest)) = v.split_first_mut() {
            for t in rest.iter_mut() {
                *t *= *a;
            }
            *a = 2.0;
        }
        v[0] * v[1] * v[3]
    }
    given_split_last_mut(x): {
        let mut v = squares(x);
        if let Some((a, rest)) = v.split_last_mut() {
            *a += rest[0] * rest[1];
            rest[2] = *a;
        }
        v[3] * v[2]
    }
    given_chunks_exact_mut(x): {
        let mut v = squares(x);
        for c in v.chunks_exact_mut(2) {
            c[0] *= c[1];
            c.swap(0, 1);
        }
        v[0] * v[3] + v[1]
    }
    given_fill_with(x): {
        let mut v = squares(x);
        let mut k = 0.0;
        v.fill_with(|| { k += x[0]; k });
        v[3] * v[1]
    }
    field_copy_within(x): {
        let mut p = path(x);
        p.v.copy_within(0..2, 2);
        p.v[2] * x[0]
    }
    field_swap_with_slice(x): {
        let mut p = path(x);
        p.v.swap_with_slice(&mut four(x));
        p.v[3] * p.v[1]
    }
    field_split_first_mut(x): {
        let mut p = path(x);
        if let Some((a, rest)) = p.v.split_first_mut() {
            rest[0] *= *a;
        }
        p.v[1] * p.v[2]
    }
}

fn names() -> Vec<String> {
    vec!["a".into(), "b".into()]
}
fn indices(n: usize) -> Vec<usize> {
    (0..n).collect()
}
fn order() -> [usize; 4] {
    [2, 0, 3, 1]
}

#[derive(Clone)]
struct Item {
    k: usize,
    count: usize,
    name: String,
}
fn items() -> Vec<Item> {
    vec![Item { k: 0, count: 0, name: String::new() }, Item { k: 2, count: 1, name: String::new() }]
}

bodies! {
    strings(x): {
        let mut v = names();
        for n in v.iter_mut() { n.push_str("xy");
        }
        let k = v[0].len() as f64;
        x[0] * k
    }
    strings_pushed(x): {
        let mut v = names();
        for n in &mut v { n.push('x');
        } v.push(String::new());
        let k = v[0].len() as f64;
        x[0] * k
    }
    indices_changed(x): {
        let mut v = indices(4);
        for k in v.iter_mut() { *k = (*k + 1) % 4;
        } v.reverse();
        v.iter().map(|&k| x[k]).sum::<f64>() * x[v[0]]
    }
    indices_sorted(x): {
        let mut v = indices(4);
        v.sort_by(|a, b| x[*a].partial_cmp(&x[*b]).unwrap());
        x[v[0]] * x[v[1]] + x[v[3]]
    }
    indices_kept(x): {
        let mut v = indices(4);
        v.retain(|&k| x[k] > 0.0);
        v.iter().map(|&k| x[k] * x[k]).sum()
    }
    indices_in_halves(x): {
        let mut v = indices(4);
        let (a, b) = v.split_at_mut(2);
        a[0] = b[1];
        x[v[0]] * x[v[3]]
    }
    indices_at_the_ends(x): {
        let mut v = indices(4);
        *v.last_mut().unwrap() = 0;
        if let Some(k) = v.first_mut() { *k = 2;
        } x[v[0]] * x[v[3]]
    }
    weights_normalised(x): {
        let mut v = numbers(4);
        for t in v.iter_mut() { *t += 1.0;
        }
        let n: f64 = v.iter().sum();
        for t in v.iter_mut() { *t /= n;
        } v.iter().zip(x).map(|(a, b)| a * b).sum()
    }
    weights_in_chunks(x): {
        let mut v = numbers(4);
        for c in v.chunks_mut(2) { c[0] = x[0];
        c[1] = c[0] * 2.0;
        } v.iter().zip(x).map(|(a, b)| a * b).sum()
    }
    weights_numbered(x): {
        let mut v = numbers(4);
        for (k, t) in v.iter_mut().enumerate() { *t += x[k];
        } v.iter().product()
    }
    weights_at_places(x): {
        let mut v = numbers(4);
        if let Some(t) = v.last_mut() { *t = x[0];
        }
        if let Some(t) = v.get_mut(1) {
            *t *= x[1];
        } v[3] * v[1]
    }
    weights_by_a_pattern(x): {
        let mut v = numbers(4);
        let [a, b, ..] = &mut v[..] else { return 0.0 };
        *a = x[0];
        *b += x[1];
        v[1] * v[0]
    }
    permutation(x): {
        let mut p = order();
        p.swap(0, 1);
        for k in p.iter_mut() { *k = 3 - *k;
        } x[p[0]] * x[p[1]]
    }
    structs_changed(x): {
        let mut v = items();
        for it in v.iter_mut() { it.count += 1;
        it.name.push('x');
        it.k = 3 - it.k;
        } v.swap(0, 1);
        let s: f64 = v.iter().map(|it| x[it.k] * it.count as f64).sum();
        s
    }
}
