//! Arrays of `ndarray`: broadcasting and its transpose.

use super::val::Val;
use super::{Result, malformed, panic};

/// The shape of a float or an array.
fn shape(v: &Val) -> Result<&[usize]> {
    match v {
        Val::Float(_) => Ok(&[]),
        Val::Array { shape, .. } => Ok(shape),
        other => malformed(format!("{other:?} among arrays")),
    }
}

fn data(v: &Val) -> &[f64] {
    match v {
        Val::Float(x) => std::slice::from_ref(x),
        Val::Array { data, .. } => data,
        _ => &[],
    }
}

/// The shape that two shapes broadcast to.
fn common(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let axis = |s: &[usize], k: usize| (k + s.len()).checked_sub(rank).map_or(1, |k| s[k]);
    (0..rank)
        .map(|k| match (axis(a, k), axis(b, k)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => panic(format!("ndarray: could not broadcast array from shape: {a:?} to: {b:?}")),
        })
        .collect()
}

/// Where the element of an array of shape `small` lies that position `at` of the shape `large` reads.
fn source(mut at: usize, large: &[usize], small: &[usize]) -> usize {
    let (mut from, mut stride) = (0, 1);
    for (k, &len) in large.iter().enumerate().rev() {
        let index = at % len;
        at /= len;
        if let Some(axis) = (k + small.len()).checked_sub(large.len()) {
            if small[axis] != 1 {
                from += index * stride;
            }
            stride *= small[axis];
        }
    }
    from
}

fn build(shape: Vec<usize>, data: Vec<f64>) -> Val {
    match (shape.is_empty(), data.as_slice()) {
        (true, &[x]) => Val::Float(x),
        _ => Val::Array { shape, data },
    }
}

/// A function of elements on whole arrays.
pub(super) fn map(args: &[Val], like_first: bool, mut f: impl FnMut(Vec<Val>) -> Result<f64>) -> Result<Val> {
    let all = args.iter().try_fold(vec![], |s, v| common(&s, shape(v)?))?;
    if like_first && args.first().map(shape).transpose()? != Some(&all) {
        return panic(format!("ndarray: could not broadcast to shape {:?}", args.first().map(shape).transpose()?));
    }
    let mut out = Vec::new();
    for at in 0..all.iter().product() {
        let mut elements = Vec::new();
        for v in args {
            elements.push(Val::Float(data(v)[source(at, &all, shape(v)?)]));
        }
        out.push(f(elements)?);
    }
    Ok(build(all, out))
}

/// `g` summed down to the shape of `x`.
pub(super) fn unbroadcast(g: &Val, x: &Val) -> Result<Val> {
    let (large, small) = (shape(g)?, shape(x)?);
    if common(large, small)? != large {
        return malformed(format!("the sum of shape {large:?} down to {small:?}"));
    }
    let mut out = vec![0.0; small.iter().product()];
    for (at, y) in data(g).iter().enumerate() {
        out[source(at, large, small)] += y;
    }
    Ok(build(small.to_vec(), out))
}
