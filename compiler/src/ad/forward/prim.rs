//! Tangents of primitives, by the rule in their declaration.

use super::{At, Forward, NoAdjoint};
use crate::ir::{Builder, Const, Graph, Kind, Node, Op, Partial, Primitive, Rule, Type, Value};
use crate::prims::arith::{ADD, DIV, NEG, SCALE, SUB, UNSCALE};

impl Forward<'_> {
    pub(super) fn prim(&mut self, at: At, prim: &'static Primitive, n: Node) {
        let (args, out) = (self.func[n].args.clone(), self.func[n].outs[0]);
        let ty = self.func.ty(out).tangent();
        let dot = match prim.rule {
            Rule::Zero(_) => None,
            _ if prim.kind == Kind::Select => {
                let mut operands = vec![args[0]];
                operands.extend(args[1..].iter().map(|&a| self.dot_or_zero(at, a)));
                Some(self.push(at, Op::Prim(prim), operands, ty))
            }
            Rule::Partials(partials) => self.by_partials(at, prim, partials, &args, out),
            Rule::Transposes(transposes) => {
                let mut sum = None;
                for (i, &a) in args.iter().enumerate() {
                    let (Some(_), Some(dot)) = (transposes[i], self.dot(a)) else { continue };
                    let mut operands = args.clone();
                    operands[i] = dot;
                    let term = self.push(at, Op::Prim(prim), operands, ty.clone());
                    sum = Some(self.add(at, sum, term, prim.kind == Kind::Whole));
                }
                sum
            }
            Rule::Derivatives(derivatives) => {
                let mut sum = None;
                for (derivative, &a) in derivatives.iter().zip(&args) {
                    let (Some(derivative), Some(dot)) = (derivative, self.dot(a)) else { continue };
                    let term = (derivative.forward)(&mut self.builder(at), &args, out, dot);
                    sum = Some(self.add(at, sum, term, prim.kind == Kind::Whole));
                }
                sum
            }
            Rule::Missing(what) => {
                self.missing.get_or_insert(NoAdjoint { span: at.span, what: what.to_owned() });
                None
            }
        };
        if let Some(dot) = dot {
            self.set(out, dot);
        }
    }

    fn by_partials(
        &mut self,
        at: At,
        prim: &'static Primitive,
        partials: &[Option<Partial>],
        args: &[Value],
        out: Value,
    ) -> Option<Value> {
        let mut sum = None;
        for (partial, &a) in partials.iter().zip(args) {
            let (Some(partial), Some(dot)) = (partial, self.dot(a)) else { continue };
            let mut b = self.builder(at);
            let start = b.func[b.graph].nodes.len();
            let p = partial(&mut b, args, out);
            sum = Some(match (sum, take_sign(&mut b, p, start)) {
                (sum, Factor::One) => self.add(at, sum, dot, false),
                (None, Factor::MinusOne) => b.prim(&NEG, &[dot]),
                (Some(sum), Factor::MinusOne) => b.prim(&SUB, &[sum, dot]),
                (sum, Factor::Inverse(d)) => {
                    let term = b.prim(&UNSCALE, &[dot, d]);
                    self.add(at, sum, term, false)
                }
                (sum, Factor::Other) => {
                    let term = b.prim(&SCALE, &prim.factors(dot, p));
                    self.add(at, sum, term, false)
                }
            });
        }
        sum
    }

    fn add(&mut self, at: At, sum: Option<Value>, term: Value, whole: bool) -> Value {
        let Some(sum) = sum else { return term };
        let ty = self.func.ty(sum);
        if matches!(ty, Type::Float(_)) || *ty == Type::Dyn && !whole {
            self.builder(at).prim(&ADD, &[sum, term])
        } else {
            let ty = ty.clone();
            self.push(at, Op::Accumulate, vec![sum, term], ty)
        }
    }
}

/// What a partial is, where a product with it is simpler than a product.
enum Factor {
    One,
    MinusOne,
    Inverse(Value),
    Other,
}

/// Recognises a partial, whose nodes begin at `start`, and removes what a simple factor leaves unused.
fn take_sign(b: &mut Builder<'_>, p: Value, start: usize) -> Factor {
    let graph = b.graph;
    let Some(&last) = b.func[graph].nodes[start..].last() else { return Factor::Other };
    let node = &b.func[last];
    if node.outs[0] != p {
        return Factor::Other;
    }
    let (factor, unused) = match &node.op {
        Op::Const(Const::Float(1.0, _)) => (Factor::One, 1),
        Op::Const(Const::Float(-1.0, _)) => (Factor::MinusOne, 1),
        Op::Prim(prim) if *prim == &DIV && is_one(b, graph, start, node.args[0]) => (Factor::Inverse(node.args[1]), 2),
        _ => return Factor::Other,
    };
    let nodes = &mut b.func[graph].nodes;
    nodes.truncate(nodes.len() - unused);
    factor
}

/// Whether the node before the last one, itself not before `start`, is the constant 1 and defines `v`.
fn is_one(b: &Builder<'_>, graph: Graph, start: usize, v: Value) -> bool {
    match b.func[graph].nodes[start..] {
        [.., one, _] => b.func[one].outs[0] == v && matches!(b.func[one].op, Op::Const(Const::Float(1.0, _))),
        _ => false,
    }
}
