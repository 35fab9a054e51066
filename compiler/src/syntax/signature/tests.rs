//! What is read off a signature, and what is refused.

use quote::quote;
use syn::parse_quote;

use super::*;
use crate::syntax::options;
use crate::syntax::spelling::compact;

fn signature(options: &str, item: &str) -> (Signature, Vec<(&'static str, String)>) {
    let mut diags = Diagnostics::new();
    let options = options::parse(options.parse().unwrap(), &mut diags);
    let item = function(item.parse().unwrap(), &mut diags).expect("a function");
    let signature = analyse(&item, &options, &mut diags);
    let faults = diags.iter().map(|error| (error.code.name, error.message.clone())).collect();
    let _ = diags.finish();
    (signature, faults)
}

fn sound(options: &str, item: &str) -> Signature {
    let (signature, faults) = signature(options, item);
    assert_eq!(faults, [], "{item}");
    signature
}

fn codes(options: &str, item: &str) -> Vec<&'static str> {
    signature(options, item).1.into_iter().map(|(code, _)| code).collect()
}

#[test]
fn tangent_types() {
    let krate: Path = parse_quote!(::c);
    for (ty, want) in [
        ("f32", "f32"),
        ("&f64", "f64"),
        ("&[f64]", "::c::__private::Vec<f64>"),
        ("&&[f64]", "::c::__private::Vec<f64>"),
        ("&mut Vec<f64>", "::c::__private::Vec<f64>"),
        ("[[f64; M]; 2 * N]", "[[f64; M]; 2 * N]"),
        ("&[[f64; 3]]", "::c::__private::Vec<[f64; 3]>"),
        ("(f64, usize)", "(f64, ())"),
        ("(f64,)", "(f64,)"),
        ("(usize, bool)", "()"),
        ("&[(f64, &str)]", "::c::__private::Vec<(f64, ())>"),
        ("Option<Box<[f64; 2]>>", "::core::option::Option<::c::__private::Box<[f64; 2]>>"),
        ("std::option::Option<&[f64]>", "::core::option::Option<::c::__private::Vec<f64>>"),
        ("Option<usize>", "()"),
        ("&std::collections::HashMap<String, Vec<u8>>", "()"),
        ("PhantomData<f64>", "()"),
        ("fn(usize) -> bool", "()"),
        ("&Array2<f32>", "::c::__private::ndarray::Array<f32, ::c::__private::ndarray::Ix2>"),
        ("&ndarray::ArrayD<f64>", "::c::__private::ndarray::Array<f64, ::c::__private::ndarray::IxDyn>"),
        ("ArrayView1<'_, f64>", "::c::__private::ndarray::Array<f64, ::c::__private::ndarray::Ix1>"),
        ("ArrayView1<f64>", "::c::__private::ndarray::Array<f64, ::c::__private::ndarray::Ix1>"),
        ("&Array<f64, Ix3>", "::c::__private::ndarray::Array<f64, ::c::__private::ndarray::Ix3>"),
        ("&Array<f64, D>", "::c::__private::ndarray::Array<f64, D>"),
        (
            "ArrayBase<OwnedRepr<f64>, Dim<[usize; 2]>>",
            "::c::__private::ndarray::Array<f64, ::c::__private::ndarray::Ix2>",
        ),
        ("&ArrayBase<S, Ix1>", "::c::__private::ndarray::Array<f32, ::c::__private::ndarray::Ix1>"),
        ("Array1<usize>", "()"),
        ("Model", "<Model as ::c::Differentiable>::Tangent"),
        ("&[m::Body]", "::c::__private::Vec<<m::Body as ::c::Differentiable>::Tangent>"),
        ("mine::Vec<f64>", "<mine::Vec<f64> as ::c::Differentiable>::Tangent"),
        ("Cell<f64>", "<Cell<f64> as ::c::Differentiable>::Tangent"),
        ("HashMap<String, f64>", "<HashMap<String, f64> as ::c::Differentiable>::Tangent"),
        ("Duration", "<Duration as ::c::Differentiable>::Tangent"),
        ("std::time::Duration", "()"),
        ("T", "T"),
        ("U", "<U as ::c::Differentiable>::Tangent"),
        ("T::Owned", "<T::Owned as ::c::Differentiable>::Tangent"),
    ] {
        let generics: ItemFn = parse_quote!(
            fn f<T, U, S: Data<Elem = f32>, D: Dimension>()
            where
                T: Copy + num_traits::Float,
            {
            }
        );
        let context = generics::Context::new([&generics.sig.generics]);
        let class = types::classify(&syn::parse_str(ty).unwrap(), &context);
        assert_eq!(compact(&tangent_type(&class, &krate)).replace(" ::", "::"), want.replace(" ::", "::"), "{ty}");
    }
}

#[test]
fn fragments_of_macros_are_looked_through() {
    use proc_macro2::{Delimiter, Group, TokenTree};
    let float = TokenTree::Group(Group::new(Delimiter::None, quote!(f64)));
    let item: ItemFn = parse_quote!(fn f(x: #float, v: &[#float]) -> #float { x });
    let mut diags = Diagnostics::new();
    let signature = analyse(&item, &Options::default(), &mut diags);
    assert!(diags.finish().is_ok());
    assert_eq!(signature.scalar(), Scalar::Yes);
    assert_eq!(compact(&signature.entries_type()), "(f64, ::cotangent::__private::Vec<f64>)");
}

#[test]
fn names_are_fresh() {
    let signature = sound(
        "",
        "fn f((a, b): (f64, f64), x: f64, arg_0: f64, f_vjp: f64, mut r#type: f64, _: f64) -> f64 { let y_bar = x_dot; a }",
    );
    let args: Vec<_> = signature.params.iter().map(|param| param.arg.to_string()).collect();
    assert_eq!(args, ["arg_0_2", "x", "arg_0", "arg_3", "r#type", "arg_5"]);
    let tangents: Vec<_> = signature.params.iter().map(|param| param.tangent_name.to_string()).collect();
    assert_eq!(tangents, ["arg_0_2_dot", "x_dot_2", "arg_0_dot", "arg_3_dot", "type_dot", "arg_5_dot"]);
    assert_eq!(signature.seed_name, "y_bar_2");
    let plain: Vec<_> = signature.params.iter().map(|param| param.plain_name().is_some()).collect();
    assert_eq!(plain, [false, true, true, false, false, false]);
}

#[test]
fn wrt_limits_the_parameters() {
    let signature = sound("wrt(b, d)", "fn f(a: f64, b: &[f64], (c, d): (f64, f64), m: &Model) -> f64 { a }");
    let differentiable: Vec<_> = signature.params.iter().map(|param| param.differentiable).collect();
    assert_eq!(differentiable, [false, true, true, false]);
}

#[test]
fn borrowed_lifetimes() {
    let of = |item: &str| {
        let signature = sound("", item);
        signature.captures.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("fn f(x: f64) -> f64 { x }"), "");
    assert_eq!(of("fn f(x: &[f64], y: &[f64]) -> f64 { x }"), "'ct");
    assert_eq!(of("fn f(x: &mut [f64]) -> f64 { x }"), "");
    assert_eq!(of("fn f<'a>(x: &'a mut [f64], y: &f64) -> f64 { x }"), "'ct");
    assert_eq!(of("fn f<'a, 'b: 'a>(x: &'a [f64], y: &'b [f64]) -> f64 { x }"), "'a 'b");
    assert_eq!(of("fn f<'ct, const N: usize>(x: &'ct [f64; N], y: &[f64]) -> f64 { x }"), "'ct_2 'ct N");
    assert_eq!(of("fn f<P: Potential>(x: &P) -> f64 { x }"), "'ct P");
    assert_eq!(of("fn f(x: ArrayView1<f64>) -> f64 { x }"), "'ct");
    assert_eq!(of("fn f(x: &mut Wave<'_>) -> f64 { x }"), "'ct");
    assert_eq!(of("fn f(x: f64, g: fn(&usize) -> usize) -> f64 { x }"), "'ct");
    assert_eq!(of("fn f<G: Fn(f64) -> f64>(g: G, x: &[f64]) -> f64 { x }"), "'ct G");
}

#[test]
fn results() {
    let seed = |item: &str| compact(&sound("", item).seed_type());
    assert_eq!(seed("fn f(u: &mut [f64], dt: f64) { }"), "::cotangent::__private::Vec<f64>");
    assert_eq!(seed("fn f(u: &mut f64, n: &mut usize) -> f64 { }"), "(f64, f64, ())");
    assert_eq!(seed("fn f(u: &mut f64) -> usize { }"), "((), f64)");
    assert_eq!(seed("fn f(x: f64) -> (f64, usize) { }"), "(f64, ())");
    assert_eq!(sound("", "fn f(x: f64) -> Real { }").scalar(), Scalar::Perhaps);
    assert_eq!(sound("", "fn f(x: f64) -> Vec<f64> { }").scalar(), Scalar::No);
}

#[test]
fn what_is_refused() {
    for (options, item, want) in [
        ("", "async fn f(x: f64) -> f64 { x }", &["async-function"][..]),
        ("", "unsafe fn f(x: f64) -> f64 { x }", &["unsafe-function"]),
        ("", "const fn f(x: f64) -> f64 { x }", &[]),
        ("", "fn f(k: usize, name: &str) -> f64 { 1.0 }", &["no-differentiable-parameter"]),
        ("", "fn f() -> f64 { 1.0 }", &["no-differentiable-parameter"]),
        ("", "fn f(x: f64) { }", &["no-result"]),
        ("", "fn f(x: f64) -> () { }", &["no-result"]),
        ("", "fn f(x: f64, n: &mut usize) { }", &["no-result"]),
        ("wrt(x)", "fn f(x: f64, y: &mut f64) { }", &["no-result"]),
        ("", "fn f(x: f64) -> usize { 1 }", &["inactive-result"]),
        ("", "fn f(x: f64) -> impl Fn(f64) -> f64 { x }", &["opaque-result"]),
        ("wrt(x, q)", "fn f(x: f64) -> f64 { x }", &["wrt-unknown"]),
        ("wrt(q)", "fn f(x: f64) -> f64 { x }", &["wrt-unknown"]),
        ("wrt(x, n)", "fn f(x: f64, n: i32) -> f64 { x }", &["wrt-inactive"]),
        ("wrt(n, q)", "fn f(x: f64, n: i32) -> usize { x }", &["wrt-inactive", "wrt-unknown"]),
        ("", "fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { x }", &[]),
        ("", "fn f<F>(g: F, x: f64) -> f64 where F: Fn(f64) -> f64 { x }", &[]),
        ("", "fn f(g: &dyn Fn(f64) -> f64, x: f64) -> f64 { x }", &[]),
        ("", "fn f(g: fn(f64) -> f64, x: f64) -> f64 { x }", &[]),
        ("", "fn f(g: (fn(f64) -> f64, f64), x: f64) -> f64 { x }", &["function-parameter"]),
        ("", "fn f(&self, x: f64) -> f64 { x }", &[]),
        ("", "fn f<T: Float>(x: T) -> T { x }", &[]),
        ("", "fn f(x: ArrayViewMut1<f64>) -> f64 { x[0] }", &[]),
        ("", "fn f(x: &mut ArrayViewMut1<f64>) { }", &[]),
        ("", "fn f(x: &ArrayViewMut1<f64>) -> f64 { x[0] }", &["mutable-inside"]),
        ("", "fn f(x: &mut Array1<f64>) -> ArrayViewMut1<'_, f64> { x.view_mut() }", &["mutable-result"]),
        ("", "fn f(x: &mut [f64]) -> &mut f64 { &mut x[0] }", &["mutable-result"]),
        ("", "fn f(x: (&mut f64, f64)) -> f64 { x }", &["mutable-inside"]),
        ("", "fn f(#[cfg(a)] x: f64) -> f64 { x }", &["conditional-parameter"]),
        ("hessian", "fn f(x: &[f64]) -> Vec<f64> { x }", &["scalar-result-needed"]),
        ("sparse_jacobian, cuda", "fn f(x: f64) -> f64 { x }", &["unsupported-option", "unsupported-option"]),
        ("jacobian", "fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { x }", &["matrix-of-function"]),
        ("hvp", "fn f(g: &dyn Fn(f64) -> f64, x: f64) -> f64 { x }", &["matrix-of-function"]),
        ("hessian, hessian", "fn f(x: f64) -> f64 { x }", &["repeated-option"]),
        ("shapes(w: [h, d], y: [d])", "fn f(w: &Array2<f64>, x: f64) -> f64 { x }", &["shapes-unknown"]),
        ("shapes(w: [n])", "fn f(w: &Array2<f64>) -> f64 { x }", &["shapes-rank"]),
        ("shapes(w: [n, 2], k: [n])", "fn f(w: &[[f64; 2]], k: &[usize]) -> f64 { x }", &[]),
        ("shapes(w: [n], w: [m])", "fn f(w: &[f64]) -> f64 { x }", &["shapes-repeated"]),
        ("shapes(k: [n, m])", "fn f(w: &[f64], k: &[usize]) -> f64 { x }", &["shapes-rank"]),
        ("shapes(w: [n])", "fn f(w: f64) -> f64 { x }", &["shapes-no-array"]),
        ("shapes(a: [n])", "fn f((a, b): (&[f64], f64)) -> f64 { x }", &["shapes-no-array"]),
        ("shapes(w: [])", "fn f(w: &Array0<f64>) -> f64 { x }", &[]),
    ] {
        assert_eq!(codes(options, item), want, "#[differentiable({options})] {item}");
    }
}

#[test]
fn what_is_no_function() {
    for (item, want) in [
        ("struct S { x: f64 }", "attribute-on-type"),
        ("enum E { A(f64) }", "attribute-on-type"),
        ("union U { a: f64 }", "attribute-on-type"),
        ("const RATE: f64 = 0.5;", "not-a-function"),
        ("static RATE: f64 = 0.5;", "not-a-function"),
        ("use a::b;", "not-a-function"),
        ("type T = f64;", "not-a-function"),
        ("m! { }", "not-a-function"),
        ("fn f(x: f64) -> f64;", "no-body"),
        ("+", "syntax"),
        ("", "syntax"),
    ] {
        let mut diags = Diagnostics::new();
        assert!(function(item.parse().unwrap(), &mut diags).is_none());
        let codes: Vec<_> = diags.iter().map(|error| error.code.name).collect();
        assert!(diags.finish().is_err());
        assert_eq!(codes, [want], "{item}");
    }
}

#[test]
fn owners() {
    for (item, associated) in [
        ("fn f(x: f64) -> f64 { x }", false),
        ("fn f(self: &Self, x: f64) -> f64 { x }", true),
        ("fn f(x: f64) -> f64 { Self::g(x) }", true),
        ("fn f(x: f64) -> f64 { assert!(x < Self::LIMIT); x }", true),
        ("fn f(x: f64) -> f64 { struct S; impl S { fn g() -> Self { S } } x }", false),
    ] {
        let signature = sound("", item);
        assert_eq!(signature.owner.is_type(), associated, "{item}");
        let path = signature.path(&signature.companion("vjp")).to_string();
        assert_eq!(path.replace(' ', ""), if associated { "Self::f_vjp" } else { "f_vjp" });
    }
    let mut diags = Diagnostics::new();
    assert!(matches!(
        target(
            quote!(
                fn f(&self) -> f64;
            ),
            &mut diags
        ),
        Some(Target::Required(_))
    ));
    assert!(matches!(target(quote!(impl S {}), &mut diags), Some(Target::Block(_))));
}

#[test]
fn messages_name_what_the_user_wrote() {
    let (_, faults) = signature("wrt(weights)", "fn loss(weight: f64, bias: f64) -> f64 { weight }");
    assert_eq!(faults[0].1, "`weights` is not a parameter of `loss`; did you mean `weight`?");
    let (_, faults) = signature("", "fn f(x: f64) -> (usize, Option<bool>) { x }");
    assert_eq!(faults[0].1, "the result type `(usize, Option<bool>)` has no derivative: it holds no floats");
}

#[test]
fn attributes_that_companions_share() {
    let signature = sound(
        "",
        "/// Doc.
         #[inline(always)] #[must_use = \"it\"] #[cfg(unix)] #[cfg_attr(unix, inline, allow(dead_code))]
         #[cfg_attr(unix, doc = \"\")] #[track_caller] #[allow(non_snake_case)]
         fn f(x: f64) -> f64 { x }",
    );
    let attrs: Vec<_> = signature.attrs.iter().map(|attr| compact(&attr)).collect();
    assert_eq!(attrs.len(), 5, "{attrs:?}");
}
