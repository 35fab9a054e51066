//! Expressions.

use super::control::{Tail, strip};
use super::env::Binding;
use super::place::{Place, Root};
use super::{Lowering, Operand, TargetKind, scan, types};
use crate::diag::catalog;
use crate::ir::{Const, Float, Kind, Op, Operator, Primitive, Step, Type, Value};
use crate::prims::{arith, compare};
use quote::ToTokens;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// Lowers an expression.
    pub(crate) fn expr(&mut self, e: &syn::Expr) -> Operand {
        let outer = std::mem::replace(&mut self.span, e.span());
        let o = self.expr_inner(e);
        self.span = outer;
        o
    }

    fn expr_inner(&mut self, e: &syn::Expr) -> Operand {
        match e {
            syn::Expr::Paren(p) => self.expr(&p.expr),
            syn::Expr::Group(g) => self.expr(&g.expr),
            syn::Expr::Lit(l) => self.literal(&l.lit),
            syn::Expr::Path(p) => self.path(p, e),
            syn::Expr::Unary(u) => self.unary(u),
            syn::Expr::Binary(b) if scan::is_compound(&b.op) => self.compound(b),
            syn::Expr::Binary(b) => self.binary(b),
            syn::Expr::Assign(a) => self.assign(a),
            syn::Expr::Cast(c) => self.cast(c),
            syn::Expr::Reference(r) if r.mutability.is_some() && self.shared_cell(&r.expr).is_some() => {
                let c = self.shared_cell(&r.expr).expect("checked");
                Operand::Place(Place::whole(Root::Cell(c)).by_ref(true).mutable(true))
            }
            syn::Expr::Reference(r) if let Some(k) = self.named_closure(&r.expr) => {
                Operand::Closure(self.lent_closure(k))
            }
            syn::Expr::Reference(r) => match self.expr(strip(&r.expr)) {
                Operand::Place(p) => Operand::Place(p.by_ref(true).mutable(r.mutability.is_some())),
                Operand::Value(v) => {
                    let is_mut = r.mutability.is_some();
                    let root = if is_mut { Root::Cell(self.temporary(v)) } else { Root::Value(v) };
                    Operand::Place(Place::whole(root).by_ref(true).mutable(is_mut))
                }
                o => o,
            },
            syn::Expr::Index(i) => self.index(i),
            syn::Expr::Field(f) => {
                let base = self.nested_expr(&f.base);
                if let (Operand::Parts(parts), syn::Member::Unnamed(k)) = (&base, &f.member)
                    && let Some(part) = parts.get(k.index as usize)
                {
                    return part.clone();
                }
                let place = self.place(base);
                let name = match &f.member {
                    syn::Member::Named(n) => n.to_string(),
                    syn::Member::Unnamed(n) => n.index.to_string(),
                };
                Operand::Place(place.step(Step::Field(name), []))
            }
            syn::Expr::Tuple(t) if t.elems.is_empty() => Operand::Value(self.unit()),
            syn::Expr::Tuple(t) => {
                let parts = match self.parts(&t.elems) {
                    Ok(parts) => parts,
                    Err(functions) => return functions,
                };
                let ty = Type::Tuple(parts.iter().map(|&p| self.ty(p)).collect());
                Operand::Value(self.push(Op::Tuple, parts, ty))
            }
            syn::Expr::Array(a) => {
                let parts = match self.parts(&a.elems) {
                    Ok(parts) => parts,
                    Err(functions) => return functions,
                };
                let elem = self.common_type(&parts);
                Operand::Value(self.push(Op::Array, parts, Type::Array(Box::new(elem))))
            }
            syn::Expr::Repeat(r) => {
                let v = self.operand(&r.expr);
                let ty = Type::Array(Box::new(self.ty(v)));
                Operand::Value(self.push(Op::Repeat(r.len.to_token_stream()), vec![v], ty))
            }
            syn::Expr::If(i) => {
                let else_ = i.else_branch.as_ref().map(|(_, e)| &**e);
                self.branch(&i.cond, &mut |l: &mut Self| l.block(&i.then_branch, Tail::No), &mut |l: &mut Self| {
                    match else_ {
                        Some(e) => l.expr(e),
                        None => Operand::Value(l.unit()),
                    }
                })
            }
            syn::Expr::Match(m) => self.match_(m, &mut |l, arm| l.arm_body(arm, Tail::No)),
            syn::Expr::Block(b) => match &b.label {
                None => self.block(&b.block, Tail::No),
                Some(label) => {
                    let kind = TargetKind::Block(Some(label.name.ident.to_string()));
                    self.scope(kind, None, |l, tail| l.block(&b.block, tail))
                }
            },
            syn::Expr::Loop(l) => self.repeat(&l.attrs, |s| s.loop_(l)),
            syn::Expr::While(w) => self.repeat(&w.attrs, |s| s.while_(w)),
            syn::Expr::ForLoop(f) => self.repeat(&f.attrs, |s| s.for_(f)),
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => self.tail_expr(e, Tail::No),
            syn::Expr::Call(c) => self.call(c, false),
            syn::Expr::MethodCall(m) => self.method(m, false),
            syn::Expr::Macro(m) => self.macro_(&m.mac, false),
            syn::Expr::Closure(c) => self.closure(c),
            syn::Expr::Let(l) => {
                let o = self.scrutinee(&l.expr, &l.pat);
                let yes = &mut |l: &mut Self| Operand::Value(l.b().bool(true));
                let no = &mut |l: &mut Self| Operand::Value(l.b().bool(false));
                self.branch_on_pattern(o, &l.pat, None, yes, no)
            }
            syn::Expr::Struct(s) => self.build(s, e),
            syn::Expr::Unsafe(u) => self.verbatim_or_refuse(e, u.unsafe_token.span, &catalog::UNSAFE_BLOCK),
            syn::Expr::Async(a) => self.verbatim_or_refuse(e, a.async_token.span, &catalog::ASYNC_BLOCK),
            other => self.verbatim_or(
                other,
                other.span(),
                "this form on a differentiable value is not supported yet",
                "write it with variables, arithmetic, indexing, branches, loops and calls",
            ),
        }
    }

    fn literal(&mut self, lit: &syn::Lit) -> Operand {
        let v = match lit {
            syn::Lit::Float(f) => self.float_literal(f.base10_digits(), f.suffix()),
            syn::Lit::Int(i) if ["f32", "f64"].contains(&i.suffix()) => {
                self.float_literal(&format!("{}.0", i.base10_digits()), i.suffix())
            }
            syn::Lit::Int(i) => {
                let kind = types::INTEGERS.iter().find(|k| **k == i.suffix()).copied();
                self.push(Op::Const(Const::Int(i.base10_digits().to_owned())), vec![], Type::Int(kind))
            }
            syn::Lit::Bool(b) => self.b().bool(b.value),
            other => self.verbatim_value(other.to_token_stream(), Type::Inactive),
        };
        Operand::Value(v)
    }

    fn float_literal(&mut self, digits: &str, suffix: &str) -> Value {
        let kind = match suffix {
            "f32" => Float::F32,
            "f64" => Float::F64,
            _ => Float::Any,
        };
        let value = digits.parse().unwrap_or(f64::NAN);
        let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
        let digits = if digits.contains(['.', 'e', 'E']) { digits } else { format!("{digits}.0") };
        self.push(Op::Const(Const::Float(value, digits)), vec![], Type::Float(kind))
    }

    /// The closure that a name stands for.
    pub(crate) fn named_closure(&self, e: &syn::Expr) -> Option<usize> {
        let syn::Expr::Path(p) = strip(e) else { return None };
        match self.lookup(&types::plain_name(p.path.get_ident()?)) {
            Some(Binding::Closure(k)) => Some(*k),
            _ => None,
        }
    }

    fn path(&mut self, p: &syn::ExprPath, e: &syn::Expr) -> Operand {
        if p.qself.is_none()
            && let Some(ident) = p.path.get_ident()
        {
            match self.lookup(&types::plain_name(ident)).cloned() {
                Some(Binding::Cell(c, is_ref)) => {
                    let reference = self.references.contains(&self.env.cells[c].key);
                    // a reference: what it refers to now, whatever it is set to later
                    let root = if reference { Root::Value(self.cell_value(c)) } else { Root::Cell(c) };
                    let is_mut = is_ref && !reference && self.env.cells[c].mutable;
                    let place = Place::whole(root).by_ref(is_ref || reference).mutable(is_mut);
                    return Operand::Place(Place { path: self.cell_path(c), ..place });
                }
                Some(Binding::Alias(p, is_ref)) => return Operand::Place(p.by_ref(is_ref)),
                Some(Binding::Closure(k)) => return Operand::Closure(self.copied_closure(k)),
                Some(Binding::Function(f)) => return Operand::Function(f),
                Some(Binding::Iter(it)) => return Operand::Iter(it),
                Some(Binding::Known(o)) => return *o,
                Some(Binding::Item) | None => {}
            }
        }
        let Some(last) = p.path.segments.last() else { return Operand::Value(self.unit()) };
        if last.ident == "None" && p.path.segments.iter().rev().nth(1).is_none_or(|s| s.ident == "Option") {
            return self.none();
        }
        let name = last.ident.to_string();
        let constant = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        let generic = self.sig.generics.const_params().any(|g| g.ident == name);
        if !constant && !generic && name.starts_with(|c: char| c.is_lowercase()) {
            return Operand::Function(Box::new(e.clone()));
        }
        let ty = match self.float_path(&p.path) {
            Some(kind) if ["MANTISSA_DIGITS", "RADIX", "DIGITS", "MAX_EXP", "MIN_EXP"].contains(&&*name) => {
                let _ = kind;
                Type::INT
            }
            Some(kind) => Type::Float(kind),
            None if generic => Type::USIZE,
            None if p.path.segments.len() >= 2 => {
                let owner = p.path.segments[p.path.segments.len() - 2].ident.to_string();
                match types::INTEGERS.iter().find(|k| **k == owner) {
                    Some(k) => Type::Int(Some(k)),
                    None => Type::Dyn,
                }
            }
            None => Type::Dyn,
        };
        Operand::Value(self.verbatim_value(p.to_token_stream(), ty))
    }

    /// The float kind of a path such as `f64::EPSILON`, `f64::sin` or `std::f32::consts::PI`.
    pub(crate) fn float_path(&self, path: &syn::Path) -> Option<Float> {
        let mut kind = None;
        let n = path.segments.len();
        for (i, s) in path.segments.iter().enumerate() {
            if s.ident == "f64" && i + 1 < n {
                kind = Some(Float::F64);
            } else if s.ident == "f32" && i + 1 < n {
                kind = Some(Float::F32);
            }
        }
        if n >= 2 && path.leading_colon.is_none() {
            let owner = &path.segments[0].ident;
            if let Some(parameter) = self.sig.floats.iter().find(|name| *name == owner) {
                kind = Some(Float::Generic(parameter.to_string()));
            }
        }
        // `use std::f64::consts` makes `consts::PI` such a path too
        if kind.is_none() && n >= 2 && path.segments[n - 2].ident == "consts" {
            kind = Some(Float::Any);
        }
        kind
    }

    fn unary(&mut self, u: &syn::ExprUnary) -> Operand {
        match u.op {
            syn::UnOp::Deref(_) => {
                let o = self.nested_expr(&u.expr);
                let foreign = |l: &Self, v: Value| l.is_foreign_reference(v);
                match o {
                    Operand::Place(p) if p.path.0.is_empty() => {
                        let v = self.read(&p);
                        if foreign(self, v) {
                            return Operand::Value(self.dereferenced(v));
                        }
                        self.unboxed(p)
                    }
                    Operand::Place(p) => self.unboxed(p),
                    Operand::Value(v) if matches!(self.func.ty(v), Type::Boxed(_)) => {
                        self.unboxed(Self::value_place(v).by_ref(false))
                    }
                    Operand::Value(v) if foreign(self, v) => Operand::Value(self.dereferenced(v)),
                    o => o,
                }
            }
            syn::UnOp::Neg(_) => {
                let (v, _) = self.given_number(&u.expr);
                Operand::Value(self.operator(&arith::NEG, &[v], false))
            }
            _ => {
                let v = self.operand(&u.expr);
                Operand::Value(self.primitive(&compare::NOT, &[v]))
            }
        }
    }

    /// Whether a value may be a reference of which only Rust knows.
    pub(crate) fn is_foreign_reference(&self, v: Value) -> bool {
        let unseen = matches!(self.func.ty(v), Type::Dyn | Type::Inactive);
        unseen && !self.is_active(v) && !self.plain.contains_idx(v)
    }

    /// `*x` of a value whose type is not visible.
    pub(crate) fn dereferenced(&mut self, v: Value) -> Value {
        self.template(&[v], Type::Dyn, true, |p| {
            let p = &p[0];
            quote::quote!(*#p)
        })
    }

    /// Applies a primitive to values of any kind, whole arrays included.
    pub(crate) fn arithmetic(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        if let [_, n] = args
            && prim.name == "powi"
            && *self.func.ty(*n) == Type::Dyn
        {
            // the exponent is a whole number, whatever is known of it
            self.func.values[*n].ty = Type::Int(Some("i32"));
            self.maybe_active.insert(*n, false);
        }
        self.agree(prim.alike(args));
        // a whole power of what is not visible is one of a number
        let number = prim.name == "powi" && !args.iter().any(|&a| matches!(self.func.ty(a), Type::NdArray(..)));
        if self.elementwise(args) && !number {
            return self.map_primitive(prim, args);
        }
        self.primitive(prim, args)
    }

    /// Applies an operator as it stands in the source, which the user may have written for a type of their own.
    pub(crate) fn operator(&mut self, prim: &'static Primitive, args: &[Value], assigns: bool) -> Value {
        let foreign = args.iter().any(|&a| self.may_be_struct(a));
        let args = &if foreign { args.to_vec() } else { self.numbers(args) }[..];
        if !foreign {
            self.agree(prim.alike(args));
        }
        let array = args.iter().any(|&a| matches!(self.func.ty(a), Type::NdArray(..)));
        if let Some(operator) = overloaded(prim, assigns)
            && !array
            && (foreign || self.elementwise(args))
        {
            return self.map_operator(prim, args, operator);
        }
        self.arithmetic(prim, args)
    }

    /// Whether an operation on these operands may be one on whole arrays.
    fn elementwise(&self, args: &[Value]) -> bool {
        let array = args.iter().any(|&a| matches!(self.func.ty(a), Type::NdArray(..)));
        // of an unknown type and inactive: Rust knows what it is, and no derivative passes through it
        let unknown = args.iter().any(|&a| *self.func.ty(a) == Type::Dyn && self.is_active(a));
        array || unknown
    }

    /// Applies a primitive to scalars.
    pub(crate) fn primitive(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        let ty = self.b().prim_type(prim, args);
        let v = self.push(Op::Prim(prim), args.to_vec(), ty);
        if prim.kind == Kind::Compare {
            self.maybe_active.insert(v, false);
        }
        v
    }

    /// An inactive operand of unknown type beside a scalar is one: its declaration says so in the user's program, or
    /// the companion does not compile.
    pub(crate) fn agree(&mut self, args: &[Value]) {
        let known = args.iter().map(|&a| self.ty(a)).find(|t| matches!(t, Type::Float(_) | Type::Int(_)));
        let Some(known) = known else { return };
        for &a in args {
            if *self.func.ty(a) == Type::Dyn && !self.is_active(a) {
                let ty = match &known {
                    Type::Float(Float::Any) => continue,
                    t => t.clone(),
                };
                self.func.values[a].ty = ty;
            }
        }
    }

    fn binary(&mut self, b: &syn::ExprBinary) -> Operand {
        use syn::BinOp as B;
        match b.op {
            B::And(_) | B::Or(_) => {
                let left = self.operand(&b.left);
                let right = &b.right;
                let outer = self.nested;
                self.nested += 1;
                let o = if matches!(b.op, B::And(_)) {
                    self.if_value(left, &mut |l: &mut Self| l.expr(right), &mut |l: &mut Self| {
                        Operand::Value(l.b().bool(false))
                    })
                } else {
                    self.if_value(left, &mut |l: &mut Self| Operand::Value(l.b().bool(true)), &mut |l: &mut Self| {
                        l.expr(right)
                    })
                };
                self.nested = outer;
                return o;
            }
            _ => {}
        }
        let prim = match primitive_of(&b.op) {
            Some(p) => p,
            None => {
                return self.unsupported(b.op.span(), "this operator is not supported", "use another operator");
            }
        };
        self.reading += 1;
        let (x, first) = self.given_number(&b.left);
        let (y, second) = self.given_number(&b.right);
        self.reading -= 1;
        self.span = self.operator_span(b, &[x, y]);
        if let Some(o) = self.different_numbers(&self.ty(x), &self.ty(y), b.op.span()) {
            return o;
        }
        if prim.kind == Kind::Compare {
            if let Some(o) = self.compared_with_text(b, [(x, first), (y, second)]) {
                return o;
            }
            self.agree(&[x, y]);
            return Operand::Value(self.primitive(prim, &[x, y]));
        }
        let array = |v: Value| matches!(self.func.ty(v), Type::NdArray(..) | Type::Dyn);
        if array(x)
            && array(y)
            && (first || second)
            && [x, y].iter().any(|&v| matches!(self.func.ty(v), Type::NdArray(..)))
        {
            return Operand::Value(self.map_over(prim, &[x, y], false, Some(usize::from(!first))));
        }
        Operand::Value(self.operator(prim, &[x, y], false))
    }

    /// Reports an operator between numbers of different types, as there is none.
    pub(crate) fn different_numbers(&mut self, a: &Type, b: &Type, at: proc_macro2::Span) -> Option<Operand> {
        let known = |ty: &Type| matches!(ty, Type::Float(Float::F32 | Float::F64));
        let differ = match (a, b) {
            (Type::Int(_), other) | (other, Type::Int(_)) => known(other),
            (a, b) => known(a) && known(b) && a != b,
        };
        differ.then(|| {
            let name = |ty: &Type| if let Type::Int(None) = ty { "{integer}".to_owned() } else { ty.to_string() };
            let what = format!("an operator between `{}` and `{}`", name(a), name(b));
            self.unsupported(
                at,
                what,
                "convert one of them, as in `n as f64`; a number in the source is a float with a point: `2.0`",
            )
        })
    }

    /// What is at fault if the operands do not fit: of arrays the operator.
    pub(crate) fn operator_span(&self, b: &syn::ExprBinary, operands: &[Value]) -> proc_macro2::Span {
        let arrays = operands.iter().any(|&v| matches!(self.func.ty(v), Type::NdArray(..)));
        if arrays { b.op.span() } else { b.span() }
    }

    /// An operand, and whether it is given away, and not a reference.
    pub(crate) fn given(&mut self, e: &syn::Expr) -> (Value, bool) {
        let o = self.nested_expr(e);
        let given = match &o {
            Operand::Place(p) => !p.is_ref,
            _ => true,
        };
        if let Operand::Function(path) = &o {
            // no operator takes a function: a `static`, or a name that rustc does not know either
            return (self.verbatim_value(path.to_token_stream(), Type::Dyn), given);
        }
        (self.value(o), given)
    }

    /// The common type of the elements of a literal.
    pub(crate) fn common_type(&mut self, parts: &[Value]) -> Type {
        parts.iter().map(|&p| self.ty(p)).reduce(|a, b| a.join(&b)).unwrap_or(Type::Dyn)
    }
}

/// The operator that may be the user's in the place of a primitive.
fn overloaded(prim: &Primitive, assigns: bool) -> Option<Operator> {
    let name = match (prim.name, assigns) {
        ("add", false) => "Add",
        ("add", true) => "AddAssign",
        ("sub", false) => "Sub",
        ("sub", true) => "SubAssign",
        ("mul", false) => "Mul",
        ("mul", true) => "MulAssign",
        ("div", false) => "Div",
        ("div", true) => "DivAssign",
        ("rem", false) => "Rem",
        ("rem", true) => "RemAssign",
        ("neg", _) => "Neg",
        _ => return None,
    };
    Operator::of_trait(name)
}

/// The primitive of a binary operator, plain or compound.
pub(crate) fn primitive_of(op: &syn::BinOp) -> Option<&'static Primitive> {
    use syn::BinOp as B;
    Some(match op {
        B::Add(_) | B::AddAssign(_) => &arith::ADD,
        B::Sub(_) | B::SubAssign(_) => &arith::SUB,
        B::Mul(_) | B::MulAssign(_) => &arith::MUL,
        B::Div(_) | B::DivAssign(_) => &arith::DIV,
        B::Rem(_) | B::RemAssign(_) => &arith::REM,
        B::BitAnd(_) | B::BitAndAssign(_) => &compare::AND,
        B::BitOr(_) | B::BitOrAssign(_) => &compare::OR,
        B::BitXor(_) | B::BitXorAssign(_) => &compare::XOR,
        B::Shl(_) | B::ShlAssign(_) => &compare::SHL,
        B::Shr(_) | B::ShrAssign(_) => &compare::SHR,
        B::Eq(_) => &compare::EQ,
        B::Ne(_) => &compare::NE,
        B::Lt(_) => &compare::LT,
        B::Le(_) => &compare::LE,
        B::Gt(_) => &compare::GT,
        B::Ge(_) => &compare::GE,
        _ => return None,
    })
}
