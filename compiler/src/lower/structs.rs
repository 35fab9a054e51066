//! Structs and enums of the user's: building them and taking them apart.

use super::control::strip;
use super::env::Binding;
use super::place::{Place, Root};
use super::{Lowering, Operand, scan, types};
use crate::ir::{Build, Callee, Op, Step, Type, Value};
use crate::prims;
use crate::syntax::signature::TypeClass;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowering<'_> {
    /// A struct literal.
    pub(crate) fn build(&mut self, s: &syn::ExprStruct, whole: &syn::Expr) -> Operand {
        if !self.mentions_active(whole.to_token_stream()) {
            return Operand::Value(self.verbatim_value(whole.to_token_stream(), Type::Dyn));
        }
        let mut args = Vec::new();
        let mut fields = Vec::new();
        for f in &s.fields {
            self.check_stored(&f.expr);
            let o = self.nested_expr(&f.expr);
            let o = self.stored(o, f.expr.span());
            let o = if self.holds_function(&o) {
                self.lost_function = true;
                self.unsupported(
                    f.expr.span(),
                    "a function in a field of a struct is not supported",
                    "keep it in a variable, a tuple or an array beside the struct, or pass it to the method that calls it",
                )
            } else {
                o
            };
            args.push(self.value(o));
            fields.push(scan::member(&f.member));
        }
        if let Some(base) = &s.rest {
            args.push(self.operand(base));
        }
        let variant = scan::variant(&s.path, scan::Form::Braces);
        let build = Build { path: s.path.to_token_stream(), fields, tuple: false, variant, base: s.rest.is_some() };
        let v = self.push(Op::Build(Box::new(build)), args, Type::Dyn);
        self.structs.insert(v, ());
        Operand::Value(v)
    }

    /// Whether a place of unknown type is surely of a type of the user's, or a parameter of one that may be.
    pub(crate) fn is_struct(&mut self, place: &Place) -> bool {
        if !place.path.0.is_empty() {
            return false;
        }
        let v = self.root_value(place);
        self.structs.contains_idx(v) || self.func[self.func.root].params.contains(&v)
    }

    /// Whether a value of unknown type may well be of a type of the user's, by what shows of where it comes from.
    pub(crate) fn may_be_users(&self, v: Value) -> bool {
        self.comes_of_users(v, 0)
    }

    fn comes_of_users(&self, v: Value, depth: usize) -> bool {
        if *self.func.ty(v) != Type::Dyn || self.structs.contains_idx(v) {
            return *self.func.ty(v) == Type::Dyn;
        }
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        if depth == 8 {
            return false;
        }
        let of_users = |v: Value| self.comes_of_users(v, depth + 1);
        let place = || node.outs.iter().position(|&out| out == v).expect("one of them");
        match &node.op {
            // an operator of the user's, most likely, and a method with the name of one of a float's
            Op::Map { operator: Some(_), .. } => node.args.iter().any(|&a| of_users(a)),
            Op::Call(call) => match &call.callee {
                Callee::Method(name) => prims::method(&name.to_string()).is_some() && of_users(node.args[0]),
                Callee::Path(path) => makes_users(&path.path),
                Callee::Value => false,
            },
            Op::Loop(_) => of_users(node.args[node.args.len() - node.outs.len() + place()]),
            Op::If { then_, else_ } => {
                let k = place();
                [then_, else_].into_iter().any(|&arm| {
                    // not there yet while the arm is being read
                    self.func[arm].results.get(k).is_some_and(|&result| result != v && of_users(result))
                })
            }
            Op::Load(path) if matches!(path.0[..], [Step::Index]) && self.made_of(node.args[0], &of_users) => true,
            Op::Load(path) => self.parameter(node.args[0]).is_some_and(|param| unknown_at(&param.class, &path.0)),
            _ => false,
        }
    }

    /// Whether a value is an array that was made of one for which something holds.
    fn made_of(&self, v: Value, holds: &dyn Fn(Value) -> bool) -> bool {
        let node = self.func.maker(v).map(|n| &self.func[n]);
        node.is_some_and(|node| matches!(node.op, Op::Array) && node.args.iter().any(|&a| holds(a)))
    }

    /// A tuple struct or a tuple variant, written as a call.
    pub(crate) fn build_tuple(&mut self, path: &syn::Path, args: Vec<Value>) -> Operand {
        let fields = (0..args.len()).map(|k| k.to_string()).collect();
        let variant = scan::variant(path, scan::Form::Named);
        let build = Build { path: path.to_token_stream(), fields, tuple: true, variant, base: false };
        let v = self.push(Op::Build(Box::new(build)), args, Type::Dyn);
        self.structs.insert(v, ());
        Operand::Value(v)
    }

    /// Whether an expression is a variable, and shows that it holds a struct or an enum of the user's: it began
    /// as a literal. A method that is called on it is the user's, whatever the name.
    pub(crate) fn is_users_own(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip(e) else { return false };
        let Some(name) = p.path.get_ident() else { return false };
        let Some(&Binding::Cell(c, _)) = self.lookup(&types::plain_name(name)) else { return false };
        let own = |v: Value| *self.func.ty(v) == Type::Dyn && self.is_active(v) && self.is_built(v);
        self.env.cells[c].value.is_some_and(own)
    }

    /// A method of a type of the user's, whatever its name.
    pub(crate) fn own_method(&mut self, m: &syn::ExprMethodCall, statement: bool) -> Operand {
        let receiver = self.nested_expr(&m.receiver);
        let place = self.place(receiver);
        let ty = self.place_type(&place);
        let length = if m.method == "len" { self.dyn_method(&place, m) } else { None };
        length.unwrap_or_else(|| self.called_method(place, ty, m, statement))
    }

    /// Whether a value was built by a literal, and perhaps changed since.
    pub(crate) fn is_built(&self, v: Value) -> bool {
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        match &node.op {
            Op::Build(_) => true,
            Op::Update(path) | Op::AddAt(path) | Op::Push(path) => !path.0.is_empty() && self.is_built(node.args[0]),
            Op::Call(call) => {
                let mut changed = (0..call.args.len()).filter(|&i| call.args[i].changes());
                let k = node.outs.iter().position(|&out| out == v).expect("one of them");
                k > 0 && changed.nth(k - 1).is_some_and(|i| self.is_built(node.args[i]))
            }
            _ => false,
        }
    }

    /// `Box::new(x)`.
    pub(crate) fn boxed(&mut self, path: &syn::Path, x: Value) -> Operand {
        let build = Build {
            path: path.to_token_stream(),
            fields: vec!["box".to_owned()],
            tuple: true,
            variant: None,
            base: false,
        };
        let ty = Type::Boxed(Box::new(self.ty(x)));
        Operand::Value(self.push(Op::Build(Box::new(build)), vec![x], ty))
    }

    /// `*b` of a place that is no reference: what is in the box, if it is one.
    pub(crate) fn unboxed(&mut self, place: Place) -> Operand {
        let bound = matches!(place.root, Root::Cell(c) if place.path.0.is_empty() && self.env.cells[c].bound);
        match self.place_type(&place) {
            _ if place.is_ref => Operand::Place(place.by_ref(false)),
            Type::Boxed(_) => Operand::Place(place.step(Step::Unbox, [])),
            Type::Dyn if bound && self.place_active(&place) => Operand::Place(place.step(Step::Unbox, [])),
            _ => Operand::Place(place),
        }
    }

    /// Binds the fields that a struct pattern that always matches names.
    pub(crate) fn bind_fields(&mut self, fields: Vec<(String, &syn::Pat)>, operand: &Operand, is_ref: bool) {
        for (name, pat) in fields {
            if matches!(pat, syn::Pat::Rest(_)) {
                continue;
            }
            let part = self.part(operand, Step::Field(name), None, is_ref || scan::takes_reference(pat));
            self.bind_pattern(pat, part, is_ref);
        }
    }
}

/// Whether a function may well make a value of its type, by its name: `V::new`, `Self::from_angle`, `Quaternion::exp`.
fn makes_users(path: &syn::Path) -> bool {
    const PREFIXES: [&str; 10] =
        ["new", "from", "with", "zero", "one", "unit", "identity", "origin", "default", "splat"];
    let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
    let (name, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let makes = PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || prims::method(&name).is_some();
    owner.starts_with(|c: char| c.is_uppercase()) && makes
}

/// Whether what a path leads to, in something that was declared, is of a type that the macro does not know.
fn unknown_at(class: &TypeClass, path: &[Step]) -> bool {
    let Some((step, rest)) = path.split_first() else { return matches!(class, TypeClass::Unknown(_)) };
    match (class, step) {
        (TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _), Step::Index) => unknown_at(of, rest),
        (TypeClass::BoxOf(of), Step::Unbox) => unknown_at(of, rest),
        (TypeClass::Tuple(parts), Step::Field(name)) => {
            name.parse::<usize>().ok().and_then(|k| parts.get(k)).is_some_and(|part| unknown_at(part, rest))
        }
        _ => false,
    }
}
