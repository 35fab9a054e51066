//! Patterns: binding names.

use super::env::Binding;
use super::place::Root;
use super::{Lowering, Operand, outcome, scan, types};
use crate::diag::catalog;
use crate::ir::{Float, Op, RangeEnd, Step, Type, Value};
use crate::prims::arith;
use quote::ToTokens;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// Binds the names of a pattern that always matches. `is_ref`: whether what is matched is a reference.
    pub(crate) fn bind_pattern(&mut self, pat: &syn::Pat, operand: Operand, is_ref: bool) {
        match pat {
            syn::Pat::Paren(p) => self.bind_pattern(&p.pat, operand, is_ref),
            syn::Pat::Wild(_)
            | syn::Pat::Rest(_)
            | syn::Pat::Lit(_)
            | syn::Pat::Range(_)
            | syn::Pat::Or(_)
            | syn::Pat::Const(_)
            | syn::Pat::Path(_) => {}
            syn::Pat::Ident(p) => {
                // in a match this may be the name of a constant; in a `let` it is one of a variable
                if self.matching && scan::bindings(pat).is_empty() {
                    return;
                }
                if let Some((_, sub)) = &p.subpat {
                    self.bind_pattern(sub, operand.clone(), is_ref);
                }
                if p.by_ref.is_some() {
                    // the name is a reference to the place itself
                    match operand {
                        Operand::Place(place) if matches!(place.root, Root::Cell(_)) => {
                            self.bind_ident(
                                &p.ident,
                                false,
                                Operand::Place(place.by_ref(true).mutable(p.mutability.is_some())),
                                true,
                                None,
                            );
                        }
                        _ if p.mutability.is_some() => {
                            self.refuse(p.span(), &catalog::REFERENCE_LOST, &[]);
                        }
                        o => self.bind_ident(&p.ident, false, o, true, None),
                    }
                    return;
                }
                self.bind_ident(&p.ident, p.mutability.is_some(), operand, is_ref, None);
            }
            syn::Pat::Type(t) => {
                if let syn::Pat::Ident(p) = &*t.pat {
                    let ty = types::of_rust(&t.ty);
                    let is_ref = is_ref || matches!(&*t.ty, syn::Type::Reference(_));
                    let operand = self.as_declared(operand, &ty);
                    let operand = match outcome::of_type(&t.ty) {
                        Some((_, error)) if !is_ref => {
                            let operand = self.as_outcome(operand, false);
                            self.declare_error(&operand, error);
                            operand
                        }
                        _ => operand,
                    };
                    self.bind_ident(&p.ident, p.mutability.is_some(), operand, is_ref, Some((ty, &t.ty)));
                } else {
                    self.bind_pattern(&t.pat, operand, is_ref);
                }
            }
            syn::Pat::TupleStruct(t) if is_some(&t.path) && t.elems.len() == 1 => {
                let (_, payload) = self.parts_of(&operand);
                {
                    let is_ref = is_ref || matches!(&payload, Operand::Place(p) if p.is_ref);
                    self.bind_pattern(&t.elems[0], payload, is_ref);
                }
            }
            pat if let Some((ok, inner)) = outcome::pattern(pat)
                && let Some((value, fault)) = self.outcome_parts(&operand) =>
            {
                self.bind_outcome(ok, inner, value, fault, is_ref);
            }
            syn::Pat::Reference(r) => match operand {
                Operand::Value(v) if self.is_foreign_reference(v) => {
                    let v = self.dereferenced(v);
                    self.bind_pattern(&r.pat, Operand::Value(v), false);
                }
                Operand::Place(p) => self.bind_pattern(&r.pat, Operand::Place(p.by_ref(false)), false),
                o => self.bind_pattern(&r.pat, o, false),
            },
            syn::Pat::Tuple(syn::PatTuple { elems, .. }) | syn::Pat::Slice(syn::PatSlice { elems, .. }) if matches!(&operand, Operand::Parts(p) if p.len() == elems.len()) =>
            {
                let Operand::Parts(parts) = operand else { unreachable!("matched above") };
                for (p, part) in elems.iter().zip(parts) {
                    let is_ref = matches!(&part, Operand::Place(p) if p.is_ref);
                    self.bind_pattern(p, part, is_ref);
                }
            }
            syn::Pat::Tuple(t) => {
                let count = t.elems.len();
                let rest = t.elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
                let whole = match &operand {
                    Operand::Value(v) => Some(self.ty(*v)),
                    Operand::Place(p) => Some(self.place_type(p)),
                    _ => None,
                };
                for (k, p) in t.elems.iter().enumerate() {
                    let field = match (rest, &whole) {
                        (Some(r), _) if k == r => continue,
                        (Some(r), Some(Type::Tuple(ts))) if k > r => ts.len() - (count - k),
                        (Some(r), _) if k > r => {
                            self.unsupported(p.span(), "`..` before a field of unknown place", "name all fields");
                            continue;
                        }
                        _ => k,
                    };
                    let part =
                        self.part(&operand, Step::Field(field.to_string()), None, is_ref || scan::takes_reference(p));
                    self.bind_pattern(p, part, is_ref);
                }
            }
            syn::Pat::Struct(syn::PatStruct { path, .. }) | syn::Pat::TupleStruct(syn::PatTupleStruct { path, .. })
                if self.matching
                    && (scan::variant(path, scan::Form::Named).is_some() || self.is_changed_through(&operand)) =>
            {
                self.bind_variant(pat, &operand);
            }
            syn::Pat::Struct(s) => {
                let fields = s.fields.iter().map(|f| (scan::member(&f.member), &*f.pat)).collect();
                self.bind_fields(fields, &operand, is_ref);
            }
            syn::Pat::TupleStruct(t) if let Some(last) = after_rest(t) => {
                self.unsupported(last.span(), "`..` before a field of unknown place", "name all fields");
            }
            syn::Pat::TupleStruct(t) => {
                let fields = t.elems.iter().enumerate().map(|(k, p)| (k.to_string(), p)).collect();
                self.bind_fields(fields, &operand, is_ref);
            }
            syn::Pat::Slice(s) => {
                let count = s.elems.len();
                let rest = s.elems.iter().position(super::slices::is_rest);
                for (k, p) in s.elems.iter().enumerate() {
                    if Some(k) == rest {
                        if let syn::Pat::Ident(i) = p {
                            let lo = self.b().int(k);
                            let hi = self.counted_back(&operand, count - 1 - k);
                            let place = self.place(operand.clone());
                            let step = Step::Range { from: true, end: RangeEnd::Exclusive };
                            let is_mut = place.is_mut;
                            let place = place.step(step, [lo, hi]).by_ref(true).mutable(is_mut);
                            self.bind_ident(&i.ident, false, Operand::Place(place), true, None);
                        }
                        continue;
                    }
                    let index = match rest {
                        Some(r) if k > r => self.counted_back(&operand, count - k),
                        _ => self.b().int(k),
                    };
                    let part = self.part(&operand, Step::Index, Some(index), is_ref || scan::takes_reference(p));
                    self.bind_pattern(p, part, is_ref);
                }
            }
            other => {
                self.unsupported(
                    other.span(),
                    "this pattern is not supported here yet",
                    "bind the value to a name and take its parts by field or index",
                );
            }
        }
    }

    /// Binds the names of a pattern that has been found to match.
    pub(crate) fn bind_matched(&mut self, pat: &syn::Pat, operand: Operand, is_ref: bool) {
        let outer = std::mem::replace(&mut self.matching, true);
        self.bind_pattern(pat, operand, is_ref);
        self.matching = outer;
    }

    /// `len - k` of a sequence.
    pub(crate) fn counted_back(&mut self, operand: &Operand, k: usize) -> Value {
        let v = match operand {
            Operand::Place(p) => self.read(p),
            o => self.value(o.clone()),
        };
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let k = self.b().int(k);
        self.primitive(&arith::SUB, &[len, k])
    }

    pub(crate) fn part(&mut self, operand: &Operand, step: Step, index: Option<Value>, is_ref: bool) -> Operand {
        let place = self.place(operand.clone());
        let is_mut = place.is_mut;
        let place = place.step(step, index).by_ref(is_ref).mutable(is_mut);
        if is_ref || matches!(place.root, Root::Value(_)) {
            return Operand::Place(place);
        }
        // by value: read now, since the place may change later
        Operand::Value(self.read(&place))
    }

    fn bind_ident(
        &mut self,
        ident: &syn::Ident,
        mutable: bool,
        operand: Operand,
        is_ref: bool,
        declared: Option<(Type, &syn::Type)>,
    ) {
        let name = types::plain_name(ident);
        match operand {
            Operand::Closure(k) => self.env.bind(&name, Binding::Closure(k)),
            Operand::Function(f) => self.env.bind(&name, Binding::Function(f)),
            Operand::Iter(it) => {
                let it = if mutable { Box::new(self.advancing(*it)) } else { it };
                self.env.bind(&name, Binding::Iter(it));
            }
            o @ (Operand::Choice(..) | Operand::Object(_)) => self.env.bind(&name, Binding::Known(Box::new(o))),
            Operand::Parts(parts) if self.hold_functions(&parts) => {
                let parts = self.settled(parts);
                self.env.bind(&name, Binding::Known(Box::new(Operand::Parts(parts))));
            }
            Operand::Place(p) if is_ref && mutable && !p.is_mut && self.is_plain(&p) => {
                let v = self.read(&p);
                let declared = declared.map(|(ty, _)| ty);
                let v = self.referred(v, declared.clone());
                let cell = self.bind_cell(ident, v, true, true);
                self.references.insert(self.env.cells[cell].key);
                self.env.cells[cell].declared = declared;
            }
            Operand::Place(p) if is_ref && !p.shows_what_cannot_change() => {
                if let Some((ty @ Type::Int(Some(_)), _)) = &declared
                    && self.place_type(&p) == Type::INT
                {
                    let v = self.read(&p);
                    self.annotate(v, ty);
                }
                self.env.bind(&name, Binding::Alias(p, true));
            }
            Operand::Never => {}
            o => {
                let shown = is_ref && matches!(o, Operand::Place(_));
                let v = self.value(o);
                if shown {
                    self.views.insert(v, ());
                }
                if let Some((_, rust)) = &declared
                    && self.is_active(v)
                    && let Some(any) = scan::dyn_any(rust)
                {
                    self.refuse(any, &catalog::DYN_ANY, &[]);
                }
                if let Some((ty, rust)) = &declared {
                    self.annotate_code(v, rust);
                    self.annotate_contents(v, rust);
                    self.annotate(v, ty);
                }
                let cell = self.bind_cell(ident, v, mutable, is_ref);
                if let Some((ty, rust)) = declared {
                    self.env.cells[cell].declared = Some(ty);
                    self.env.cells[cell].declared_rust = Some(rust.clone());
                }
            }
        }
    }

    /// Keeps a type annotation in code that is kept: inference may need it.
    fn annotate_code(&mut self, v: Value, ty: &syn::Type) {
        let graph = self.graph;
        let Some(&n) = self.func[graph].nodes.last() else { return };
        if self.func[n].outs.first() == Some(&v)
            && let Op::Verbatim(code) = &mut self.func[n].op
            && !code.pure_
        {
            let inner = &code.code;
            code.code = quote::quote!({ let __value: #ty = #inner; __value });
        }
    }

    /// Keeps a type annotation of an option or a vector without anything in it, as nothing else may say what it is of, and
    /// of a vector of arrays, as it says how long these are.
    fn annotate_contents(&mut self, v: Value, ty: &syn::Type) {
        let empty = self.func[self.graph]
            .nodes
            .last()
            .is_some_and(|&n| self.func[n].outs[..] == [v] && matches!(self.func[n].op, Op::Absent | Op::VecEmpty));
        let arrays = types::lengths_of_elements(ty).is_some_and(|lengths| !lengths.is_empty());
        if (empty || arrays) && matches!(ty, syn::Type::Path(_)) {
            // references are what they refer to here
            let ty = types::without_references(ty);
            if !scan::borrows(&ty) {
                self.func.values[v].written = Some(ty.to_token_stream());
            }
        }
    }

    /// Uses a type annotation: what was unknown is known now.
    pub(crate) fn annotate(&mut self, v: Value, ty: &Type) {
        self.annotate_view(v, ty);
        let old = self.func.ty(v);
        // an array whose elements are no floats
        let other = *ty == Type::Inactive && matches!(old, Type::NdArray(Float::Any, _)) && !self.is_active(v);
        if (*old == Type::Dyn || other) && *ty != Type::Dyn {
            self.func.values[v].ty = ty.clone();
            if !ty.can_be_active() {
                self.maybe_active.insert(v, false);
            }
        } else if *ty != Type::Dyn {
            let told = old.told(ty);
            if told != Type::Dyn
                && !matches!((old, ty), (Type::Vec(_), Type::Slice(_)) | (Type::Slice(_), Type::Vec(_)))
            {
                self.func.values[v].ty = told;
            }
        }
    }

    /// Binds a name to a value.
    pub(crate) fn bind_value(&mut self, ident: &syn::Ident, v: Value, mutable: bool) {
        self.bind_cell(ident, v, mutable, false);
    }

    /// Binds a name to a part that a pattern takes out of something that is `active`; whether by reference, and whether
    /// it may be changed.
    pub(crate) fn bind_binding(&mut self, ident: &syn::Ident, v: Value, active: bool, is_ref: bool, mutable: bool) {
        let cell = self.bind_cell(ident, v, mutable, active && is_ref);
        self.env.cells[cell].bound = active;
        self.env.cells[cell].part = active;
    }

    fn bind_cell(&mut self, ident: &syn::Ident, v: Value, mutable: bool, is_ref: bool) -> usize {
        let name = types::plain_name(ident);
        let key = self.cell_key();
        let v = self.outcome_of_cell(key, v);
        let cell = self.env.new_cell(&name, None, mutable, key);
        if self.func[v].name.is_none() {
            self.func.values[v].name = Some(name.clone());
            self.func.values[v].span = ident.span();
        }
        if mutable {
            self.note_origin(cell, v);
            self.see_lent(&name, v);
        }
        if self.is_active(v) {
            self.active_cells.insert(key);
        }
        if mutable && self.active_cells.contains(&key) {
            self.see_vector(&name, v);
        }
        self.env.cells[cell].value = Some(v);
        self.env.cells[cell].part = self.parts.contains_idx(v);
        self.env.bind(&name, Binding::Cell(cell, is_ref));
        cell
    }

    /// A key for the declaration of a name that is the same in every round.
    fn cell_key(&mut self) -> usize {
        self.declarations += 1;
        self.declarations
    }

    /// `let x;`, `let (x, y);`
    pub(crate) fn declare(&mut self, pat: &syn::Pat) {
        self.declare_as(pat, None);
    }

    fn declare_as(&mut self, pat: &syn::Pat, declared: Option<&syn::Type>) {
        let ident = match pat {
            syn::Pat::Ident(p) => &p.ident,
            syn::Pat::Type(t) => return self.declare_as(&t.pat, Some(&t.ty)),
            syn::Pat::Paren(p) => return self.declare_as(&p.pat, declared),
            syn::Pat::Wild(_) => return,
            syn::Pat::Tuple(t) if !t.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_))) => {
                for (i, p) in t.elems.iter().enumerate() {
                    let part = match declared.map(types::strip) {
                        Some(syn::Type::Tuple(types)) => types.elems.get(i),
                        _ => None,
                    };
                    self.declare_as(p, part);
                }
                return;
            }
            p => {
                self.unsupported(p.span(), "a pattern without a value", "declare one name at a time");
                return;
            }
        };
        let name = types::plain_name(ident);
        let key = self.cell_key();
        let cell = self.env.new_cell(&name, None, true, key);
        self.env.cells[cell].declared = declared.map(types::of_rust);
        self.env.cells[cell].declared_rust = declared.cloned();
        match declared {
            Some(syn::Type::Reference(r)) if r.mutability.is_none() => {
                self.references.insert(key);
            }
            _ => self.may_be_slot(cell, key),
        }
        self.env.bind(&name, Binding::Cell(cell, false));
    }

    /// The cell of a `&mut` parameter.
    pub(crate) fn bind_param_cell(&mut self, pat: &syn::Pat, v: Value) -> usize {
        match pat {
            syn::Pat::Ident(p) => self.bind_cell(&p.ident, v, true, true),
            syn::Pat::Type(t) => self.bind_param_cell(&t.pat, v),
            syn::Pat::Wild(_) => self.temporary(v),
            other => {
                self.unsupported(
                    other.to_token_stream().span(),
                    "a pattern on a `&mut` parameter is not supported",
                    "give the parameter a name",
                );
                self.temporary(v)
            }
        }
    }
}

/// Whether a path is `Some`.
pub(super) fn is_some(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev();
    segments.next().is_some_and(|s| s.ident == "Some") && segments.next().is_none_or(|s| s.ident == "Option")
}

/// A field that stands after `..` in the pattern of a tuple struct, of which it is not known how many there are.
fn after_rest(t: &syn::PatTupleStruct) -> Option<&syn::Pat> {
    let rest = t.elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)))?;
    t.elems.iter().nth(rest + 1)
}

/// Where a field stands after `..` in the pattern of a tuple struct.
pub(crate) fn field_after_rest(pat: &syn::Pat) -> Option<proc_macro2::Span> {
    struct Fields(Option<proc_macro2::Span>);
    impl<'ast> syn::visit::Visit<'ast> for Fields {
        fn visit_pat_tuple_struct(&mut self, t: &'ast syn::PatTupleStruct) {
            self.0 = self.0.or_else(|| after_rest(t).map(Spanned::span));
            syn::visit::visit_pat_tuple_struct(self, t);
        }
    }
    let mut fields = Fields(None);
    syn::visit::Visit::visit_pat(&mut fields, pat);
    fields.0
}
