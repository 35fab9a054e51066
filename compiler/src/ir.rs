//! The intermediate representation: functional, in A-normal form, with graphs as values.
//!
//! A *graph* has parameters, nodes in order and results; functions, branch arms, loop bodies and closures are graphs.
//! A graph nested in another may use the values of the enclosing ones (its free variables). Mutation in the source is
//! new versions of values here; loops and branches pass versions in and out. Every node carries its source span.

pub mod builder;
pub mod call;
pub mod checkpoint;
pub mod graph;
pub mod lambda;
pub mod op;
pub mod operator;
pub mod path;
pub mod primitive;
pub mod print;
pub mod size;
pub mod substitute;
pub mod types;
pub mod verify;
pub mod view;

pub use builder::Builder;
pub use call::{Arg, Call, Callee, OF_ARRAYS, OF_TANGENTS, State, WithoutCompanion};
pub use checkpoint::{Checkpoint, CheckpointStep, Recomputed};
pub use graph::{Func, Graph, GraphData, Node, NodeData, ParamMode, Value, ValueData};
pub use lambda::{Form, Lambda};
pub use op::{Build, Const, Loop, LoopKind, Op, Outcome, Verbatim};
pub use operator::{Operator, Role};
pub use path::{Path, RangeEnd, Step, Variant};
pub use primitive::{Cost, Derivative, Kind, Linear, Partial, Primitive, Rule, Spelling};
pub use size::Size;
pub use types::{Float, Type};
