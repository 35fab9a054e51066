//! Paths into aggregates.

use super::val::Val;
use super::{Result, malformed, panic, unsupported};
use crate::ir::{Path, RangeEnd, Step};

/// A step with its operands.
enum At {
    /// The elements of a sequence, or the one element that a position in an array is.
    Index(usize),
    Range(usize, usize),
    Field(usize),
}

/// What is at a path.
pub(super) fn get(root: &Val, path: &Path, operands: &[&Val]) -> Result<Val> {
    let mut operands = operands.iter().copied();
    let mut here = std::borrow::Cow::Borrowed(root);
    for step in &path.0 {
        let at = resolve(&here, step, &mut operands)?;
        here = std::borrow::Cow::Owned(match (&*here, at) {
            (Val::Seq(xs), At::Index(k)) | (Val::Tuple(xs), At::Field(k)) => xs[k].clone(),
            (Val::Seq(xs), At::Range(from, to)) => Val::Seq(xs[from..to].to_vec()),
            (Val::Array { data, .. }, At::Index(k)) => Val::Float(data[k]),
            (other, _) => return malformed(format!("a path into {other:?}")),
        });
    }
    Ok(here.into_owned())
}

/// An aggregate with what is at a path edited. A slice keeps its length.
pub(super) fn edit(
    mut root: Val,
    path: &Path,
    operands: &[&Val],
    mut f: impl FnMut(&mut Val) -> Result<()>,
) -> Result<Val> {
    descend(&mut root, &path.0, &mut operands.iter().copied(), &mut f)?;
    Ok(root)
}

fn descend<'v>(
    here: &mut Val,
    path: &[Step],
    operands: &mut impl Iterator<Item = &'v Val>,
    f: &mut impl FnMut(&mut Val) -> Result<()>,
) -> Result<()> {
    let [step, rest @ ..] = path else { return f(here) };
    let at = resolve(here, step, operands)?;
    match (here, at) {
        (Val::Seq(xs), At::Index(k)) | (Val::Tuple(xs), At::Field(k)) => descend(&mut xs[k], rest, operands, f),
        (Val::Seq(xs), At::Range(from, to)) => {
            let mut part = Val::Seq(xs[from..to].to_vec());
            descend(&mut part, rest, operands, f)?;
            match part {
                Val::Seq(part) if part.len() == to - from => {
                    xs.splice(from..to, part);
                    Ok(())
                }
                other => malformed(format!("{other:?} in the place of a slice of {} elements", to - from)),
            }
        }
        (Val::Array { data, .. }, At::Index(k)) => {
            let mut element = Val::Float(data[k]);
            descend(&mut element, rest, operands, f)?;
            data[k] = element.float()?;
            Ok(())
        }
        (other, _) => malformed(format!("a path into {other:?}")),
    }
}

/// An index within `len`.
pub(super) fn index(len: usize, v: &Val) -> Result<usize> {
    let k = v.int()?;
    match usize::try_from(k) {
        Ok(k) if k < len => Ok(k),
        _ => panic(format!("index out of bounds: the len is {len} but the index is {k}")),
    }
}

fn resolve<'v>(here: &Val, step: &Step, operands: &mut impl Iterator<Item = &'v Val>) -> Result<At> {
    let mut next = || operands.next().map_or_else(|| malformed("a path lacks an operand"), Ok);
    match step {
        Step::Index => {
            let v = next()?;
            match here {
                Val::Array { shape, .. } => position(shape, v),
                here => Ok(At::Index(index(here.seq()?.len(), v)?)),
            }
        }
        Step::Flat => match here {
            Val::Array { data, .. } => Ok(At::Index(index(data.len(), next()?)?)),
            other => malformed(format!("elements of {other:?}")),
        },
        Step::View(view) => unsupported(format!("the view {}", view.method.name)),
        Step::Range { from, end } => {
            let len = here.seq()?.len();
            let from = if *from { next()?.int()? } else { 0 };
            let to = match end {
                RangeEnd::Open => len as i128,
                RangeEnd::Exclusive => next()?.int()?,
                RangeEnd::Inclusive => next()?.int()? + 1,
            };
            match (usize::try_from(from), usize::try_from(to)) {
                (Ok(from), Ok(to)) if from <= to && to <= len => Ok(At::Range(from, to)),
                (Ok(from), Ok(to)) if from > to => panic(format!("slice index starts at {from} but ends at {to}")),
                _ => panic(format!("range end index {to} out of range for slice of length {len}")),
            }
        }
        Step::Part(_) | Step::Variant(_) if step.is_some() => match here {
            Val::Tuple(xs) if xs.len() == 1 => Ok(At::Field(0)),
            _ => panic("called `Option::unwrap()` on a `None` value"),
        },
        Step::Part(name) => unsupported(format!("the part {name}")),
        Step::Unbox => unsupported("a box"),
        Step::Variant(v) => unsupported(format!("the part {}", v.part)),
        Step::Field(name) => match (name.parse(), here) {
            (Ok(k), Val::Tuple(xs)) if k < xs.len() => Ok(At::Field(k)),
            _ => unsupported(format!("the field {name}")),
        },
    }
}

/// The place of an element of an array: `[i]` or `[[i, j]]`.
fn position(shape: &[usize], v: &Val) -> Result<At> {
    let indices = match v {
        Val::Seq(xs) | Val::Tuple(xs) => xs.as_slice(),
        one => std::slice::from_ref(one),
    };
    if indices.len() != shape.len() {
        return malformed(format!("{} indices for {} axes", indices.len(), shape.len()));
    }
    let mut at = 0;
    for (v, &len) in indices.iter().zip(shape) {
        match usize::try_from(v.int()?) {
            Ok(k) if k < len => at = at * len + k,
            _ => return panic(format!("ndarray: index {v:?} is out of bounds for array of shape {shape:?}")),
        }
    }
    Ok(At::Index(at))
}
