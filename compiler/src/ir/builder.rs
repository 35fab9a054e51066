//! Typed construction of nodes at the end of a graph.

use super::graph::{Func, Graph, Node, Value};
use super::op::{Const, Op};
use super::path::Path;
use super::primitive::{Kind, Primitive};
use super::types::{Float, Type};
use proc_macro2::Span;

/// Appends nodes to a graph of a function.
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Func,
    /// The graph that grows.
    pub graph: Graph,
    /// The span of what is built.
    pub span: Span,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `graph`.
    pub fn new(func: &'f mut Func, graph: Graph, span: Span) -> Self {
        Builder { func, graph, span }
    }

    /// Appends a node with results of the given types.
    pub fn node(&mut self, op: Op, args: Vec<Value>, types: Vec<Type>) -> Node {
        let span = self.span;
        let outs = types.into_iter().map(|ty| self.func.value(ty, None, span)).collect();
        let node = self.func.node(op, args, outs, span);
        self.func[self.graph].nodes.push(node);
        node
    }

    /// Appends a node with one result.
    pub fn push(&mut self, op: Op, args: Vec<Value>, ty: Type) -> Value {
        let n = self.node(op, args, vec![ty]);
        self.func[n].outs[0]
    }

    /// Gives a value a name for the emitted code.
    pub fn name(&mut self, v: Value, name: impl Into<String>) -> Value {
        self.func.values[v].name = Some(name.into());
        v
    }

    /// Applies a primitive.
    pub fn prim(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        let ty = self.prim_type(prim, args);
        self.push(Op::Prim(prim), args.to_vec(), ty)
    }

    /// The result type of a primitive by its kind.
    pub fn prim_type(&self, prim: &'static Primitive, args: &[Value]) -> Type {
        match prim.kind {
            Kind::Compare => Type::Bool,
            Kind::Select => self.func.ty(args[1]).join(self.func.ty(args[2])),
            Kind::Arithmetic | Kind::Logic => {
                let types = prim.alike(args).iter().map(|&a| self.func.ty(a));
                types.cloned().reduce(|a, b| a.join(&b)).unwrap_or(Type::Dyn)
            }
            Kind::Whole => Type::Dyn,
        }
    }

    /// A float constant of the same kind as another value.
    pub fn float_like(&mut self, x: f64, like: Value) -> Value {
        let ty = match self.func.ty(like) {
            Type::Float(k) => Type::Float(k.clone()),
            _ => Type::Float(Float::Any),
        };
        self.push(Op::Const(Const::Float(x, format!("{x:?}"))), vec![], ty)
    }

    /// An integer constant.
    pub fn int(&mut self, x: usize) -> Value {
        self.push(Op::Const(Const::Int(x.to_string())), vec![], Type::USIZE)
    }

    /// A boolean constant.
    pub fn bool(&mut self, x: bool) -> Value {
        self.push(Op::Const(Const::Bool(x)), vec![], Type::Bool)
    }

    /// `()`.
    pub fn unit(&mut self) -> Value {
        self.push(Op::Const(Const::Unit), vec![], Type::Unit)
    }

    /// What is at a path of an aggregate.
    pub fn load(&mut self, root: Value, path: &Path, operands: &[Value]) -> Value {
        let ty = path.apply(self.func.ty(root));
        let args = std::iter::once(root).chain(operands.iter().copied()).collect();
        self.push(Op::Load(path.clone()), args, ty)
    }
}
