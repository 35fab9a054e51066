//! The operations without nested graphs.

use super::val::Val;
use super::{Result, array, malformed, panic, path, scalar, tangent, unsupported};
use crate::ir::{Checkpoint, CheckpointStep, Const, Op, Type};
use proc_macro2::TokenStream;

/// The results of an operation; `ty` is the type of the first as far as it is visible.
pub(super) fn eval(op: &Op, args: &[&Val], ty: Option<&Type>) -> Result<Vec<Val>> {
    let own = |k: usize| args[k].clone();
    let list = || args.iter().map(|&v| v.clone()).collect::<Vec<_>>();
    Ok(vec![match op {
        Op::Const(c) => constant(c)?,
        Op::Prim(p) => scalar::prim(p, args, ty)?,
        Op::Cast(to) => scalar::cast(args[0], scalar::target(&to.to_string(), ty)?)?,
        Op::Tuple => Val::Tuple(list()),
        Op::Array | Op::VecOf => Val::Seq(list()),
        Op::Repeat(n) => Val::Seq(vec![own(0); length(n)?]),
        Op::VecRepeat => Val::Seq(vec![own(0); usize(args[1])?]),
        Op::VecEmpty => Val::Seq(vec![]),
        Op::Push(p) => {
            let (value, operands) = args[1..].split_last().expect("a value");
            path::edit(own(0), p, operands, |old| match old {
                Val::Seq(xs) => {
                    xs.push((*value).clone());
                    Ok(())
                }
                other => malformed(format!("`push` on {other:?}")),
            })?
        }
        Op::Lengthen => {
            let mut xs = args[0].seq()?.to_vec();
            xs.resize(xs.len().max(usize(args[2])?), own(1));
            Val::Seq(xs)
        }
        Op::Pop(p) => {
            let mut last = Val::Unit;
            let root = path::edit(own(0), p, &args[1..], |old| match old {
                Val::Seq(xs) if !xs.is_empty() => {
                    last = xs.pop().expect("not empty");
                    Ok(())
                }
                other => malformed(format!("`pop` of {other:?}")),
            })?;
            return Ok(vec![last, root]);
        }
        Op::Len => match args[0] {
            Val::Array { data, .. } => Val::from(data.len()),
            v => Val::from(v.seq()?.len()),
        },
        Op::Copy(_) => own(0),
        Op::Load(p) => path::get(args[0], p, &args[1..])?,
        Op::Update(p) => {
            let (value, operands) = args[1..].split_last().expect("a value");
            path::edit(own(0), p, operands, |old| tangent::replace(old, value, p.is_slice()))?
        }
        Op::AddAt(p) => {
            let (value, operands) = args[1..].split_last().expect("a value");
            path::edit(own(0), p, operands, |old| tangent::add(old, value))?
        }
        Op::Take(p) => {
            let mut taken = Val::Unit;
            let root = path::edit(own(0), p, &args[1..], |old| {
                let zero = tangent::zero(old);
                taken = std::mem::replace(old, zero);
                Ok(())
            })?;
            return Ok(vec![taken, root]);
        }
        Op::Fill(p) => {
            let (value, operands) = args[1..].split_last().expect("a value");
            path::edit(own(0), p, operands, |old| match old {
                Val::Seq(xs) => {
                    xs.fill((*value).clone());
                    Ok(())
                }
                Val::Array { data, .. } => {
                    data.fill(value.float()?);
                    Ok(())
                }
                other => malformed(format!("`fill` of {other:?}")),
            })?
        }
        Op::Swap(p) => {
            let [operands @ .., i, j] = &args[1..] else { return malformed("`swap` without indices") };
            path::edit(own(0), p, operands, |old| {
                let Val::Seq(xs) = old else { return malformed(format!("`swap` in {old:?}")) };
                let (i, j) = (path::index(xs.len(), i)?, path::index(xs.len(), j)?);
                xs.swap(i, j);
                Ok(())
            })?
        }
        Op::ZeroLike if ty == Some(&Type::Unit) => Val::Unit,
        Op::ZeroLike | Op::ZeroOrUnit => tangent::zero(args[0]),
        Op::Accumulate => {
            let mut sum = own(0);
            tangent::add(&mut sum, args[1])?;
            sum
        }
        Op::AddEntry => {
            let mut sum = own(0);
            if *args[1] != Val::Unit {
                tangent::add(&mut sum, args[1])?;
            }
            sum
        }
        // The derivative of a cast passes between floats; one from or to an integer is none.
        Op::CastCotangent(_) => match (args[0], args[1]) {
            (x @ Val::Float(_), Val::Unit) => tangent::zero(x),
            (Val::Float(_), g) => g.clone(),
            _ => Val::Unit,
        },
        Op::CastTangent(to) => match (args[0], scalar::target(&to.to_string(), ty)?) {
            (_, scalar::Target::Int(_)) => Val::Unit,
            (Val::Float(_), to) => scalar::cast(args[1], to)?,
            _ => Val::Float(0.0),
        },
        Op::Nth { inclusive, reversed } => {
            let (from, k) = (args[0].int()?, args[1].int()?);
            match (reversed, inclusive) {
                (false, _) => Val::Int(from + k),
                (true, true) => Val::Int(from - k),
                (true, false) => Val::Int(from - 1 - k),
            }
        }
        Op::Offset => Val::Int(args[1].int()? - args[0].int()?),
        Op::Steps { inclusive } => {
            let (lo, hi, step) = (args[0].int()?, args[1].int()?, args[2].int()?);
            if step == 0 {
                return panic("assertion failed: step != 0");
            }
            let span = hi - lo + i128::from(*inclusive);
            Val::Int(if span <= 0 { 0 } else { (span + step - 1) / step })
        }
        Op::NthStep => Val::Int(args[0].int()? + args[2].int()? * args[1].int()?),
        Op::Unbroadcast => array::unbroadcast(args[0], args[1])?,
        // What is kept in one arm is transparent here: the absent one is never read.
        Op::Some if matches!(ty, Some(Type::Option(_))) => Val::Tuple(vec![own(0)]),
        Op::Some | Op::Unwrap => own(0),
        Op::Absent => Val::Unit,
        Op::IsSome => Val::Bool(*args[0] != Val::Unit),
        Op::Checkpoint(c) => return checkpoint(*c, args),
        Op::Total => match args[0] {
            Val::Seq(parts) => {
                let mut parts = parts.iter();
                let Some(mut sum) = parts.next().cloned() else { return Ok(vec![Val::Float(0.0)]) };
                for p in parts {
                    tangent::add(&mut sum, p)?;
                }
                sum
            }
            _ => return malformed("the total of something that is no sequence"),
        },
        other => return unsupported(format!("{other:?}")),
    }])
}

fn constant(c: &Const) -> Result<Val> {
    Ok(match c {
        Const::Float(x, _) => Val::Float(*x),
        Const::Int(digits) => match digits.replace('_', "").parse() {
            Ok(n) => Val::Int(n),
            Err(_) => return malformed(format!("{digits} is not an integer")),
        },
        Const::Bool(b) => Val::Bool(*b),
        Const::Unit => Val::Unit,
    })
}

fn usize(v: &Val) -> Result<usize> {
    let n = v.int()?;
    if !(0..=1 << 32).contains(&n) {
        return panic("capacity overflow");
    }
    Ok(n as usize)
}

/// The constant length of `[v; n]`.
fn length(n: &TokenStream) -> Result<usize> {
    match syn::parse2::<syn::LitInt>(n.clone()).and_then(|n| n.base10_parse()) {
        Ok(n) => Ok(n),
        Err(_) => unsupported(format!("the length {n}")),
    }
}

/// Snapshots are all states, and in a replay the position of the loop before them; it has only every third.
fn checkpoint(c: Checkpoint, args: &[&Val]) -> Result<Vec<Val>> {
    const STRIDE: usize = 3;
    let position = |replay: &Val| match replay {
        Val::Tuple(parts) => parts[0].int().map(Some),
        _ => Ok(None),
    };
    Ok(match c.step {
        CheckpointStep::Start { .. } => vec![Val::Seq(Vec::new())],
        CheckpointStep::Save => {
            let state = args[CheckpointStep::STATE_ARGS..].iter().map(|&v| v.clone()).collect();
            match (args[0], position(args[0])?) {
                (Val::Tuple(parts), Some(at)) => {
                    let found = parts[1].seq()?.get(usize(&Val::Int(at))?);
                    if found != Some(&Val::Tuple(state)) {
                        return malformed("a loop that is run again is in another state");
                    }
                    vec![Val::Tuple(vec![Val::Int(at + 1), parts[1].clone()])]
                }
                (snapshots, _) => {
                    let mut states = snapshots.seq()?.to_vec();
                    states.push(Val::Tuple(state));
                    vec![Val::Seq(states)]
                }
            }
        }
        CheckpointStep::Replay => vec![Val::Tuple(vec![Val::Int(0), args[0].clone()])],
        CheckpointStep::Restore => {
            let (Val::Tuple(parts), k) = (args[0], usize(args[1])?) else {
                return malformed("what is restored is no replay");
            };
            let from = k - k % STRIDE;
            let at = Val::Int(from as i128);
            let Some(Val::Tuple(state)) = parts[1].seq()?.get(from) else {
                return malformed("no such state was kept");
            };
            let replay = Val::Tuple(vec![at.clone(), parts[1].clone()]);
            [replay, at].into_iter().chain(state.iter().cloned()).collect()
        }
    })
}
