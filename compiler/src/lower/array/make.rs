//! Arrays made of differentiable values: constructors and literals.

use super::others::Elements;
use super::view::{Arguments, shape_rank};
use crate::ir::{Float, Op, Type, Value};
use crate::lower::control::strip;
use crate::lower::iter::Iter;
use crate::lower::{Lowering, Operand};
use crate::prims::{views, whole};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// The constructors of arrays.
pub(super) const TYPES: [&str; 18] = [
    "Array",
    "Array0",
    "Array1",
    "Array2",
    "Array3",
    "Array4",
    "Array5",
    "Array6",
    "ArrayD",
    "ArrayView",
    "ArrayView0",
    "ArrayView1",
    "ArrayView2",
    "ArrayView3",
    "ArrayView4",
    "ArrayView5",
    "ArrayView6",
    "ArrayViewD",
];

/// Constructors whose derivative is not known.
const UNKNOWN: [&str; 4] = ["geomspace", "from_shape_simple_fn", "uninit", "from_shape_vec_unchecked"];

impl Lowering<'_> {
    /// `Array::from_elem(shape, v)` and its like, where something differentiable is in it.
    pub(crate) fn array_constructor(&mut self, c: &syn::ExprCall) -> Option<Operand> {
        let syn::Expr::Path(p) = strip(&c.func) else { return None };
        let mut segments = p.path.segments.iter().rev();
        let last = segments.next()?.ident.to_string();
        let owner = segments.next().map(|s| s.ident.to_string()).unwrap_or_default();
        if !TYPES.contains(&owner.as_str()) {
            if let Some(o) = self.general_product(&p.path, c) {
                return Some(o);
            }
            return match (last.as_str(), c.args.len()) {
                ("arr0" | "arr1" | "arr2" | "arr3" | "aview1", 1) => self.array_function(&last, &c.args[0]),
                ("concatenate" | "stack", 2) => self.joined(c, last == "stack"),
                _ => None,
            };
        }
        self.span = c.func.span();
        let rank = |given: Option<usize>| declared_rank(&owner, given);
        match (last.as_str(), c.args.len()) {
            ("zeros" | "ones" | "eye" | "default", 1) => {
                // the shape has no derivative, whatever it is taken from
                let ty = self.inactive_array(c)?;
                let mut args = Arguments::default();
                let code = self.view_argument(&c.args[0], &mut args);
                let f = &c.func;
                Some(Operand::Value(self.template(&args.operands, ty, true, |p| {
                    let shape = super::items::rename(code, &args.uses, p);
                    quote!(#f(#shape))
                })))
            }
            ("from_elem", 2) => {
                let v = self.operand(&c.args[1]);
                let ty = Type::NdArray(self.float_of(v), rank(shape_rank(&c.args[0])));
                let zeros = self.zeros(&p.path, &c.args[0], ty);
                let place = Self::cell_place(zeros);
                self.change(&place, Op::Fill, &[v]);
                Some(Operand::Value(self.cell_value(zeros)))
            }
            ("from_shape_fn", 2) => {
                let f = self.function_operand(&c.args[1]);
                let rank = rank(shape_rank(&c.args[0])).or_else(|| self.parameters(&f));
                let ty = Type::NdArray(Float::Any, rank);
                let mut kind = Float::Any;
                let zeros = self.zeros(&p.path, &c.args[0], ty.clone());
                let x = self.cell_value(zeros);
                let (len, lengths) = (self.array_len(x), self.axis_lengths(x));
                let elements = self.elements_of(&f, |l| {
                    let k = l.b().int(0);
                    vec![l.index_in(x, lengths.as_deref(), k)]
                });
                if !matches!(elements, Elements::Floats) {
                    return Some(self.of_others(&elements, c.to_token_stream()));
                }
                let order = self.shows_order(&f).then(|| self.memory_order(x));
                let mut cells = self.function_cells(&f);
                cells.push(zeros);
                let zero = self.b().int(0);
                let range = Iter::Range { lo: zero, hi: len, inclusive: false };
                let step = Self::element_step(&ty);
                self.drive(&range, None, &cells, &mut |l, k, _| {
                    let k = l.value(k);
                    let k = order.map_or(k, |order| l.turned_place(x, order, k));
                    let index = l.index_in(x, lengths.as_deref(), k);
                    let o = l.apply(&f, vec![index]);
                    let v = l.value(o);
                    if let Type::Float(found) = l.ty(v) {
                        kind = found;
                    }
                    let target = Self::cell_place(zeros).step(step.clone(), [k]);
                    l.change(&target, Op::Update, &[v]);
                    Operand::Value(l.unit())
                });
                self.specify(x, &p.path, kind);
                Some(Operand::Value(self.cell_value(zeros)))
            }
            ("from_diag", 1) => {
                let v = self.operand(&c.args[0]);
                let krate = &self.sig.krate;
                let ty = Type::NdArray(self.float_of(v), Some(2));
                let zeros = self.template(&[v], ty, true, |p| {
                    let p = &p[0];
                    quote!(#krate::__private::ndarray::Array2::zeros((#p.len(), #p.len())))
                });
                let cell = self.temporary(zeros);
                let method = views::view("diag").expect("declared");
                let diagonal = self.viewed(&Self::cell_place(cell), method, Arguments::default(), None, Some(1));
                self.change(&diagonal, Op::Update, &[v]);
                Some(Operand::Value(self.cell_value(cell)))
            }
            ("from_vec" | "from" | "from_iter", 1) => {
                let v = match self.iterator_argument(&c.args[0], last == "from_iter") {
                    Some(v) => v,
                    None => self.operand(&c.args[0]),
                };
                self.vector_as_array(v)
            }
            ("from_diag_elem", 2) => {
                let v = self.operand(&c.args[1]);
                let n = &c.args[0];
                let shape: syn::Expr = syn::parse_quote!((#n, #n));
                let ty = Type::NdArray(self.float_of(v), Some(2));
                let cell = self.zeros(&p.path, &shape, ty);
                let method = views::view("diag").expect("declared");
                let diagonal = self.viewed(&Self::cell_place(cell), method, Arguments::default(), None, Some(1));
                self.change(&diagonal, Op::Fill, &[v]);
                Some(Operand::Value(self.cell_value(cell)))
            }
            ("linspace" | "range", 3) | ("logspace", 4) => {
                let args: Vec<Value> = c.args.iter().map(|a| self.operand(a)).collect();
                if !args.iter().any(|&a| self.is_active(a)) {
                    let (ty, f) = (self.inactive_array(c)?, &c.func);
                    return Some(Operand::Value(self.template(&args, ty, true, |p| quote!(#f(#(#p),*)))));
                }
                Some(match self.spaced(&last, &args) {
                    Some(v) => Operand::Value(v),
                    None => self.unknown_constructor(&p.path),
                })
            }
            (name, _) if UNKNOWN.contains(&name) => Some(self.unknown_constructor(&p.path)),
            _ => None,
        }
    }

    fn unknown_constructor(&mut self, path: &syn::Path) -> Operand {
        let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
        let (name, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        self.unsupported(
            path.segments.last().expect("a name").ident.span(),
            format!("`{owner}::{name}` of differentiable values is not supported"),
            "use `from_shape_fn` with a closure that computes each element",
        )
    }

    /// `Array::from_shape_vec(shape, v)`, which may fail.
    pub(crate) fn shape_vec(&mut self, c: &syn::ExprCall) -> Option<Operand> {
        let syn::Expr::Path(p) = strip(&c.func) else { return None };
        if p.path.segments.last().is_none_or(|s| s.ident != "from_shape_vec" && s.ident != "from_shape")
            || c.args.len() != 2
        {
            return None;
        }
        let v = self.operand(&c.args[1]);
        if !self.is_active(v) {
            return None;
        }
        let owner = p.path.segments.iter().rev().nth(1).map(|s| s.ident.to_string()).unwrap_or_default();
        if !self.unwraps {
            return Some(self.fallible_shape(c, p, &owner, v));
        }
        let rank = declared_rank(&owner, shape_rank(&c.args[0]));
        let o = match strip(&c.args[0]) {
            syn::Expr::MethodCall(m) if m.method == "f" && m.args.is_empty() => {
                // in row-major order with the axes reversed, and these reversed back
                let rank = rank.or_else(|| shape_rank(&m.receiver));
                let krate = self.sig.krate.clone();
                let o = self.shaped(v, &m.receiver, rank, |shape| quote!(#krate::__private::reversed(#shape)));
                let v = self.value(o);
                let method = views::view("reversed_axes").expect("declared");
                let place = self.viewed(&Self::value_place(v), method, Arguments::default(), None, rank);
                Operand::Value(self.read(&place))
            }
            shape => self.shaped(v, shape, rank, |shape| shape),
        };
        Some(self.succeeds(o, &c.func))
    }

    /// A vector as an array with one axis.
    fn vector_as_array(&mut self, v: Value) -> Option<Operand> {
        if !matches!(self.func.ty(v), Type::Vec(_) | Type::Array(_) | Type::Slice(_)) {
            return None;
        }
        let ty = Type::NdArray(self.float_of_element(v), Some(1));
        let v = self.as_vector(v);
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let len = self.template(&[len], Type::Inactive, true, |p| p[0].to_token_stream());
        Some(Operand::Value(self.push(Op::Prim(&whole::SHAPED), vec![v, len], ty)))
    }

    /// The elements of a vector in a shape.
    fn shaped(
        &mut self,
        v: Value,
        shape: &syn::Expr,
        rank: Option<usize>,
        turn: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Operand {
        let mut args = Arguments::default();
        let code = self.view_argument(shape, &mut args);
        let shape =
            self.template(&args.operands, Type::Inactive, true, |p| turn(super::items::rename(code, &args.uses, p)));
        let ty = Type::NdArray(self.float_of_element(v), rank);
        let v = self.as_vector(v);
        Operand::Value(self.push(Op::Prim(&whole::SHAPED), vec![v, shape], ty))
    }

    /// What is collected is an array where one is declared.
    pub(crate) fn as_declared(&mut self, operand: Operand, ty: &Type) -> Operand {
        match (ty, &operand) {
            (Type::NdArray(..), &Operand::Value(v)) => self.vector_as_array(v).unwrap_or(operand),
            _ => operand,
        }
    }

    /// A sequence as a vector, so that its cotangent is one.
    fn as_vector(&mut self, v: Value) -> Value {
        match self.ty(v) {
            Type::Vec(_) => v,
            ty => self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(ty.element()))),
        }
    }

    /// `array![…]`
    pub(crate) fn array_macro(&mut self, mac: &syn::Macro) -> Option<Operand> {
        let tokens = &mac.tokens;
        let list: syn::Expr = syn::parse2(quote!([#tokens])).ok()?;
        self.array_literal(&list)
    }

    /// Nested lists of numbers as an array.
    fn array_literal(&mut self, list: &syn::Expr) -> Option<Operand> {
        let (mut shape, mut elements) = (Vec::new(), Vec::new());
        flatten(list, 0, &mut shape, &mut elements)?;
        let values: Vec<Value> = elements.iter().map(|e| self.operand(e)).collect();
        let kind = values.iter().map(|&v| self.float_of(v)).reduce(|a, b| if a == Float::Any { b } else { a })?;
        let ty = Type::Vec(Box::new(Type::Float(kind.clone())));
        let v = self.push(Op::VecOf, values, ty);
        let lengths = shape.iter().map(|n| proc_macro2::Literal::usize_unsuffixed(*n));
        let code = if shape.len() == 1 { quote!(#(#lengths)*) } else { quote!((#(#lengths),*)) };
        let shape_value = self.template(&[], Type::Inactive, true, |_| code);
        let ty = Type::NdArray(kind, Some(shape.len()));
        Some(Operand::Value(self.push(Op::Prim(&whole::SHAPED), vec![v, shape_value], ty)))
    }

    /// `arr0(x)`, `arr1(&[…])`
    fn array_function(&mut self, name: &str, argument: &syn::Expr) -> Option<Operand> {
        if name == "arr0" {
            let v = self.operand(argument);
            let kind = self.float_of(v);
            let vec = self.push(Op::VecOf, vec![v], Type::Vec(Box::new(Type::Float(kind.clone()))));
            let shape = self.template(&[], Type::Inactive, true, |_| quote!(()));
            let ty = Type::NdArray(kind, Some(0));
            return Some(Operand::Value(self.push(Op::Prim(&whole::SHAPED), vec![vec, shape], ty)));
        }
        let inner = match strip(argument) {
            syn::Expr::Reference(r) => strip(&r.expr),
            e => e,
        };
        if let syn::Expr::Array(_) = inner {
            return self.array_literal(inner);
        }
        let v = self.operand(argument);
        if matches!(name, "arr1" | "aview1") { self.vector_as_array(v) } else { None }
    }

    /// An array of zeros of a shape, in a variable; `path` is that of another constructor of the type.
    fn zeros(&mut self, path: &syn::Path, shape: &syn::Expr, ty: Type) -> usize {
        let mut args = Arguments::default();
        let code = self.view_argument(shape, &mut args);
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            *last = syn::PathSegment::from(proc_macro2::Ident::new("zeros", last.ident.span()));
        }
        if let Type::NdArray(kind, _) = &ty {
            name_element(&mut path, kind);
        }
        let zeros = self.template(&args.operands, ty, true, |p| {
            let shape = super::items::rename(code, &args.uses, p);
            quote!(#path(#shape))
        });
        self.temporary(zeros)
    }

    /// What may fail, and panics then: it must be unwrapped at once.
    pub(crate) fn succeeds(&mut self, o: Operand, at: &impl Spanned) -> Operand {
        if !self.unwraps {
            return self.unsupported(
                at.span(),
                "a failure of this is only supported as a panic",
                "call `unwrap()` or `expect(…)` on it at once",
            );
        }
        let yes = self.b().bool(true);
        Operand::Opt(yes, Box::new(o))
    }

    /// It is known only now what the elements of an array of zeros are.
    fn specify(&mut self, zeros: Value, path: &syn::Path, kind: Float) {
        let known = kind != Float::Any;
        let mut typed = path.clone();
        if let Some(last) = typed.segments.last_mut() {
            last.ident = proc_macro2::Ident::new("zeros", last.ident.span());
        }
        name_element(&mut typed, &kind);
        if let Type::NdArray(_, rank) = self.ty(zeros) {
            self.func.values[zeros].ty = Type::NdArray(kind, rank);
        }
        if let Some(n) = self.func.maker(zeros)
            && let Op::Verbatim(code) = &mut self.func[n].op
            && let Ok(syn::Expr::Call(mut call)) = syn::parse2::<syn::Expr>(code.code.clone())
        {
            *call.func = syn::Expr::Path(syn::ExprPath { attrs: vec![], qself: None, path: typed });
            code.code = call.to_token_stream();
            // what is written where it is used must say by itself what it is
            code.pure_ &= known;
        }
    }

    fn iterator_argument(&mut self, e: &syn::Expr, iterates: bool) -> Option<Value> {
        if !iterates {
            return None;
        }
        let it = self.iterator(e)?;
        let call: syn::ExprMethodCall = syn::parse_quote!(it.collect());
        let o = self.collect(&it, &call);
        Some(self.value(o))
    }

    /// How many parts the first parameter of a closure has.
    fn parameters(&self, f: &Operand) -> Option<usize> {
        let Operand::Closure(k) = f else { return None };
        match self.closures[*k].expr.inputs.first()? {
            syn::Pat::Tuple(t) => Some(t.elems.len()),
            syn::Pat::Type(t) => match &*t.pat {
                syn::Pat::Tuple(t) => Some(t.elems.len()),
                _ => Some(1),
            },
            _ => Some(1),
        }
    }

    /// The kind of float that a value is.
    fn float_of(&self, v: Value) -> Float {
        match self.func.ty(v) {
            Type::Float(kind) | Type::NdArray(kind, _) => kind.clone(),
            _ => Float::Any,
        }
    }

    fn float_of_element(&self, v: Value) -> Float {
        match self.func.ty(v).element() {
            Type::Float(kind) => kind,
            _ => Float::Any,
        }
    }
}

/// Names the type of the elements in the path of a constructor, if it is visible and not there.
fn name_element(path: &mut syn::Path, kind: &Float) {
    if *kind == Float::Any {
        return;
    }
    let element = proc_macro2::Ident::new(&kind.to_string(), proc_macro2::Span::call_site());
    let owner = path.segments.len().checked_sub(2).and_then(|k| path.segments.get_mut(k));
    if let Some(owner) = owner
        && owner.arguments.is_empty()
    {
        let rank = (owner.ident == "Array").then(|| quote!(, _));
        owner.arguments = syn::PathArguments::AngleBracketed(syn::parse_quote!(::<#element #rank>));
    }
}

/// The rank of an array by the name of its type.
pub(super) fn declared_rank(owner: &str, given: Option<usize>) -> Option<usize> {
    let digits = owner.trim_start_matches("Array").trim_start_matches("View");
    if digits == "D" { None } else { digits.parse().ok().or(given) }
}

/// The lengths and the elements of nested lists of equal lengths.
pub(super) fn flatten<'e>(
    list: &'e syn::Expr,
    depth: usize,
    shape: &mut Vec<usize>,
    out: &mut Vec<&'e syn::Expr>,
) -> Option<()> {
    match strip(list) {
        syn::Expr::Array(t) => {
            match shape.get(depth) {
                None => shape.push(t.elems.len()),
                Some(n) if *n == t.elems.len() => {}
                Some(_) => return None,
            }
            t.elems.iter().try_for_each(|e| flatten(e, depth + 1, shape, out))
        }
        e if depth == shape.len() => {
            out.push(e);
            Some(())
        }
        _ => None,
    }
}
