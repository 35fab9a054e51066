//! What the methods that are called on a variable tell of its type, where nothing else does.
//!
//! `let mut path = steps(&x); path.push(0.0);` — the type of what `steps` gives is not visible; that it is a vector, is.

use super::control::strip;
use super::env::Binding;
use super::{Lowering, array, types};
use crate::ir::{Callee, Op, Type, Value};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};

/// Methods of vectors by which no other type is likely, and how many arguments they have.
const OF_VECTORS: [(&str, usize); 12] = [
    ("append", 1),
    ("dedup", 0),
    ("drain", 1),
    ("extend", 1),
    ("extend_from_slice", 1),
    ("resize", 2),
    ("retain", 1),
    ("retain_mut", 1),
    ("split_off", 1),
    ("swap_remove", 1),
    ("truncate", 1),
    ("dedup_by", 1),
];

/// Methods of vectors with the name of what other collections do as well.
const OF_COLLECTIONS: [(&str, usize); 5] = [("clear", 0), ("insert", 2), ("pop", 0), ("push", 1), ("remove", 1)];

/// Methods of slices by which no other type is likely.
const OF_SLICES: [(&str, usize); 26] = [
    ("as_mut_slice", 0),
    ("as_slice", 0),
    ("chunks", 1),
    ("chunks_exact", 1),
    ("chunks_mut", 1),
    ("clone_from_slice", 1),
    ("copy_from_slice", 1),
    ("copy_within", 2),
    ("iter", 0),
    ("iter_mut", 0),
    ("rotate_left", 1),
    ("rotate_right", 1),
    ("select_nth_unstable_by", 2),
    ("fill_with", 1),
    ("sort_by", 1),
    ("sort_by_key", 1),
    ("sort_unstable_by", 1),
    ("split_at", 1),
    ("split_at_mut", 1),
    ("split_first", 0),
    ("split_first_mut", 0),
    ("split_last", 0),
    ("split_last_mut", 0),
    ("swap_with_slice", 1),
    ("to_vec", 0),
    ("windows", 1),
];

/// Methods of slices that lend elements that may be changed, of which no map has the like.
const LENDING: [&str; 8] = [
    "chunks_exact_mut",
    "chunks_mut",
    "first_mut",
    "iter_mut",
    "last_mut",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
];

/// How the variables of one name are used.
#[derive(Default)]
pub(crate) struct Usage {
    indexed: bool,
    fields: bool,
    /// Whether all of it is lent by a mutable reference, or elements are by a method.
    lent: bool,
    /// Whether it is an operand of arithmetic.
    computed: bool,
    /// Whether it is an argument of a call.
    handed: bool,
    /// How many variables have the name, parameters of the function not counted.
    declared: usize,
    methods: Vec<(String, usize)>,
}

impl Usage {
    fn calls(&self, methods: &[(&str, usize)]) -> bool {
        self.methods.iter().any(|(name, n)| methods.iter().any(|(known, count)| name == known && n == count))
    }

    /// Whether it is used as a sequence.
    fn sequence(&self) -> bool {
        !self.fields && (self.indexed || self.calls(&OF_VECTORS) || self.calls(&OF_SLICES))
    }

    /// Whether the one variable of this name is used as an array of `ndarray`.
    fn array(&self) -> bool {
        let method = || self.methods.iter().any(|(name, args)| array::unseen::is_of_arrays(name, *args));
        self.declared == 1 && !self.fields && (self.computed || method())
    }
}

/// How the variables of a function are used, by their names.
pub(crate) fn of(body: &syn::Block) -> BTreeMap<String, Usage> {
    struct Uses(BTreeMap<String, Usage>);
    impl Uses {
        fn of(&mut self, e: &syn::Expr) -> Option<&mut Usage> {
            let syn::Expr::Path(p) = strip(e) else { return None };
            p.path.get_ident().map(|name| self.0.entry(types::plain_name(name)).or_default())
        }

        fn hand<'e>(&mut self, args: impl IntoIterator<Item = &'e syn::Expr>) {
            for e in args {
                let e = match strip(e) {
                    syn::Expr::Reference(r) => &r.expr,
                    e => e,
                };
                if let Some(usage) = self.of(e) {
                    usage.handed = true;
                }
            }
        }

        /// `&mut name`, `&mut name[1..]`
        fn lend(&mut self, e: &syn::Expr) {
            let syn::Expr::Reference(r) = e else { return };
            let of = match strip(&r.expr) {
                syn::Expr::Index(i) => &i.expr,
                _ => &r.expr,
            };
            if r.mutability.is_some()
                && let Some(usage) = self.of(of)
            {
                usage.lent = true;
            }
        }
    }
    impl<'ast> Visit<'ast> for Uses {
        fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
            // a map is indexed by references, which strings are
            let text = |e: &syn::Expr| matches!(e, syn::Expr::Lit(lit) if matches!(lit.lit, syn::Lit::Str(_)));
            if !(matches!(strip(&e.index), syn::Expr::Reference(_)) || text(strip(&e.index)))
                && let Some(usage) = self.of(&e.expr)
            {
                usage.indexed = true;
            }
            visit::visit_expr_index(self, e);
        }

        fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
            self.hand(&c.args);
            visit::visit_expr_call(self, c);
        }

        fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
            self.lend(&e.expr);
            visit::visit_expr_for_loop(self, e);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if let Some(init) = &local.init {
                self.lend(&init.expr);
            }
            visit::visit_local(self, local);
        }

        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0.entry(types::plain_name(&p.ident)).or_default().declared += 1;
            visit::visit_pat_ident(self, p);
        }

        fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
            use syn::BinOp::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};
            if matches!(
                b.op,
                Add(_) | AddAssign(_) | Div(_) | DivAssign(_) | Mul(_) | MulAssign(_) | Sub(_) | SubAssign(_)
            ) {
                for e in [&b.left, &b.right] {
                    let e = match strip(e) {
                        syn::Expr::Reference(r) => &r.expr,
                        _ => e,
                    };
                    if let Some(usage) = self.of(e) {
                        usage.computed = true;
                    }
                }
            }
            visit::visit_expr_binary(self, b);
        }

        fn visit_expr_field(&mut self, e: &'ast syn::ExprField) {
            if let Some(usage) = self.of(&e.base) {
                usage.fields = true;
            }
            visit::visit_expr_field(self, e);
        }

        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            self.hand(&m.args);
            if let Some(usage) = self.of(&m.receiver) {
                usage.lent |= LENDING.iter().any(|name| m.method == name);
                usage.methods.push((m.method.to_string(), m.args.len()));
            }
            visit::visit_expr_method_call(self, m);
        }
    }
    let mut uses = Uses(BTreeMap::new());
    uses.visit_block(body);
    uses.0
}

impl Lowering<'_> {
    /// Takes the value of a variable that is changed for a vector, if its type is unknown and its methods say so.
    pub(super) fn see_vector(&mut self, name: &str, v: Value) {
        let Some(usage) = self.usage.get(name) else { return };
        let told = (usage.calls(&OF_VECTORS) || usage.calls(&OF_COLLECTIONS)) && !self.is_of_type(v);
        if told && !usage.fields && *self.func.ty(v) == Type::Dyn {
            self.annotate(v, &Type::Vec(Box::new(Type::Dyn)));
        }
    }

    /// Treats the value of a variable without a derivative as one that may get one, if its elements are changed through
    /// references: they are known then.
    pub(super) fn see_lent(&mut self, name: &str, v: Value) {
        let lent = self.usage.get(name).is_some_and(|usage| usage.lent && !usage.fields);
        if lent && *self.func.ty(v) == Type::Dyn && self.is_made(v) == Some(false) {
            self.maybe_active.insert(v, true);
            self.lent.insert(v, ());
        }
    }

    /// Whether a call is `map` of a variable that is used as a sequence, or gives what is one, and so of an array and not of
    /// an option.
    pub(super) fn is_array_map(&self, m: &syn::ExprMethodCall) -> bool {
        if m.method == "map" && self.expected_of(m).is_some_and(|ty| matches!(types::strip(&ty), syn::Type::Array(_))) {
            return true;
        }
        let syn::Expr::Path(p) = strip(&m.receiver) else { return false };
        let Some(name) = p.path.get_ident().map(types::plain_name) else { return false };
        let unseen = match self.lookup(&name) {
            Some(&Binding::Cell(c, _)) => self.env.cells[c].value.is_some_and(|v| *self.func.ty(v) == Type::Dyn),
            _ => false,
        };
        m.method == "map" && unseen && self.seen_sequence(&name)
    }

    /// Whether a variable is handed to a function.
    pub(super) fn is_handed(&self, pat: &syn::Pat) -> bool {
        let syn::Pat::Ident(p) = pat else { return false };
        self.usage.get(&types::plain_name(&p.ident)).is_some_and(|usage| usage.handed)
    }

    /// Whether a variable is used as a sequence.
    pub(super) fn seen_sequence(&self, name: &str) -> bool {
        self.usage.get(name).is_some_and(Usage::sequence)
    }

    /// Whether a variable is used as an array of `ndarray`.
    pub(super) fn seen_array(&self, name: &str) -> bool {
        self.usage.get(name).is_some_and(Usage::array)
    }

    /// Whether a value is given by a function of a type: `Stack::new()`.
    pub(super) fn is_of_type(&self, v: Value) -> bool {
        let node = self.func.nodes.iter().find(|(_, node)| node.outs.first() == Some(&v));
        match node.map(|(_, node)| &node.op) {
            Some(Op::Build(_)) => true,
            Some(Op::Call(call)) => matches!(&call.callee, Callee::Path(p) if types::is_of_type(&p.path)),
            _ => self.is_made(v) != Some(false),
        }
    }
}
