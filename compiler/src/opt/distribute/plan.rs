//! Which loops of the adjoint can be done sum by sum.

use crate::ir::primitive::{Cost, Kind};
use crate::ir::{Func, Loop, LoopKind, Node, Op, Type, Value};
use crate::opt::affine::{Forms, Linear};
use crate::opt::block::plan::{is_simple, is_vectorised};
use crate::opt::element::{Within, element};
use crate::opt::lanes::{is_plain_float, sum};
use crate::prims::arith::NEG;
use la_arena::ArenaMap;

/// What something in the body depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// On nothing in the loop: it is the same in every iteration.
    Fixed,
    /// On the number of the iteration.
    Index,
    /// On what is in the arrays at the place of the iteration.
    Each,
}

/// A loop with a part of the work.
pub(super) enum Stage {
    /// All carried numbers, which are sums, by their places.
    Numbers(Vec<usize>),
    /// What is added at places of an aggregate that are near each other.
    Places(Vec<Part>),
    /// All that changes elements which only one iteration has.
    Own,
}

/// What is added at one of several places that are near each other.
pub(super) struct Part {
    /// The node that adds.
    pub(super) node: Node,
    /// What it needs, and the node itself, in their order.
    pub(super) nodes: Vec<Node>,
    /// How far its place is behind the first of them.
    pub(super) offset: usize,
}

/// How far places of one loop are from each other at most; less than a block has iterations.
const REACH: i64 = 4;

/// What is done in which order.
pub(super) struct Plan {
    /// What each node depends on.
    pub(super) classes: ArenaMap<Node, Class>,
    /// Those that are the same in every iteration or follow from its number.
    pub(super) anywhere: ArenaMap<Node, ()>,
    /// Which carried value a value is a version of.
    pub(super) version: ArenaMap<Value, usize>,
    /// Which carried value a node changes.
    pub(super) changes: ArenaMap<Node, usize>,
    /// Where nodes read or change elements.
    pub(super) places: ArenaMap<Node, Place>,
    /// The loops one after the other, each with its nodes in their order, but for those that are the same in each iteration
    /// or follow from its number.
    pub(super) stages: Vec<(Stage, Vec<Node>)>,
}

/// A place: the linear form of the index, and the slice that it counts in.
pub(super) type Place = (Linear, Within);

struct Planner<'f> {
    func: &'f Func,
    l: &'f Loop,
    forms: Forms,
    /// The nodes that the results of the primal depend on.
    exact: &'f ArenaMap<Node, ()>,
    values: ArenaMap<Value, Class>,
    plan: Plan,
}

impl Plan {
    /// A plan for a loop, if it is one that adds up in the adjoint, and worth it.
    pub(super) fn of(func: &Func, n: Node, exact: &ArenaMap<Node, ()>) -> Option<Plan> {
        let Op::Loop(l) = &func[n].op else { return None };
        let body = &func[l.body];
        if l.exits || !matches!(l.kind, LoopKind::For { inclusive: false, .. }) || body.params.len() < 2 {
            return None;
        }
        if *func.ty(body.params[0]) != Type::USIZE || !body.nodes.iter().all(|&n| is_simple(&func[n].op)) {
            return None;
        }
        // an aggregate that is also read as it was before the loop
        let was = |v: &Value| !func.ty(*v).is_scalar() && func[n].args[2..].contains(v);
        if body.nodes.iter().any(|&n| func[n].args.iter().any(was)) {
            return None;
        }
        let (classes, version, changes) = (ArenaMap::default(), ArenaMap::default(), ArenaMap::default());
        let (anywhere, places) = (ArenaMap::default(), ArenaMap::default());
        let plan = Plan { classes, anywhere, version, changes, places, stages: Vec::new() };
        let forms = Forms::new(func, l.body);
        let mut planner = Planner { func, l, forms, exact, values: ArenaMap::default(), plan };
        planner.plan()?;
        Some(planner.plan)
    }
}

impl Planner<'_> {
    fn plan(&mut self) -> Option<()> {
        let body = &self.func[self.l.body];
        self.values.insert(body.params[0], Class::Index);
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        for (k, &p) in body.params[1..].iter().enumerate() {
            if body.params.contains(&body.results[k]) {
                return None;
            }
            match self.func.ty(p).is_scalar() {
                true => numbers.push((k, sum(self.func, self.l.body, k, self.exact)?)),
                false => self.versions(k, p)?,
            }
        }
        for &n in &body.nodes {
            if !numbers.iter().any(|&(_, sum)| sum == n) {
                self.plan.places.extend(self.place(n).map(|place| (n, place)));
                let class = self.class(n)?;
                self.plan.classes.insert(n, class);
                if class < Class::Each {
                    self.plan.anywhere.insert(n, ());
                }
                self.values.extend(self.func[n].outs.iter().map(|&o| (o, class)));
            }
        }
        let mut own = Vec::new();
        for k in 0..body.results.len() {
            if self.func.ty(body.params[1 + k]).is_scalar() {
                continue;
            }
            match self.one_place(k) {
                true => own.extend(self.changes(k)),
                false => places.extend(self.free_places(k)?),
            }
        }
        let mut stages = Vec::new();
        if !numbers.is_empty() {
            let operands = numbers.iter().flat_map(|&(_, n)| self.func[n].args.clone());
            let mut nodes = self.needed(operands.collect(), false)?;
            nodes.extend(numbers.iter().map(|&(_, n)| n));
            stages.push((Stage::Numbers(numbers.iter().map(|&(k, _)| k).collect()), nodes));
        }
        for parts in self.near(places)? {
            let nodes = parts.iter().flat_map(|part| part.nodes.clone()).collect();
            stages.push((Stage::Places(parts), nodes));
        }
        if !own.is_empty() {
            let operands = own.iter().flat_map(|&n| [self.func[n].args.clone(), self.func[n].outs.clone()].concat());
            stages.push((Stage::Own, self.needed(operands.collect(), true)?));
        }
        self.plan.stages = stages;
        self.pays().then_some(())
    }

    /// Follows a carried aggregate through the body.
    fn versions(&mut self, k: usize, p: Value) -> Option<()> {
        let body = &self.func[self.l.body];
        let mut at = p;
        self.plan.version.insert(at, k);
        for &n in &body.nodes {
            let node = &self.func[n];
            if node.op.consumes().is_some_and(|i| node.args[i] == at) {
                at = *node.outs.last()?;
                self.plan.version.insert(at, k);
                self.plan.changes.insert(n, k);
            } else if !matches!(node.op, Op::Load(_)) && node.args.iter().any(|&a| self.plan.version.get(a) == Some(&k))
            {
                return None;
            }
        }
        (at == body.results[k]).then_some(())
    }

    fn class(&self, n: Node) -> Option<Class> {
        let node = &self.func[n];
        let of = |v: &Value| self.values.get(*v).copied().unwrap_or(Class::Fixed);
        let most =
            node.args.iter().filter(|a| !self.plan.version.contains_idx(**a)).map(of).max().unwrap_or(Class::Fixed);
        let version = node.args.iter().any(|a| self.plan.version.contains_idx(*a));
        let float = node.outs.iter().all(|&o| self.plan.version.contains_idx(o) || is_plain_float(self.func.ty(o)));
        match (&node.op, most) {
            (Op::Load(_) | Op::Update(_) | Op::AddAt(_) | Op::Take(_), _) if version || most > Class::Fixed => {
                (float && self.plan.places.contains_idx(n)).then_some(Class::Each)
            }
            (_, Class::Fixed) => Some(Class::Fixed),
            (Op::Prim(prim), _) if float && matches!(prim.kind, Kind::Arithmetic | Kind::Select) => {
                is_vectorised(prim.name, prim.cost).then_some(Class::Each)
            }
            (Op::Prim(prim), Class::Each) => matches!(prim.kind, Kind::Compare | Kind::Logic).then_some(Class::Each),
            (
                Op::Prim(_) | Op::Offset | Op::Steps { .. } | Op::NthStep | Op::Nth { .. } | Op::Cast(_),
                Class::Index,
            ) => Some(Class::Index),
            _ => None,
        }
    }

    /// Where a node reads or changes a number, if the next iteration does so in the next element.
    fn place(&self, n: Node) -> Option<Place> {
        let at = element(self.func, n)?;
        let form = self.forms.of(at.index)?;
        let steady = at.operands.iter().all(|&v| self.forms.is_steady(v)) && at.rest.is_empty();
        let path = self.func[n].op.path()?;
        (steady && form.stride == 1 && path.0.len() == at.prefix.len() + 1).then(|| (form, at.within()))
    }

    /// The nodes that change a carried aggregate, in order.
    fn changes(&self, k: usize) -> Vec<Node> {
        let nodes = self.func[self.l.body].nodes.iter().copied();
        nodes.filter(|&n| self.plan.changes.get(n) == Some(&k)).collect()
    }

    /// Whether each iteration has one element of a carried aggregate for itself.
    fn one_place(&self, k: usize) -> bool {
        let nodes = self.func[self.l.body].nodes.iter().copied();
        let mut own =
            nodes.filter(|&n| self.func[n].args.first().is_some_and(|a| self.plan.version.get(*a) == Some(&k)));
        let first = own.next().and_then(|n| self.plan.places.get(n));
        first.is_some() && own.all(|n| self.plan.places.get(n) == first)
    }

    /// The nodes that add to a carried aggregate, if nothing else happens to it and they belong to the adjoint.
    fn free_places(&self, k: usize) -> Option<Vec<Node>> {
        let body = &self.func[self.l.body];
        let mut own = body
            .nodes
            .iter()
            .copied()
            .filter(|&n| self.func[n].args.iter().any(|a| self.plan.version.get(*a) == Some(&k)));
        own.all(|n| matches!(self.func[n].op, Op::AddAt(_)) && !self.exact.contains_idx(n)).then(|| self.changes(k))
    }

    /// The nodes that add to aggregates, those together whose places are near each other.
    fn near(&self, places: Vec<Node>) -> Option<Vec<Vec<Part>>> {
        let mut groups: Vec<Vec<Part>> = Vec::new();
        let mut left = places;
        while let Some(&first) = left.first() {
            let (form, within) = &self.plan.places[first];
            let offset = |n: &Node| {
                let (other, other_within) = &self.plan.places[*n];
                let same = self.plan.changes[*n] == self.plan.changes[first] && within == other_within;
                other.plus(form, -1)?.as_constant().filter(|_| same)
            };
            let mut group: Vec<(i64, Node)> = left.iter().filter_map(|n| Some((offset(n)?, *n))).collect();
            group.sort_by_key(|&(offset, _)| offset);
            let start = group[0].0;
            group.retain(|(offset, _)| offset.saturating_sub(start) <= REACH);
            left.retain(|n| !group.iter().any(|(_, other)| other == n));
            let mut parts = Vec::new();
            for (offset, node) in group {
                let mut nodes = self.needed(self.func[node].args[1..].to_vec(), false)?;
                nodes.push(node);
                parts.push(Part { node, nodes, offset: usize::try_from(offset - start).ok()? });
            }
            groups.push(parts);
        }
        Some(groups)
    }

    /// What some values follow from, in the order of the body. `own`: in the loop that changes elements; any other comes
    /// before that, and can only read them as they are at first.
    fn needed(&self, mut work: Vec<Value>, own: bool) -> Option<Vec<Node>> {
        let body = &self.func[self.l.body];
        let mut found: ArenaMap<Node, ()> = ArenaMap::default();
        while let Some(v) = work.pop() {
            let Some(n) = body.nodes.iter().copied().find(|&n| self.func[n].outs.contains(&v)) else { continue };
            if self.plan.classes.get(n) != Some(&Class::Each) || found.insert(n, ()).is_some() {
                continue;
            }
            let args = &self.func[n].args;
            let root = args.first().filter(|a| self.plan.version.contains_idx(**a));
            match root {
                Some(root) if !own && !body.params.contains(root) => return None,
                Some(_) if !own && !matches!(self.func[n].op, Op::Load(_) | Op::Take(_)) => return None,
                Some(_) if !own => work.extend(&args[1..]),
                _ => work.extend(args),
            }
        }
        Some(body.nodes.iter().copied().filter(|&n| found.contains_idx(n)).collect())
    }

    /// Whether there is more than one loop, and they do not do much more together than the one did.
    fn pays(&self) -> bool {
        let work = |n: Node| match &self.func[n].op {
            Op::Prim(prim) if *prim == &NEG => 0,
            Op::Prim(prim) if prim.cost == Cost::Division => 4,
            Op::Prim(_) | Op::AddAt(_) => 1,
            _ => 0,
        };
        let all: usize = self.func[self.l.body].nodes.iter().map(|&n| work(n)).sum();
        let stages = &self.plan.stages;
        let together: usize = stages.iter().flat_map(|(_, nodes)| nodes).map(|&n| work(n)).sum();
        let sums = |stage: &Stage| if let Stage::Places(parts) = stage { parts.len() } else { 1 };
        stages.iter().map(|(stage, _)| sums(stage)).sum::<usize>() > 1 && 2 * together <= 3 * all
    }
}
