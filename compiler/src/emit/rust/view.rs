//! Views of arrays and their elements in order, as parts of places.

use super::expr::{Expr, Form, prec};
use super::verbatim::fill;
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId};
use crate::ir::view::{Reading, View, Writing};
use crate::ir::{NodeData, Op, Path, Step, Type, Value};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

impl Emitter<'_> {
    /// The view of `whole`. `parts`: its operands.
    pub(super) fn view_of(
        &mut self,
        whole: &TokenStream,
        view: &View,
        parts: &[Expr],
        write: bool,
    ) -> Result<TokenStream> {
        let args = arguments(view, parts);
        let name = Ident::new(view.method.name, Span::mixed_site());
        let generics = view.generics.as_ref().map(|of| quote!(::<#of>));
        if !write {
            return Ok(match view.method.read {
                Reading::Lent | Reading::Made => quote!(#whole.#name #generics(#args)),
                Reading::OfView => quote!(#whole.view().#name #generics(#args)),
                Reading::LentOrPanic => quote!(#whole.#name #generics(#args).unwrap()),
                Reading::OfViewOrPanic => quote!(#whole.view().#name #generics(#args).unwrap()),
                Reading::Runtime => {
                    let Writing::Runtime(f) = view.method.write else { unreachable!("declared so") };
                    let f = self.private(f);
                    quote!(#f(#whole.view(), #args))
                }
            });
        }
        let method = |name: &str| Ident::new(name, Span::mixed_site());
        Ok(match view.method.write {
            Writing::Lent(name) => {
                let name = method(name);
                quote!(#whole.#name #generics(#args))
            }
            Writing::OfView(name) => {
                let name = method(name);
                quote!(#whole.view_mut().#name #generics(#args))
            }
            Writing::OfViewOrPanic(name) => {
                let name = method(name);
                quote!(#whole.view_mut().#name #generics(#args).unwrap())
            }
            Writing::Runtime(f) => {
                let f = self.private(f);
                quote!(#f(#whole.view_mut(), #args))
            }
            Writing::Adding(_) => {
                return self.unsupported(format!("a change through `{}`", view.method.name));
            }
        })
    }

    /// Whether a value is written as a view of an array.
    pub(super) fn is_view(&self, v: Value) -> bool {
        match self.reprs.get(v) {
            Some(Repr::Place(p)) => self.places[*p].hold == Hold::View,
            Some(Repr::Expr(e)) => e.form == Form::View,
            None => false,
        }
    }

    /// A view by value, which lives as long as what it shows.
    pub(super) fn as_view(&mut self, v: Value) -> Result<Expr> {
        let held = match self.reprs.get(v) {
            Some(&Repr::Place(p)) => Some(self.places[p].hold),
            _ => None,
        };
        let (root, e) = self.root(v)?;
        Ok(match (held, e.form) {
            (Some(Hold::View), _) if !self.func.shows_copy(v) => Expr::atom(quote!(#root.clone())).of([&e]),
            (None, Form::View) if !self.func.shows_copy(v) => e,
            _ => Expr::atom(quote!(#root.view())).of([&e]),
        })
    }

    /// The same, as it stands in the result of a function.
    pub(in crate::emit) fn viewed(&mut self, v: Value) -> Result<TokenStream> {
        let node = self.func.maker(v).map(|n| &self.func[n]);
        if let Some(NodeData { op: Op::Load(path), args, .. }) = node
            && let [Step::View(view)] = path.0.as_slice()
            && view.method.read == Reading::OfView
            && let Some(&Repr::Place(p)) = self.reprs.get(args[0])
            && self.places[p].hold == Hold::View
        {
            // a view of a view lasts as long as that, if it is made of a copy of it
            let parts = args[1..].iter().map(|&v| self.index_operand(v, None)).collect::<Result<Vec<_>>>()?;
            let (of, args) = (&self.places[p].ident, arguments(view, &parts));
            let (name, generics) = (Ident::new(view.method.name, Span::mixed_site()), view.generics.as_ref());
            let generics = generics.map(|of| quote!(::<#of>));
            return Ok(quote!(#of.clone().#name #generics(#args)));
        }
        self.as_view(v).map(|e| e.tokens)
    }

    /// What a view is made of, in a variable: a view of something temporary would not last.
    pub(super) fn lasting_root(&mut self, v: Value) -> Result<(TokenStream, Expr)> {
        if let Some(Repr::Expr(e)) = self.reprs.get(v).cloned()
            && e.form != Form::Place
        {
            self.unwait(v);
            self.bind(v, e);
        }
        self.root(v)
    }

    /// Puts something temporary into a variable.
    pub(super) fn name(&mut self, v: Value) {
        if let Some(Repr::Expr(e)) = self.reprs.get(v).cloned()
            && e.form == Form::New
        {
            self.unwait(v);
            self.bind(v, e);
        }
    }

    /// Gives a name to what code that is kept makes, as a reference into it is made next.
    pub(super) fn name_made(&mut self, v: Value) {
        let made = self.func.maker(v).is_some_and(|n| matches!(self.func[n].op, Op::Verbatim(_)));
        if let Some(Repr::Expr(e)) = self.reprs.get(v).cloned()
            && made
            && e.effect
        {
            self.unwait(v);
            self.bind(v, e);
        }
    }

    /// What is at a path that ends in a view; those on the way are put into variables.
    pub(super) fn view_steps(
        &mut self,
        root: TokenStream,
        mut base: Option<PlaceId>,
        path: &Path,
        operands: &[Value],
    ) -> Result<(TokenStream, Option<PlaceId>, Vec<Expr>)> {
        let (mut tokens, mut all, mut from, mut rest) = (root, Vec::new(), 0, operands);
        for (k, step) in path.0.iter().enumerate() {
            if let Step::View(_) = step {
                let part = Path(path.0[from..=k].to_vec());
                let (own, others) = rest.split_at(part.operands());
                let (view, parts) = self.steps(tokens, &part, own, None)?;
                all.extend(parts);
                (from, rest) = (k + 1, others);
                tokens = view;
                if from < path.0.len() {
                    let ident = self.names.unique("t");
                    self.push(quote!(let #ident = #tokens;));
                    let place = self.places.add_unnamed(ident.clone(), Hold::View, self.level);
                    if let Some(base) = base {
                        self.places.borrow(place, base);
                    }
                    (tokens, base) = (quote!(#ident), Some(place));
                }
            }
        }
        Ok((tokens, base, all))
    }

    /// The k-th element of `whole`, which may be a `reference`, as a reference. `bare`: the place that `whole` is the name of,
    /// if it is changed.
    pub(super) fn flat(
        &self,
        whole: &TokenStream,
        k: &TokenStream,
        bare: Option<PlaceId>,
        changed: bool,
        reference: bool,
    ) -> TokenStream {
        let f = self.private(if changed { "element_mut" } else { "element" });
        let whole = bare.map_or_else(|| whole.clone(), |place| self.target(place));
        match (reference, changed) {
            (true, _) => quote!(#f(#whole, #k)),
            (false, true) => quote!(#f(&mut #whole, #k)),
            (false, false) => quote!(#f(&#whole, #k)),
        }
    }

    /// Whether the arguments of a view are numbers and nothing else.
    fn is_plain(&self, view: &View, operands: &[Value]) -> bool {
        let numbers = operands.iter().all(|&v| matches!(self.func.ty(v), Type::Int(_)));
        numbers && !mentions(view.args.clone(), &view.uses)
    }

    /// Adds a cotangent through a view that the path ends in, in the way of that view.
    pub(super) fn add_through(&mut self, path: &Path, operands: &[Value], place: PlaceId, value: &Expr) -> Result<()> {
        let view = path.view().expect("a view").clone();
        let inner = Path(path.0[..path.0.len() - 1].to_vec());
        let (before, own) = operands.split_at(inner.operands());
        let ident = self.places[place].ident.clone();
        let value = value.at(prec::UNARY);
        if let Writing::Adding(f) = view.method.write {
            let (target, _) = if inner.0.is_empty() {
                (self.target(place), vec![])
            } else {
                self.steps(quote!(#ident), &inner, before, Some(place))?
            };
            let parts = own.iter().map(|&v| self.index_operand(v, Some(place))).collect::<Result<Vec<_>>>()?;
            let (f, args) = (self.private(f), arguments(&view, &parts));
            if f.to_string().ends_with("add_reshaped") && !args.is_empty() && !self.is_plain(&view, own) {
                // the shape may say in which order the elements are taken
                let (add, positions) = (self.private("add_reordered"), self.names.unique("positions"));
                let shape = quote!(|#positions| #positions.to_shape(#args).unwrap().to_owned());
                self.push(quote!(#add(&mut #target, &#value, #shape);));
                return Ok(());
            }
            // the shape is that of the cotangent
            let args = (view.method.read == Reading::Made).then(|| quote!(#args,));
            self.push(quote!(#f(&mut #target, #args &#value);));
        } else {
            let target = self.steps(quote!(#ident), path, operands, Some(place))?.0;
            let f = self.private("add_to_view");
            self.push(quote!(#f(#target, &#value);));
        }
        Ok(())
    }
}

/// Whether code has names in it other than some.
fn mentions(code: TokenStream, but: &[Ident]) -> bool {
    code.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => !but.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), but),
        _ => false,
    })
}

/// The arguments with their operands.
fn arguments(view: &View, parts: &[Expr]) -> TokenStream {
    // what is no number stays a reference, if it is one
    let part = |e: &Expr| e.receiver.clone().unwrap_or_else(|| e.at(prec::ATOM));
    let filled: Vec<_> = view.uses.iter().cloned().zip(parts.iter().map(part)).collect();
    fill(view.args.clone(), &filled)
}
