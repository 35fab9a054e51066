//! Shapes in code that is kept as it is written: `Array2::zeros((n, 3))`, `x.nrows()`, the arguments of views.

use super::dims::Dim;
use super::{Known, Shapes};
use crate::ir::Value;
use proc_macro2::{Ident, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Token};

/// Placeholders in code, and the values that they stand for.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) uses: &'a [Ident],
    pub(super) values: &'a [Value],
}

impl Operands<'_> {
    fn value(&self, e: &Expr) -> Option<Value> {
        let Expr::Path(p) = plain(e) else { return None };
        let name = p.path.get_ident()?;
        let place = self.uses.iter().position(|known| known == name)?;
        self.values.get(place).copied()
    }
}

/// Without parentheses, groups and references.
fn plain(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(e) => plain(&e.expr),
        Expr::Group(e) => plain(&e.expr),
        Expr::Reference(e) => plain(&e.expr),
        e => e,
    }
}

/// The last segment of a path.
fn last(e: &Expr) -> Option<String> {
    match plain(e) {
        Expr::Path(p) => Some(p.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// The parts of a list of arguments.
pub(super) fn list(code: TokenStream) -> Vec<Expr> {
    let parts = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(code);
    parts.map(|parts| parts.into_iter().collect()).unwrap_or_default()
}

impl Shapes<'_> {
    /// The number that an expression is, if that is written there.
    pub(super) fn number(&self, e: &Expr, operands: Operands<'_>) -> Option<usize> {
        match plain(e) {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Int(int) => int.base10_parse().ok(),
                _ => None,
            },
            e => self.constant(operands.value(e)?),
        }
    }

    /// `Axis(k)`
    pub(super) fn axis(&self, e: &Expr, operands: Operands<'_>) -> Option<usize> {
        match plain(e) {
            Expr::Call(c) if c.args.len() == 1 && last(&c.func)? == "Axis" => self.number(&c.args[0], operands),
            _ => None,
        }
    }

    /// The numbers of axes: `[1, 0]`, `(1, 0)`.
    pub(super) fn axes(&self, e: &Expr, operands: Operands<'_>) -> Option<Vec<usize>> {
        match plain(e) {
            Expr::Tuple(t) => t.elems.iter().map(|e| self.number(e, operands)).collect(),
            Expr::Array(t) => t.elems.iter().map(|e| self.number(e, operands)).collect(),
            e => Some(vec![self.number(e, operands)?]),
        }
    }

    /// The size that an expression is, an open one of `v` if that is not known.
    fn size(&mut self, e: &Expr, operands: Operands<'_>, v: Value, axis: usize) -> Dim {
        if let Some(n) = self.number(e, operands) {
            return Dim::Number(n);
        }
        match self.expression(e, operands) {
            Some(Known::Size(size)) => size,
            _ => self.open(v, axis),
        }
    }

    /// A shape as it is written: `(n, 3)`, `[n, 3]`, `n`, `x.raw_dim()`.
    pub(super) fn shape(&mut self, e: &Expr, operands: Operands<'_>, v: Value) -> Option<Vec<Dim>> {
        let parts: Vec<&Expr> = match plain(e) {
            // `((n, 3), order)`
            Expr::Tuple(t) if t.elems.first().is_some_and(|e| matches!(plain(e), Expr::Tuple(_))) => return None,
            Expr::Tuple(t) => t.elems.iter().collect(),
            Expr::Array(t) => t.elems.iter().collect(),
            // `Ix2(n, 3)`
            Expr::Call(c) if last(&c.func)?.starts_with("Ix") => c.args.iter().collect(),
            e => match self.expression(e, operands) {
                Some(Known::Sizes(sizes)) => return Some(sizes),
                Some(Known::Tuple(parts)) => {
                    let size = |part| if let Known::Size(size) = part { Some(size) } else { None };
                    return parts.into_iter().map(size).collect();
                }
                Some(Known::Size(size)) => return Some(vec![size]),
                _ => vec![e],
            },
        };
        if let [alone] = parts[..]
            && self.number(alone, operands).is_none()
            && !matches!(self.expression(alone, operands), Some(Known::Size(_)))
            && !matches!(plain(e), Expr::Tuple(_) | Expr::Array(_) | Expr::Call(_))
        {
            return None;
        }
        Some(parts.into_iter().enumerate().map(|(k, e)| self.size(e, operands, v, k)).collect())
    }

    /// What is known of an expression.
    fn expression(&self, e: &Expr, operands: Operands<'_>) -> Option<Known> {
        match plain(e) {
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                if matches!(name.as_str(), "clone" | "to_vec" | "index" | "to_owned") {
                    return self.expression(&m.receiver, operands);
                }
                match (self.expression(&m.receiver, operands)?, name.as_str()) {
                    (Known::Array(sizes), "shape" | "raw_dim") => Some(Known::Sizes(sizes)),
                    (Known::Array(sizes), "dim") => Some(match sizes[..] {
                        [alone] => Known::Size(alone),
                        _ => Known::Tuple(sizes.into_iter().map(Known::Size).collect()),
                    }),
                    (Known::Array(sizes), "nrows") if sizes.len() == 2 => Some(Known::Size(sizes[0])),
                    (Known::Array(sizes), "ncols") if sizes.len() == 2 => Some(Known::Size(sizes[1])),
                    (Known::Array(sizes), "len") if sizes.len() == 1 => Some(Known::Size(sizes[0])),
                    (Known::Array(sizes), "len_of") => {
                        let axis = self.axis(m.args.first()?, operands)?;
                        Some(Known::Size(*sizes.get(axis)?))
                    }
                    (Known::Seq(length, _), "len") => Some(Known::Size(length)),
                    _ => None,
                }
            }
            Expr::Index(i) => match (self.expression(&i.expr, operands)?, plain(&i.index)) {
                (known @ Known::Sizes(_), Expr::Range(r)) if r.start.is_none() && r.end.is_none() => Some(known),
                (Known::Sizes(sizes), index) => Some(Known::Size(*sizes.get(self.number(index, operands)?)?)),
                _ => None,
            },
            Expr::Field(f) => match (self.expression(&f.base, operands)?, &f.member) {
                (Known::Tuple(parts), syn::Member::Unnamed(k)) => parts.into_iter().nth(k.index as usize),
                _ => None,
            },
            e => Some(self.known(operands.value(e)?)),
        }
    }

    /// What code that is kept as it is written gives, which is the value `v`.
    pub(super) fn code(&mut self, code: &TokenStream, operands: Operands<'_>, v: Value) -> Option<Known> {
        let e: Expr = syn::parse2(code.clone()).ok()?;
        if let Expr::Call(c) = plain(&e) {
            let first = c.args.first();
            return match last(&c.func)?.as_str() {
                "zeros" | "ones" | "from_elem" | "default" => self.shape(first?, operands, v).map(Known::Array),
                "eye" => {
                    let n = self.size(first?, operands, v, 0);
                    Some(Known::Array(vec![n, n]))
                }
                // of the shape of another one
                "zeros_of" | "zeros_as" | "zip_zeros" => self.expression(first?, operands),
                _ => None,
            };
        }
        match self.expression(&e, operands) {
            Some(known) => Some(known),
            None => Some(Known::Sizes(self.shape(&e, operands, v)?)),
        }
    }
}
