//! Every error that the compiler can report: a short stable name, what it says, and what to write instead.
//!
//! The texts are templates, `{option}` stands for an argument of the report. The entries are data, so that a test can
//! go through [`ALL`] and demand an example for each.

use std::fmt::Display;

/// One kind of error.
#[derive(Debug)]
pub struct Code {
    /// A short name that stays the same from release to release.
    pub name: &'static str,
    message: &'static str,
    help: &'static str,
}

impl Code {
    /// What is wrong.
    pub fn message(&self, arguments: &[(&str, &dyn Display)]) -> String {
        fill(self.message, arguments)
    }

    /// What to write instead.
    pub fn help(&self, arguments: &[(&str, &dyn Display)]) -> String {
        fill(self.help, arguments)
    }
}

/// Arguments are not searched for placeholders again: they hold the user's text.
fn fill(template: &str, arguments: &[(&str, &dyn Display)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        out += before;
        match arguments.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => out += &value.to_string(),
            None => out += name,
        }
        rest = after;
    }
    out + rest
}

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident $name:literal { $message:literal, $help:literal })*) => {
        $($(#[$doc])* pub static $code: Code = Code { name: $name, message: $message, help: $help };)*

        /// The whole catalogue.
        pub static ALL: &[&Code] = &[$(&$code),*];
    };
}

codes! {
    /// An option that does not exist.
    UNKNOWN_OPTION "unknown-option" {
        "unknown option `{option}`{nearest}",
        "the valid options are {valid}"
    }
    /// An option that is given twice.
    REPEATED_OPTION "repeated-option" {
        "`{option}` is given more than once",
        "remove the second `{option}`"
    }
    /// Two options that exclude each other.
    CONTRADICTORY_OPTIONS "contradictory-options" {
        "`{second}` contradicts `{first}`",
        "keep only one of them: {reason}"
    }
    /// Tokens that are no option, or an option without what it needs.
    MALFORMED_OPTION "malformed-option" {
        "{problem}",
        "write {form}"
    }
    /// `order` of something that is no positive integer.
    ORDER_IS_NO_NUMBER "order-is-no-number" {
        "`order` expects a positive integer",
        "write `order = 2` for derivatives up to the second"
    }
    /// An order whose programs have no end: each is about three times as long as the one before.
    ORDER_TOO_HIGH "order-too-high" {
        "`order = {order}` is too high: the programs of derivatives triple with each order",
        "write at most `order = {highest}`"
    }
    /// An option of the language that is not built yet.
    UNSUPPORTED_OPTION "unsupported-option" {
        "`{option}` is not supported yet",
        "remove it; {instead}"
    }
    /// A name in `wrt` that no parameter has.
    WRT_UNKNOWN "wrt-unknown" {
        "`{name}` is not a parameter of `{function}`{nearest}",
        "`wrt` expects names of parameters: {parameters}"
    }
    /// A parameter without floats in `wrt`.
    WRT_INACTIVE "wrt-inactive" {
        "`{name}` has no derivative: its type `{type}` holds no floats",
        "remove `{name}` from `wrt`"
    }
    /// A parameter that `wrt` names twice.
    WRT_REPEATED "wrt-repeated" {
        "`wrt` names `{name}` more than once",
        "remove the second `{name}`"
    }
    /// A name in `shapes` that no parameter has.
    SHAPES_UNKNOWN "shapes-unknown" {
        "`{name}` is not a parameter of `{function}`{nearest}",
        "`shapes` expects names of parameters: {parameters}"
    }
    /// A list of sizes that is longer or shorter than the array has axes.
    SHAPES_RANK "shapes-rank" {
        "`{name}` has {given} here, but its type `{type}` is an array of dimension {rank}",
        "give one size for each axis of `{name}`"
    }
    /// A parameter that `shapes` names twice.
    SHAPES_REPEATED "shapes-repeated" {
        "`shapes` gives the sizes of `{name}` more than once",
        "remove one of them"
    }
    /// Sizes of something that has no axes.
    SHAPES_NO_ARRAY "shapes-no-array" {
        "`{name}` has no sizes: its type `{type}` is no array, slice or vector",
        "remove `{name}` from `shapes`"
    }
    /// Operands whose sizes contradict each other by the declared ones.
    SHAPES_DIFFER "shapes-differ" {
        "the sizes do not fit",
        "give both operands the same sizes in `shapes`"
    }
    /// `hessian` and the like of a function that does not return a number.
    SCALAR_RESULT_NEEDED "scalar-result-needed" {
        "`{option}` needs a scalar result, but the result of `{function}` is `{type}`",
        "return one `f64`, or use `{instead}` instead"
    }
    /// A matrix of derivatives, or the product with one, of a function that takes a function.
    MATRIX_OF_FUNCTION "matrix-of-function" {
        "`{option}` of a function that takes a function is not supported",
        "write a function around `{function}` that calls it with a closure, and put `{option}` there"
    }
    /// The attribute on a struct, an enum or a union.
    ATTRIBUTE_ON_TYPE "attribute-on-type" {
        "`#[differentiable]` goes on a function, and this is {item}",
        "use `#[derive(Differentiable)]` to give a type a tangent"
    }
    /// An option on an `impl`, a trait or a module that is about one function.
    ATTRIBUTE_ON_BLOCK "attribute-on-block" {
        "`{option}` is about one function, and the attribute stands on {item}",
        "put an attribute with `{option}` on the function instead"
    }
    /// The attribute on an `impl` of a trait of `std` that is no operator.
    FOREIGN_TRAIT "foreign-trait" {
        "companions cannot stand in an `impl` of `{trait}`, as the trait does not have them",
        "put the attribute on a method of the type itself, and call that in differentiable functions"
    }
    /// The attribute on anything else.
    NOT_A_FUNCTION "not-a-function" {
        "`#[differentiable]` goes on a function, and this is {item}",
        "remove the attribute; a value that depends on others must be a function to have a derivative"
    }
    /// A function without a body.
    NO_BODY "no-body" {
        "a function without a body cannot be differentiated",
        "put the attribute on a function with a body, or write its `_vjp` and `_jvp` by hand"
    }
    /// Tokens that the parser does not understand.
    SYNTAX "syntax" {
        "{problem}",
        "this is not syntax that `#[differentiable]` knows; write it in another way"
    }
    /// An async function.
    ASYNC_FUNCTION "async-function" {
        "an `async` function cannot be differentiated",
        "move the arithmetic into an ordinary function and call it from the `async` one"
    }
    /// An unsafe function.
    UNSAFE_FUNCTION "unsafe-function" {
        "an `unsafe` function cannot be differentiated",
        "move the arithmetic into a safe function, or write its `{function}_vjp` and `{function}_jvp` by hand"
    }
    /// A variadic function.
    VARIADIC_FUNCTION "variadic-function" {
        "a function with variadic arguments cannot be differentiated",
        "give the arguments as a slice"
    }
    /// Nothing to differentiate with respect to.
    NO_DIFFERENTIABLE_PARAMETER "no-differentiable-parameter" {
        "`{function}` has no differentiable parameter",
        "give it a parameter that holds floats (`f64`, `&[f64]`, …), or remove the attribute"
    }
    /// Nothing to differentiate.
    NO_RESULT "no-result" {
        "`{function}` has no result to differentiate",
        "return a float, or write the result through a `&mut` parameter that holds floats"
    }
    /// A result without floats.
    INACTIVE_RESULT "inactive-result" {
        "the result type `{type}` has no derivative: it holds no floats",
        "return a float such as `f64`, or remove the attribute"
    }
    /// A result that is written `impl Trait`.
    OPAQUE_RESULT "opaque-result" {
        "a result of type `{type}` is not supported",
        "return a type that has a name, such as `Vec<f64>`"
    }
    /// A result through which a part of an argument is changed.
    MUTABLE_RESULT "mutable-result" {
        "a result of type `{type}` gives mutable access, and what is changed through it is not followed",
        "return an index, or change the part inside of this function"
    }
    /// A parameter that is a function.
    FUNCTION_PARAMETER "function-parameter" {
        "`{name}` is a function of a form that is not supported as a parameter",
        "take it as `impl Fn(f64) -> f64`, `&dyn Fn(f64) -> f64`, or `F` with the bound `F: Fn(f64) -> f64` on this function"
    }
    /// A parameter that is an object of a trait.
    OBJECT_PARAMETER "object-parameter" {
        "`{name}` is an object of a trait, whose type is not known when the derivative is compiled",
        "make the function generic: `{name}: &A` with `A: {trait} + Differentiable`, or leave it out with `wrt(…)`, or make an `enum` of the types"
    }
    /// A differentiable value in the error of a result.
    ACTIVE_ERROR "active-error" {
        "the error of a `Result` has no derivative, and this one depends on a differentiable value",
        "wrap the value: `stop_gradient(x)`, or return it with what is `Ok`"
    }
    /// A parameter that is a result whose error holds floats.
    ERROR_WITH_FLOATS "error-with-floats" {
        "`{name}` is a `Result` whose error is of type `{type}`, and errors have no derivative",
        "take the option of its value and the error as parameters of their own"
    }
    /// Mutable access that is not a plain `&mut` parameter.
    MUTABLE_INSIDE "mutable-inside" {
        "`{type}` gives mutable access to what is inside; only a plain `&mut` parameter is supported",
        "take `&mut` of the owned type as a parameter of its own"
    }
    /// A parameter that is there in some configurations only.
    CONDITIONAL_PARAMETER "conditional-parameter" {
        "a parameter under `cfg` is not supported",
        "put the `cfg` on two versions of the function instead"
    }
    /// An `unsafe` block with an active value in it.
    UNSAFE_BLOCK "unsafe-block" {
        "an `unsafe` block with a differentiable value in it cannot be differentiated",
        "use safe code, or move the block into a function and write its `_vjp` and `_jvp` by hand"
    }
    /// An `async` block or an `await` with an active value in it.
    ASYNC_BLOCK "async-block" {
        "`async` code with a differentiable value in it cannot be differentiated",
        "move the arithmetic out of the `async` code"
    }
    /// A mutable static.
    STATIC_MUT "static-mut" {
        "a `static mut` cannot keep a differentiable value",
        "pass the value as a `&mut` parameter instead"
    }
    /// A write through a reference that is kept in an aggregate, chosen by a branch or bound by an enum's pattern.
    REFERENCE_LOST "reference-lost" {
        "this changes something through a reference, and it is not known here what the reference is to",
        "change the variable itself, by its name, field or index"
    }
    /// A reference that is set to something else.
    REFERENCE_SET_ANEW "reference-set-anew" {
        "a reference that is set to something else is not supported",
        "keep an index instead of a reference, or declare a new variable with `let`"
    }
    /// A mutable reference as a part of an aggregate.
    REFERENCE_STORED "reference-stored" {
        "a mutable reference inside a tuple, an array or a struct is not supported",
        "pass the references one by one, or change the variables by their names"
    }
    /// Conditional compilation inside a body.
    CFG_INSIDE "cfg-inside" {
        "`#[cfg]` inside a differentiable function is not supported",
        "write one function for each configuration, each with its own `#[cfg]`"
    }
    /// An item of an inner block with a name that is used outside of the block.
    HIDING_ITEM "hiding-item" {
        "the item `{name}` of an inner block has a name that occurs outside of the block too",
        "declare it at the beginning of the function, or under a name of its own"
    }
    /// A `static` that would be another one in each companion.
    STATIC_STATE "static-state" {
        "a `static` with state inside a differentiable function would be another one in each companion",
        "move it out of the function"
    }
    /// A macro that the front end does not know, with an active value in it.
    UNKNOWN_MACRO "unknown-macro" {
        "the macro `{name}!` has a differentiable value in it, and its expansion is not known here",
        "write out what it expands to, or make it a `#[differentiable]` function"
    }
    /// An active value behind `dyn Any`.
    DYN_ANY "dyn-any" {
        "a differentiable value cannot go through `dyn Any`",
        "keep it in a variable of its own type instead"
    }
    /// A form of expression, statement or pattern that is not accepted with active values.
    UNSUPPORTED_SYNTAX "unsupported-syntax" {
        "{what} with a differentiable value in it is not supported",
        "{instead}"
    }
    /// Types that do not go together.
    TYPES_DIFFER "types-differ" {
        "the types here do not go together",
        "see what the compiler of Rust says of this function; if it accepts it without `#[differentiable]`, please report this: {detail}"
    }
    /// A fault of the compiler itself.
    INTERNAL "internal" {
        "internal error of `#[differentiable]`: {detail}",
        "this is a fault of the macro, not of your function; rewrite the expression in another way meanwhile, and please report it"
    }
    /// The derive on a union.
    DERIVE_ON_UNION "derive-on-union" {
        "a union cannot be `Differentiable`: which field `{name}` holds is not known",
        "use a struct or an enum instead"
    }
    /// `#[inactive]` on something that is no field.
    INACTIVE_MISPLACED "inactive-misplaced" {
        "`#[inactive]` goes on a field, and this is {item}",
        "put `#[inactive]` on each field that has no derivative"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_unique() {
        let mut names: Vec<_> = ALL.iter().map(|code| code.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(names.iter().all(|name| name.len() < 32 && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    }

    #[test]
    fn placeholders_are_filled_once() {
        let filled = fill("`{a}` and {b}{c}", &[("a", &"{b}"), ("b", &2)]);
        assert_eq!(filled, "`{b}` and 2c");
    }
}
