//! Reading options, and telling what is wrong with them.

use super::*;

fn parsed(text: &str) -> Options {
    let mut diags = Diagnostics::new();
    let options = parse(text.parse().unwrap(), &mut diags);
    let messages: Vec<_> = diags.iter().map(|error| error.message.clone()).collect();
    assert!(diags.finish().is_ok(), "{messages:?}");
    options
}

fn faults(text: &str) -> Vec<(&'static str, String)> {
    let mut diags = Diagnostics::new();
    assert!(parse(text.parse().unwrap(), &mut diags).flawed);
    let faults = diags.iter().map(|error| (error.code.name, error.message.clone())).collect();
    assert!(diags.finish().is_err());
    faults
}

fn codes(text: &str) -> Vec<&'static str> {
    faults(text).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn nothing() {
    let options = parsed("");
    assert_eq!((options.mode, options.order, options.flawed), (Mode::Both, 1, false));
    assert!(options.wrt.is_none());
}

#[test]
fn every_option() {
    let options = parsed(
        "wrt(a, r#type), reverse, order = 2, into, jacobian, hvp, hessian, sparse_jacobian, sparse_hessian, cuda,
         checkpoint(steps = 10), shapes(w: [h, 3], x: []), crate = crate::a::b,",
    );
    assert_eq!(options.wrt.as_ref().unwrap().len(), 2);
    assert_eq!((options.mode, options.order), (Mode::Reverse, 2));
    assert_eq!(options.checkpoint, Some(Checkpoint { steps: Some(10) }));
    assert_eq!(options.shapes.iter().map(|shape| shape.sizes.len()).collect::<Vec<_>>(), [2, 0]);
    assert_eq!(spelling::compact(&options.krate), "crate::a::b");
    assert!(options.given("hvp").is_some() && options.given("forward").is_none());
    assert_eq!(options.unsupported().count(), 3);
}

#[test]
fn an_unknown_option() {
    let [(code, message)] = faults("reverze").try_into().unwrap();
    assert_eq!((code, message.as_str()), ("unknown-option", "unknown option `reverze`; did you mean `reverse`?"));
}

#[test]
fn all_faults_are_told_at_once() {
    assert_eq!(
        codes("wrt(x), = = 3 ;, colour, reverse, forward, reverse, order = \"two\", hvp(3)"),
        [
            "malformed-option",
            "unknown-option",
            "repeated-option",
            "order-is-no-number",
            "malformed-option",
            "contradictory-options"
        ]
    );
}

#[test]
fn malformed_values() {
    for text in [
        ",",
        "wrt",
        "wrt()",
        "wrt(1)",
        "wrt(a b)",
        "wrt(a,,b)",
        "wrt = a",
        "wrt(a) b",
        "wrt[a]",
        "order",
        "order =",
        "order(2)",
        "crate",
        "crate =",
        "crate = 3",
        "crate = a::",
        "checkpoint(3)",
        "checkpoint(steps = 0)",
        "shapes",
        "shapes(w)",
        "shapes(w: 3)",
        "shapes(w: [-1])",
        "reverse(true)",
        "\"reverse\"",
    ] {
        assert_eq!(codes(text), ["malformed-option"], "{text}");
    }
    assert_eq!(codes("wrt(a, a)"), ["wrt-repeated"]);
    assert_eq!(codes("order = 0"), ["order-is-no-number"]);
    assert_eq!(codes("order = -1"), ["order-is-no-number"]);
}

#[test]
fn contradictions_point_at_the_later_option() {
    let message = "`forward` contradicts `reverse`".to_string();
    assert_eq!(faults("reverse, forward"), [("contradictory-options", message)]);
    let message = "`into` contradicts `forward`".to_string();
    assert_eq!(faults("forward, into"), [("contradictory-options", message)]);
}
