//! Expansions of the derive, and what it refuses.

use super::expand;

fn expanded(item: &str) -> String {
    let tokens = expand(item.parse().expect("tokens"));
    match syn::parse2(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("{error}: {tokens}"),
    }
}

/// The errors with their advice.
fn errors(item: &str) -> Vec<String> {
    let text = expand(item.parse().expect("tokens")).to_string();
    text.split("compile_error ! {").skip(1).map(|text| text.split(" }").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_struct() {
    insta::assert_snapshot!(expanded(
        "pub struct Spring { pub stiffness: f64, table: Vec<[f32; 2]>, n: usize, #[inactive] kind: Kind }"
    ));
}

#[test]
fn a_generic_enum() {
    insta::assert_snapshot!(expanded("enum List<T: Copy> where T: Into<f64> { Nil, Cons(u8, T, Box<Self>) }"));
}

#[test]
fn parameters_that_only_left_out_fields_mention_are_left_out() {
    let text = expanded(
        "struct S<'a, 'b: 'a, T: Into<U>, U, M: Model, const N: usize> where U: Copy {
            x: &'a [f64; N], t: T, p: M::Params, l: &'b str, #[inactive] u: U
        }",
    );
    assert!(text.contains("struct STangent<T, M: Model, const N: usize>"), "{text}");
    assert!(
        text.contains("T: ::cotangent::Differentiable,\n        M::Params: ::cotangent::Differentiable,"),
        "{text}"
    );
    assert!(!text.contains("M: ::cotangent::Differentiable"), "{text}");
}

#[test]
fn a_name_that_is_taken_is_not_taken_again() {
    let text = expanded("struct S { a: STangent, private: f64 }");
    assert!(text.contains("struct STangent_2 {") && text.contains("as private_2;"), "{text}");
}

#[test]
fn unions_are_refused_once() {
    let text = errors("union Bits { float: f64, word: u64 }");
    assert_eq!(text.len(), 1);
    assert!(text[0].contains("which field `Bits` holds is not known") && text[0].contains("use a struct"), "{text:?}");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let text = errors(
        "#[inactive] #[cotangent(path = x)] enum E { #[inactive] A, B(#[inactive = 1] f64), C { #[inactive] x: f64 } }",
    );
    assert_eq!(text.len(), 4, "{text:?}");
    for told in ["this is the whole type", "this is a variant", "takes no arguments", "has the option `crate` only"] {
        assert!(text.iter().any(|text| text.contains(told)), "{told}: {text:?}");
    }
}

#[test]
fn no_tokens_make_it_panic() {
    for item in [
        "",
        "fn f() {}",
        "struct",
        "enum Void {}",
        "struct S(..);",
        "struct S;",
        "union U {}",
        "struct S<const N: usize>;",
    ] {
        expand(item.parse().expect("tokens"));
    }
}
