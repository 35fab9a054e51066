//! What a node does: see [`Op`].

use super::call::{Arg, Call};
use super::checkpoint::{Checkpoint, CheckpointStep};
use super::graph::{Graph, Node};
use super::lambda::Lambda;
use super::operator::Operator;
use super::path::{Path, Step};
use super::primitive::Primitive;
use proc_macro2::{Ident, TokenStream};

/// A literal constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// A float: its value, and its digits as they are printed.
    Float(f64, String),
    /// An integer: its digits as they are printed, without a suffix.
    Int(String),
    /// A boolean.
    Bool(bool),
    /// `()`.
    Unit,
}

/// Rust code that is not AD's business, kept as it is written.
///
/// The node's operands are the locals that the code uses, under the names in `uses`; its first result is the code's
/// value, the others are the new versions of the locals that it may mutate (`defs`, indices into `uses`).
#[derive(Clone, Debug)]
pub struct Verbatim {
    /// The code. A placeholder identifier stands for an operand where the source had a subexpression.
    pub code: TokenStream,
    /// The name of each operand in `code`.
    pub uses: Vec<Ident>,
    /// Whether the code expects a reference to the operand under this name.
    pub refs: Vec<bool>,
    /// Which operands the code may mutate.
    pub defs: Vec<usize>,
    /// Whether the code may be dropped, repeated or moved: it has no effects and cannot panic.
    pub pure_: bool,
    /// Whether control does not come out of it, so that its value is of any type.
    pub diverges: bool,
}

/// A struct or a variant of an enum, built from its fields.
#[derive(Clone, Debug)]
pub struct Build {
    /// The path as it is written: `Point`, `Shape::Circle`, `Self`.
    pub path: TokenStream,
    /// The fields in the order of the operands; for tuple-like ones their numbers.
    pub fields: Vec<String>,
    /// Written with parentheses.
    pub tuple: bool,
    /// The variant, for the names of the tangent's parts.
    pub variant: Option<String>,
    /// Whether the last operand gives the remaining fields (`..base`).
    pub base: bool,
}

impl Build {
    /// The name of the part of the tangent that belongs to the k-th operand.
    pub fn part(&self, k: usize) -> Path {
        let field = &self.fields[k];
        let name = match &self.variant {
            Some(v) => format!("{v}_{field}"),
            None => field.clone(),
        };
        Path(vec![Step::Part(name)])
    }
}

/// How often a loop runs. Operands come before the initial values of the carried ones.
#[derive(Clone, Debug)]
pub enum LoopKind {
    /// Over an integer range; operands `lo, hi`; the body's first parameter is the index.
    For {
        /// `lo..=hi` instead of `lo..hi`.
        inclusive: bool,
        /// From the upper end down.
        reversed: bool,
    },
    /// While the graph of the carried values gives true.
    While {
        /// Parameters: the carried values. One result, a boolean.
        cond: Graph,
    },
    /// Until it exits.
    Infinite,
    /// Over an inactive iterator, kept as it is written; the node's first operands are those of `iter`, the body's
    /// first parameters are what `pattern` binds, in order.
    Iter {
        /// The iterator expression.
        iter: Verbatim,
        /// The pattern of the items.
        pattern: TokenStream,
        /// The names that it binds.
        bindings: Vec<Ident>,
    },
}

impl LoopKind {
    /// How many operands precede the initial values.
    pub fn operands(&self) -> usize {
        match self {
            LoopKind::For { .. } => 2,
            LoopKind::While { .. } | LoopKind::Infinite => 0,
            LoopKind::Iter { iter, .. } => iter.uses.len(),
        }
    }

    /// How many parameters of the body precede the carried ones.
    pub fn bindings(&self) -> usize {
        match self {
            LoopKind::For { .. } => 1,
            LoopKind::While { .. } | LoopKind::Infinite => 0,
            LoopKind::Iter { bindings, .. } => bindings.len(),
        }
    }
}

/// A loop: operands of its kind and initial values in, final values of the carried ones out.
#[derive(Clone, Debug)]
pub struct Loop {
    /// How often it runs.
    pub kind: LoopKind,
    /// Parameters: those of the kind, then the carried values. Results: the exit flag if `exits`, then the carried values.
    pub body: Graph,
    /// Whether the first result of the body says to leave the loop after this iteration.
    pub exits: bool,
    /// In a reverse sweep before storage is decided: the loop whose iterations it visits backwards.
    pub replays: Option<Node>,
}

/// What a node does. Unless said otherwise it has one result.
///
/// Aggregates are functional here: `Update`, `AddAt` and their like return the changed aggregate. The emitted code
/// changes it in place where the old version is not used again.
#[derive(Clone, Debug)]
pub enum Op {
    /// A literal. No operands.
    Const(Const),
    /// A primitive function of scalars (for integers and booleans too).
    Prim(&'static Primitive),
    /// `x as T`; the node's result has the type.
    Cast(TokenStream),
    /// Inactive code. See [`Verbatim`].
    Verbatim(Box<Verbatim>),
    /// A tuple of the operands.
    Tuple,
    /// A struct or an enum of the user's, of the operands.
    Build(Box<Build>),
    /// An array literal of the operands.
    Array,
    /// `[v; n]` with a constant length; one operand.
    Repeat(TokenStream),
    /// `vec![a, b, …]`.
    VecOf,
    /// `vec![v; n]`; operands `v, n`.
    VecRepeat,
    /// An empty vector; the operand, if any, is the capacity.
    VecEmpty,
    /// `(root, path…, v) → root` with `v` at the end of the vector at the path.
    Push(Path),
    /// `(vec, v, length, counts…) → vec`, lengthened by copies of `v` unless it is as long; at most to the counts' product.
    Lengthen,
    /// `(root, path…) → (last element of the vector at the path, root without it)`; the adjoint of `Push`. The vector is
    /// not empty.
    Pop(Path),
    /// The length of a sequence.
    Len,
    /// A copy that owns its elements: `to_vec`, `clone`, `to_owned`. `true` makes a vector of a slice or an array.
    Copy(bool),
    /// `(root, path…) → element`, or a slice of it.
    Load(Path),
    /// `(root, path…, v) → root` with `v` at the path.
    Update(Path),
    /// `(root, path…, v) → root` with `v` added at the path.
    AddAt(Path),
    /// `(root, path…) → (what was at the path, root with zero there)`; the adjoint of `Update`.
    Take(Path),
    /// `(root, path…, v) → root` with every element of the slice at the path set to `v`.
    Fill(Path),
    /// `(root, path…, i, j) → root` with the elements i and j of the sequence at the path swapped.
    Swap(Path),
    /// `(cond) → results of the arm taken`.
    If {
        /// The arm for true; no parameters.
        then_: Graph,
        /// The arm for false; no parameters.
        else_: Graph,
    },
    /// `(scrutinee) → results of the arm taken`: `if let`.
    IfLet {
        /// The pattern as it is written.
        pattern: TokenStream,
        /// The names that it binds: the parameters of `then_`.
        bindings: Vec<Ident>,
        /// Where in the tangent of an active scrutinee the part of each binding is; empty if it is inactive.
        parts: Vec<Path>,
        /// The arm for a match.
        then_: Graph,
        /// The arm for no match; no parameters.
        else_: Graph,
    },
    /// A loop. See [`Loop`].
    Loop(Box<Loop>),
    /// A closure applied where it is known: the operands are the graph's parameters.
    Apply(Graph),
    /// A closure value: the pullback.
    Closure(Graph),
    /// `(captures…) → function`: a closure that is handed to a function. See [`Lambda`].
    Lambda(Box<Lambda>),
    /// The zero that a sum may start from without a value of its type: the cotangent of a function that is never called.
    Empty,
    /// A call → the return value, then the new versions of the `RefMut` arguments. In this and the next three, what
    /// closures change comes after all other operands and results: see [`Call::states`].
    Call(Box<Call>),
    /// The call of the `_vjp` companion → as `Call`, then the pullback.
    CallVjp(Box<Call>),
    /// `(pullback, seed of the return value, seeds of the RefMut arguments…) → an entry for each argument`.
    CallPullback(Box<Call>),
    /// The call of the `_jvp` companion: arguments, then a tangent for each → as `Call`, then the tangent of the return
    /// value, then those of the new versions.
    CallJvp(Box<Call>),
    /// `(result of f_jvp, tangent of self before) → (tangent of the value of f, tangent of self after)`: where only the
    /// compiler knows whether the method f changes `self`, the result of its companion has one tangent or both.
    SplitDots,
    /// `(tangent, value) → the tangent as an argument` for a parameter that takes the value in this way: the tangent of a
    /// slice is a vector where that of an array here is an array.
    Handed(Arg),
    /// `(tangent, value) → tangent of the type that it has here`, of something that a call has changed.
    Restored,
    /// The adjoint of `SplitDots`: its operands, then the cotangents of its results → those of the tangents in the result of
    /// `f_jvp`, and of the tangent of self before.
    JoinDots,
    /// The zero tangent of the operand, of its shape.
    ZeroLike,
    /// The same where only the compiler knows whether the operand has tangents: `()` if not.
    ZeroOrUnit,
    /// `(tangent, tangent) → sum`.
    Accumulate,
    /// `(tangent, entry of a pullback) → sum`; the entry may be `()`.
    AddEntry,
    /// `x as T` of a value of unknown type: `(x, cotangent of the result) → cotangent of x`.
    CastCotangent(TokenStream),
    /// `x as T` of a value of unknown type: `(x, tangent of x) → tangent of the result`.
    CastTangent(TokenStream),
    /// `(lo or hi, k) → the index of the k-th iteration` of a range loop.
    Nth {
        /// `lo..=hi`.
        inclusive: bool,
        /// Whether the operand is `hi` and the loop counts down.
        reversed: bool,
    },
    /// `(lo, i) → i - lo` as `usize`.
    Offset,
    /// `(lo, hi, step) → number of iterations`.
    Steps {
        /// `lo..=hi`.
        inclusive: bool,
    },
    /// `(lo, step, k) → lo + k·step`.
    NthStep,
    /// Elementwise over arrays (and scalars, broadcast): the graph's parameters are one element of each operand.
    /// `like_first`: the result has the shape of the first operand, else the broadcast shape.
    Map {
        /// From elements to one element.
        body: Graph,
        /// Whether the first operand gives the shape.
        like_first: bool,
        /// Of two operands one that the source gives away: the result lies in memory as it does, if it has its shape.
        over: Option<usize>,
        /// The operator that it is of the source, or a derivative of one.
        operator: Option<Operator>,
    },
    /// `(g, x) → g` summed down to the shape of `x`.
    Unbroadcast,
    /// `(sequence) → the sum of its elements`, which are tangents; the adjoint of `Fill` and of repetition.
    Total,
    /// `(v) → Some(v)`; also of a value that is kept in one arm only, where its type has no obvious constant.
    Some,
    /// `None`.
    Absent,
    /// `(option) → whether there is anything in it`.
    IsSome,
    /// `(option) → what is in it`.
    Unwrap,
    /// A `Result` or an option in another form; its tangent is an option in each.
    Outcome(Outcome),
    /// A step in keeping states of a loop whose iterations are run again.
    Checkpoint(Checkpoint),
}

/// From one form of what may fail to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `(result) → (the option of its value, that of its error)`.
    Split,
    /// `(option, option of the error) → the result`.
    Join,
    /// `(a result or an option) → the option of its value`.
    Present,
}

impl Op {
    /// The name of an operation of which nothing but the operands is printed.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Op::Some => "some",
            Op::Unwrap => "unwrap",
            Op::IsSome => "is_some",
            Op::Restored => "restored",
            Op::SplitDots => "split_dots",
            Op::JoinDots => "join_dots",
            Op::Outcome(Outcome::Split) => "split",
            Op::Outcome(Outcome::Join) => "join",
            Op::Outcome(Outcome::Present) => "present",
            _ => "operation",
        }
    }

    /// The graphs nested in the operation.
    pub fn graphs(&self) -> Vec<Graph> {
        match self {
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => vec![*then_, *else_],
            Op::Loop(l) => match l.kind {
                LoopKind::While { cond } => vec![cond, l.body],
                _ => vec![l.body],
            },
            Op::Apply(g) | Op::Closure(g) | Op::Map { body: g, .. } => vec![*g],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn graphs_mut(&mut self) -> Vec<&mut Graph> {
        match self {
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => vec![then_, else_],
            Op::Loop(l) => match &mut l.kind {
                LoopKind::While { cond } => vec![cond, &mut l.body],
                _ => vec![&mut l.body],
            },
            Op::Apply(g) | Op::Closure(g) | Op::Map { body: g, .. } => vec![g],
            _ => Vec::new(),
        }
    }

    /// The path of an operation on a part of an aggregate.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Op::Load(p) | Op::Update(p) | Op::AddAt(p) | Op::Take(p) | Op::Fill(p) | Op::Swap(p) => Some(p),
            Op::Push(p) | Op::Pop(p) => Some(p),
            _ => None,
        }
    }

    /// Which operand the operation may change in place, if that is not used again.
    pub fn consumes(&self) -> Option<usize> {
        match self {
            Op::Update(_) | Op::AddAt(_) | Op::Take(_) | Op::Fill(_) | Op::Swap(_) => Some(0),
            Op::Push(_) | Op::Pop(_) | Op::Lengthen | Op::Accumulate | Op::AddEntry => Some(0),
            Op::Checkpoint(Checkpoint { step: CheckpointStep::Save | CheckpointStep::Restore, .. }) => Some(0),
            _ => None,
        }
    }
}
