//! Contradictions in words: what the operands are called, and what does not fit.

use super::dims::Dim;
use super::{Contradiction, Shapes};
use crate::ir::{Const, Graph, Node, Op, Path, Spelling, Step, Value};

/// How deep an expression is written out.
const DEPTH: usize = 3;

impl Shapes<'_> {
    /// Reports that the sizes `a` and `b` of two operands would have to be equal.
    pub(super) fn differ(&mut self, n: Node, operands: [(Value, &[Dim]); 2], [a, b]: [Dim; 2]) {
        let func = self.func;
        if !self.told.insert(n.into_raw().into_u32()) {
            return;
        }
        let described = ["the left operand", "the right operand"]
            .into_iter()
            .zip(operands)
            .map(|(side, (v, sizes))| {
                let name = self.text(v, DEPTH).map_or_else(|| side.to_owned(), |text| format!("`{text}`"));
                format!("{name} has the shape {}", self.dims.list(sizes))
            })
            .collect::<Vec<_>>()
            .join(", ");
        let demand = match &func[n].op {
            Op::Map { .. } => "for these to be broadcast together",
            Op::Update(_) => "for the one to be written to the other",
            _ => "here",
        };
        let what = match self.operator(n) {
            Some(name) => format!("the sizes in `{name}` do not fit"),
            None => "the sizes do not fit".to_owned(),
        };
        let (a, b) = (self.dims.shown(a).to_string(), self.dims.shown(b).to_string());
        self.faults.push(Contradiction {
            span: func[n].span,
            message: format!("{what}: {described}, and {a} would have to be {b} {demand}"),
            help: "sizes of different names are different; give both the same name or number in `shapes`, or change \
                   one of the operands"
                .to_owned(),
        });
    }

    /// How the operation of a node is written.
    fn operator(&self, n: Node) -> Option<&'static str> {
        match &self.func[n].op {
            Op::Prim(prim) => match prim.rust {
                Spelling::Infix(text) | Spelling::Method(text) => Some(text),
                _ => None,
            },
            Op::Map { body, .. } => self.operator_of(*body),
            _ => None,
        }
    }

    /// The operation that a body of one operation is.
    fn operator_of(&self, body: Graph) -> Option<&'static str> {
        let mut prims = self.func[body].nodes.iter().filter(|&&n| !matches!(self.func[n].op, Op::Const(_)));
        let (&n, None) = (prims.next()?, prims.next()) else { return None };
        self.operator(n)
    }

    /// A value as it is written, in short.
    fn text(&self, v: Value, depth: usize) -> Option<String> {
        if let Some(name) = &self.func[v].name {
            return Some(name.clone());
        }
        let node = &self.func[*self.defs.get(v)?];
        let depth = depth.checked_sub(1)?;
        let operand = |k: usize| self.text(*node.args.get(k)?, depth);
        match &node.op {
            Op::Copy(_) => operand(0),
            Op::Const(Const::Float(_, digits) | Const::Int(digits)) => Some(digits.clone()),
            Op::Prim(prim) => match prim.rust {
                Spelling::Method(name) if prim.arity == 2 => Some(format!("{}.{name}({})", operand(0)?, operand(1)?)),
                Spelling::Method(name) if prim.arity == 1 => Some(format!("{}.{name}()", operand(0)?)),
                _ => None,
            },
            Op::Map { body, .. } => match (self.operator_of(*body)?, node.args.len()) {
                (name, 2) if !name.starts_with(char::is_alphabetic) => {
                    Some(format!("{} {name} {}", operand(0)?, operand(1)?))
                }
                (name, 1) if name.starts_with(char::is_alphabetic) => Some(format!("{}.{name}()", operand(0)?)),
                _ => None,
            },
            Op::Load(path) => Some(format!("{}{}", operand(0)?, self.steps(path)?)),
            _ => None,
        }
    }

    /// `.row(…)`
    fn steps(&self, path: &Path) -> Option<String> {
        let step = |step: &Step| match step {
            Step::View(view) if view.args.is_empty() => Some(format!(".{}()", view.method.name)),
            Step::View(view) => Some(format!(".{}(…)", view.method.name)),
            Step::Field(name) => Some(format!(".{name}")),
            Step::Index => Some("[…]".to_owned()),
            _ => None,
        };
        path.0.iter().map(step).collect()
    }
}
