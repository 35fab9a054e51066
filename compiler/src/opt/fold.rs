//! Constant folding.
//!
//! ```text
//! %a = mul 2, 3             %a = 6
//! %c = lt 1, 2              %c = true
//! %y = if %c @t @e     →    (the nodes of @t; %y is its result)
//! ```
//!
//! Floats are folded only where their kind is known, only by operations that IEEE 754 defines to the last bit, and only
//! to finite results. Integers are folded only while they are small and not negative, so that no overflow is lost.

use crate::ir::substitute::Substitution;
use crate::ir::{Const, Float, Func, Graph, Kind, LoopKind, Node, Op, Primitive, Type, Value};
use la_arena::ArenaMap;
use std::collections::{HashMap, HashSet};

/// The float operations that give the same bits on every machine.
const EXACT: &[&str] = &[
    "add", "sub", "mul", "div", "rem", "neg", "recip", "sqrt", "abs", "floor", "ceil", "trunc", "round", "signum",
    "scale", "unscale",
];

/// The integer operations that are folded.
const INTEGER: &[&str] = &["add", "sub", "mul", "div", "rem"];

/// Folded integers fit every integer type.
const LARGEST: i64 = i8::MAX as i64;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut folder = Folder {
        func,
        constants: ArenaMap::default(),
        values: Substitution::default(),
        spliced: HashMap::new(),
        replayed: HashSet::new(),
        changed: false,
    };
    let func = &*folder.func;
    func.walk(func.root, &mut |_, n| {
        if let Op::Loop(l) = &func[n].op {
            folder.replayed.extend(l.replays);
        }
    });
    folder.graph(folder.func.root);
    let Folder { func, values, spliced, changed, .. } = folder;
    values.apply(func);
    if !spliced.is_empty() {
        for (_, graph) in func.graphs.iter_mut() {
            while let Some(&into) = graph.replays.and_then(|g| spliced.get(&g)) {
                graph.replays = Some(into);
            }
        }
    }
    changed
}

struct Folder<'f> {
    func: &'f mut Func,
    constants: ArenaMap<Value, Const>,
    values: Substitution,
    /// The arms that became part of the graph around them.
    spliced: HashMap<Graph, Graph>,
    /// The loops that others replay, which must stay.
    replayed: HashSet<Node>,
    changed: bool,
}

impl Folder<'_> {
    fn graph(&mut self, g: Graph) {
        for n in std::mem::take(&mut self.func[g].nodes) {
            self.node(g, n);
        }
        self.values.rewrite(&mut self.func.graphs[g].results);
    }

    fn node(&mut self, g: Graph, n: Node) {
        self.values.rewrite(&mut self.func.nodes[n].args);
        let node = &self.func[n];
        let first = node.args.first().and_then(|a| self.constants.get(*a));
        match &node.op {
            Op::If { then_, else_ } => {
                if let Some(Const::Bool(cond)) = first {
                    let arm = if *cond { *then_ } else { *else_ };
                    return self.splice(g, n, arm);
                }
            }
            Op::Loop(l) => {
                if let LoopKind::For { inclusive: false, .. } = l.kind
                    && !self.replayed.contains(&n)
                    && let Some(lo) = self.int(node.args[0])
                    && self.int(node.args[1]).is_some_and(|hi| lo >= hi)
                {
                    let inits = node.args[2..].to_vec();
                    return self.replace(n, &inits);
                }
            }
            Op::Prim(prim) if prim.kind == Kind::Select => {
                if let Some(Const::Bool(cond)) = first {
                    let taken = if *cond { node.args[1] } else { node.args[2] };
                    if self.func.ty(taken) == self.func.ty(node.outs[0]) {
                        return self.replace(n, &[taken]);
                    }
                }
            }
            Op::Prim(prim) => {
                if let Some(constant) = self.prim(prim, &node.args, node.outs[0]) {
                    let node = &mut self.func[n];
                    (node.op, node.args) = (Op::Const(constant), Vec::new());
                    self.changed = true;
                }
            }
            _ => {}
        }
        if let Op::Const(c) = &self.func[n].op {
            self.constants.insert(self.func[n].outs[0], c.clone());
        }
        self.func[g].nodes.push(n);
        for nested in self.func[n].op.graphs() {
            self.graph(nested);
        }
    }

    fn splice(&mut self, g: Graph, n: Node, arm: Graph) {
        self.spliced.extend(self.func[n].op.graphs().into_iter().map(|arm| (arm, g)));
        for n in std::mem::take(&mut self.func[arm].nodes) {
            self.node(g, n);
        }
        let results = self.func[arm].results.clone();
        self.replace(n, &results);
    }

    /// The results of a node that is left out are these values.
    fn replace(&mut self, n: Node, by: &[Value]) {
        for (&out, &v) in self.func.nodes[n].outs.iter().zip(by) {
            self.values.insert(out, v);
        }
        self.changed = true;
    }

    fn int(&self, v: Value) -> Option<i64> {
        match self.constants.get(v)? {
            Const::Int(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    fn prim(&self, prim: &Primitive, args: &[Value], out: Value) -> Option<Const> {
        let constants: Vec<&Const> = args.iter().map(|&a| self.constants.get(a)).collect::<Option<_>>()?;
        match constants.first()? {
            Const::Float(..) => self.float(prim, &constants, args, out),
            Const::Int(_) => {
                let ints: Vec<i64> = args.iter().map(|&a| self.int(a)).collect::<Option<_>>()?;
                small(&ints)?;
                if prim.kind == Kind::Compare {
                    return Some(Const::Bool(value(prim, &ints.iter().map(|&x| x as f64).collect::<Vec<_>>()) != 0.0));
                }
                if !INTEGER.contains(&prim.name) || matches!(prim.name, "div" | "rem") && ints[1] == 0 {
                    return None;
                }
                let (x, y) = (ints[0], ints[1]);
                let result = match prim.name {
                    "add" => x + y,
                    "sub" => x - y,
                    "mul" => x * y,
                    "div" => x / y,
                    _ => x % y,
                };
                small(&[result])?;
                Some(Const::Int(result.to_string()))
            }
            Const::Bool(_) => {
                let bits: Vec<f64> = constants
                    .iter()
                    .map(|c| if let Const::Bool(b) = c { Some(f64::from(*b)) } else { None })
                    .collect::<Option<_>>()?;
                Some(Const::Bool(value(prim, &bits) != 0.0))
            }
            Const::Unit => None,
        }
    }

    fn float(&self, prim: &Primitive, constants: &[&Const], args: &[Value], out: Value) -> Option<Const> {
        let mut kind = Float::Any;
        for &a in args {
            match (self.func.ty(a), &kind) {
                (Type::Float(k), Float::Any) => kind = k.clone(),
                (Type::Float(k), known) if k == known || *k == Float::Any => {}
                _ => return None,
            }
        }
        let round = match kind {
            Float::F64 => |x: f64| x,
            Float::F32 => |x: f64| f64::from(x as f32),
            Float::Generic(_) | Float::Any => return None,
        };
        let floats: Vec<f64> = constants
            .iter()
            .map(|c| if let Const::Float(x, _) = c { Some(round(*x)) } else { None })
            .collect::<Option<_>>()?;
        if prim.kind == Kind::Compare {
            return Some(Const::Bool(value(prim, &floats) != 0.0));
        }
        if !EXACT.contains(&prim.name) || *self.func.ty(out) != Type::Float(kind.clone()) {
            return None;
        }
        let x = round(value(prim, &floats));
        let digits = if kind == Float::F32 { format!("{:?}", x as f32) } else { format!("{x:?}") };
        x.is_finite().then_some(Const::Float(x, digits))
    }
}

fn value(prim: &Primitive, args: &[f64]) -> f64 {
    (prim.eval)(args)
}

fn small(ints: &[i64]) -> Option<()> {
    ints.iter().all(|x| (0..=LARGEST).contains(x)).then_some(())
}
