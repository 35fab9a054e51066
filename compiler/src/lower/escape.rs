//! Functions that leave the arm of a branch in which they were made: what they captured there leaves with them.

use super::control::Arm;
use super::env::{Binding, Scope};
use super::place::{Place, Root};
use super::{Lowering, Operand, scan, types};
use crate::ir::{Const, Graph, Op, Step, Type, Value};
use quote::ToTokens;
use std::collections::{BTreeMap, HashMap};

/// A further result of a branch: its value in either arm, and the cell that it goes to.
pub(crate) type Out = (Value, Value, Option<usize>);

/// What leaves with the functions of one arm.
struct Escape<'x> {
    arm: &'x Arm,
    other: Graph,
    /// Whether the arm is that for true.
    first: bool,
    owned: la_arena::ArenaMap<Value, Graph>,
    /// Cells of the arm, and what stands for them outside.
    cells: BTreeMap<usize, usize>,
    /// Conditions that were computed in the arm, and the cells that they go to.
    conditions: HashMap<Value, usize>,
    outs: Vec<Out>,
}

/// The functions that the arms of a branch give, and which is taken: a condition, or the cell of one.
pub(crate) struct Choice {
    condition: Option<Result<Value, usize>>,
    functions: [Option<Escaped>; 2],
}

/// One of two functions; of tuples part by part.
fn choose(condition: Value, f: Operand, g: Operand) -> Operand {
    match (f, g) {
        (Operand::Parts(f), Operand::Parts(g)) if f.len() == g.len() => {
            Operand::Parts(f.into_iter().zip(g).map(|(f, g)| choose(condition, f, g)).collect())
        }
        (f, g) => Operand::Choice(condition, Box::new(f), Box::new(g)),
    }
}

/// A function that has left its arm but for the conditions, which are known after the branch.
struct Escaped {
    operand: Operand,
    conditions: HashMap<Value, usize>,
}

impl<'a> Lowering<'a> {
    /// Takes the functions that the arms of a branch give out of them.
    pub(crate) fn leave_arms(&mut self, op: &Op, args: &[Value], a: &Arm, b: &Arm, outs: &mut Vec<Out>) -> Choice {
        let f = a.function.as_ref().map(|f| self.escape(a, b.graph, true, f, outs));
        let g = b.function.as_ref().map(|g| self.escape(b, a.graph, false, g, outs));
        if a.result.is_some() || b.result.is_some() {
            let span = self.span;
            self.unsupported(
                span,
                "one branch gives a function that is in sight, the other does not",
                "give closures or functions in all branches",
            );
        }
        let condition = match (&f, &g, op) {
            (Some(_), Some(_), Op::If { .. }) => Some(Ok(args[0])),
            (Some(_), Some(_), _) => Some(Err(self.taken(a.graph, b.graph, outs))),
            _ => None,
        };
        Choice { condition, functions: [f, g] }
    }

    /// The function that a branch gives.
    pub(crate) fn chosen(&mut self, choice: Choice) -> Operand {
        let [f, g] = choice.functions.map(|f| f.map(|f| self.escaped(f)));
        match (choice.condition, f, g) {
            (Some(condition), Some(f), Some(g)) => {
                let condition = match condition {
                    Ok(v) => v,
                    Err(cell) => self.cell_value(cell),
                };
                choose(condition, f, g)
            }
            (_, Some(f), _) | (_, _, Some(f)) => f,
            _ => Operand::Never,
        }
    }

    /// Takes a function out of an arm. What it needs of the arm becomes results of the branch.
    fn escape(&mut self, arm: &Arm, other: Graph, first: bool, f: &Operand, outs: &mut Vec<Out>) -> Escaped {
        let owned = self.func.owners(arm.graph);
        let (cells, conditions) = (BTreeMap::new(), HashMap::new());
        let mut escape = Escape { arm, other, first, owned, cells, conditions, outs: Vec::new() };
        let operand = self.leave(&mut escape, f);
        outs.append(&mut escape.outs);
        Escaped { operand, conditions: escape.conditions }
    }

    /// The function after the branch.
    fn escaped(&mut self, escaped: Escaped) -> Operand {
        if escaped.conditions.is_empty() {
            return escaped.operand;
        }
        self.with_conditions(escaped.operand, &escaped.conditions)
    }

    fn with_conditions(&mut self, o: Operand, conditions: &HashMap<Value, usize>) -> Operand {
        match o {
            Operand::Choice(c, a, b) => {
                let c = match conditions.get(&c) {
                    Some(&cell) => self.cell_value(cell),
                    None => c,
                };
                let (a, b) = (self.with_conditions(*a, conditions), self.with_conditions(*b, conditions));
                Operand::Choice(c, Box::new(a), Box::new(b))
            }
            Operand::Parts(parts) => {
                Operand::Parts(parts.into_iter().map(|part| self.with_conditions(part, conditions)).collect())
            }
            o => o,
        }
    }

    fn leave(&mut self, escape: &mut Escape<'_>, o: &Operand) -> Operand {
        match o {
            Operand::Closure(k) => Operand::Closure(self.leave_closure(escape, *k)),
            Operand::Choice(c, a, b) => {
                if escape.owned.contains_idx(*c) {
                    let cell = self.temporary(*c);
                    self.export(escape, *c, cell);
                    escape.conditions.insert(*c, cell);
                }
                let (a, b) = (self.leave(escape, a), self.leave(escape, b));
                Operand::Choice(*c, Box::new(a), Box::new(b))
            }
            Operand::Parts(parts) => Operand::Parts(parts.iter().map(|part| self.leave(escape, part)).collect()),
            Operand::Object(p) => Operand::Object(Box::new(self.leave_object(escape, p))),
            Operand::Value(v) if escape.owned.contains_idx(*v) => {
                let cell = self.temporary(*v);
                self.export(escape, *v, cell);
                Operand::Place(Place::whole(Root::Cell(cell)))
            }
            Operand::Place(p) => Operand::Place(self.leave_place(escape, p)),
            o => o.clone(),
        }
    }

    /// Makes a value of the arm a result of the branch.
    fn export(&mut self, escape: &mut Escape<'_>, v: Value, cell: usize) {
        let outer = std::mem::replace(&mut self.graph, escape.other);
        let ty = self.ty(v);
        let declared = self.env.cells[cell].declared_rust.clone();
        let dummy = declared.and_then(|ty| self.dummy_of_rust(&ty)).or_else(|| self.dummy(&ty));
        self.graph = outer;
        match dummy {
            Some(d) if escape.first => escape.outs.push((v, d, Some(cell))),
            Some(d) => escape.outs.push((d, v, Some(cell))),
            None => {
                let span = self.span;
                self.unsupported(
                    span,
                    "a closure leaves a branch with a captured value whose type is not visible",
                    "annotate the captured variable with its type, or define the closure before the branch",
                );
            }
        }
    }

    fn leave_cell(&mut self, escape: &mut Escape<'_>, cell: usize) -> usize {
        if let Some(&known) = escape.cells.get(&cell) {
            return known;
        }
        // the cells that both arms see come first
        if cell < escape.arm.before || cell >= escape.arm.cells.len() {
            return cell;
        }
        let data = escape.arm.cells[cell].clone();
        let value = data.value;
        self.env.cells.push(data);
        let new = self.env.cells.len() - 1;
        escape.cells.insert(cell, new);
        if let Some(v) = value
            && escape.owned.contains_idx(v)
        {
            self.export(escape, v, new);
        }
        new
    }

    fn leave_place(&mut self, escape: &mut Escape<'_>, place: &Place) -> Place {
        let mut place = place.clone();
        match place.root {
            Root::Cell(c) => place.root = Root::Cell(self.leave_cell(escape, c)),
            Root::Value(v) if escape.owned.contains_idx(v) => {
                let cell = self.temporary(v);
                self.export(escape, v, cell);
                place.root = Root::Cell(cell);
            }
            Root::Value(_) => {}
        }
        if place.operands.iter().any(|&v| escape.owned.contains_idx(v)) {
            let span = self.span;
            self.unsupported(
                span,
                "a closure leaves a branch with a captured reference to a part that was computed there",
                "define the closure before the branch",
            );
        }
        place
    }

    /// An object that was made in the arm leaves it in an option, `None` where the other arm is taken.
    fn leave_object(&mut self, escape: &mut Escape<'_>, place: &Place) -> Place {
        let own = match place.root {
            Root::Cell(c) if c >= escape.arm.before && place.path.0.is_empty() => escape.arm.cells[c].value,
            _ => None,
        };
        let Some(v) = own else { return self.leave_place(escape, place) };
        let outer = std::mem::replace(&mut self.graph, escape.arm.graph);
        let some = self.some(Operand::Value(v));
        self.graph = outer;
        let cell = self.temporary(some);
        self.export(escape, some, cell);
        Place::whole(Root::Cell(cell)).step(Step::some(), []).by_ref(true).mutable(true)
    }

    fn leave_closure(&mut self, escape: &mut Escape<'_>, k: usize) -> usize {
        let body = self.closures[k].expr.body.to_token_stream();
        let scopes = self.closures[k].scopes.clone();
        let mut names = Scope::new();
        for ident in scan::mentioned(body) {
            let name = types::plain_name(&ident);
            let Some(binding) = scopes.iter().rev().find_map(|s| s.get(&name)).cloned() else { continue };
            let binding = match binding {
                Binding::Cell(c, is_ref) => Binding::Cell(self.leave_cell(escape, c), is_ref),
                Binding::Alias(p, is_ref) => Binding::Alias(self.leave_place(escape, &p), is_ref),
                Binding::Closure(k) => Binding::Closure(self.leave_closure(escape, k)),
                Binding::Known(o) => Binding::Known(Box::new(self.leave(escape, &o))),
                other => other,
            };
            names.insert(name, binding);
        }
        let cells = self.closures[k].cells.clone();
        let cells = cells.into_iter().map(|c| self.leave_cell(escape, c)).collect();
        let mut closure = self.closures[k].clone();
        closure.scopes.push(names);
        closure.cells = cells;
        self.closures.push(closure);
        self.closures.len() - 1
    }

    /// A flag that says which arm of a branch was taken, one of its results.
    fn taken(&mut self, then_: Graph, else_: Graph, outs: &mut Vec<Out>) -> usize {
        let [yes, no] = [(then_, true), (else_, false)].map(|(graph, taken)| {
            let outer = std::mem::replace(&mut self.graph, graph);
            let v = self.push(Op::Const(Const::Bool(taken)), vec![], Type::Bool);
            self.graph = outer;
            v
        });
        let cell = self.temporary(yes);
        outs.push((yes, no, Some(cell)));
        cell
    }
}
