//! Primitives, casts and the arithmetic of integers, which panics where that of Rust does in a debug build.

use super::val::Val;
use super::{Result, array, malformed, panic, unsupported, whole};
use crate::ir::{Kind, Primitive, Type};

/// A primitive on values; `ty` is the type of the result as far as it is visible.
pub(super) fn prim(p: &Primitive, args: &[&Val], ty: Option<&Type>) -> Result<Val> {
    if args.len() != p.arity {
        return malformed(format!("{} takes {} operands, not {}", p.name, p.arity, args.len()));
    }
    if p.kind == Kind::Whole {
        return whole::prim(p, args);
    }
    if p.kind == Kind::Select {
        return Ok(if args[0].bool()? { args[1].clone() } else { args[2].clone() });
    }
    if args.iter().any(|a| matches!(a, Val::Array { .. })) && p.kind == Kind::Arithmetic {
        let args: Vec<Val> = args.iter().map(|&a| a.clone()).collect();
        return array::map(&args, false, |xs| prim(p, &xs.iter().collect::<Vec<_>>(), None)?.float());
    }
    if let Some(ints) =
        args.iter().map(|a| if let Val::Int(n) = a { Some(*n) } else { None }).collect::<Option<Vec<_>>>()
        && let Some(result) = integers(p, &ints, ty)
    {
        return result;
    }
    let mut floats = Vec::new();
    for a in args {
        floats.push(match a {
            Val::Float(x) => *x,
            Val::Int(n) => *n as f64,
            Val::Bool(b) => f64::from(*b),
            other => return unsupported(format!("{} of {other:?}", p.name)),
        });
    }
    let result = (p.eval)(&floats);
    Ok(match p.kind {
        Kind::Compare => Val::Bool(result != 0.0),
        Kind::Logic if matches!(args[0], Val::Bool(_)) => Val::Bool(result != 0.0),
        Kind::Logic => Val::Int(result as i128),
        _ => Val::Float(result),
    })
}

/// A primitive on integers alone, if it has a meaning there.
fn integers(p: &Primitive, n: &[i128], ty: Option<&Type>) -> Option<Result<Val>> {
    let checked = |op: &str, value: Option<i128>| match value.filter(|&n| in_range(n, ty)) {
        Some(n) => Ok(Val::Int(n)),
        None => panic(format!("attempt to {op} with overflow")),
    };
    let divided = |op: &str, what: &str, f: fn(i128, i128) -> Option<i128>| match n[1] {
        0 => panic(format!("attempt to {op} by zero").replace("remainder by zero", "remainder with a divisor of zero")),
        _ => checked(what, f(n[0], n[1])),
    };
    let comparison = |holds: bool| Ok(Val::Bool(holds));
    Some(match p.name {
        "add" => checked("add", n[0].checked_add(n[1])),
        "sub" => checked("subtract", n[0].checked_sub(n[1])),
        "mul" => checked("multiply", n[0].checked_mul(n[1])),
        "div" => divided("divide", "divide", i128::checked_div),
        "div_euclid" => divided("divide", "divide", i128::checked_div_euclid),
        "rem" => divided("calculate the remainder", "calculate the remainder", i128::checked_rem),
        "rem_euclid" => divided("calculate the remainder", "calculate the remainder", i128::checked_rem_euclid),
        "neg" => checked("negate", n[0].checked_neg()),
        "abs" => checked("negate", n[0].checked_abs()),
        "signum" => Ok(Val::Int(n[0].signum())),
        "min" => Ok(Val::Int(n[0].min(n[1]))),
        "max" => Ok(Val::Int(n[0].max(n[1]))),
        "clamp" if n[1] > n[2] => panic("assertion failed: min <= max"),
        "clamp" => Ok(Val::Int(n[0].clamp(n[1], n[2]))),
        "saturating_sub" => {
            let (min, max) = range(ty).unwrap_or((i32::MIN.into(), i32::MAX.into()));
            Ok(Val::Int(n[0].saturating_sub(n[1]).clamp(min, max)))
        }
        "powi" => match u32::try_from(n[1]) {
            Ok(k) => checked("multiply", n[0].checked_pow(k)),
            Err(_) => malformed("a negative power of an integer"),
        },
        "lt" => comparison(n[0] < n[1]),
        "le" => comparison(n[0] <= n[1]),
        "gt" => comparison(n[0] > n[1]),
        "ge" => comparison(n[0] >= n[1]),
        "eq" => comparison(n[0] == n[1]),
        "ne" => comparison(n[0] != n[1]),
        "not" => Ok(Val::Int(match range(ty) {
            Some((0, max)) => n[0] ^ max,
            _ => !n[0],
        })),
        "and" => Ok(Val::Int(n[0] & n[1])),
        "or" => Ok(Val::Int(n[0] | n[1])),
        "xor" => Ok(Val::Int(n[0] ^ n[1])),
        "shl" | "shr" => shifted(p.name == "shl", n[0], n[1], ty),
        _ => return None,
    })
}

/// `n << by`, `n >> by`: bits that leave at the top are lost.
fn shifted(left: bool, n: i128, by: i128, ty: Option<&Type>) -> Result<Val> {
    let bits = ty.and_then(int_name).and_then(bits).unwrap_or(64);
    match u32::try_from(by).ok().filter(|&by| by < bits) {
        None => panic(format!("attempt to shift {} with overflow", if left { "left" } else { "right" })),
        Some(by) if left => Ok(Val::Int(wrap(n << by.min(127), ty.and_then(int_name).unwrap_or("i64")))),
        Some(by) => Ok(Val::Int(n >> by)),
    }
}

fn int_name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Int(name) => *name,
        _ => None,
    }
}

/// The number of bits of an integer type.
fn bits(name: &str) -> Option<u32> {
    match name.trim_start_matches(['i', 'u']) {
        "size" => Some(64),
        digits => digits.parse().ok().filter(|_| name.starts_with(['i', 'u'])),
    }
}

/// The least and greatest value of an integer type. Those of `u128` beyond `i128` are not told apart.
fn bounds(name: &str) -> Option<(i128, i128)> {
    let bits = bits(name)?;
    if bits >= 128 {
        return Some((if name.starts_with('u') { 0 } else { i128::MIN }, i128::MAX));
    }
    Some(if name.starts_with('u') { (0, (1 << bits) - 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) })
}

fn range(ty: Option<&Type>) -> Option<(i128, i128)> {
    bounds(ty.and_then(int_name)?)
}

/// Whether an integer is one of a type.
pub(super) fn in_range(n: i128, ty: Option<&Type>) -> bool {
    range(ty).is_none_or(|(min, max)| (min..=max).contains(&n))
}

/// An integer modulo the size of a type.
fn wrap(n: i128, name: &str) -> i128 {
    match (bounds(name), bits(name)) {
        (Some((min, _)), Some(bits)) if bits < 128 => (n - min).rem_euclid(1 << bits) + min,
        _ => n,
    }
}

/// What a cast makes of floats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    F32,
    F64,
    Int(&'static str),
}

/// The type of a cast from its tokens, or from the type of its result where the tokens do not say (`_`, `T`).
pub(super) fn target(text: &str, ty: Option<&Type>) -> Result<Target> {
    const INTEGERS: &[&str] = &["usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128"];
    let last = text.rsplit(' ').next().unwrap_or(text);
    Ok(match last {
        "f64" => Target::F64,
        "f32" => Target::F32,
        name => match (INTEGERS.iter().find(|&&k| k == name), ty) {
            (Some(&k), _) => Target::Int(k),
            (None, Some(Type::Float(_))) => Target::F64,
            (None, Some(&Type::Int(Some(k)))) => Target::Int(k),
            (None, Some(Type::Int(None))) => Target::Int("i64"),
            _ => return unsupported(format!("the cast to {text}")),
        },
    })
}

/// `x as T`.
pub(super) fn cast(x: &Val, to: Target) -> Result<Val> {
    Ok(match (x, to) {
        (Val::Float(x), Target::F64) => Val::Float(*x),
        (Val::Float(x), Target::F32) => Val::Float(f64::from(*x as f32)),
        (Val::Float(x), Target::Int(name)) => {
            let (min, max) = bounds(name).unwrap_or((i128::MIN, i128::MAX));
            Val::Int((*x as i128).clamp(min, max))
        }
        (Val::Int(n), Target::F64) => Val::Float(*n as f64),
        (Val::Int(n), Target::F32) => Val::Float(f64::from(*n as f32)),
        (Val::Int(n), Target::Int(name)) => Val::Int(wrap(*n, name)),
        (Val::Bool(b), Target::Int(_)) => Val::Int(i128::from(*b)),
        (other, _) => return malformed(format!("a cast of {other:?}")),
    })
}
