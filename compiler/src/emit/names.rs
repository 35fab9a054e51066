//! The names of variables in generated code.
//!
//! A variable has the user's name where it holds what the user's variable holds, unless that hides another; all others
//! are names that occur nowhere in the user's function. A name that the user's
//! code uses for something that is no local (a function, a constant) is never given to one.

use super::places::PlaceId;
use crate::ir::{Callee, Func, LoopKind, Op, Verbatim};
use crate::syntax::signature;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use std::collections::{BTreeSet, HashMap};

/// Hands out names.
#[derive(Default)]
pub(super) struct Names {
    fresh: signature::Names,
    /// The names that have been made from each base.
    pools: HashMap<String, Pool>,
    /// The pool that a name is in, and its place there.
    origins: HashMap<String, (String, usize)>,
    /// The user's own tokens of a name.
    users: HashMap<String, Ident>,
    /// Names of things that are no locals.
    reserved: BTreeSet<String>,
    /// What each name stands for, the innermost last.
    visible: HashMap<String, Vec<PlaceId>>,
}

/// The names that have been made from one base.
struct Pool {
    names: Vec<Ident>,
    /// All names before this place are in use.
    free: usize,
}

impl Names {
    pub(super) fn new(func: &Func, fresh: &signature::Names, items: &[TokenStream]) -> Self {
        let mut names = Names {
            fresh: fresh.clone(),
            pools: HashMap::new(),
            origins: HashMap::new(),
            users: HashMap::new(),
            reserved: BTreeSet::new(),
            visible: HashMap::new(),
        };
        for item in items {
            names.reserve(item.clone(), &[]);
        }
        names.function(func);
        names
    }

    /// Remembers the names that a function uses.
    fn function(&mut self, func: &Func) {
        let names = self;
        func.walk(func.root, &mut |_, n| match &func[n].op {
            Op::Lambda(l) => names.function(&l.func),
            Op::Verbatim(v) => names.code(v),
            Op::Call(c) | Op::CallVjp(c) | Op::CallJvp(c) => {
                if let Callee::Path(path) = &c.callee
                    && let Some(ident) = path.path.get_ident()
                {
                    names.reserved.insert(signature::bare(ident));
                }
            }
            Op::Loop(l) => {
                if let LoopKind::Iter { iter, bindings, .. } = &l.kind {
                    names.code(iter);
                    bindings.iter().for_each(|b| names.user(b));
                }
            }
            Op::IfLet { bindings, .. } => bindings.iter().for_each(|b| names.user(b)),
            _ => {}
        });
    }

    /// Remembers the user's tokens of a name.
    pub(super) fn user(&mut self, ident: &Ident) {
        self.users.entry(signature::bare(ident)).or_insert_with(|| ident.clone());
    }

    fn code(&mut self, v: &Verbatim) {
        v.uses.iter().filter(|u| !is_placeholder(u)).for_each(|u| self.user(u));
        self.reserve(v.code.clone(), &v.uses);
    }

    pub(super) fn reserve(&mut self, code: TokenStream, locals: &[Ident]) {
        let mut after = ' ';
        for token in code {
            let before = std::mem::replace(&mut after, ' ');
            match token {
                // not the names of methods, nor those inside a path
                TokenTree::Ident(ident) if before == ' ' && !locals.contains(&ident) => {
                    self.reserved.insert(signature::bare(&ident));
                }
                TokenTree::Group(group) => self.reserve(group.stream(), locals),
                TokenTree::Punct(punct) if matches!(punct.as_char(), '.' | ':') => after = punct.as_char(),
                _ => {}
            }
        }
    }

    /// The first name made from `base` that stands for nothing here; `user`: the user's own, if it is none of those reserved.
    pub(super) fn free(&mut self, base: &str, user: bool) -> Ident {
        if !self.pools.contains_key(base) {
            self.pools.insert(base.to_owned(), Pool { names: Vec::new(), free: 0 });
            let fresh = self.fresh.fresh(base);
            if fresh != base && user && !self.reserved.contains(base) {
                let own = self.users.get(base).cloned().unwrap_or_else(|| raw(base, Span::call_site()));
                self.pool(base, own);
            }
            self.pool(base, fresh);
        }
        let mut count = self.pools[base].names.len();
        loop {
            let pool = &self.pools[base];
            let mut later = pool.names[pool.free..].iter();
            if let Some(k) = later.position(|name| self.visible(name).is_none()) {
                let free = pool.free + k;
                self.pools.get_mut(base).expect("it is there").free = free;
                return self.pools[base].names[free].clone();
            }
            let wanted = format!("{base}_{count}");
            let ident = self.fresh.fresh(&wanted);
            if ident == wanted {
                self.pool(base, ident);
            }
            count += 1;
        }
    }

    /// Puts a name into the pool of its base.
    fn pool(&mut self, base: &str, ident: Ident) {
        let pool = self.pools.get_mut(base).expect("it is there");
        self.origins.insert(signature::bare(&ident), (base.to_owned(), pool.names.len()));
        pool.names.push(ident);
    }

    /// A name that nothing else ever has.
    pub(super) fn unique(&mut self, base: &str) -> Ident {
        self.fresh.fresh(base)
    }

    /// A name stands for a place from here on.
    pub(super) fn enter(&mut self, ident: &Ident, place: PlaceId) {
        self.visible.entry(signature::bare(ident)).or_default().push(place);
    }

    /// The scope of the latest place of that name ends.
    pub(super) fn leave(&mut self, ident: &Ident) {
        let name = signature::bare(ident);
        if let Some(places) = self.visible.get_mut(&name) {
            places.pop();
        }
        if let Some((base, place)) = self.origins.get(&name)
            && let Some(pool) = self.pools.get_mut(base)
        {
            pool.free = pool.free.min(*place);
        }
    }

    /// What a name stands for.
    pub(super) fn visible(&self, ident: &Ident) -> Option<PlaceId> {
        self.visible.get(&signature::bare(ident)).and_then(|v| v.last()).copied()
    }
}

/// An identifier, raw if it has to be.
fn raw(name: &str, span: Span) -> Ident {
    match syn::parse_str::<Ident>(name) {
        Ok(_) => Ident::new(name, span),
        Err(_) if matches!(name, "self" | "Self" | "super" | "crate" | "_") => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

/// Whether an identifier in kept code stands for a subexpression: `__0`.
pub(super) fn is_placeholder(ident: &Ident) -> bool {
    let text = ident.to_string();
    text.strip_prefix("__").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}
