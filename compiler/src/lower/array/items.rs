//! The elements and lanes of arrays one after another: iterators.

use super::view::Arguments;
use crate::ir::{Float, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::env::Binding;
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand, types};
use crate::prims::{arith, views};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The views of an array that come one after another.
#[derive(Clone)]
pub(crate) struct Lanes {
    pub(crate) place: Place,
    item: Item,
    pub(crate) count: Value,
    /// Whether the items may be changed.
    is_mut: bool,
    /// Whether they stand in a line, as the items of an array with one axis do.
    pub(super) in_line: bool,
}

/// What one of them is. Axes and shapes are as they are written, with their operands.
#[derive(Clone)]
enum Item {
    /// What is at a position along an axis, without the axis.
    Part(Arguments),
    /// So many positions along an axis, and by how many the next begins later.
    Block(Arguments, Value, Value),
    /// A lane along an axis.
    Lane(Arguments),
    /// A part of a shape: one of those that overlap, or of those that do not.
    Window(Arguments, bool),
}

impl Item {
    /// The shape or the axis as it is written, and for a shape whether the parts do not overlap.
    fn shape(&self) -> (&Arguments, TokenStream) {
        match self {
            Item::Window(shape, apart) => (shape, quote!(#apart,)),
            Item::Part(axis) | Item::Block(axis, ..) | Item::Lane(axis) => (axis, quote!()),
        }
    }
}

/// Whether a method makes views of an array that come one after another.
pub(crate) fn makes_lanes(m: &syn::ExprMethodCall) -> bool {
    of_lanes(&m.method.to_string(), m.args.len())
}

/// The same of its name and the number of its arguments.
pub(crate) fn of_lanes(name: &str, args: usize) -> bool {
    matches!(
        (name.trim_end_matches("_mut"), args),
        ("outer_iter" | "rows" | "columns" | "genrows" | "gencolumns", 0)
            | ("axis_iter" | "lanes" | "exact_chunks", 1)
            | ("axis_chunks_iter" | "axis_windows", 2)
    )
}

/// Whether a method makes an iterator that only arrays have.
pub(crate) fn makes_array_iterator(m: &syn::ExprMethodCall) -> bool {
    makes_lanes(m) || m.method == "indexed_iter" || m.method == "indexed_iter_mut"
}

impl Lowering<'_> {
    /// The step to the k-th element of an array.
    pub(crate) fn element_step(ty: &Type) -> Step {
        match ty {
            Type::NdArray(_, rank) if *rank != Some(1) => Step::Flat,
            _ => Step::Index,
        }
    }

    /// The number of elements of an array.
    pub(crate) fn array_len(&mut self, x: Value) -> Value {
        self.template(&[x], Type::USIZE, true, |p| {
            let p = &p[0];
            quote!(#p.len())
        })
    }

    /// What is in a place is an array: by its type, or because only arrays are used so.
    pub(crate) fn read_array(&mut self, place: &Place) -> Value {
        let x = self.read(place);
        if *self.func.ty(x) == Type::Dyn {
            self.func.values[x].ty = Type::NdArray(Float::Any, None);
        }
        x
    }

    /// The rank of the array in a place, where it is visible.
    pub(crate) fn rank_at(&mut self, place: &Place) -> Option<usize> {
        match self.place_type(place) {
            Type::NdArray(_, rank) => rank,
            _ => None,
        }
    }

    /// A place that is read as an array. Of what is not visible, the array is read as a whole first.
    pub(crate) fn array_place(&mut self, place: Place, is_mut: bool) -> Option<Place> {
        match self.place_type(&place) {
            Type::NdArray(..) => Some(place),
            Type::Dyn if self.place_active(&place) => {
                let x = self.read_array(&place);
                Some(if is_mut || place.path.0.is_empty() { place } else { Self::value_place(x) })
            }
            _ => None,
        }
    }

    /// Whether an expression that is no iterator is an array, as far as its form tells: of what is not visible, nothing
    /// else has `map` and gives something with `sum`.
    pub(crate) fn surely_array(&mut self, e: &syn::Expr) -> bool {
        match strip(e) {
            syn::Expr::Path(p) => {
                let binding = p.path.get_ident().and_then(|i| self.lookup(&types::plain_name(i))).cloned();
                let place = match binding {
                    Some(Binding::Cell(c, _)) if self.env.cells[c].value.is_some() => Self::cell_place(c),
                    Some(Binding::Alias(p, _)) => p,
                    _ => return false,
                };
                match self.place_type(&place) {
                    Type::NdArray(..) => true,
                    // an iterator has another kind of name
                    ty => ty == Type::Dyn && self.place_active(&place),
                }
            }
            syn::Expr::Reference(r) => self.surely_array(&r.expr),
            syn::Expr::Binary(b) => self.surely_array(&b.left) || self.surely_array(&b.right),
            syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Call(_) => self.mentions_active(e.to_token_stream()),
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let same = ["t", "view", "map", "mapv", "to_owned", "clone"].contains(&name.as_str());
                (same || views::view(&name).is_some()) && self.surely_array(&m.receiver)
            }
            _ => false,
        }
    }

    /// The iterator that a method makes of the array in a place.
    pub(crate) fn array_iterator(&mut self, place: Place, m: &syn::ExprMethodCall) -> Option<Iter> {
        let name = m.method.to_string();
        let is_mut = name.ends_with("_mut");
        let place = self.array_place(place, is_mut)?;
        let rank = self.rank_at(&place);
        let x = self.read_array(&place);
        let name = name.trim_end_matches("_mut");
        let krate = self.sig.krate.clone();
        let axis = |code| Arguments { code, ..Arguments::default() };
        let first = axis(quote!(#krate::__private::ndarray::Axis(0)));
        let last = axis(quote!(#krate::__private::ndarray::Axis(1)));
        let (item, count) = match (name, m.args.len(), rank) {
            ("outer_iter", 0, _) | ("rows" | "genrows", 0, Some(2)) => self.along(x, first),
            ("columns" | "gencolumns", 0, Some(2)) => self.along(x, last),
            ("axis_iter", 1, _) => {
                let axis = self.written(&m.args[0]);
                self.along(x, axis)
            }
            ("columns" | "gencolumns", 0, _) => self.lanes_along(x, first),
            ("rows" | "genrows", 0, _) => {
                let last = self.template(&[x], Type::USIZE, true, |p| {
                    let p = &p[0];
                    quote!(#krate::__private::last_axis(&#p))
                });
                let mut axis = Arguments::default();
                let k = axis.operand(last, self.span);
                axis.code = quote!(#krate::__private::ndarray::Axis(#k));
                self.lanes_along(x, axis)
            }
            ("lanes", 1, _) => {
                let axis = self.written(&m.args[0]);
                self.lanes_along(x, axis)
            }
            ("axis_chunks_iter" | "axis_windows", 2, _) => {
                let (axis, n) = (self.written(&m.args[0]), self.operand(&m.args[1]));
                self.blocks(x, axis, n, name)
            }
            ("windows" | "exact_chunks", 1, Some(1)) => {
                let n = self.operand(&m.args[0]);
                self.blocks(x, first, n, name)
            }
            ("windows" | "exact_chunks", 1, _) => {
                let shape = self.written(&m.args[0]);
                let apart = name == "exact_chunks";
                let count = self.asked(
                    x,
                    &shape,
                    Type::USIZE,
                    |x, shape| quote!(#krate::__private::window_count(&#x, #shape, #apart)),
                );
                (Item::Window(shape, apart), count)
            }
            _ => return None,
        };
        let in_line = match item {
            Item::Part(_) | Item::Block(..) => true,
            Item::Lane(_) => rank == Some(2),
            Item::Window(..) => false,
        };
        Some(Iter::Lanes(Box::new(Lanes { place, item, count, is_mut, in_line })))
    }

    /// An axis or a shape as it is written.
    pub(super) fn written(&mut self, e: &syn::Expr) -> Arguments {
        let mut args = Arguments::default();
        args.code = self.view_argument(e, &mut args);
        args
    }

    fn along(&mut self, x: Value, axis: Arguments) -> (Item, Value) {
        let len = self.axis_length(x, &axis);
        (Item::Part(axis), len)
    }

    fn lanes_along(&mut self, x: Value, axis: Arguments) -> (Item, Value) {
        let krate = self.sig.krate.clone();
        let count = self.asked(x, &axis, Type::USIZE, |x, axis| quote!(#krate::__private::lane_count(&#x, #axis)));
        (Item::Lane(axis), count)
    }

    /// Blocks of `n` positions along an axis: the last may be shorter, all are full, or they overlap.
    fn blocks(&mut self, x: Value, axis: Arguments, n: Value, name: &str) -> (Item, Value) {
        let len = self.axis_length(x, &axis);
        let one = self.b().int(1);
        let (step, count) = match name {
            "axis_chunks_iter" => {
                let less = self.usize_op(&arith::SUB, n, one);
                let up = self.usize_op(&arith::ADD, len, less);
                (n, self.usize_op(&arith::DIV, up, n))
            }
            "exact_chunks" => (n, self.usize_op(&arith::DIV, len, n)),
            _ => {
                let more = self.usize_op(&arith::ADD, len, one);
                let count = self.template(&[more, n], Type::USIZE, true, |p| {
                    let (more, n) = (&p[0], &p[1]);
                    quote!(#more.saturating_sub(#n))
                });
                (one, count)
            }
        };
        (Item::Block(axis, n, step), count)
    }

    pub(super) fn axis_length(&mut self, x: Value, axis: &Arguments) -> Value {
        self.asked(x, axis, Type::USIZE, |x, axis| quote!(#x.len_of(#axis)))
    }

    /// What an array tells with arguments as they are written.
    pub(super) fn asked(
        &mut self,
        x: Value,
        of: &Arguments,
        ty: Type,
        code: impl FnOnce(&proc_macro2::Ident, proc_macro2::TokenStream) -> proc_macro2::TokenStream,
    ) -> Value {
        let mut operands = vec![x];
        operands.extend(&of.operands);
        let (written, uses) = (of.code.clone(), of.uses.clone());
        self.template(&operands, ty, true, |p| code(&p[0], rename(written, &uses, &p[1..])))
    }

    /// Zeros of which there is one for each of the lanes, beside arrays that lie in memory as is said.
    pub(super) fn zeros_for(&mut self, lanes: &Lanes, others: &Arguments) -> Value {
        let x = self.read_array(&lanes.place);
        let Type::NdArray(kind, rank) = self.ty(x) else { unreachable!("an array") };
        let (rank, name) = match lanes.item {
            Item::Window(..) => (rank, "window_zeros"),
            _ => (rank.and_then(|r| r.checked_sub(1)), "lane_zeros"),
        };
        let krate = self.sig.krate.clone();
        let name = proc_macro2::Ident::new(name, self.span);
        let (of, apart) = lanes.item.shape();
        let mut operands = vec![x];
        operands.extend(&of.operands);
        let (written, uses) = (of.code.clone(), of.uses.clone());
        self.beside(others, &operands, Type::NdArray(kind, rank), |p, others| {
            let (x, of) = (&p[0], rename(written, &uses, &p[1..]));
            quote!(#krate::__private::#name(&#x, #of, #apart #others))
        })
    }

    /// How lanes lie in memory, after what is said of others.
    pub(super) fn layout_of_lanes(&mut self, lanes: &Lanes, layouts: &mut Arguments) {
        let x = self.read_array(&lanes.place);
        let name = if matches!(lanes.item, Item::Window(..)) { "window_layout" } else { "lane_layout" };
        let (of, apart) = lanes.item.shape();
        self.layout_by(name, x, of, apart, layouts);
    }

    /// How lanes along an axis, or parts of a shape, lie in memory, as a function of `cotangent::__private` tells it.
    pub(super) fn layout_by(
        &mut self,
        name: &str,
        x: Value,
        of: &Arguments,
        apart: TokenStream,
        layouts: &mut Arguments,
    ) {
        let (krate, name) = (&self.sig.krate, proc_macro2::Ident::new(name, self.span));
        let x = layouts.operand(x, self.span);
        let own: Vec<_> = of.operands.iter().map(|&v| layouts.operand(v, self.span)).collect();
        let of = rename(of.code.clone(), &of.uses, &own);
        layouts.code.extend(quote!(#krate::__private::#name(&#x, #of, #apart),));
    }

    /// Code with a list of how arrays lie in memory.
    pub(super) fn beside(
        &mut self,
        layouts: &Arguments,
        operands: &[Value],
        ty: Type,
        code: impl FnOnce(&[proc_macro2::Ident], TokenStream) -> TokenStream,
    ) -> Value {
        let all: Vec<Value> = layouts.operands.iter().chain(operands).copied().collect();
        let list = layouts.code.clone();
        self.template(&all, ty, true, |p| code(&p[layouts.operands.len()..], quote!(&[#list])))
    }

    /// The k-th view.
    pub(crate) fn lane(&mut self, lanes: &Lanes, k: Value) -> Operand {
        let rank = self.rank_at(&lanes.place);
        let (mut args, method, rank) = match &lanes.item {
            Item::Part(axis) => {
                (axis.clone(), views::view("index_axis").expect("declared"), rank.and_then(|r| r.checked_sub(1)))
            }
            Item::Lane(axis) => (axis.clone(), &views::LANE, Some(1)),
            Item::Window(shape, apart) => (shape.clone(), if *apart { &views::CHUNK } else { &views::WINDOW }, rank),
            Item::Block(axis, n, step) => {
                let mut args = axis.clone();
                let lo = self.usize_op(&arith::MUL, k, *step);
                let hi = self.usize_op(&arith::ADD, lo, *n);
                let x = self.read_array(&lanes.place);
                let len = self.axis_length(x, axis);
                let hi = self.template(&[hi, len], Type::USIZE, true, |p| {
                    let (hi, len) = (&p[0], &p[1]);
                    quote!(::core::cmp::Ord::min(#hi, #len))
                });
                let (lo, hi) = (args.operand(lo, self.span), args.operand(hi, self.span));
                let (krate, code) = (&self.sig.krate, &args.code);
                args.code = quote!(#code, #krate::__private::ndarray::Slice::from(#lo..#hi));
                let place = self.viewed(&lanes.place, views::view("slice_axis").expect("declared"), args, None, rank);
                return Operand::Place(place.viewed(lanes.is_mut));
            }
        };
        let (k, code) = (args.operand(k, self.span), args.code.clone());
        args.code = quote!(#code, #k);
        Operand::Place(self.viewed(&lanes.place, method, args, None, rank).viewed(lanes.is_mut))
    }
}

/// Code with other placeholders.
pub(super) fn rename(
    code: proc_macro2::TokenStream,
    from: &[proc_macro2::Ident],
    to: &[proc_macro2::Ident],
) -> proc_macro2::TokenStream {
    use proc_macro2::{Group, TokenTree};
    code.into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) => match from.iter().position(|name| *name == ident) {
                Some(k) => TokenTree::Ident(to[k].clone()),
                None => TokenTree::Ident(ident),
            },
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), rename(group.stream(), from, to));
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other => other,
        })
        .collect()
}
