//! Questions about syntax that need no types: what diverges, what is mentioned, what a pattern binds.

use super::control::strip;
use crate::ir::{Path, Step};
use crate::syntax::signature::{bare, is_function_bound};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// Whether control never comes out of the end of an expression (it leaves or panics on every path).
pub(crate) fn diverges(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => true,
        syn::Expr::Block(b) if b.label.is_none() => block_diverges(&b.block),
        syn::Expr::If(i) => block_diverges(&i.then_branch) && i.else_branch.as_ref().is_some_and(|(_, e)| diverges(e)),
        syn::Expr::Match(m) => !m.arms.is_empty() && m.arms.iter().all(|a| diverges(&a.body)),
        syn::Expr::Macro(m) => is_panic(&m.mac),
        _ => false,
    }
}

/// Whether control never comes out of the end of a block.
pub(crate) fn block_diverges(block: &syn::Block) -> bool {
    block.stmts.iter().any(|s| match s {
        syn::Stmt::Expr(e, _) => diverges(e),
        syn::Stmt::Macro(m) => is_panic(&m.mac),
        _ => false,
    })
}

fn is_panic(mac: &syn::Macro) -> bool {
    mac.path
        .segments
        .last()
        .is_some_and(|s| ["panic", "unreachable", "todo", "unimplemented"].iter().any(|n| s.ident == n))
}

/// Whether an expression is a branch of which some arm leaves and exactly one does not.
pub(crate) fn one_falls_through(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::If(i) => {
            let else_ = i.else_branch.as_ref().is_some_and(|(_, e)| diverges(e));
            block_diverges(&i.then_branch) != else_
        }
        syn::Expr::Match(m) => m.arms.len() > 1 && m.arms.iter().filter(|a| !diverges(&a.body)).count() == 1,
        _ => false,
    }
}

/// Whether a condition has a `let` in it.
pub(crate) fn contains_let(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(b) => contains_let(&b.left) || contains_let(&b.right),
        _ => false,
    }
}

/// Whether evaluating an expression may change a local or leave.
pub(crate) fn has_effects(e: &syn::Expr) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            match e {
                syn::Expr::Assign(_)
                | syn::Expr::Block(_)
                | syn::Expr::Unsafe(_)
                | syn::Expr::Call(_)
                | syn::Expr::Macro(_)
                | syn::Expr::If(_)
                | syn::Expr::Match(_)
                | syn::Expr::Loop(_)
                | syn::Expr::Let(_)
                | syn::Expr::Closure(_)
                | syn::Expr::Return(_)
                | syn::Expr::Break(_)
                | syn::Expr::Continue(_) => self.0 = true,
                syn::Expr::Reference(r) if r.mutability.is_some() => self.0 = true,
                syn::Expr::Binary(b) if is_compound(&b.op) => self.0 = true,
                syn::Expr::MethodCall(m)
                    if crate::prims::method(&m.method.to_string()).is_none()
                        && !["len", "is_empty", "iter", "is_finite", "is_nan", "min", "max"]
                            .iter()
                            .any(|n| m.method == n) =>
                {
                    self.0 = true;
                }
                _ => {}
            }
            syn::visit::visit_expr(self, e);
        }
    }
    let mut v = V(false);
    v.visit_expr(e);
    v.0
}

/// Whether an operator is a compound assignment.
pub(crate) fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp as B;
    matches!(
        op,
        B::AddAssign(_)
            | B::SubAssign(_)
            | B::MulAssign(_)
            | B::DivAssign(_)
            | B::RemAssign(_)
            | B::BitXorAssign(_)
            | B::BitAndAssign(_)
            | B::BitOrAssign(_)
            | B::ShlAssign(_)
            | B::ShrAssign(_)
    )
}

/// Every identifier in some tokens, and the names in the inline arguments of format strings, in order of appearance.
pub(crate) fn mentioned(tokens: TokenStream) -> Vec<Ident> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    collect(tokens, &mut |ident: Ident| {
        if seen.insert(ident.to_string()) {
            found.push(ident);
        }
    });
    found
}

/// Whether a function or a method is called, as far as the tokens of a macro tell.
pub(crate) fn has_call(tokens: TokenStream) -> bool {
    let mut named = false;
    tokens.into_iter().any(|t| {
        let before = std::mem::replace(
            &mut named,
            match &t {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(p) => p.as_char() == '>',
                _ => false,
            },
        );
        matches!(t, TokenTree::Group(g) if before && g.delimiter() == Delimiter::Parenthesis || has_call(g.stream()))
    })
}

/// The same names, and how often each occurs.
pub(crate) fn counted(tokens: TokenStream) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    collect(tokens, &mut |ident: Ident| *found.entry(bare(&ident)).or_default() += 1);
    found
}

fn collect(tokens: TokenStream, f: &mut impl FnMut(Ident)) {
    // after one dot a name is a field or a method, after two it is the end of a range or the base of a struct
    let mut dots = 0;
    for t in tokens {
        let dot = matches!(&t, TokenTree::Punct(p) if p.as_char() == '.');
        match t {
            TokenTree::Ident(i) if dots != 1 => f(i),
            TokenTree::Group(g) => collect(g.stream(), f),
            TokenTree::Literal(l) => inline_arguments(&l, f),
            _ => {}
        }
        dots = if dot { dots + 1 } else { 0 };
    }
}

/// The names in `{name}` and `{name:…}` of a string literal.
fn inline_arguments(literal: &proc_macro2::Literal, f: &mut impl FnMut(Ident)) {
    let text = literal.to_string();
    if !text.contains('"') {
        return;
    }
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '{' {
            // widths and precisions may be names too: `{:width$}`
            continue;
        }
        if chars.peek() == Some(&'{') {
            chars.next();
            continue;
        }
        let inner: String = chars.by_ref().take_while(|c| *c != '}').collect();
        for word in inner.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if !word.is_empty()
                && !word.starts_with(|c: char| c.is_ascii_digit())
                && let Ok(ident) = syn::parse_str::<Ident>(word)
            {
                f(Ident::new(&ident.to_string(), literal.span()));
            }
        }
    }
}

/// The identifiers that a pattern binds, in order.
pub(crate) fn bindings(pat: &syn::Pat) -> Vec<Ident> {
    struct V(Vec<Ident>);
    impl<'ast> Visit<'ast> for V {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            let name = p.ident.to_string();
            // `None`, constants: names that are not bindings
            if p.subpat.is_some() || name.starts_with(|c: char| c.is_lowercase() || c == '_') {
                self.0.push(p.ident.clone());
            }
            syn::visit::visit_pat_ident(self, p);
        }
    }
    let mut v = V(Vec::new());
    v.visit_pat(pat);
    v.0
}

/// Takes `mut` away from the names that a pattern binds by value, and gives those that had it.
pub(crate) fn without_mut(pat: &mut syn::Pat) -> Vec<Ident> {
    struct V(Vec<Ident>);
    impl syn::visit_mut::VisitMut for V {
        fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
            if p.by_ref.is_none() && p.mutability.take().is_some() {
                self.0.push(p.ident.clone());
            }
            syn::visit_mut::visit_pat_ident_mut(self, p);
        }
    }
    let mut v = V(Vec::new());
    syn::visit_mut::VisitMut::visit_pat_mut(&mut v, pat);
    v.0
}

/// Whether a block has a `break` anywhere.
pub(crate) fn breaks(block: &syn::Block) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.0 = true;
        }
    }
    let mut v = V(false);
    v.visit_block(block);
    v.0
}

/// For each name that a pattern binds, the path to its part of the tangent of what is matched; `None` for patterns that
/// tangents do not mirror.
pub(crate) fn parts(pat: &syn::Pat) -> Option<Vec<Path>> {
    let mut out = Vec::new();
    collect_parts(pat, &mut Vec::new(), &mut out)?;
    Some(out)
}

fn collect_parts(pat: &syn::Pat, at: &mut Vec<Step>, out: &mut Vec<Path>) -> Option<()> {
    let mut inside = |name: String, pat: &syn::Pat, out: &mut Vec<Path>| {
        at.push(Step::Part(name));
        let done = collect_parts(pat, at, out);
        at.pop();
        done
    };
    match pat {
        syn::Pat::Wild(_) | syn::Pat::Rest(_) | syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_) => Some(()),
        syn::Pat::Ident(_) if bindings(pat).is_empty() => Some(()),
        syn::Pat::Ident(p) => {
            out.push(Path(at.clone()));
            match &p.subpat {
                Some((_, sub)) => collect_parts(sub, at, out),
                None => Some(()),
            }
        }
        syn::Pat::Reference(p) => collect_parts(&p.pat, at, out),
        syn::Pat::Paren(p) => collect_parts(&p.pat, at, out),
        syn::Pat::Or(o) if bindings(pat).is_empty() => o.cases.iter().try_for_each(|_| Some(())),
        syn::Pat::Tuple(t) if !t.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_))) => {
            t.elems.iter().enumerate().try_for_each(|(k, p)| inside(k.to_string(), p, out))
        }
        syn::Pat::TupleStruct(t) => {
            let prefix = variant(&t.path, Form::Named).map(|v| format!("{v}_")).unwrap_or_default();
            let rest = t.elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
            if rest.is_some_and(|r| r + 1 != t.elems.len()) {
                return None;
            }
            t.elems.iter().enumerate().try_for_each(|(k, p)| inside(format!("{prefix}{k}"), p, out))
        }
        syn::Pat::Struct(s) => {
            let prefix = variant(&s.path, Form::Named).map(|v| format!("{v}_")).unwrap_or_default();
            s.fields.iter().try_for_each(|f| {
                let name = member(&f.member);
                inside(format!("{prefix}{name}"), &f.pat, out)
            })
        }
        _ => None,
    }
}

/// The name of a field, without `r#`.
pub(crate) fn member(m: &syn::Member) -> String {
    match m {
        syn::Member::Named(n) => super::types::plain_name(n),
        syn::Member::Unnamed(n) => n.index.to_string(),
    }
}

/// The name that the parts of a struct or a variant are reached under, if the path is sure to have it: of a variant
/// (`Shape::Circle`, `Some`, `Circle` after `use Shape::*`) its own, and a tuple struct has one too. What is written with
/// fields may be a struct under another name, by a `type`.
pub(crate) fn variant(path: &syn::Path, form: Form) -> Option<String> {
    let upper = |s: &syn::PathSegment| s.ident.to_string().starts_with(|c: char| c.is_uppercase());
    let mut segments = path.segments.iter().rev();
    let last = segments.next()?;
    let is_variant = segments.next().is_some_and(upper) || form == Form::Named && last.ident != "Self";
    is_variant.then(|| super::types::plain_name(&last.ident))
}

/// How a path is written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// With parentheses, or in a pattern that need not match: by the name of the variant or the struct.
    Named,
    /// With fields in braces, where it may be that of a `type`.
    Braces,
}

/// The place of `dyn Any` in a type.
pub(crate) fn dyn_any(ty: &syn::Type) -> Option<proc_macro2::Span> {
    struct V(Option<proc_macro2::Span>);
    impl<'ast> Visit<'ast> for V {
        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            for ident in mentioned(quote::ToTokens::to_token_stream(t)) {
                if ident == "Any" {
                    self.0 = Some(ident.span());
                }
            }
        }
    }
    let mut v = V(None);
    v.visit_type(ty);
    v.0
}

/// Whether a type owns objects of a trait that are no functions.
pub(crate) fn has_object(ty: &syn::Type) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            self.0 |= !t.bounds.iter().any(is_function_bound);
        }
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {}
    }
    let mut v = V(false);
    v.visit_type(ty);
    v.0
}

/// Whether some code may leave the function or a loop around it.
pub(crate) fn leaves(code: TokenStream) -> bool {
    code.into_iter().any(|t| match t {
        TokenTree::Ident(ident) => ["return", "break", "continue", "await"].iter().any(|word| ident == word),
        TokenTree::Punct(p) => p.as_char() == '?',
        TokenTree::Group(g) => leaves(g.stream()),
        TokenTree::Literal(_) => false,
    })
}

/// Whether a type has a reference or a function in it.
pub(crate) fn borrows(ty: &syn::Type) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_type(&mut self, t: &'ast syn::Type) {
            self.0 |=
                !matches!(t, syn::Type::Path(_) | syn::Type::Tuple(_) | syn::Type::Array(_) | syn::Type::Infer(_));
            syn::visit::visit_type(self, t);
        }
        fn visit_lifetime(&mut self, _: &'ast syn::Lifetime) {
            self.0 = true;
        }
    }
    let mut v = V(false);
    v.visit_type(ty);
    v.0
}

/// Whether a type has state that can change behind a shared reference.
pub(crate) fn has_state(ty: &syn::Type) -> bool {
    const STATEFUL: [&str; 7] = ["Atomic", "Cell", "Mutex", "RwLock", "Once", "LazyLock", "LazyCell"];
    let text = ty.to_token_stream().to_string();
    STATEFUL.iter().any(|name| text.contains(name))
}

/// Whether a pattern binds a name to a reference: `ref x`, somewhere in it.
pub(crate) fn takes_reference(pat: &syn::Pat) -> bool {
    struct Ref(bool);
    impl<'p> syn::visit::Visit<'p> for Ref {
        fn visit_pat_ident(&mut self, p: &'p syn::PatIdent) {
            self.0 |= p.by_ref.is_some();
            syn::visit::visit_pat_ident(self, p);
        }
    }
    let mut found = Ref(false);
    syn::visit::Visit::visit_pat(&mut found, pat);
    found.0
}

/// A path as its names.
pub(crate) fn path(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| bare(&segment.ident)).collect();
    names.join("::")
}

/// The names right after `&mut` in some code.
pub(crate) fn lent_mutably(tokens: TokenStream) -> Vec<Ident> {
    let mut found = Vec::new();
    let mut before = [String::new(), String::new()];
    for token in tokens {
        if let TokenTree::Ident(name) = &token
            && before == ["&", "mut"]
        {
            found.push(name.clone());
        }
        if let TokenTree::Group(group) = &token {
            found.extend(lent_mutably(group.stream()));
        }
        before = [std::mem::take(&mut before[1]), token.to_string()];
    }
    found
}

/// The names of variables that some code sets.
pub(crate) fn assigned(e: &syn::Expr) -> Vec<Ident> {
    struct Assigned(Vec<Ident>);
    impl<'ast> Visit<'ast> for Assigned {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            let target = match e {
                syn::Expr::Assign(a) => Some(&*a.left),
                syn::Expr::Binary(b) if is_compound(&b.op) => Some(&*b.left),
                _ => None,
            };
            if let Some(syn::Expr::Path(p)) = target.map(strip) {
                self.0.extend(p.path.get_ident().cloned());
            }
            syn::visit::visit_expr(self, e);
        }
    }
    let mut assigned = Assigned(Vec::new());
    assigned.visit_expr(e);
    assigned.0
}

/// Whether something is changed through a name, which must be a mutable reference: `x[i] = …`, `*x += …`, `x.fill(…)`.
pub(crate) fn changes_through(e: &syn::Expr, name: &Ident) -> bool {
    const CHANGING: [&str; 9] =
        ["fill", "swap", "reverse", "push", "copy_from_slice", "clone_from_slice", "extend", "sort_by", "rotate_left"];
    struct Changes<'n>(&'n Ident, bool);
    impl Changes<'_> {
        fn leads_to(&self, e: &syn::Expr) -> bool {
            match strip(e) {
                syn::Expr::Path(p) => p.path.is_ident(self.0),
                syn::Expr::Index(i) => self.leads_to(&i.expr),
                syn::Expr::Field(f) => self.leads_to(&f.base),
                syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && self.leads_to(&u.expr),
                _ => false,
            }
        }
    }
    impl<'ast> Visit<'ast> for Changes<'_> {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            let changed = match e {
                syn::Expr::Assign(a) => Some(&*a.left),
                syn::Expr::Binary(b) if is_compound(&b.op) => Some(&*b.left),
                syn::Expr::Reference(r) if r.mutability.is_some() => Some(&*r.expr),
                syn::Expr::MethodCall(m) => {
                    let method = m.method.to_string();
                    let changes = method.ends_with("_mut") || CHANGING.contains(&method.as_str());
                    self.1 |= changes && self.leads_to(&m.receiver);
                    None
                }
                _ => None,
            };
            self.1 |= changed.is_some_and(|e| !matches!(strip(e), syn::Expr::Path(_)) && self.leads_to(e));
            syn::visit::visit_expr(self, e);
        }
    }
    let mut v = Changes(name, false);
    v.visit_expr(e);
    v.1
}
