//! Activity: which values need derivatives.
//!
//! A value is *varied* if it depends on an active parameter through something that has a derivative, and *useful* if a
//! result that matters depends on it so. Both are reachability in one graph of flows between values, so the cost is
//! linear in the size of the function, loops and nesting included. Nothing flows through a value whose type cannot
//! carry a derivative: an integer, a boolean, a trip count.

use crate::ir::{Func, LoopKind, Node, Op, Rule, Type, Value};

/// The varied and the useful values of a function.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    varied: Vec<bool>,
    useful: Vec<bool>,
    active: Vec<bool>,
}

impl Activity {
    /// Whether a value depends on an active parameter.
    pub fn is_varied(&self, v: Value) -> bool {
        get(&self.varied, v)
    }

    /// Whether a result that matters depends on a value.
    pub fn is_useful(&self, v: Value) -> bool {
        get(&self.useful, v)
    }

    /// Whether a value is varied and useful and of a type that can carry a derivative.
    pub fn is_active(&self, v: Value) -> bool {
        get(&self.active, v)
    }

    /// Says of a new value what is known of the one that it copies.
    pub fn copy(&mut self, from: Value, to: Value) {
        for set in [&mut self.varied, &mut self.useful, &mut self.active] {
            let i = index(to);
            if set.len() <= i {
                set.resize(i + 1, false);
            }
            set[i] = get(set, from);
        }
    }
}

fn index(v: Value) -> usize {
    v.into_raw().into_u32() as usize
}

fn get(set: &[bool], v: Value) -> bool {
    set.get(index(v)).copied().unwrap_or(false)
}

/// Finds the activity of the values of a function.
pub fn analyse(func: &Func, active_params: &[Value], useful_results: &[Value]) -> Activity {
    let mut flows = Vec::new();
    func.walk(func.root, &mut |_, n| node_flows(func, n, &mut |from, to| flows.push((from, to))));
    let varied = reach(func, &flows, active_params);
    flows.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
    let mut matters = useful_results.to_vec();
    if func.is_ordered(func.root) {
        // the states of functions are the caller's
        matters.extend(func[func.root].params.iter().filter(|&&p| *func.ty(p) == Type::Function));
    }
    let useful = reach(func, &flows, &matters);
    let active = func.values.iter().map(|(v, data)| get(&varied, v) && get(&useful, v) && data.ty.can_be_active());
    let active = active.collect();
    Activity { varied, useful, active }
}

/// What can be reached from the seeds along the flows.
fn reach(func: &Func, flows: &[(Value, Value)], seeds: &[Value]) -> Vec<bool> {
    let count = func.values.len();
    let mut starts = vec![0; count + 1];
    for &(from, _) in flows {
        starts[index(from) + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut targets: Vec<Option<Value>> = vec![None; flows.len()];
    for &(from, to) in flows {
        targets[next[index(from)]] = Some(to);
        next[index(from)] += 1;
    }
    let mut seen = vec![false; count];
    let mut stack = Vec::new();
    let mut visit = |v: Value, stack: &mut Vec<Value>| {
        let ty = func.ty(v);
        if (ty.can_be_active() || *ty == Type::Pullback) && !seen[index(v)] {
            seen[index(v)] = true;
            stack.push(v);
        }
    };
    seeds.iter().for_each(|&v| visit(v, &mut stack));
    while let Some(v) = stack.pop() {
        for &to in targets[starts[index(v)]..starts[index(v) + 1]].iter().flatten() {
            visit(to, &mut stack);
        }
    }
    seen
}

/// Calls `flow` for each pair of values of a node where the second depends on the first with a derivative.
fn node_flows(func: &Func, n: Node, flow: &mut impl FnMut(Value, Value)) {
    let node = &func[n];
    let (args, outs) = (&node.args, &node.outs);
    match &node.op {
        Op::Prim(prim) => match prim.rule {
            Rule::Zero(_) => {}
            Rule::Partials(partials) => {
                let first = usize::from(prim.kind == crate::ir::Kind::Select);
                for (i, &a) in args.iter().enumerate().skip(first) {
                    if first == 1 || partials.get(i).is_some_and(Option::is_some) {
                        flow(a, outs[0]);
                    }
                }
            }
            Rule::Transposes(transposes) => {
                args.iter().zip(transposes).filter(|(_, t)| t.is_some()).for_each(|(&a, _)| flow(a, outs[0]));
            }
            Rule::Derivatives(derivatives) => {
                args.iter().zip(derivatives).filter(|(_, d)| d.is_some()).for_each(|(&a, _)| flow(a, outs[0]));
            }
            Rule::Missing(_) => args.iter().for_each(|&a| flow(a, outs[0])),
        },
        Op::Lambda(lambda) => {
            args.iter().for_each(|&a| flow(a, outs[0]));
            if lambda.ordered {
                args.iter().filter(|&&a| *func.ty(a) == Type::Function).for_each(|&a| flow(outs[0], a));
            }
        }
        Op::Const(_)
        | Op::Empty
        | Op::Verbatim(_)
        | Op::Len
        | Op::VecEmpty
        | Op::ZeroLike
        | Op::ZeroOrUnit
        | Op::Absent
        | Op::IsSome
        | Op::Checkpoint(_) => {}
        Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => {}
        Op::Cast(_)
        | Op::Repeat(_)
        | Op::VecRepeat
        | Op::Copy(_)
        | Op::Load(_)
        | Op::Swap(_)
        | Op::Unbroadcast
        | Op::Total
        | Op::Some
        | Op::Handed(_)
        | Op::Restored
        | Op::Outcome(_)
        | Op::Unwrap => {
            flow(args[0], outs[0]);
        }
        Op::Pop(_) | Op::Take(_) => outs.iter().for_each(|&out| flow(args[0], out)),
        Op::Tuple | Op::Build(_) | Op::Array | Op::VecOf | Op::Lengthen | Op::Accumulate | Op::AddEntry => {
            args.iter().for_each(|&a| flow(a, outs[0]));
        }
        Op::Update(path) | Op::AddAt(path) | Op::Fill(path) | Op::Push(path) => {
            // An update of the whole leaves nothing of what was there.
            if !(path.0.is_empty() && matches!(node.op, Op::Update(_))) {
                flow(args[0], outs[0]);
            }
            flow(args[1 + path.operands()], outs[0]);
        }
        Op::SplitDots | Op::JoinDots => args.iter().for_each(|&a| outs.iter().for_each(|&out| flow(a, out))),
        Op::CastCotangent(_) | Op::CastTangent(_) => flow(args[1], outs[0]),
        Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
            if let Op::IfLet { parts, .. } = &node.op
                && !parts.is_empty()
            {
                func[*then_].params.iter().for_each(|&p| flow(args[0], p));
            }
            for g in [then_, else_] {
                func[*g].results.iter().zip(outs).for_each(|(&r, &out)| flow(r, out));
            }
        }
        Op::Loop(l) => {
            let body = &func[l.body];
            let inits = &args[l.kind.operands()..];
            let params = &body.params[l.kind.bindings()..];
            let results = &body.results[usize::from(l.exits)..];
            for (i, &out) in outs.iter().enumerate() {
                flow(inits[i], params[i]);
                flow(results[i], params[i]);
                flow(params[i], out);
                if let LoopKind::While { cond } = l.kind {
                    flow(params[i], func[cond].params[i]);
                }
            }
        }
        Op::Apply(g) | Op::Map { body: g, .. } => {
            args.iter().zip(&func[*g].params).for_each(|(&a, &p)| flow(a, p));
            func[*g].results.iter().zip(outs).for_each(|(&r, &out)| flow(r, out));
        }
        Op::Closure(g) => {
            // A pullback depends on what it captures.
            for v in func.free(*g) {
                flow(v, outs[0]);
            }
        }
        Op::Call(call) | Op::CallVjp(call) | Op::CallPullback(call) | Op::CallJvp(call) => {
            for &a in args {
                outs.iter().for_each(|&out| flow(a, out));
            }
            if call.ordered {
                // what a function with a state is given, it may keep
                for &f in args.iter().filter(|&&f| *func.ty(f) == Type::Function) {
                    args.iter().filter(|&&a| a != f).for_each(|&a| flow(a, f));
                }
            }
        }
    }
}
