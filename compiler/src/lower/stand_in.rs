//! Local containers of `std` for which something simpler can stand in.
//!
//! ```text
//! VecDeque   a `Vec`: `push_back` is `push`, `pop_front` takes the first element out
//! Cell, RefCell, Mutex, RwLock   the variable itself: `c.set(v)` is `c = v`, `c.borrow_mut()` is `&mut c`
//! Rc, Arc   a `Box`: what is shared and does not change may as well be copied
//! ```
//!
//! A function in which one of them holds differentiable values is lowered again with these in their place. Only the
//! companions are made from that; the function itself stays as it is written, and without differentiable values inside
//! the containers stay what they are. A type of the user's may have one of these names: in the companions an item says
//! that it is the one of `std`, so that anything else is an error of the compiler of Rust.

use super::control::strip;
use crate::syntax::signature::bare;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote};

const DEQUE: &str = "VecDeque";
const CELLS: [&str; 4] = ["Cell", "RefCell", "Mutex", "RwLock"];
const SHARED: [&str; 2] = ["Rc", "Arc"];

/// The body without such containers, and the variables that were cells; `None` if it has none, or one that is used in a
/// way that nothing can stand in for.
pub(super) fn replaced(body: &syn::Block) -> Option<(syn::Block, BTreeSet<String>)> {
    let mentioned = super::scan::mentioned(body.to_token_stream());
    let has = |names: &[&str]| mentioned.iter().any(|name| names.iter().any(|n| name == n));
    let (cells, shared) = (has(&CELLS), has(&SHARED));
    // what is shared and changes is not copied
    if !(cells || shared || has(&[DEQUE])) || (cells && shared) {
        return None;
    }
    let mut names = Names::default();
    names.visit_block(body);
    let Names { mut holders, bound, others } = names;
    // names that also stand for something else
    let unclear: Vec<Ident> =
        holders.iter().filter(|(n, held)| held.times < bound[n]).map(|(n, _)| n.clone()).collect();
    if unclear.iter().any(|name| holders.remove(name).is_some_and(|held| held.kind == Kind::Cell)) {
        return None;
    }
    let occurrences = super::scan::counted(body.to_token_stream());
    let mut body = body.clone();
    let mut replace = Replace { holders, others, replaced: BTreeMap::new(), meant: BTreeMap::new(), count: 0 };
    replace.visit_block_mut(&mut body);
    let Replace { holders, replaced, meant, .. } = replace;
    for (name, path) in meant {
        let module = match Ident::new(&name, Span::call_site()) {
            name if name == DEQUE => quote!(::std::collections::#name),
            name if CELLS[..2].iter().any(|cell| name == cell) => quote!(::core::cell::#name),
            name if name == "Rc" => quote!(::std::rc::#name),
            name => quote!(::std::sync::#name),
        };
        body.stmts.insert(0, parse_quote!(const _: fn(#path<u8>) -> #module<u8> = |meant| meant;));
    }
    // a cell that is lent, moved or asked for something else
    let cells: Vec<&Ident> = holders.iter().filter(|(_, held)| held.kind == Kind::Cell).map(|(name, _)| name).collect();
    let understood = cells.iter().all(|&name| replaced.get(name) == occurrences.get(&bare(name)));
    understood.then(|| (body, cells.into_iter().map(bare).collect()))
}

/// Whether a method tells that its receiver is a deque.
pub(super) fn is_method(name: &str) -> bool {
    ["push_back", "push_front", "pop_back", "pop_front"].contains(&name)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Deque,
    Cell,
}

struct Holder {
    kind: Kind,
    /// How often the name is bound to one.
    times: usize,
}

/// Variables that are declared or made as containers, or hold some.
#[derive(Default)]
struct Names {
    holders: BTreeMap<Ident, Holder>,
    /// How often each name is bound to anything.
    bound: BTreeMap<Ident, usize>,
    /// Variables that hold something else that is made here.
    others: BTreeSet<Ident>,
}

impl Names {
    fn comes_from_deque(&self, tokens: TokenStream) -> bool {
        let held = |name| self.holders.get(name).is_some_and(|held| held.kind == Kind::Deque);
        super::scan::mentioned(tokens).iter().any(|name| name == DEQUE || held(name))
    }

    fn hold(&mut self, pat: &syn::Pat, kind: Option<Kind>) {
        let pat = match pat {
            syn::Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        if let (syn::Pat::Ident(name), Some(kind)) = (pat, kind) {
            self.holders.entry(name.ident.clone()).or_insert(Holder { kind, times: 0 }).times += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let made = local.init.as_ref().map(|init| strip(&init.expr));
        let cell = made.is_some_and(|e| made_cell(e).is_some());
        let deque = self.comes_from_deque(quote!(#made)) || declares_deque(&local.pat);
        self.hold(&local.pat, if cell { Some(Kind::Cell) } else { deque.then_some(Kind::Deque) });
        if let (syn::Pat::Ident(name), Some(Expr::Struct(_) | Expr::Call(_)), false) = (&local.pat, made, deque) {
            self.others.insert(name.ident.clone());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        let deque = self.comes_from_deque(e.expr.to_token_stream());
        self.hold(&e.pat, deque.then_some(Kind::Deque));
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        for pat in &e.inputs {
            self.hold(pat, declares_deque(pat).then_some(Kind::Deque));
        }
        visit::visit_expr_closure(self, e);
    }

    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        *self.bound.entry(name.ident.clone()).or_default() += 1;
        visit::visit_pat_ident(self, name);
    }
}

fn declares_deque(pat: &syn::Pat) -> bool {
    let syn::Pat::Type(typed) = pat else { return false };
    super::scan::mentioned(typed.ty.to_token_stream()).iter().any(|name| name == DEQUE)
}

/// What is in a cell that an expression makes.
fn made_cell(e: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = e else { return None };
    let Expr::Path(path) = strip(&call.func) else { return None };
    let mut last = path.path.segments.iter().rev();
    let new = last.next()?.ident == "new";
    let owner = &last.next()?.ident;
    (new && CELLS.iter().any(|name| owner == name)).then(|| call.args.first()).flatten()
}

struct Replace {
    holders: BTreeMap<Ident, Holder>,
    /// Variables that hold none.
    others: BTreeSet<Ident>,
    /// How often each name of a cell has been found in a place that is understood.
    replaced: BTreeMap<Ident, usize>,
    /// The paths that must be those of the containers of these names.
    meant: BTreeMap<String, syn::Path>,
    /// Numbers the names of what is evaluated once.
    count: usize,
}

impl Replace {
    fn is(&self, kind: Kind, e: &Expr) -> bool {
        match strip(e) {
            Expr::Path(p) => {
                p.path.get_ident().and_then(|name| self.holders.get(name)).is_some_and(|held| held.kind == kind)
            }
            Expr::Index(i) if kind == Kind::Deque => self.is(kind, &i.expr),
            _ => false,
        }
    }

    /// Whether an expression is, or is in, a variable that holds no container.
    fn is_other(&self, e: &Expr) -> bool {
        match strip(e) {
            Expr::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|name| name == "self" || self.others.contains(name) && !self.holders.contains_key(name)),
            Expr::Field(f) => self.is_other(&f.base),
            _ => false,
        }
    }

    /// Gives a name to what in a place is not the same when it is evaluated again.
    fn once(&mut self, e: &mut Expr, before: &mut Vec<syn::Stmt>) {
        match e {
            Expr::Path(_) | Expr::Lit(_) => {}
            Expr::Paren(p) => self.once(&mut p.expr, before),
            Expr::Group(g) => self.once(&mut g.expr, before),
            Expr::Field(f) => self.once(&mut f.base, before),
            Expr::Reference(r) => self.once(&mut r.expr, before),
            Expr::Unary(u) => self.once(&mut u.expr, before),
            Expr::Index(i) => {
                self.once(&mut i.expr, before);
                self.once(&mut i.index, before);
            }
            other => {
                self.count += 1;
                let name = Ident::new(&format!("__once_{}", self.count), Span::mixed_site());
                before.push(parse_quote!(let #name = #other;));
                *other = parse_quote!(#name);
            }
        }
    }

    fn of_deque(&mut self, m: &mut syn::ExprMethodCall) -> Option<Expr> {
        if self.is_other(&m.receiver) {
            return None;
        }
        let mut before = Vec::new();
        match (m.method.to_string().as_str(), m.args.len()) {
            ("pop_front", 0) => self.once(&mut m.receiver, &mut before),
            ("remove", 1) if self.is(Kind::Deque, &m.receiver) => {
                self.once(&mut m.receiver, &mut before);
                self.once(&mut m.args[0], &mut before);
            }
            _ => {}
        }
        let once = |e: Expr| -> Expr { if before.is_empty() { e } else { parse_quote!({ #(#before)* #e }) } };
        let (receiver, args) = (&m.receiver, &m.args);
        let name = match (m.method.to_string().as_str(), args.len()) {
            ("push_back", 1) => "push",
            ("pop_back", 0) => "pop",
            ("make_contiguous", 0) => "as_mut_slice",
            ("push_front", 1) => return Some(parse_quote!(#receiver.insert(0, #args))),
            ("pop_front", 0) => {
                return Some(once(parse_quote!((if #receiver.is_empty() { None } else { Some(#receiver.remove(0)) }))));
            }
            _ if !self.is(Kind::Deque, receiver) => return None,
            ("front", 0) => "first",
            ("back", 0) => "last",
            ("front_mut", 0) => "first_mut",
            ("back_mut", 0) => "last_mut",
            ("remove", 1) => {
                return Some(once(
                    parse_quote!((if #args < #receiver.len() { Some(#receiver.remove(#args)) } else { None })),
                ));
            }
            _ => return None,
        };
        m.method = Ident::new(name, m.method.span());
        None
    }

    fn of_cell(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let (cell, new) = self.of_lock(m).or_else(|| self.of_plain_cell(m))?;
        if let Expr::Path(p) = strip(cell) {
            self.count(p.path.get_ident());
        }
        Some(new)
    }

    /// Notes that the first segments of a path up to this one are meant to name a container.
    fn mean(&mut self, path: &syn::Path, k: usize) {
        let mut path = path.clone();
        path.segments = path.segments.into_iter().take(k + 1).collect();
        let last = path.segments.last_mut().expect("it has a name");
        last.arguments = syn::PathArguments::None;
        let name = last.ident.to_string();
        self.meant.insert(name, path);
    }

    fn count(&mut self, cell: Option<&Ident>) {
        *self.replaced.entry(cell.expect("a cell has a name").clone()).or_default() += 1;
    }

    /// `c.lock().unwrap()` and the like: the cell, and what it becomes.
    fn of_lock<'m>(&self, m: &'m syn::ExprMethodCall) -> Option<(&'m Expr, Expr)> {
        let name = m.method.to_string();
        if ["unwrap", "expect"].contains(&name.as_str())
            && let Expr::MethodCall(inner) = strip(&m.receiver)
            && self.is(Kind::Cell, &inner.receiver)
        {
            let c = &inner.receiver;
            let new = match inner.method.to_string().as_str() {
                "lock" | "write" => parse_quote!((&mut #c)),
                "read" => parse_quote!((&#c)),
                "into_inner" => parse_quote!((#c)),
                _ => return None,
            };
            return Some((c, new));
        }
        None
    }

    fn of_plain_cell<'m>(&self, m: &'m syn::ExprMethodCall) -> Option<(&'m Expr, Expr)> {
        if !self.is(Kind::Cell, &m.receiver) {
            return None;
        }
        let (c, args) = (&*m.receiver, &m.args);
        let new = match (m.method.to_string().as_str(), args.len()) {
            ("get" | "into_inner", 0) => parse_quote!((#c)),
            ("set", 1) => parse_quote!({ #c = #args; }),
            ("replace", 1) => parse_quote!(::core::mem::replace(&mut #c, #args)),
            ("take", 0) => parse_quote!(::core::mem::take(&mut #c)),
            ("borrow", 0) => parse_quote!((&#c)),
            ("borrow_mut" | "get_mut", 0) => parse_quote!((&mut #c)),
            ("update", 1) => parse_quote!({ #c = (#args)(#c); }),
            _ => return None,
        };
        Some((c, new))
    }
}

impl VisitMut for Replace {
    /// Items are not part of what is differentiated.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let other = |name: &Ident| match () {
            () if name == DEQUE => Some("Vec"),
            () if SHARED.iter().any(|n| name == n) => Some("Box"),
            () => None,
        };
        // a variant of an enum may have the name, too
        let module = |segment: &syn::PathSegment| !segment.ident.to_string().starts_with(char::is_uppercase);
        let found = path.segments.iter().enumerate().find_map(|(k, segment)| Some((k, other(&segment.ident)?)));
        if let Some((k, name)) = found.filter(|(k, _)| path.segments.iter().take(*k).all(module)) {
            self.mean(path, k);
            let mut rest = path.segments.iter().skip(k).cloned();
            let mut first = rest.next().expect("it is there");
            first.ident = Ident::new(name, first.ident.span());
            path.segments = std::iter::once(first).chain(rest).collect();
            path.leading_colon = None;
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init
            && let Some(inside) = made_cell(strip(&init.expr)).cloned()
        {
            if let Expr::Call(call) = strip(&init.expr)
                && let Expr::Path(p) = strip(&call.func)
            {
                self.mean(&p.path, p.path.segments.len() - 2);
            }
            *init.expr = inside;
            if let syn::Pat::Type(typed) = &local.pat {
                local.pat = (*typed.pat).clone();
            }
            if let syn::Pat::Ident(name) = &mut local.pat {
                name.mutability = Some(Default::default());
                self.count(Some(&name.ident));
            }
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Call(call) = e
            && let Expr::Path(path) = strip(&call.func)
            && let Some([owner, name]) = last_two(&path.path)
            && name == "clone"
            && SHARED.iter().any(|n| owner == n)
            && let Some(argument) = call.args.first()
        {
            self.mean(&path.path, path.path.segments.len() - 2);
            *e = parse_quote!((*#argument).clone());
        }
        // before what is inside, so that `lock` and its `unwrap` are seen together
        if let Expr::MethodCall(m) = e
            && let Some(new) = self.of_cell(m)
        {
            *e = new;
        }
        visit_mut::visit_expr_mut(self, e);
        if let Expr::MethodCall(m) = e
            && let Some(new) = self.of_deque(m)
        {
            *e = new;
        }
    }

    fn visit_macro_mut(&mut self, m: &mut syn::Macro) {
        let tokens = &m.tokens;
        match syn::parse2(quote!([#tokens])) {
            Ok(Expr::Array(mut list)) => {
                list.elems.iter_mut().for_each(|e| self.visit_expr_mut(e));
                m.tokens = list.elems.to_token_stream();
            }
            Ok(Expr::Repeat(mut list)) => {
                self.visit_expr_repeat_mut(&mut list);
                let (e, n) = (&list.expr, &list.len);
                m.tokens = quote!(#e; #n);
            }
            _ => {}
        }
    }
}

fn last_two(path: &syn::Path) -> Option<[&Ident; 2]> {
    let mut last = path.segments.iter().rev().map(|segment| &segment.ident);
    let name = last.next()?;
    Some([last.next()?, name])
}

#[cfg(test)]
mod tests {
    use super::replaced;
    use quote::{ToTokens, quote};
    use syn::parse_quote;

    fn simpler(body: syn::Block) -> Option<String> {
        replaced(&body).map(|(body, _)| body.to_token_stream().to_string())
    }

    #[test]
    fn types_with_the_same_names_are_told_apart() {
        let cell = simpler(parse_quote!({
            let c = cell::Cell::new(x);
            c.get()
        }))
        .unwrap();
        let meant = quote!(
            const _: fn(cell::Cell<u8>) -> ::core::cell::Cell<u8> = |meant| meant;
        );
        assert!(cell.contains(&meant.to_string()), "{cell}");
        let shared = simpler(parse_quote!({
            let r: Rc<f64> = Rc::new(x);
            Rc::clone(&r)
        }))
        .unwrap();
        let meant = quote!(
            const _: fn(Rc<u8>) -> ::std::rc::Rc<u8> = |meant| meant;
        );
        assert!(shared.contains(&meant.to_string()), "{shared}");
        let variant = simpler(parse_quote!({
            let d = VecDeque::from([x]);
            g(Curve::Arc(1.0));
            d
        }))
        .unwrap();
        assert!(variant.contains(&quote!(Curve::Arc(1.0)).to_string()), "{variant}");
    }
}
