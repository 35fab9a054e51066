//! Views of arrays: places in them, by the methods of [`crate::prims::views`].

use crate::ir::view::{Reading, View, ViewMethod, ViewRank, Writing};
use crate::ir::{Op, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::env::Binding;
use crate::lower::place::{Place, Root};
use crate::lower::{Lowering, Operand, types};
use crate::prims::views;
use crate::syntax::signature::Param;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The arguments of a view: its code, and what stands for the placeholders in it.
#[derive(Clone, Default)]
pub(crate) struct Arguments {
    pub(crate) code: TokenStream,
    pub(crate) uses: Vec<Ident>,
    pub(crate) operands: Vec<Value>,
}

impl Arguments {
    /// A placeholder for a value.
    pub(crate) fn operand(&mut self, v: Value, span: proc_macro2::Span) -> Ident {
        let ident = Ident::new(&format!("__{}", self.uses.len()), span);
        self.uses.push(ident.clone());
        self.operands.push(v);
        ident
    }
}

impl Lowering<'_> {
    /// A method that makes a view, or one that turns the array in place; `None` if it is neither.
    pub(crate) fn view_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        if matches!(name.as_str(), "view" | "view_mut" | "reborrow" | "into_view") && m.args.is_empty() {
            let is_mut = name == "view_mut" || name == "reborrow" && place.is_mut;
            return Some(Operand::Place(place.clone().viewed(is_mut)));
        }
        if name == "split_at" && m.args.len() == 2 {
            return Some(self.split_array(place, m));
        }
        if name == "multi_slice_mut" && m.args.len() == 1 {
            return self.several_slices(place, m);
        }
        // the same in place
        let (name, in_place) = match name.as_str() {
            "permute_axes" => ("permuted_axes".to_owned(), true),
            "reverse_axes" => ("reversed_axes".to_owned(), true),
            _ => (name, false),
        };
        let method = views::view(&name)?;
        if m.args.len() != method.arity {
            return None;
        }
        let fails = matches!(method.read, Reading::LentOrPanic | Reading::OfViewOrPanic);
        if fails && !self.unwraps {
            return Some(self.fallible_view(place, method, m));
        }
        let (args, rank) = self.view_arguments(place, method, m);
        let generics = m.turbofish.as_ref().map(|t| t.args.to_token_stream());
        let view = self.viewed(place, method, args, generics, rank);
        let view_root = self.root_value(place);
        if method.read == Reading::Runtime || in_place {
            return Some(self.turn(place, view, m));
        }
        let lends = matches!(method.write, Writing::Lent(_));
        let is_mut = name.ends_with("_mut") || place.is_mut && !lends && method.read != Reading::Made;
        let o = if lends || is_mut {
            Operand::Place(view.viewed(is_mut))
        } else {
            let of_view = place.is_view || self.parameter(view_root).is_some_and(Param::is_view);
            let v = self.read(&view);
            if method.read != Reading::Made && (of_view || self.views.contains_idx(view_root)) {
                self.views.insert(v, ());
            }
            Operand::Value(v)
        };
        Some(if fails { self.succeeds(o, m) } else { o })
    }

    /// The array itself is turned, or a view by its name.
    fn turn(&mut self, place: &Place, view: Place, m: &syn::ExprMethodCall) -> Operand {
        let unit = Operand::Value(self.unit());
        if place.is_view {
            let name = match strip(&m.receiver) {
                syn::Expr::Path(p) => p.path.get_ident().map(types::plain_name),
                _ => None,
            };
            // a name of this block: what comes after it sees it turned, and nothing else does
            let scope = self.env.scopes.last_mut().expect("a scope is open");
            if let Some(binding @ Binding::Alias(..)) = name.and_then(|name| scope.get_mut(&name)) {
                *binding = Binding::Alias(view.viewed(place.is_mut), true);
                return unit;
            }
        }
        let shown = match place.root {
            Root::Cell(c) => self.lent_parameter(c).is_some_and(Param::is_mutable_view),
            Root::Value(_) => false,
        };
        if place.is_view || shown {
            return self.unsupported(
                m.method.span(),
                "a view is turned in place here, and not in the block that it is named in",
                "bind the turned view to a new name: `let v = v.reversed_axes();`, `let v = v.slice(s![..;-1]);`",
            );
        }
        let v = self.read(&view);
        self.write(place, v);
        unit
    }

    /// `multi_slice_mut((s![…], s![…]))`: several views at once.
    fn several_slices(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let slices: Vec<&syn::Expr> = match strip(&m.args[0]) {
            syn::Expr::Tuple(t) => t.elems.iter().collect(),
            syn::Expr::Array(t) => t.elems.iter().collect(),
            _ => return None,
        };
        let parts = slices.into_iter().map(|slice| {
            let call: syn::ExprMethodCall = syn::parse_quote!(it.slice_mut(#slice));
            self.view_method(place, &call)
        });
        parts.collect::<Option<Vec<_>>>().map(Operand::Parts)
    }

    /// The number of axes that `into_dimensionality` leads to is that of the declared type.
    pub(crate) fn annotate_view(&mut self, v: Value, ty: &Type) {
        let Type::NdArray(_, Some(rank)) = ty else { return };
        let krate = &self.sig.krate;
        if let Some(n) = self.func.maker(v)
            && let Op::Load(path) = &mut self.func[n].op
            && let Some(Step::View(view)) = path.0.last_mut()
            && view.method.name == "into_dimensionality"
            && view.generics.is_none()
            && *rank <= 6
        {
            let dim = quote::format_ident!("Ix{rank}");
            view.generics = Some(quote!(#krate::__private::ndarray::#dim));
            view.rank = Some(*rank);
        }
    }

    /// Two views, before and after a position along an axis.
    fn split_array(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Operand {
        let mut args = Arguments::default();
        let axis = self.view_argument(&m.args[0], &mut args);
        let at = self.view_argument(&m.args[1], &mut args);
        let Type::NdArray(_, rank) = self.place_type(place) else { unreachable!("an array") };
        let krate = &self.sig.krate;
        let method = views::view("slice_axis").expect("declared");
        let parts = [quote!(..#at), quote!(#at..)].map(|range| {
            let code = quote!(#axis, #krate::__private::ndarray::Slice::from(#range));
            let view = self.viewed(place, method, Arguments { code, ..args.clone() }, None, rank);
            Operand::Place(view.viewed(place.is_mut))
        });
        Operand::Parts(parts.into())
    }

    /// The place that a view shows.
    pub(crate) fn viewed(
        &mut self,
        place: &Place,
        method: &'static ViewMethod,
        args: Arguments,
        generics: Option<TokenStream>,
        rank: Option<usize>,
    ) -> Place {
        let view = View { method, args: args.code, uses: args.uses, generics, rank };
        place.clone().step(Step::View(Box::new(view)), args.operands)
    }

    /// The arguments of a method that makes a view, and its rank.
    pub(super) fn view_arguments(
        &mut self,
        place: &Place,
        method: &ViewMethod,
        m: &syn::ExprMethodCall,
    ) -> (Arguments, Option<usize>) {
        let own = match self.place_type(place) {
            Type::NdArray(_, rank) => rank,
            _ => None,
        };
        let mut args = Arguments::default();
        let mut code = Vec::new();
        let mut given = None;
        for a in &m.args {
            if let syn::Expr::Macro(mac) = strip(a)
                && mac.mac.path.segments.last().is_some_and(|s| s.ident == "s")
            {
                let change;
                (code, change) = (vec![self.slicing(&mac.mac, &mut args)], slice_rank(&mac.mac));
                given = own.zip(change).and_then(|(own, change)| own.checked_add_signed(change));
                continue;
            }
            given = given.or_else(|| shape_rank(a));
            code.push(self.view_argument(a, &mut args));
        }
        args.code = quote!(#(#code),*);
        let rank = match method.rank {
            ViewRank::Same => own,
            ViewRank::Less => own.and_then(|r| r.checked_sub(1)),
            ViewRank::More => own.map(|r| r + 1),
            ViewRank::Fixed(rank) => Some(rank),
            ViewRank::Arguments => {
                given.or_else(|| m.turbofish.as_ref().and_then(|t| dimension(&t.args.to_token_stream())))
            }
        };
        (args, rank)
    }

    /// An argument: what is a number in it becomes an operand.
    pub(crate) fn view_argument(&mut self, e: &syn::Expr, args: &mut Arguments) -> TokenStream {
        match strip(e) {
            syn::Expr::Lit(l) => l.to_token_stream(),
            syn::Expr::Reference(r) if r.mutability.is_none() => {
                let inner = self.view_argument(&r.expr, args);
                quote!(&#inner)
            }
            syn::Expr::Unary(u) if matches!(strip(&u.expr), syn::Expr::Lit(_)) => u.to_token_stream(),
            syn::Expr::Tuple(t) => {
                let parts: Vec<_> = t.elems.iter().map(|e| self.view_argument(e, args)).collect();
                let comma = (parts.len() == 1).then(|| quote!(,));
                quote!((#(#parts),* #comma))
            }
            syn::Expr::Array(t) => {
                let parts: Vec<_> = t.elems.iter().map(|e| self.view_argument(e, args)).collect();
                quote!([#(#parts),*])
            }
            syn::Expr::Range(r) => {
                let lo = r.start.as_ref().map(|e| self.view_argument(e, args));
                let hi = r.end.as_ref().map(|e| self.view_argument(e, args));
                let limits = &r.limits;
                quote!(#lo #limits #hi)
            }
            // `Axis(k)`, `Slice::from(range)`, `Slice::new(lo, hi, step)`
            syn::Expr::Call(c) if constructor(&c.func) => {
                let f = &c.func;
                let parts: Vec<_> = c.args.iter().map(|e| self.view_argument(e, args)).collect();
                quote!(#f(#(#parts),*))
            }
            syn::Expr::Call(c) if matches!(strip(&c.func), syn::Expr::Path(p) if p.path.is_ident("Some")) => {
                let f = &c.func;
                let parts: Vec<_> = c.args.iter().map(|e| self.view_argument(e, args)).collect();
                quote!(#f(#(#parts),*))
            }
            syn::Expr::Path(p) if p.path.get_ident().is_some_and(|i| i == "NewAxis" || i == "None") => {
                p.to_token_stream()
            }
            e => {
                let v = self.operand(e);
                let ident = args.operand(v, self.span);
                quote!(#ident)
            }
        }
    }

    /// `s![…]`: each bound and index becomes an operand.
    fn slicing(&mut self, mac: &syn::Macro, args: &mut Arguments) -> TokenStream {
        let parts: Vec<TokenStream> = split(mac.tokens.clone(), ',')
            .into_iter()
            .map(|part| {
                let sides = split(part, ';');
                let sides: Vec<TokenStream> = sides
                    .into_iter()
                    .map(|side| match syn::parse2::<syn::Expr>(side.clone()) {
                        Ok(syn::Expr::Range(r)) => {
                            let lo = r.start.as_ref().map(|e| self.view_argument(e, args));
                            let hi = r.end.as_ref().map(|e| self.view_argument(e, args));
                            let limits = &r.limits;
                            quote!(#lo #limits #hi)
                        }
                        Ok(e) => self.view_argument(&e, args),
                        Err(_) => side,
                    })
                    .collect();
                quote!(#(#sides);*)
            })
            .collect();
        let path = &mac.path;
        let mut group = Group::new(Delimiter::Bracket, quote!(#(#parts),*));
        group.set_span(self.span);
        let group = TokenTree::Group(group);
        quote!(#path!#group)
    }
}

/// Whether a path is that of a constructor: it begins with a capital letter somewhere.
fn constructor(f: &syn::Expr) -> bool {
    let syn::Expr::Path(p) = strip(f) else { return false };
    p.path.segments.iter().any(|s| ["Axis", "Slice", "Dim", "Ix1", "Ix2", "Ix3", "IxDyn"].iter().any(|n| s.ident == n))
}

/// Code between separators.
pub(super) fn split(tokens: TokenStream, separator: char) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(p) if p.as_char() == separator => parts.push(TokenStream::new()),
            _ => parts.last_mut().expect("one part").extend([token]),
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(TokenStream::is_empty) {
        parts.pop();
    }
    parts
}

/// By how much `s![…]` changes the rank: an index takes an axis away, `NewAxis` adds one.
fn slice_rank(mac: &syn::Macro) -> Option<isize> {
    let mut change = 0;
    for part in split(mac.tokens.clone(), ',') {
        match syn::parse2::<syn::Expr>(split(part, ';').swap_remove(0)) {
            Ok(syn::Expr::Range(_)) => {}
            Ok(syn::Expr::Path(p)) if p.path.segments.last().is_some_and(|s| s.ident == "NewAxis") => change += 1,
            Ok(_) => change -= 1,
            Err(_) => return None,
        }
    }
    Some(change)
}

/// The rank of a shape as it is written.
pub(crate) fn shape_rank(e: &syn::Expr) -> Option<usize> {
    match strip(e) {
        syn::Expr::Tuple(t) => match t.elems.first().map(strip) {
            // `((rows, columns), order)`
            Some(e @ syn::Expr::Tuple(_)) => shape_rank(e),
            _ => Some(t.elems.len()),
        },
        syn::Expr::Array(t) => Some(t.elems.len()),
        syn::Expr::Lit(_) => Some(1),
        syn::Expr::Call(c) => match strip(&c.func) {
            syn::Expr::Path(p) => {
                let name = p.path.segments.last()?.ident.to_string();
                name.strip_prefix("Ix").and_then(|k| k.parse().ok())
            }
            _ => None,
        },
        syn::Expr::MethodCall(m) if ["nrows", "ncols", "len"].iter().any(|n| m.method == n) => Some(1),
        _ => None,
    }
}

/// The rank of `Ix2`.
fn dimension(generics: &TokenStream) -> Option<usize> {
    let text = generics.to_string();
    text.trim().rsplit(':').next()?.trim().strip_prefix("Ix")?.parse().ok()
}
