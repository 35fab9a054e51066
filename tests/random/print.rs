//! A program as a module of a crate: its items with the attribute, the same items over dual numbers, and a function
//! `check` that hands all that to the harness.

use super::dualize;
use super::generate::Program;
use quote::{ToTokens, format_ident, quote};

/// What every generated program may call, and its derivative by hand.
pub(crate) const HELPER: &str = "fn helper(x: f64, k: usize) -> f64 { (x * (k as f64 + 0.5)).sin() * x }";

const HELPER_COMPANIONS: &str = "
fn helper_vjp(x: f64, k: usize) -> (f64, impl Fn(f64) -> (f64, ())) { (helper(x, k), move |y| (y * slope(x, k), ())) }
fn helper_jvp(x: f64, k: usize, dx: f64, _: impl Sized) -> (f64, f64) { (helper(x, k), dx * slope(x, k)) }
fn slope(x: f64, k: usize) -> f64 {
    let k = k as f64 + 0.5;
    (x * k).cos() * k * x + (x * k).sin()
}";

/// A crate that checks some programs, and the line at which each of them begins.
///
/// # Errors
/// If one of them cannot be parsed.
pub(crate) fn batch(programs: &[&Program]) -> syn::Result<(String, Vec<usize>)> {
    let mut text = "#![allow(warnings)]\n".to_owned();
    let mut begins = Vec::new();
    for (k, p) in programs.iter().enumerate() {
        begins.push(text.lines().count() + 1);
        text.push_str(&format!("mod p{k} {{\n{}}}\n", module(p)?));
    }
    let checks: Vec<String> = (0..programs.len()).map(|k| format!("p{k}::check")).collect();
    Ok((format!("{text}fn main() {{ harness::run(&[{}]); }}\n", checks.join(", ")), begins))
}

/// How an argument is handed over.
enum By {
    Value,
    Ref,
    Mut,
}

fn module(program: &Program) -> syn::Result<String> {
    let file: syn::File = syn::parse_str(&program.source)?;
    let f = main_function(&file).ok_or_else(|| syn::Error::new(proc_macro2::Span::call_site(), "no function `f`"))?;
    let (mut types, mut duals, mut modes) = (Vec::new(), Vec::new(), Vec::new());
    for (input, arg) in f.sig.inputs.iter().zip(&program.args) {
        let syn::FnArg::Typed(input) = input else { continue };
        let (ty, by) = owned(&input.ty);
        duals.push(dualize::argument(arg)?);
        types.push(ty);
        modes.push(by);
    }
    let names: Vec<String> = (0..types.len()).map(|k| format!("a{k}")).collect();
    let pattern: String = names.iter().map(|a| format!("mut {a}, ")).collect();
    let passed: String = names.iter().zip(&modes).map(|(a, by)| format!("{}{a}, ", by.prefix())).collect();
    let finals: Vec<&String> = names.iter().zip(&modes).filter(|(_, by)| matches!(by, By::Mut)).map(|n| n.0).collect();
    let shown: String = finals.iter().map(|a| format!("&{a}, ")).collect();
    let returns = !matches!(f.sig.output, syn::ReturnType::Default);
    let mut seeds: Vec<String> = finals.iter().map(|a| format!("{a}.zero_tangent()")).collect();
    if returns {
        seeds.insert(0, "y.zero_tangent()".to_owned());
    }
    let seed = if seeds.len() == 1 { seeds.remove(0) } else { format!("({})", seeds.join(", ")) };
    let zeros: String = names.iter().map(|a| format!("{a}.zero_tangent(), ")).collect();
    let tangents: String = (0..names.len()).map(|k| format!("t.{k}, ")).collect();
    let float = matches!(&f.sig.output, syn::ReturnType::Type(_, ty) if ty.to_token_stream().to_string() == "f64");
    let gradient = format!(
        "Some(|({pattern}): Args| {{
            let mut others = ({passed_on});
            let (y, g) = f_value_and_grad({passed});
            let both = (values((y, ({shown}))), g.to_flat());
            let ({pattern}) = others;
            (both, f_grad({passed}).to_flat())
        }})",
        passed_on = names.iter().map(|a| format!("{a}.clone(), ")).collect::<String>(),
    );
    let loose = program.source.contains("f32");
    Ok(format!(
        "use cotangent::{{differentiable, Differentiable, Tangent}};
        use harness::{{Case, filled, parts, twice, values}};
        {HELPER} {HELPER_COMPANIONS}
        {source}
        {shapes}
        mod dual {{
            use harness::dual::*;
            {dual_helper}
            {dual_items}
            {shapes}
            pub(super) fn run(mut turn: usize) -> Vec<(f64, f64)> {{
                let ({pattern}) = ({dual_args});
                let y = f({passed});
                harness::parts((y, ({shown})))
            }}
        }}
        type Args = ({types});
        pub fn check() -> Result<harness::Report, (&'static str, String)> {{
            Case::<Args> {{
                args: ({texts}),
                primal: |({pattern}): Args| {{ let y = f({passed}); values((y, ({shown}))) }},
                pullback: |({pattern}): Args, seeds: &[f64]| {{
                    let (y, pullback) = f_vjp({passed});
                    let seed = filled({seed}, seeds);
                    (values((y, ({shown}))), twice(pullback, seed))
                }},
                tangent: |({pattern}): Args, direction: &[f64]| {{
                    let t = filled(({zeros}), direction);
                    let (y, dy) = f_jvp({passed} {tangents});
                    (values((y, ({shown}))), dy.to_flat())
                }},
                gradient: {gradient},
                dual: dual::run,
                loose: {loose},
            }}.check()
        }}\n",
        source = attributed(file.clone()),
        shapes = shapes(&file),
        dual_helper = dualize::items(HELPER)?,
        dual_items = dualize::items(&program.source)?,
        dual_args = listed(&duals),
        types = listed(&types.iter().map(|t| t.to_token_stream().to_string()).collect::<Vec<_>>()),
        texts = listed(&program.args),
        gradient = if float { gradient.as_str() } else { "None" },
    ))
}

fn listed(items: &[String]) -> String {
    items.iter().map(|t| format!("{t}, ")).collect()
}

impl By {
    fn prefix(&self) -> &'static str {
        match self {
            By::Value => "",
            By::Ref => "&",
            By::Mut => "&mut ",
        }
    }
}

/// The function that is checked.
pub(crate) fn main_function(file: &syn::File) -> Option<&syn::ItemFn> {
    file.items.iter().find_map(|i| match i {
        syn::Item::Fn(f) if f.sig.ident == "f" => Some(f),
        _ => None,
    })
}

/// The attribute on every function that has none of its own.
fn attributed(mut file: syn::File) -> String {
    for item in &mut file.items {
        match item {
            syn::Item::Fn(f) => f.attrs.push(syn::parse_quote!(#[differentiable])),
            syn::Item::Impl(i) => i.attrs.push(syn::parse_quote!(#[differentiable])),
            _ => {}
        }
    }
    file.to_token_stream().to_string()
}

/// The type that owns what a parameter takes.
fn owned(ty: &syn::Type) -> (syn::Type, By) {
    let syn::Type::Reference(r) = ty else { return (ty.clone(), By::Value) };
    let by = if r.mutability.is_some() { By::Mut } else { By::Ref };
    match &*r.elem {
        syn::Type::Slice(s) => {
            let elem = &s.elem;
            (syn::parse_quote!(Vec<#elem>), by)
        }
        elem => (elem.clone(), by),
    }
}

/// How results of the declared types are taken apart.
fn shapes(file: &syn::File) -> String {
    let arm = |path: proc_macro2::TokenStream, fields: &syn::Fields| {
        let names: Vec<_> = fields
            .iter()
            .enumerate()
            .map(|(k, f)| f.ident.as_ref().map_or_else(|| quote!(#k), ToTokens::to_token_stream))
            .map(|name| match name.to_string().strip_suffix("usize") {
                Some(k) => k.parse().unwrap_or(name),
                None => name,
            })
            .collect();
        let locals: Vec<_> = (0..names.len()).map(|k| format_ident!("m{k}")).collect();
        quote!(#path { #(#names: #locals),* } => { #(harness::Parts::parts(#locals, out);)* })
    };
    let shape = |name: &syn::Ident, arms: Vec<proc_macro2::TokenStream>| {
        quote! {
            impl harness::Parts for #name {
                fn parts(&self, out: &mut Vec<(f64, f64)>) {
                    match self { #(#arms)* }
                }
            }
        }
        .to_string()
    };
    file.items
        .iter()
        .map(|item| match item {
            syn::Item::Struct(s) => shape(&s.ident, vec![arm(quote!(Self), &s.fields)]),
            syn::Item::Enum(e) => {
                let variants = e.variants.iter().map(|v| {
                    let name = &v.ident;
                    arm(quote!(Self::#name), &v.fields)
                });
                shape(&e.ident, variants.collect())
            }
            _ => String::new(),
        })
        .collect()
}
