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
    pools: HashMap<String, Vec<Ident>>,
    /// The user's own tokens of a name.
    users: HashMap<String, Ident>,
    /// Names of things that are no locals.
    reserved: BTreeSet<String>,
    /// What each name stands for, the innermost last.
    visible: HashMap<String, Vec<PlaceId>>,
}

impl Names {
    pub(super) fn new(func: &Func, fresh: &signature::Names, items: &[TokenStream]) -> Self {
        let mut names = Names {
            fresh: fresh.clone(),
            pools: HashMap::new(),
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
                    && let Some(ident) = path.get_ident()
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

    fn reserve(&mut self, code: TokenStream, locals: &[Ident]) {
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

    /// The `i`-th name that may be made from `base`. There are as many as one asks for.
    pub(super) fn candidate(&mut self, base: &str, user: bool, i: usize) -> Ident {
        if !self.pools.contains_key(base) {
            let fresh = self.fresh.fresh(base);
            let mut pool = Vec::new();
            if fresh != base && user && !self.reserved.contains(base) {
                pool.push(self.users.get(base).cloned().unwrap_or_else(|| raw(base, Span::call_site())));
            }
            pool.push(fresh);
            self.pools.insert(base.to_owned(), pool);
        }
        let pool = self.pools.get_mut(base).expect("made above");
        let mut count = pool.len();
        while pool.len() <= i {
            let wanted = format!("{base}_{count}");
            let ident = self.fresh.fresh(&wanted);
            if ident == wanted {
                pool.push(ident);
            }
            count += 1;
        }
        pool[i].clone()
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
        if let Some(places) = self.visible.get_mut(&signature::bare(ident)) {
            places.pop();
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
