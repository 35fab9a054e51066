//! Tangents of values: zero, sum, replacement.

use super::val::Val;
use super::{Result, malformed, panic};

/// The zero tangent of a value: `()` where it has no derivative.
pub(super) fn zero(v: &Val) -> Val {
    let all = |xs: &[Val]| {
        let zeros: Vec<Val> = xs.iter().map(zero).collect();
        (!zeros.is_empty() && zeros.iter().all(|z| *z == Val::Unit), zeros)
    };
    match v {
        Val::Float(_) => Val::Float(0.0),
        Val::Array { shape, data } => Val::Array { shape: shape.clone(), data: vec![0.0; data.len()] },
        Val::Seq(xs) => match all(xs) {
            (true, _) => Val::Unit,
            (false, zeros) => Val::Seq(zeros),
        },
        Val::Tuple(xs) => match all(xs) {
            (true, _) => Val::Unit,
            (false, zeros) => Val::Tuple(zeros),
        },
        Val::Int(_) | Val::Bool(_) | Val::Unit | Val::Closure(_) | Val::Native(_) => Val::Unit,
    }
}

/// `to += v`. As in the runtime, an empty sequence stands for zero.
pub(super) fn add(to: &mut Val, v: &Val) -> Result<()> {
    match (&mut *to, v) {
        (Val::Float(a), Val::Float(b)) => *a += b,
        (Val::Unit, Val::Unit) => {}
        (Val::Seq(a), Val::Seq(b)) if a.is_empty() => a.clone_from(b),
        (Val::Seq(_), Val::Seq(b)) if b.is_empty() => {}
        (Val::Seq(a), Val::Seq(b)) if a.len() != b.len() => {
            return panic(format!("accumulate: lengths differ, {} and {}", a.len(), b.len()));
        }
        (Val::Tuple(a), Val::Tuple(b)) if a.len() != b.len() => {
            return malformed(format!("the sum of tuples of {} and {} parts", a.len(), b.len()));
        }
        (Val::Seq(a), Val::Seq(b)) | (Val::Tuple(a), Val::Tuple(b)) => {
            for (a, b) in a.iter_mut().zip(b) {
                add(a, b)?;
            }
        }
        (Val::Array { shape: s, data: a }, Val::Array { shape: t, data: b }) => {
            if s != t {
                return panic(format!("accumulate: shapes differ, {s:?} and {t:?}"));
            }
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        }
        // A sequence without elements does not show whether it has a tangent.
        (Val::Seq(a), Val::Unit) if a.is_empty() => {}
        (Val::Unit, Val::Seq(b)) if b.is_empty() => {}
        (a, b) => return malformed(format!("the sum of {a:?} and {b:?}")),
    }
    Ok(())
}

/// `to = v` at a path; a slice keeps its length.
pub(super) fn replace(to: &mut Val, v: &Val, slice: bool) -> Result<()> {
    if let (true, Val::Seq(a), Val::Seq(b)) = (slice, &*to, v)
        && a.len() != b.len()
    {
        return panic("copy_from_slice: source slice length does not match destination slice length");
    }
    to.clone_from(v);
    Ok(())
}
