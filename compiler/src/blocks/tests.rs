//! Which functions of a block get companions.

use quote::quote;

fn names(options: &str, block: proc_macro2::TokenStream) -> Vec<String> {
    let tokens = crate::expand(options.parse().unwrap(), block);
    let file: syn::File = syn::parse2(tokens).expect("items");
    struct Names(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_signature(&mut self, sig: &'ast syn::Signature) {
            self.0.push(sig.ident.to_string());
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0.push(format!("{}!", mac.path.segments.last().unwrap().ident));
        }
    }
    let mut names = Names(Vec::new());
    syn::visit::Visit::visit_file(&mut names, &file);
    names.0
}

#[test]
fn functions_with_nothing_to_differentiate_are_left_alone() {
    let block = quote! {
        mod m {
            const K: f64 = 1.0;
            pub fn f(x: f64) -> f64 { x }
            fn log(x: f64) {}
            fn count(n: usize) -> usize { n }
            mod deeper { fn g(x: f64) -> f64 { x } }
        }
    };
    assert_eq!(names("forward", block), ["f", "f_jvp", "log", "count", "g", "g_jvp"]);
}

#[test]
fn derivatives_by_hand_are_left_alone() {
    let block = quote! {
        impl S {
            fn f(&self) -> f64 { 1.0 }
            fn f_vjp(&self) -> (f64, impl Fn(f64) -> f64) { (1.0, |g| g) }
            fn g_vjp(x: f64) -> f64 { x }
        }
    };
    assert_eq!(names("forward", block), ["f", "f_vjp", "g_vjp", "g_vjp_jvp"]);
}

#[test]
fn options_of_a_method_are_its_own() {
    let block = quote! {
        impl S {
            #[differentiable(reverse)]
            fn f(x: f64) -> Vec<f64> { x }
            fn g(x: f64) -> Vec<f64> { x }
        }
    };
    assert_eq!(names("forward", block), ["f", "f_vjp", "g", "g_jvp"]);
}

#[test]
fn a_trait_declares_companions() {
    let block = quote! {
        trait T {
            fn f(&self, x: f64) -> f64;
            fn name(&self) -> String;
        }
    };
    assert_eq!(names("", block), ["f", "f_vjp", "f_value_and_grad", "f_grad", "f_jvp", "name"]);
}

#[test]
fn options_about_one_function_are_refused() {
    assert_eq!(
        names(
            "wrt(x)",
            quote!(
                mod m {
                    fn f(x: f64) -> f64 {
                        x
                    }
                }
            )
        ),
        ["f", "compile_error!"]
    );
}
