//! What every pass must leave true of a function; run after each stage, and by the tests after each pass.
//!
//! Values are defined once and before they are used, in a graph that the user can see; every node is listed in one
//! graph and every graph nested in one node; operands, results, parameters of nested graphs have the right number and,
//! where types are visible, types that fit. A graph that replays another, or is nested in one that does, may also use
//! the values of the replayed graph and of those around it.
//!
//! Types are checked leniently: an unknown type fits everything, as correctness never depends on seeing one.

use super::graph::{Func, Graph, Node, Value};
use super::op::Op;
use super::print::{self, Place};
use la_arena::ArenaMap;
use std::cell::OnceCell;
use std::fmt;

mod ops;

#[cfg(test)]
mod tests;

/// A rule that a function breaks.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Where it is broken.
    pub place: Place,
    /// The value in question, if there is one.
    pub value: Option<Value>,
    /// What is wrong.
    pub message: String,
    /// Whether types do not go together, as in a function that the compiler of Rust does not accept either.
    pub types: bool,
    /// The lines around the place, with the message under its line.
    excerpt: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        f.write_str(&self.excerpt)
    }
}

impl std::error::Error for Fault {}

/// Checks a function against the rules of the module documentation.
///
/// # Errors
/// Everything that breaks a rule.
pub fn verify(func: &Func) -> Result<(), Vec<Fault>> {
    let mut v = Verifier {
        func,
        names: OnceCell::new(),
        parents: ArenaMap::default(),
        listed: ArenaMap::default(),
        owners: ArenaMap::default(),
        visible: ArenaMap::default(),
        faults: Vec::new(),
    };
    if v.structure(func.root, None) {
        v.graph(func.root);
    }
    if !func.modes.is_empty() && func.modes.len() != func[func.root].params.len() {
        let message = format!("{} modes for {} parameters", func.modes.len(), func[func.root].params.len());
        v.fault(Place::Graph(func.root), None, message);
    }
    if v.faults.is_empty() {
        return Ok(());
    }
    for fault in &mut v.faults {
        fault.excerpt = excerpt(func, fault);
    }
    Err(v.faults)
}

/// The lines of the listing around a fault.
fn excerpt(func: &Func, fault: &Fault) -> String {
    const AROUND: usize = 4;
    let text = print::annotated(func, &[(fault.place, &fault.message)]);
    let lines: Vec<_> = text.lines().collect();
    let Some(at) = lines.iter().position(|l| l.trim_start().starts_with("^ ")) else { return text };
    let (from, to) = (at.saturating_sub(AROUND), (at + AROUND).min(lines.len()));
    let mut out = lines[from..to].join("\n");
    if from > 0 {
        out = format!("{}\n  …\n{out}", lines[0]);
    }
    if to < lines.len() {
        out += "\n  …";
    }
    out + "\n"
}

struct Verifier<'f> {
    func: &'f Func,
    /// What the values are called in messages, once there is one.
    names: OnceCell<ArenaMap<Value, String>>,
    /// For every nested graph that is reached: the graph and the node that it is nested in.
    parents: ArenaMap<Graph, (Graph, Node)>,
    /// The nodes that are listed.
    listed: ArenaMap<Node, ()>,
    /// The graph that defines each value.
    owners: ArenaMap<Value, Graph>,
    /// The values that are visible where the walk stands.
    visible: ArenaMap<Value, ()>,
    faults: Vec<Fault>,
}

impl Verifier<'_> {
    fn fault(&mut self, place: Place, value: Option<Value>, message: String) {
        self.faults.push(Fault { place, value, message, types: false, excerpt: String::new() });
    }

    fn name(&self, v: Value) -> &str {
        self.names.get_or_init(|| print::names(self.func)).get(v).map_or("%?", String::as_str)
    }

    /// Who lists, nests and defines what. Whether the nesting is a tree, so that it can be walked.
    fn structure(&mut self, g: Graph, parent: Option<(Graph, Node)>) -> bool {
        let func = self.func;
        if g == func.root && parent.is_some() || self.parents.contains_idx(g) {
            let place = parent.map_or(Place::Graph(g), |(_, n)| Place::Node(n));
            self.fault(place, None, "a graph is nested twice".to_owned());
            return false;
        }
        if let Some(parent) = parent {
            self.parents.insert(g, parent);
        }
        for &p in &func[g].params {
            self.define(p, g, Place::Graph(g));
        }
        let mut tree = true;
        for &n in &func[g].nodes {
            if self.listed.insert(n, ()).is_some() {
                self.fault(Place::Node(n), None, "a node is listed twice".to_owned());
                return false;
            }
            for &o in &func[n].outs {
                self.define(o, g, Place::Node(n));
            }
            for nested in func[n].op.graphs() {
                tree &= self.structure(nested, Some((g, n)));
            }
        }
        tree
    }

    fn define(&mut self, v: Value, g: Graph, place: Place) {
        if self.owners.insert(v, g).is_some() {
            let message = format!("{} is defined twice", self.name(v));
            self.fault(place, Some(v), message);
        }
    }

    fn graph(&mut self, g: Graph) {
        let func = self.func;
        if let Some(p) = func[g].replays
            && p != func.root
            && !self.parents.contains_idx(p)
        {
            self.fault(Place::Graph(g), None, "replays a graph that is not part of the function".to_owned());
        }
        for &p in &func[g].params {
            self.visible.insert(p, ());
        }
        for &n in &func[g].nodes {
            for &a in &func[n].args {
                self.used(a, g, Place::Node(n));
            }
            self.operation(n);
            if let Op::Loop(l) = &func[n].op
                && let Some(other) = l.replays
                && !(self.listed.contains_idx(other) && matches!(func[other].op, Op::Loop(_)))
            {
                self.fault(Place::Node(n), None, "replays a loop that is not part of the function".to_owned());
            }
            for nested in func[n].op.graphs() {
                self.graph(nested);
            }
            for &o in &func[n].outs {
                self.visible.insert(o, ());
            }
        }
        for &r in &func[g].results {
            self.used(r, g, Place::Graph(g));
        }
        for &n in &func[g].nodes {
            for &o in &func[n].outs {
                self.visible.remove(o);
            }
        }
        for &p in &func[g].params {
            self.visible.remove(p);
        }
    }

    fn used(&mut self, v: Value, g: Graph, place: Place) {
        if self.visible.contains_idx(v) || self.replayed(v, g) {
            return;
        }
        let name = self.name(v);
        let message = match self.owners.get(v) {
            None => format!("{name} is not defined"),
            Some(&owner) if owner == g || self.enclosing(g).any(|e| e == owner) => {
                format!("{name} is used before it is defined")
            }
            Some(_) => format!("{name} is defined in a graph that is not visible here"),
        };
        self.fault(place, Some(v), message);
    }

    /// Whether a value is one of a graph that `g` replays, or of those around it.
    fn replayed(&self, v: Value, g: Graph) -> bool {
        let Some(&owner) = self.owners.get(v) else { return false };
        let replayed = std::iter::once(g).chain(self.enclosing(g)).filter_map(|e| self.func[e].replays);
        replayed.into_iter().any(|p| p == owner || self.enclosing(p).any(|e| e == owner))
    }

    /// The graphs around `g`, from the inside out.
    fn enclosing(&self, g: Graph) -> impl Iterator<Item = Graph> + '_ {
        std::iter::successors(self.parents.get(g).map(|p| p.0), |&g| self.parents.get(g).map(|p| p.0))
    }
}
