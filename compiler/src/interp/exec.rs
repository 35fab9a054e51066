//! Execution of graphs and of the operations that contain some.

use super::tape::{Record, Tape};
use super::val::{Closure, Val};
use super::{Interp, InterpError, Result, array, code, malformed, ops, unsupported};
use crate::ir::{Call, Callee, Graph, Loop, LoopKind, Node, Op, Value};
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;

/// One run.
pub(super) struct Machine<'i, 'f> {
    interp: &'i Interp<'f>,
    tape: Tape,
    fuel: u64,
}

impl<'i, 'f> Machine<'i, 'f> {
    /// A run on top of the records of an earlier one.
    pub(super) fn new(interp: &'i Interp<'f>, base: Option<Rc<Tape>>) -> Self {
        Machine { interp, tape: Tape::new(base), fuel: interp.fuel }
    }

    pub(super) fn run(mut self, args: &[Val]) -> Result<Vec<Val>> {
        let results = self.enter(self.interp.func.root, None, None, args.to_vec())?;
        Ok(self.finish(results))
    }

    pub(super) fn call(mut self, closure: &Closure, args: &[Val]) -> Result<Vec<Val>> {
        let results = self.apply(closure, args.to_vec())?;
        Ok(self.finish(results))
    }

    /// Hands the records over to the closures among the results.
    fn finish(self, mut results: Vec<Val>) -> Vec<Val> {
        let tape = Rc::new(self.tape);
        results.iter_mut().for_each(|v| seal(v, &tape));
        results
    }

    fn apply(&mut self, closure: &Closure, args: Vec<Val>) -> Result<Vec<Val>> {
        let replayed = self.replayed(closure.record, closure.graph)?;
        self.enter(closure.graph, Some(closure.record), replayed, args)
    }

    /// Executes a graph that is not recorded as part of the one around it.
    fn enter(&mut self, g: Graph, parent: Option<usize>, replayed: Option<usize>, args: Vec<Val>) -> Result<Vec<Val>> {
        let data = &self.interp.func[g];
        if data.params.len() != args.len() {
            return malformed(format!("{} arguments for {} parameters", args.len(), data.params.len()));
        }
        let mut values = HashMap::new();
        for (&p, mut v) in data.params.iter().zip(args) {
            v.round(self.interp.func.ty(p));
            values.insert(p, v);
        }
        let id = self.tape.push(Record { graph: g, parent, replayed, values, nested: HashMap::new() });
        for &n in &data.nodes {
            self.node(id, n)?;
        }
        self.all(id, &data.results)
    }

    /// Executes a nested graph and records it.
    fn nested(&mut self, id: usize, g: Graph, replayed: Option<usize>, args: Vec<Val>) -> Result<Vec<Val>> {
        let child = self.tape.len();
        self.tape.get_mut(id).nested.entry(g).or_default().push(child);
        self.enter(g, Some(id), replayed, args)
    }

    /// Executes a nested graph of which nothing is kept.
    fn passing(&mut self, id: usize, g: Graph, args: Vec<Val>) -> Result<Vec<Val>> {
        let mark = self.tape.len();
        let replayed = self.replayed(id, g)?;
        let results = self.enter(g, Some(id), replayed, args);
        self.tape.truncate(mark);
        results
    }

    fn get(&self, id: usize, v: Value) -> Result<&Val> {
        let missing = || {
            let name = crate::ir::print::names(self.interp.func).get(v).cloned().unwrap_or_default();
            InterpError::Malformed(format!("{name} has no value here"))
        };
        self.tape.resolve(id, v).ok_or_else(missing)
    }

    fn all(&self, id: usize, values: &[Value]) -> Result<Vec<Val>> {
        values.iter().map(|&v| self.get(id, v).cloned()).collect()
    }

    /// The execution that an execution of `g` within the record `id` replays, if it replays one.
    fn replayed(&self, id: usize, g: Graph) -> Result<Option<usize>> {
        self.interp.func[g].replays.map(|p| self.execution(id, p)).transpose()
    }

    /// The one execution of a graph within what the record `id` replays or is part of.
    fn execution(&self, id: usize, g: Graph) -> Result<usize> {
        if let Some(found) = self.tape.find(id, g) {
            return Ok(found);
        }
        match self.executions(id, g)?.as_slice() {
            [one] => Ok(*one),
            several => malformed(format!("one execution to replay expected, there are {}", several.len())),
        }
    }

    /// The executions of a nested graph, in the execution of the graph around it that the record `id` replays.
    fn executions(&self, id: usize, g: Graph) -> Result<Vec<usize>> {
        let Some(&(around, _)) = self.interp.parents.get(g) else {
            return malformed("a graph is replayed that was not executed");
        };
        let base = self.execution(id, around)?;
        Ok(self.tape.get(base).nested.get(&g).cloned().unwrap_or_default())
    }

    fn burn(&mut self) -> Result<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(InterpError::OutOfFuel)?;
        Ok(())
    }

    fn node(&mut self, id: usize, n: Node) -> Result<()> {
        self.burn()?;
        let func = self.interp.func;
        let data = &func[n];
        let results = match &data.op {
            Op::If { then_, else_ } => {
                let arm = if self.get(id, data.args[0])?.bool()? { *then_ } else { *else_ };
                let replayed = self.replayed(id, arm)?;
                self.nested(id, arm, replayed, vec![])?
            }
            Op::IfLet { .. } => return unsupported("`if let`"),
            Op::Loop(l) => self.loop_(id, n, l)?,
            Op::Apply(g) => {
                let args = self.all(id, &data.args)?;
                let replayed = self.replayed(id, *g)?;
                self.nested(id, *g, replayed, args)?
            }
            Op::Closure(g) => vec![Val::Closure(Rc::new(Closure { graph: *g, record: id, tape: None }))],
            Op::Map { body, like_first, .. } => {
                let args = self.all(id, &data.args)?;
                let one = |elements: Vec<Val>| self.passing(id, *body, elements)?.swap_remove(0).float();
                vec![array::map(&args, *like_first, one)?]
            }
            Op::Call(c) => self.foreign(id, n, c, "")?,
            Op::CallVjp(c) => self.foreign(id, n, c, "_vjp")?,
            Op::CallJvp(c) => self.foreign(id, n, c, "_jvp")?,
            Op::CallPullback(_) => {
                let args = self.all(id, &data.args)?;
                match &args[0] {
                    Val::Closure(c) if c.tape.is_none() => self.apply(c, args[1..].to_vec())?,
                    pullback => self.interp.call(pullback, &args[1..])?,
                }
            }
            Op::Verbatim(v) => {
                let ty = data.outs.first().map(|&o| func.ty(o));
                vec![code::eval(v, &self.all(id, &data.args)?, ty)?]
            }
            op => {
                let args: Vec<&Val> = data.args.iter().map(|&v| self.get(id, v)).collect::<Result<_>>()?;
                let ty = data.outs.first().map(|&o| func.ty(o));
                ops::eval(op, &args, ty)?
            }
        };
        if results.len() != data.outs.len() {
            return malformed(format!("{} results where {} are expected", results.len(), data.outs.len()));
        }
        for (&o, mut v) in data.outs.iter().zip(results) {
            v.round(func.ty(o));
            self.tape.get_mut(id).values.insert(o, v);
        }
        Ok(())
    }

    fn foreign(&mut self, id: usize, n: Node, call: &Call, companion: &str) -> Result<Vec<Val>> {
        let callee = match &call.callee {
            Callee::Path(path) => path.to_token_stream().to_string().replace(' ', ""),
            Callee::Method(name) => format!(".{name}"),
            Callee::Value => return unsupported("the call of a function that was handed over"),
        };
        let Some(hook) = self.interp.calls.get(&(callee.clone() + companion)) else {
            return unsupported(format!("the call of {callee}{companion}"));
        };
        hook(&self.all(id, &self.interp.func[n].args)?)
    }

    fn loop_(&mut self, id: usize, n: Node, l: &Loop) -> Result<Vec<Val>> {
        let args = self.all(id, &self.interp.func[n].args)?;
        let (own, inits) = args.split_at(l.kind.operands().min(args.len()));
        let records = match l.replays {
            Some(primal) => match &self.interp.func[primal].op {
                Op::Loop(primal) => Some(self.executions(id, primal.body)?),
                _ => return malformed("what a loop replays is not a loop"),
            },
            None => None,
        };
        let recorded = records.as_ref().map(Vec::len);
        let mut run = Run { machine: self, id, l, records, done: 0, carried: inits.to_vec() };
        match &l.kind {
            LoopKind::For { inclusive, reversed } => {
                let (lo, hi) = (own[0].int()?, own[1].int()? + i128::from(*inclusive));
                let mut k = 0;
                while lo + k < hi {
                    let i = if *reversed { hi - 1 - k } else { lo + k };
                    if run.iteration(vec![Val::Int(i)])? {
                        break;
                    }
                    k += 1;
                }
            }
            LoopKind::While { cond } => {
                while run.machine.passing(id, *cond, run.carried.clone())?[0].bool()? {
                    if run.iteration(vec![])? {
                        break;
                    }
                }
            }
            // A loop that replays another and does not exit on its own visits all that was recorded.
            LoopKind::Infinite if recorded.is_some() && !l.exits => {
                while Some(run.done) < recorded {
                    run.iteration(vec![])?;
                }
            }
            LoopKind::Infinite => while !run.iteration(vec![])? {},
            LoopKind::Iter { iter, bindings, .. } => {
                for item in code::items(iter, own)? {
                    let bound = match item {
                        Val::Tuple(parts) if bindings.len() != 1 => parts,
                        one => vec![one],
                    };
                    if run.iteration(bound)? {
                        break;
                    }
                }
            }
        }
        match recorded {
            Some(count) if count != run.done && !l.exits => {
                malformed(format!("a reverse loop makes {} iterations of {count} recorded ones", run.done))
            }
            _ => Ok(run.carried),
        }
    }
}

/// A loop that runs.
struct Run<'m, 'i, 'f> {
    machine: &'m mut Machine<'i, 'f>,
    id: usize,
    l: &'m Loop,
    /// The executions of the body that it replays.
    records: Option<Vec<usize>>,
    done: usize,
    carried: Vec<Val>,
}

impl Run<'_, '_, '_> {
    /// One iteration; whether the loop ends with it.
    fn iteration(&mut self, mut bound: Vec<Val>) -> Result<bool> {
        self.machine.burn()?;
        let replayed = match &self.records {
            Some(records) => match records.len().checked_sub(1 + self.done) {
                Some(k) => Some(records[k]),
                None => {
                    return malformed(format!("a reverse loop goes past the {} recorded iterations", records.len()));
                }
            },
            None => self.machine.replayed(self.id, self.l.body)?,
        };
        self.done += 1;
        bound.append(&mut self.carried);
        let mut results = self.machine.nested(self.id, self.l.body, replayed, bound)?;
        let ends = self.l.exits && results.remove(0).bool()?;
        self.carried = results;
        Ok(ends)
    }
}

/// Gives the closures in a value the records of the run that made them.
fn seal(v: &mut Val, tape: &Rc<Tape>) {
    match v {
        Val::Closure(c) if c.tape.is_none() => {
            *c = Rc::new(Closure { graph: c.graph, record: c.record, tape: Some(tape.clone()) });
        }
        Val::Seq(xs) | Val::Tuple(xs) => xs.iter_mut().for_each(|x| seal(x, tape)),
        _ => {}
    }
}
