//! The attribute on the `impl` of an operator: companions cannot stand in it, as its trait is not the user's. They stand
//! beside it as those of a function, which the traits of the runtime lead to.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, ImplItem, ImplItemFn, ItemFn, ItemImpl, Path, PathArguments,
    ReceiverKind, ReturnType, Type, parse_quote,
};

use super::annotated;
use crate::Annotated;
use crate::diag::Diagnostics;
use crate::ir::Operator;
use crate::syntax::options::{self, Mode, Options};
use crate::syntax::signature::{self, By, Owner, Siblings, Signature, plain};

/// The operator that an `impl` is of.
pub(super) fn of(item: &ItemImpl) -> Option<Operator> {
    let (path, _) = item.trait_.as_ref()?;
    Operator::of_trait(&path.segments.last()?.ident.to_string())
}

/// The operator and the types that an `impl` is for, references apart: there are companions for one of each.
pub(super) fn pair(item: &ItemImpl) -> Option<String> {
    let operator = of(item)?;
    let (path, _) = item.trait_.as_ref()?;
    let second = match &path.segments.last()?.arguments {
        PathArguments::AngleBracketed(of) => of.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(base(ty)),
            _ => None,
        }),
        _ => None,
    };
    let (x, name) = (base(&item.self_ty), operator.name);
    let second = second.filter(|ty| !matches!(ty, Type::Path(of) if of.path.is_ident("Self"))).unwrap_or(x);
    Some(quote!(#name #x #second).to_string())
}

/// What stands beside the `impl` of an operator.
pub(super) fn beside(item: &ItemImpl, operator: Operator, own: Option<TokenStream>, options: &Options) -> TokenStream {
    let Some(method) = item.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    }) else {
        return TokenStream::new();
    };
    let function = function(item, method);
    // what is wrong is reported with the companions
    let mut unheard = Diagnostics::new();
    let options = own.clone().map_or_else(|| options.clone(), |own| options::parse(own, &mut unheard));
    let sig = signature::analyse_in(Owner::Free, &function, &options, &mut unheard);
    let _ = unheard.finish();
    if !sig.has_derivative() {
        return TokenStream::new();
    }
    let alone =
        Annotated { owner: Owner::Free, function: function.clone(), has_body: true, siblings: Siblings::default() };
    let companions = annotated(alone, own, &options);
    let implementations = Implementations { operator, method, sig: &sig, krate: &options.krate }.all();
    quote! {
        const _: () = {
            #[allow(warnings, clippy::all, clippy::pedantic)]
            #function
            #companions
            #implementations
        };
    }
}

/// The method as a function of no type: `self` is its first parameter.
fn function(item: &ItemImpl, method: &ImplItemFn) -> ItemFn {
    let mut sig = method.sig.clone();
    let own = plain(&item.self_ty).clone();
    let this = Ident::new("__self", Span::call_site());
    for input in &mut sig.inputs {
        if let FnArg::Receiver(receiver) = input {
            let mutability = receiver.mutability;
            let ty: Type = match &receiver.kind {
                ReceiverKind::Reference(and, lifetime, mutability) => parse_quote!(#and #lifetime #mutability #own),
                ReceiverKind::Typed(_, ty) => (**ty).clone(),
                _ => own.clone(),
            };
            *input = parse_quote!(#mutability #this: #ty);
        }
    }
    sig.ident = Ident::new("__operator", method.sig.ident.span());
    let generics = &item.generics;
    sig.generics = joined(generics, &sig.generics);
    let written = Written { item, this: &this };
    let signature = written.in_types(sig.to_token_stream());
    let block = written.in_expressions(method.block.to_token_stream());
    syn::parse2(quote!(#signature #block)).expect("a function with other names")
}

/// The generics of an `impl` and of a method in it.
fn joined(outer: &Generics, inner: &Generics) -> Generics {
    let mut all = outer.clone();
    all.params.extend(inner.params.clone());
    if let Some(clause) = &inner.where_clause {
        all.make_where_clause().predicates.extend(clause.predicates.clone());
    }
    all
}

/// Code of an `impl` as it is written outside of it.
struct Written<'a> {
    item: &'a ItemImpl,
    this: &'a Ident,
}

impl Written<'_> {
    fn in_types(&self, tokens: TokenStream) -> TokenStream {
        let own = &self.item.self_ty;
        self.replaced(tokens, &own.to_token_stream())
    }

    fn in_expressions(&self, tokens: TokenStream) -> TokenStream {
        let mut own = (*self.item.self_ty).clone();
        if let Type::Path(path) = &mut own {
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    arguments.colon2_token = Some(Default::default());
                }
            }
        }
        self.replaced(tokens, &own.to_token_stream())
    }

    /// `self`, `Self` and `Self::Output` by what they stand for.
    fn replaced(&self, tokens: TokenStream, own: &TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Ident(ident) if ident == "Self" => match self.associated(&tokens[at..]) {
                    Some(ty) => {
                        at += 3;
                        out.extend(self.replaced(ty.to_token_stream(), own));
                    }
                    None => out.extend(own.clone()),
                },
                TokenTree::Ident(ident) if ident == "self" => out.extend(self.this.to_token_stream()),
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.replaced(group.stream(), own));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                token => out.extend([token.clone()]),
            }
        }
        out
    }

    /// The associated type that follows `Self`, if one does: `::Output`.
    fn associated(&self, tokens: &[TokenTree]) -> Option<&Type> {
        let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..] = tokens else { return None };
        (a.as_char() == ':' && b.as_char() == ':').then_some(())?;
        self.item.items.iter().find_map(|item| match item {
            ImplItem::Type(ty) if ty.ident == *name => Some(&ty.ty),
            _ => None,
        })
    }
}

/// The implementations of the traits of the runtime.
struct Implementations<'a> {
    operator: Operator,
    method: &'a ImplItemFn,
    sig: &'a Signature,
    krate: &'a Path,
}

/// The type itself, without references.
fn base(ty: &Type) -> &Type {
    match plain(ty) {
        Type::Reference(reference) => base(&reference.elem),
        ty => ty,
    }
}

impl Implementations<'_> {
    fn all(&self) -> TokenStream {
        let Some(first) = self.sig.params.first() else { return TokenStream::new() };
        let second = self.sig.params.get(1);
        let x = base(&first.ty);
        let mut seconds: Vec<(Type, TokenStream)> = Vec::new();
        match second {
            Some(second) => {
                let y = base(&second.ty);
                seconds.push((y.clone(), quote!(y)));
                // what the compiler sees as a reference
                seconds.push((parse_quote!(&'__y #y), quote!((*y))));
            }
            None => seconds.push((parse_quote!(()), quote!(()))),
        }
        seconds.iter().map(|(y, value)| self.with_second(x, y, value)).collect()
    }

    fn with_second(&self, x: &Type, y: &Type, value: &TokenStream) -> TokenStream {
        let krate = self.krate;
        let operators = quote!(#krate::__private::operators);
        let marker = self.operator.marker();
        let marker = quote!(#operators::#marker);
        let generics = self.generics(x, y);
        let (generics, _, clause) = generics.split_for_impl();
        let (trait_name, method) = (self.operator.marker(), &self.method.sig.ident);
        let owned = |by: By, tokens: TokenStream| match by {
            By::Value => quote!(::core::clone::Clone::clone(#tokens)),
            _ => tokens,
        };
        let second = self.sig.params.get(1).map(|param| owned(param.by, value.clone()));
        let assigns = self.operator.assigns();
        let (prepared, first) = if assigns {
            (quote!(let mut changed = ::core::clone::Clone::clone(self);), quote!(&mut changed))
        } else {
            (TokenStream::new(), owned(self.sig.params[0].by, quote!(self)))
        };
        let arguments: Vec<_> = std::iter::once(first).chain(second).collect();
        let call = quote!(::core::ops::#trait_name::#method(#(#arguments),*));
        let (output, result) = match &self.method.sig.output {
            _ if assigns => (x.to_token_stream(), quote!({ #call; changed })),
            ReturnType::Type(..) => {
                let ty = self.sig.value_type(false);
                let ty: Type = syn::parse2(ty).expect("a type");
                let result =
                    if let Type::Reference(_) = plain(&ty) { quote!(::core::clone::Clone::clone(#call)) } else { call };
                (base(&ty).to_token_stream(), result)
            }
            ReturnType::Default => (quote!(()), call),
        };
        let mut all = quote! {
            impl #generics #operators::Operator<#marker, #y> for #x #clause {
                type Elem = f64;
                type Output = #output;
                fn operate<__F>(&self, y: &#y, _: __F) -> Self::Output
                where
                    __F: ::core::ops::FnMut(f64, f64) -> f64,
                {
                    #prepared
                    #result
                }
            }
        };
        let seed = self.sig.seed_type();
        let (vjp, jvp) = (self.sig.companion("vjp"), self.sig.companion("jvp"));
        for (k, param) in self.sig.params.iter().enumerate().filter(|(_, param)| param.differentiable) {
            let entry = param.tangent_type(krate);
            let sum = quote!(__F: ::core::ops::FnMut(f64, f64, f64) -> f64,);
            if self.sig.mode != Mode::Forward {
                let part = (self.sig.params.len() > 1).then(|| syn::Index::from(k)).map(|k| quote!(.#k));
                all.extend(quote! {
                    impl #generics #operators::OperatorBar<#marker, #y, #seed, #k> for #x #clause {
                        type Elem = f64;
                        type Bar = #entry;
                        fn bar<__F>(&self, y: &#y, g: &#seed, _: __F) -> Self::Bar where #sum {
                            #prepared
                            let (_, pullback) = #vjp(#(#arguments),*);
                            pullback(::core::clone::Clone::clone(g))#part
                        }
                    }
                });
            }
            if self.sig.mode != Mode::Reverse {
                let tangents = self.sig.params.iter().enumerate().map(|(i, param)| match (i == k, i) {
                    (true, _) => quote!(::core::clone::Clone::clone(d)),
                    _ if !param.differentiable => quote!(()),
                    (_, 0) => quote!(#krate::Differentiable::zero_tangent(self)),
                    _ => quote!(#krate::Differentiable::zero_tangent(#value)),
                });
                all.extend(quote! {
                    impl #generics #operators::OperatorDot<#marker, #y, #entry, #k> for #x #clause {
                        type Elem = f64;
                        type Dot = #seed;
                        fn dot<__F>(&self, y: &#y, d: &#entry, _: __F) -> Self::Dot where #sum {
                            #prepared
                            #jvp(#(#arguments,)* #(#tangents),*).1
                        }
                    }
                });
            }
        }
        all
    }

    /// The generics of the function that the two types mention: lifetimes of references are not among them.
    fn generics(&self, x: &Type, y: &Type) -> Generics {
        let mut generics = self.sig.generics.clone();
        let mentioned = quote!(#x #y).to_string();
        generics.params = std::mem::take(&mut generics.params)
            .into_iter()
            .filter(|param| match param {
                GenericParam::Lifetime(of) => {
                    let name = of.lifetime.to_string();
                    mentioned.split_whitespace().any(|word| word.trim_end_matches(|c| ",>&".contains(c)) == name)
                }
                _ => true,
            })
            .collect();
        if mentioned.contains("'__y") {
            generics.params.insert(0, parse_quote!('__y));
        }
        generics
    }
}
