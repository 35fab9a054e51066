//! The rule of each operation without graphs of its own: what it demands of its operands, and what it gives.

use super::dims::Dim;
use super::written::{Operands, list};
use super::{Known, Shapes};
use crate::ir::view::View;
use crate::ir::{Node, Op, Path, Primitive, RangeEnd, Step, Type, Value};

impl Shapes<'_> {
    pub(super) fn operation(&mut self, n: Node) {
        let func = self.func;
        let data = &func[n];
        let args = &data.args;
        let first = |shapes: &Self| shapes.known(args[0]);
        let known = match &data.op {
            Op::Prim(prim) => self.prim(n, prim),
            Op::Map { body: _, like_first, .. } => self.map(n, *like_first),
            Op::Const(crate::ir::Const::Int(digits)) => digits.parse().ok().map(|k| Known::Size(Dim::Number(k))),
            Op::Verbatim(code) => {
                for (&changed, &out) in code.defs.iter().zip(&data.outs[1..]) {
                    // it may have been exchanged for another one
                    let known = self.unknown(out);
                    debug_assert!(changed < args.len(), "a local of the code");
                    self.set(out, known);
                }
                let operands = Operands { uses: &code.uses, values: args };
                self.same_shapes(n, operands);
                self.code(&code.code, operands, data.outs[0]).filter(|known| fits(known, func.ty(data.outs[0])))
            }
            Op::Copy(_) | Op::Swap(_) => Some(first(self)),
            // of sequences of arrays the elements may be others then
            Op::Fill(path) => {
                let at = path.apply(func.ty(args[0]));
                (at.element().is_scalar() || matches!(at, Type::NdArray(..))).then(|| first(self))
            }
            Op::ZeroLike | Op::AddAt(_) | Op::AddEntry => Some(first(self)),
            Op::Unbroadcast => Some(self.known(args[1])),
            Op::Accumulate => {
                if let (Some(a), Some(b)) = (self.array(args[0]), self.array(args[1]))
                    && a.len() == b.len()
                {
                    a.into_iter().zip(b).for_each(|(a, b)| {
                        self.dims.equal(a, b);
                    });
                }
                Some(first(self))
            }
            Op::Tuple => Some(Known::Tuple(args.iter().map(|&a| self.known(a)).collect())),
            Op::Array | Op::VecOf => {
                let mut parts = args.iter().map(|&a| self.known(a));
                let first = parts.next().unwrap_or(Known::Nothing);
                let same = parts.all(|part| part == first);
                let of = if same { first } else { Known::Nothing };
                Some(Known::Seq(Dim::Number(args.len()), Box::new(of)))
            }
            Op::VecRepeat => {
                let length = match self.known(args[1]) {
                    Known::Size(size) => size,
                    _ => self.open(data.outs[0], 0),
                };
                Some(Known::Seq(length, Box::new(first(self))))
            }
            Op::Len => match first(self) {
                Known::Seq(length, _) => Some(Known::Size(length)),
                _ => None,
            },
            Op::Load(path) => self.load(path, args, data.outs[0]),
            Op::Update(path) => {
                self.write(n, path);
                let whole = path.0.is_empty() || matches!(first(self), Known::Nothing);
                if whole { None } else { self.after_update(path, args) }
            }
            Op::Take(path) => {
                let root = first(self);
                self.set(data.outs[1], root);
                self.load(path, &args[..1 + path.operands()], data.outs[0])
            }
            _ => None,
        };
        for (k, &out) in data.outs.iter().enumerate() {
            let known = match (&known, k) {
                (Some(known), 0) => known.clone(),
                _ if matches!(data.op, Op::Verbatim(_) | Op::Take(_)) && k > 0 => continue,
                _ => self.unknown(out),
            };
            self.set(out, known);
        }
    }

    /// The aggregate after an update of a part of it: a part of an array or of a number keeps the shape.
    fn after_update(&mut self, path: &Path, args: &[Value]) -> Option<Known> {
        let root = self.known(args[0]);
        let at = path.apply(self.func.ty(args[0]));
        let keeps = at.is_scalar() || path.view().is_some();
        keeps.then_some(root)
    }

    /// What is written to a part is broadcast to it.
    fn write(&mut self, n: Node, path: &Path) {
        let func = self.func;
        let args = &func[n].args;
        if path.view().is_none() {
            return;
        }
        let operands = 1 + path.operands();
        let Some(Known::Array(place)) = self.load(path, &args[..operands], func[n].outs[0]) else { return };
        let Some(given) = self.array(args[operands]) else { return };
        if given.len() > place.len() {
            return;
        }
        let offset = place.len() - given.len();
        for (k, &size) in given.iter().enumerate() {
            let (to, from) = (self.dims.resolve(place[offset + k]), self.dims.resolve(size));
            let open = |size: Dim| matches!(size, Dim::Open(_));
            if to != from && !open(to) && !open(from) && from != Dim::Number(1) {
                return self.differ(n, [(args[0], &place), (args[operands], &given)], [from, to]);
            }
        }
    }

    /// `same_shape(a.shape(), b.shape())`: arrays that are gone through in lock step.
    fn same_shapes(&mut self, n: Node, operands: Operands<'_>) {
        let func = self.func;
        let Op::Verbatim(code) = &func[n].op else { return };
        let [a, b] = operands.values[..] else { return };
        if !code.code.to_string().contains("same_shape (") {
            return;
        }
        let (Some(x), Some(y)) = (self.array(a), self.array(b)) else { return };
        if x.len() == y.len() {
            for (&s, &t) in x.iter().zip(&y) {
                if !self.dims.equal(s, t) {
                    return self.differ(n, [(a, &x), (b, &y)], [s, t]);
                }
            }
        }
    }

    /// Elementwise: operands are broadcast against each other, or to the first.
    fn map(&mut self, n: Node, like_first: bool) -> Option<Known> {
        let func = self.func;
        let (args, out) = (&func[n].args, func[n].outs[0]);
        let mut shape: Option<(Value, Vec<Dim>)> = None;
        for &a in args {
            if func.ty(a).is_scalar() {
                continue;
            }
            let other = self.array(a)?;
            let Some((x, known)) = shape else {
                shape = Some((a, other));
                continue;
            };
            let rank = known.len().max(other.len());
            if like_first && rank > known.len() {
                return None;
            }
            let at = |sizes: &[Dim], k: usize| (k + sizes.len()).checked_sub(rank).map_or(Dim::Number(1), |k| sizes[k]);
            let mut all = Vec::new();
            for k in 0..rank {
                let (s, t) = (at(&known, k), at(&other, k));
                let open = self.open(out, k);
                match self.dims.broadcast(s, t, open) {
                    Some(_) if like_first => all.push(s),
                    Some(size) => all.push(size),
                    None => {
                        self.differ(n, [(x, &known), (a, &other)], [s, t]);
                        return None;
                    }
                }
            }
            shape = Some((x, all));
        }
        Some(Known::Array(shape?.1))
    }

    fn prim(&mut self, n: Node, prim: &Primitive) -> Option<Known> {
        let func = self.func;
        let (args, out) = (&func[n].args, func[n].outs[0]);
        match prim.name {
            "dot" => self.dot(n),
            "t" => {
                let mut sizes = self.array(args[0])?;
                sizes.reverse();
                Some(Known::Array(sizes))
            }
            "shape_of" | "general_product" => Some(self.known(args[0])),
            // the cotangent of an operand
            "dot_lhs_bar" => Some(self.known(args[1])),
            "dot_rhs_bar" => Some(self.known(args[2])),
            "shaped_like" => Some(self.known(args[1])),
            "others" | "others_axis" | "others_dot" | "others_axis_dot" => {
                let k = usize::from(prim.name.ends_with("_dot"));
                Some(self.known(args[k]))
            }
            "along" => {
                let (mut sizes, axis) = (self.array(args[0])?, self.constant(args[1])?);
                (axis <= sizes.len()).then(|| sizes.insert(axis, Dim::Number(1)))?;
                Some(Known::Array(sizes))
            }
            "shaped" => match self.known(args[1]) {
                Known::Sizes(sizes) => Some(Known::Array(sizes)),
                Known::Size(size) => Some(Known::Array(vec![size])),
                _ => None,
            },
            name if name.ends_with("_axis") && matches!(func.ty(out), Type::NdArray(..)) => {
                let (mut sizes, axis) = (self.array(args[0])?, self.constant(args[1])?);
                (axis < sizes.len()).then(|| sizes.remove(axis))?;
                Some(Known::Array(sizes))
            }
            _ => None,
        }
    }

    fn dot(&mut self, n: Node) -> Option<Known> {
        let func = self.func;
        let args = &func[n].args;
        let (a, b) = (self.array(args[0])?, self.array(args[1])?);
        let (&inner, rows) = a.split_last()?;
        let (&other, columns) = b.split_first()?;
        if !self.dims.equal(inner, other) {
            self.differ(n, [(args[0], &a), (args[1], &b)], [inner, other]);
        }
        let sizes: Vec<Dim> = rows.iter().chain(columns).copied().collect();
        (!sizes.is_empty()).then_some(Known::Array(sizes))
    }

    /// What is at a path. `args`: the root and the operands of the path.
    fn load(&mut self, path: &Path, args: &[Value], out: Value) -> Option<Known> {
        let mut known = self.known(args[0]);
        let mut operands = &args[1..];
        for step in &path.0 {
            let (own, rest) = operands.split_at(step.operands());
            operands = rest;
            known = match (step, known) {
                (Step::Index, Known::Seq(_, of)) => *of,
                (Step::Index, Known::Sizes(sizes)) => Known::Size(*sizes.get(self.constant(own[0])?)?),
                (Step::Index | Step::Flat, Known::Array(_)) => Known::Nothing,
                (Step::Range { from: false, end: RangeEnd::Open }, known) => known,
                (Step::Range { .. }, Known::Seq(_, of)) => Known::Seq(self.open(out, 0), of),
                (Step::Field(k), Known::Tuple(parts)) => parts.into_iter().nth(k.parse().ok()?)?,
                (Step::View(view), Known::Array(sizes)) => Known::Array(self.view(view, sizes, own, out)?),
                _ => return None,
            };
        }
        Some(known)
    }

    /// The sizes of a view.
    fn view(&mut self, view: &View, mut sizes: Vec<Dim>, values: &[Value], out: Value) -> Option<Vec<Dim>> {
        let operands = Operands { uses: &view.uses, values };
        let args = list(view.args.clone());
        let axis = |shapes: &Self, k: usize| shapes.axis(args.get(k)?, operands);
        let name = view.method.name;
        match name {
            "row" => Some(vec![*sizes.get(1)?]),
            "column" => Some(vec![*sizes.first()?]),
            "index_axis" | "index_axis_move" | "remove_axis" => {
                let k = axis(self, 0)?;
                (k < sizes.len()).then(|| sizes.remove(k))?;
                Some(sizes)
            }
            "insert_axis" => {
                let k = axis(self, 0)?;
                (k <= sizes.len()).then(|| sizes.insert(k, Dim::Number(1)))?;
                Some(sizes)
            }
            "slice_axis" | "select" => {
                let k = axis(self, 0)?;
                *sizes.get_mut(k)? = self.open(out, k);
                Some(sizes)
            }
            "reversed_axes" => {
                sizes.reverse();
                Some(sizes)
            }
            "permuted_axes" => {
                let order = self.axes(args.first()?, operands)?;
                order.into_iter().map(|k| sizes.get(k).copied()).collect()
            }
            "swap_axes" => {
                let (i, j) = (self.number(args.first()?, operands)?, self.number(args.get(1)?, operands)?);
                (i.max(j) < sizes.len()).then(|| sizes.swap(i, j))?;
                Some(sizes)
            }
            "invert_axis" | "as_standard_layout" | "into_dyn" | "into_dimensionality" => Some(sizes),
            "broadcast" | "into_shape_with_order" | "to_shape" => self.shape(args.first()?, operands, out),
            "slice" | "slice_move" => self.sliced(args.first()?, sizes, out),
            _ => {
                let rank = view.rank?;
                Some((0..rank).map(|k| self.open(out, k)).collect())
            }
        }
    }

    /// The sizes of `s![…]`: an index takes an axis away, `..` leaves it as it is.
    fn sliced(&mut self, e: &syn::Expr, sizes: Vec<Dim>, out: Value) -> Option<Vec<Dim>> {
        let syn::Expr::Macro(mac) = e else { return None };
        let mut given = sizes.into_iter();
        let mut left = Vec::new();
        for (k, part) in split(&mac.mac.tokens).into_iter().enumerate() {
            match part.as_str() {
                "NewAxis" => left.push(Dim::Number(1)),
                // the same in the other direction
                ".." | "..;-1" => left.push(given.next()?),
                part if part.contains("..") => {
                    given.next()?;
                    left.push(self.open(out, k));
                }
                _ => {
                    given.next()?;
                }
            }
        }
        left.extend(given);
        Some(left)
    }
}

/// The parts of a list, each in words.
fn split(tokens: &proc_macro2::TokenStream) -> Vec<String> {
    let mut parts = vec![proc_macro2::TokenStream::new()];
    for token in tokens.clone() {
        match &token {
            proc_macro2::TokenTree::Punct(p) if p.as_char() == ',' => parts.push(proc_macro2::TokenStream::new()),
            _ => parts.last_mut().expect("one part").extend([token]),
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| part.to_string().replace(' ', "")).collect()
}

/// Whether what is known may be of a value of some type.
fn fits(known: &Known, ty: &Type) -> bool {
    match known {
        Known::Nothing => true,
        Known::Size(_) => matches!(ty, Type::Int(_) | Type::Inactive | Type::Dyn),
        Known::Sizes(_) => matches!(ty, Type::Inactive | Type::Vec(_) | Type::Slice(_) | Type::Tuple(_) | Type::Dyn),
        Known::Array(sizes) => matches!(ty, Type::NdArray(_, rank) if rank.is_none_or(|rank| rank == sizes.len())),
        Known::Tuple(_) => matches!(ty, Type::Tuple(_) | Type::Inactive),
        Known::Seq(..) => matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_)),
    }
}
