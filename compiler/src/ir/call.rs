//! Calls: what is called, and how it is handed its arguments.

use super::graph::Value;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// How an argument is handed to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `x`
    Value,
    /// `&x`
    Ref,
    /// `x.view()`, of an array of `ndarray`.
    View,
    /// `&x.view()`
    RefView,
    /// `&mut x`: the call returns a new version of it.
    RefMut,
    /// `x.view_mut()`, which is as good as a mutable reference.
    ViewMut,
    /// `&mut x.view_mut()`
    RefViewMut,
    /// A function, which has no tangent of its own.
    Function,
}

impl Arg {
    /// Whether the call changes it, and returns a new version of it.
    pub const fn changes(self) -> bool {
        matches!(self, Self::RefMut | Self::ViewMut | Self::RefViewMut)
    }

    /// How the argument is written, if `x` is a place with it.
    pub fn of(self, x: &impl quote::ToTokens) -> TokenStream {
        match self {
            Self::Value | Self::Function => quote::quote!(#x),
            Self::Ref => quote::quote!(&#x),
            Self::View => quote::quote!(#x.view()),
            Self::RefView => quote::quote!(&#x.view()),
            Self::RefMut => quote::quote!(&mut #x),
            Self::ViewMut => quote::quote!(#x.view_mut()),
            Self::RefViewMut => quote::quote!(&mut #x.view_mut()),
        }
    }

    /// What is printed before the argument.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Value | Self::Function => "",
            Self::Ref => "&",
            Self::View => "view ",
            Self::RefView => "&view ",
            Self::RefMut => "&mut ",
            Self::ViewMut => "view mut ",
            Self::RefViewMut => "&mut view mut ",
        }
    }
}

/// The methods of arrays whose companions are in the runtime: arrays get them by way of references, and have them all.
pub const OF_ARRAYS: [&str; 7] = ["sum", "mean", "product", "var", "std", "t", "dot"];

/// The methods of tangents, and of what has them, whose companions are in the runtime.
pub const OF_TANGENTS: [&str; 7] = ["accumulate", "dot", "move_by", "scale", "set_flat", "to_flat", "zero_tangent"];

/// What a call calls.
#[derive(Clone)]
pub enum Callee {
    /// A function by its path.
    Path(syn::ExprPath),
    /// A method of the first argument.
    Method(Ident),
    /// The first argument itself, a function that was handed over: it is its own companion.
    Value,
}

impl std::fmt::Debug for Callee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Callee::Path(path) => write!(f, "{}", path.to_token_stream()),
            Callee::Method(name) => write!(f, ".{name}"),
            Callee::Value => write!(f, "value"),
        }
    }
}

/// A call of a function that has companions by the name protocol.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee.
    pub callee: Callee,
    /// How each argument is handed over, the receiver of a method first.
    pub args: Vec<Arg>,
    /// Whether the function returns `()`.
    pub unit: bool,
    /// Whether the only argument that is changed may only be read: the compiler will know.
    pub perhaps: bool,
    /// Which of several arguments that are changed may only be read: the compiler will know.
    pub doubts: Vec<usize>,
    /// Where the function itself will do if it has no companion: the compiler will know that as well.
    pub without: WithoutCompanion,
    /// Whether the function calls itself for certain, in its own body: all calls then share the vector of what they keep.
    pub itself: bool,
    /// What closures among the arguments change: the last operands are the values before the call, the last results those
    /// after it (of the pullback's call: the cotangents after and before).
    pub states: Vec<State>,
    /// Whether it calls, or hands on, a function parameter that may have a state: such calls are undone in turn, and all.
    pub ordered: bool,
    /// Arguments that may keep the active ones. A companion answers for itself; else the compiler of Rust is asked.
    pub keepers: Vec<usize>,
}

/// Where a method without a companion will do as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithoutCompanion {
    /// Where it only reads its receiver: nothing differentiable comes of its value.
    pub if_reads: bool,
    /// Where its receiver has no tangents: it is given nothing that has.
    pub if_constant: bool,
}

impl WithoutCompanion {
    /// Whether it ever does.
    pub const fn may_be(self) -> bool {
        self.if_reads || self.if_constant
    }
}

/// A variable that a closure among the arguments of a call changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The closure, by its place among the arguments.
    pub function: usize,
    /// Which of the closure's variables it is.
    pub index: usize,
}

impl Call {
    /// A call of a function that returns something.
    pub fn new(callee: Callee, args: Vec<Arg>) -> Call {
        let (unit, perhaps, itself, ordered) = (false, false, false, false);
        let without = WithoutCompanion::default();
        Call { callee, args, unit, perhaps, doubts: vec![], without, itself, states: vec![], ordered, keepers: vec![] }
    }

    /// How many arguments before one are changed.
    pub fn changed_before(&self, k: usize) -> usize {
        self.args[..k].iter().filter(|arg| arg.changes()).count()
    }

    /// Among the operands of a call, what the closures find that they change.
    pub fn before<'v>(&self, args: &'v [Value]) -> &'v [Value] {
        &args[args.len() - self.states.len()..]
    }

    /// Among the results of a call, what the closures have left there.
    pub fn after<'v>(&self, outs: &'v [Value]) -> &'v [Value] {
        &outs[outs.len() - self.states.len()..]
    }

    /// The operands, or the results, but for what closures change.
    pub fn own<'v>(&self, values: &'v [Value]) -> &'v [Value] {
        &values[..values.len() - self.states.len()]
    }

    /// The arguments that have tangents beside them, by their places: all but functions.
    pub fn with_tangent(&self) -> Vec<usize> {
        (0..self.args.len()).filter(|&i| self.args[i] != Arg::Function).collect()
    }
}
