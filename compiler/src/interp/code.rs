//! Simple Rust code that the compiler keeps as it is written: arithmetic, comparisons, lengths, constants of `std`.
//!
//! This is not an interpreter of Rust. It is enough for the inactive expressions of numeric test programs; anything
//! else is unsupported.

use super::val::Val;
use super::{Result, panic, path, scalar, unsupported};
use crate::ir::{Path, Primitive, Spelling, Step, Type, Verbatim};
use crate::prims::{self, arith, compare};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{BinOp, Expr, Lit, UnOp};

type Env<'v> = BTreeMap<String, &'v Val>;

/// The value of code that changes nothing; `ty` is its type as far as it is visible.
pub(super) fn eval(code: &Verbatim, args: &[Val], ty: Option<&Type>) -> Result<Val> {
    let text = || code.code.to_string();
    if !code.defs.is_empty() {
        return unsupported(format!("code that changes locals: {}", text()));
    }
    let Ok(expr) = syn::parse2::<Expr>(code.code.clone()) else { return unsupported(text()) };
    let env = code.uses.iter().map(ToString::to_string).zip(args).collect();
    match value(&expr, &env)? {
        // Only the result has a type here, so what overflows on the way to it is not seen.
        Val::Int(n) if !scalar::in_range(n, ty) => panic("attempt to compute with overflow"),
        v => Ok(v),
    }
}

/// The items of an iterator expression: an integer range or a sequence.
pub(super) fn items(code: &Verbatim, args: &[Val]) -> Result<Vec<Val>> {
    match eval(code, args, None)? {
        Val::Seq(xs) => Ok(xs),
        other => unsupported(format!("iteration over {other:?}")),
    }
}

fn value(expr: &Expr, env: &Env<'_>) -> Result<Val> {
    let unknown = || unsupported(expr.to_token_stream().to_string());
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Float(x) => x.base10_parse().map(Val::Float).or_else(|_| unknown()),
            Lit::Int(n) if n.suffix().starts_with('f') => n.base10_parse().map(Val::Float).or_else(|_| unknown()),
            Lit::Int(n) => n.base10_parse().map(Val::Int).or_else(|_| unknown()),
            Lit::Bool(b) => Ok(Val::Bool(b.value)),
            _ => unknown(),
        },
        Expr::Path(path) => {
            let text = path.to_token_stream().to_string().replace(' ', "");
            env.get(&text).map(|&v| v.clone()).or_else(|| constant(&text)).map_or_else(unknown, Ok)
        }
        Expr::Paren(e) => value(&e.expr, env),
        Expr::Group(e) => value(&e.expr, env),
        Expr::Reference(e) => value(&e.expr, env),
        Expr::Unary(e) => {
            let x = value(&e.expr, env)?;
            match e.op {
                UnOp::Neg(_) => scalar::prim(&arith::NEG, &[&x], None),
                UnOp::Not(_) => scalar::prim(&compare::NOT, &[&x], None),
                UnOp::Deref(_) => Ok(x),
                _ => unknown(),
            }
        }
        Expr::Binary(e) => {
            let x = value(&e.left, env)?;
            match (&e.op, &x) {
                (BinOp::And(_), Val::Bool(false)) | (BinOp::Or(_), Val::Bool(true)) => return Ok(x),
                (BinOp::And(_) | BinOp::Or(_), _) => return value(&e.right, env),
                _ => {}
            }
            let sign = e.op.to_token_stream().to_string();
            let operator = |p: &&&Primitive| matches!(p.rust, Spelling::Infix(s) if s == sign);
            match prims::all().iter().find(operator) {
                Some(p) => scalar::prim(p, &[&x, &value(&e.right, env)?], None),
                None => unknown(),
            }
        }
        Expr::Cast(e) => {
            let to = scalar::target(&e.ty.to_token_stream().to_string(), None)?;
            scalar::cast(&value(&e.expr, env)?, to)
        }
        Expr::Index(e) => {
            let (root, at) = (value(&e.expr, env)?, value(&e.index, env)?);
            path::get(&root, &Path(vec![Step::Index]), &[&at])
        }
        Expr::Field(e) => {
            let field = e.member.to_token_stream().to_string();
            path::get(&value(&e.base, env)?, &Path(vec![Step::Field(field)]), &[])
        }
        Expr::Tuple(e) if e.elems.is_empty() => Ok(Val::Unit),
        Expr::Tuple(e) => Ok(Val::Tuple(e.elems.iter().map(|e| value(e, env)).collect::<Result<_>>()?)),
        Expr::Array(e) => Ok(Val::Seq(e.elems.iter().map(|e| value(e, env)).collect::<Result<_>>()?)),
        Expr::Range(e) => {
            let (Some(from), Some(to)) = (&e.start, &e.end) else { return unknown() };
            let (from, to) = (value(from, env)?.int()?, value(to, env)?.int()?);
            let to = if matches!(e.limits, syn::RangeLimits::Closed(_)) { to + 1 } else { to };
            Ok(Val::Seq((from..to).map(Val::Int).collect()))
        }
        Expr::MethodCall(e) => {
            let receiver = value(&e.receiver, env)?;
            let args: Vec<Val> = e.args.iter().map(|e| value(e, env)).collect::<Result<_>>()?;
            method(&receiver, &e.method.to_string(), &args)?.map_or_else(unknown, Ok)
        }
        Expr::Call(e) if e.args.len() == 1 && e.func.to_token_stream().to_string().ends_with("Axis") => {
            value(&e.args[0], env)
        }
        // a value that is there only to be of some type: it is never read
        Expr::Call(e) if e.args.is_empty() && e.func.to_token_stream().to_string().ends_with("Default :: default") => {
            Ok(Val::Float(0.0))
        }
        Expr::Macro(e) if e.mac.path.is_ident("println") || e.mac.path.is_ident("eprintln") => Ok(Val::Unit),
        _ => unknown(),
    }
}

/// The value of a method, if it is known.
fn method(receiver: &Val, name: &str, args: &[Val]) -> Result<Option<Val>> {
    Ok(Some(match (receiver, name, args) {
        (Val::Seq(xs), "len", []) => Val::from(xs.len()),
        (Val::Array { data, .. }, "len", []) => Val::from(data.len()),
        (Val::Array { data, .. }, "is_empty", []) => Val::Bool(data.is_empty()),
        (Val::Array { shape, .. }, "len_of", [Val::Int(k)]) => {
            match usize::try_from(*k).ok().and_then(|k| shape.get(k)) {
                Some(&n) => Val::from(n),
                None => return panic("ndarray: axis out of bounds"),
            }
        }
        (Val::Array { shape, .. }, "nrows", []) if shape.len() == 2 => Val::from(shape[0]),
        (Val::Array { shape, .. }, "ncols", []) if shape.len() == 2 => Val::from(shape[1]),
        (Val::Seq(xs), "is_empty", []) => Val::Bool(xs.is_empty()),
        (Val::Seq(xs), "rev", []) => Val::Seq(xs.iter().rev().cloned().collect()),
        (Val::Seq(xs), "enumerate", []) => {
            Val::Seq(xs.iter().enumerate().map(|(k, x)| Val::Tuple(vec![Val::from(k), x.clone()])).collect())
        }
        (v, "iter" | "into_iter" | "copied" | "cloned" | "clone" | "to_vec" | "to_owned", []) => v.clone(),
        (Val::Float(x), "is_nan", []) => Val::Bool(x.is_nan()),
        (Val::Float(x), "is_finite", []) => Val::Bool(x.is_finite()),
        (Val::Float(_) | Val::Int(_), _, _) => match prims::method(name) {
            Some(p) if p.arity == 1 + args.len() => {
                let args: Vec<&Val> = std::iter::once(receiver).chain(args).collect();
                scalar::prim(p, &args, None)?
            }
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// A constant of `std`.
fn constant(text: &str) -> Option<Val> {
    let text = text.trim_start_matches("::").trim_start_matches("std::").trim_start_matches("core::");
    let (module, name) = text.split_once("::")?;
    let float = match (module, name) {
        ("f64", "EPSILON") => f64::EPSILON,
        ("f32", "EPSILON") => f32::EPSILON.into(),
        ("f64", "MAX") => f64::MAX,
        ("f64", "MIN") => f64::MIN,
        ("f64", "MIN_POSITIVE") => f64::MIN_POSITIVE,
        ("f32" | "f64", "INFINITY") => f64::INFINITY,
        ("f32" | "f64", "NEG_INFINITY") => f64::NEG_INFINITY,
        ("f32" | "f64", "NAN") => f64::NAN,
        ("f32" | "f64", name) => {
            let x = match name.strip_prefix("consts::")? {
                "PI" => std::f64::consts::PI,
                "TAU" => std::f64::consts::TAU,
                "E" => std::f64::consts::E,
                "LN_2" => std::f64::consts::LN_2,
                "LN_10" => std::f64::consts::LN_10,
                "SQRT_2" => std::f64::consts::SQRT_2,
                "FRAC_PI_2" => std::f64::consts::FRAC_PI_2,
                "FRAC_PI_4" => std::f64::consts::FRAC_PI_4,
                "FRAC_1_SQRT_2" => std::f64::consts::FRAC_1_SQRT_2,
                "FRAC_2_SQRT_PI" => std::f64::consts::FRAC_2_SQRT_PI,
                _ => return None,
            };
            if module == "f32" { f64::from(x as f32) } else { x }
        }
        (int, "MAX") => return scalar::cast(&Val::Float(f64::INFINITY), scalar::target(int, None).ok()?).ok(),
        (int, "MIN") => return scalar::cast(&Val::Float(f64::NEG_INFINITY), scalar::target(int, None).ok()?).ok(),
        _ => return None,
    };
    Some(Val::Float(float))
}
