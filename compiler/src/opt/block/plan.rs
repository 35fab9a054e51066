//! What of a loop can be done for several iterations at once.

use crate::ir::primitive::{Cost, Kind};
use crate::ir::{Func, Loop, LoopKind, Node, Op, Step, Type, Value};
use crate::opt::affine::{Forms, Linear};
use crate::opt::element::{Within, element};
use crate::opt::lanes::{is_plain_float, sum};
use crate::prims::arith::NEG;
use la_arena::ArenaMap;
use std::collections::{BTreeMap, BTreeSet};

/// When something of an iteration is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Once for the block: it is the same in every iteration.
    Fixed,
    /// Wherever it is needed: it follows from the number of the iteration.
    Index,
    /// For all iterations of the block together.
    Apart,
    /// In the order of the iterations.
    InOrder,
}

/// A slice that the iterations of a block go through.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Of what: the root of a load, or the carried value by its place.
    pub(super) of: Root,
    /// Slices before it, with their operands.
    pub(super) prefix: Vec<Step>,
    pub(super) operands: Vec<Value>,
    /// The index that it begins with in the first iteration.
    pub(super) start: Value,
    /// The elements between two iterations, and those beyond the first in one.
    pub(super) stride: usize,
    pub(super) span: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Value(u32),
    Carried(usize),
}

/// What a window may be shared by: what the places are in, their loop, their form without the constant and their slice.
type Group = (Root, usize, Linear, Within);

/// What is done when.
pub(super) struct Plan {
    /// When each node is done.
    pub(super) classes: ArenaMap<Node, Class>,
    /// Those that are the same in every iteration or follow from its number.
    pub(super) anywhere: ArenaMap<Node, ()>,
    /// When each carried value changes.
    pub(super) carried: Vec<Class>,
    /// What is computed apart and then needed in order.
    pub(super) kept: Vec<Value>,
    pub(super) windows: Vec<Window>,
    /// Through which window a node reads or changes, and at which offset.
    pub(super) through: ArenaMap<Node, (usize, usize)>,
    /// Which carried value a node changes.
    pub(super) changes: ArenaMap<Node, usize>,
    /// The carried numbers that are sums of the adjoint, in lanes, each with the node that adds to it.
    pub(super) lanes: Vec<(usize, Node)>,
    /// The loops that go in order, one after the other, by their nodes.
    pub(super) stages: Vec<Vec<Node>>,
}

/// The least work that is worth a loop of its own, in additions.
const LEAST: usize = 4;
/// The most that lies between what one iteration reads through one window.
const SPAN: i64 = 16;
/// The widest step of a window.
const STRIDE: i64 = 8;
/// The most numbers that are kept from what is done apart.
const KEPT: usize = 16;

struct Planner<'f> {
    func: &'f Func,
    l: &'f Loop,
    inits: &'f [Value],
    forms: Forms,
    plan: Plan,
    /// When each value is there.
    values: ArenaMap<Value, Class>,
    /// Which carried value a value is a version of.
    version: ArenaMap<Value, usize>,
    /// The nodes that the results of the primal depend on; `None` if all may be.
    exact: Option<&'f ArenaMap<Node, ()>>,
}

impl Plan {
    /// A plan for a loop, if it is worth it.
    pub(super) fn of(func: &Func, n: Node, exact: Option<&ArenaMap<Node, ()>>) -> Option<Plan> {
        let Op::Loop(l) = &func[n].op else { return None };
        if l.exits || !matches!(l.kind, LoopKind::For { inclusive: false, .. }) || func[l.body].params.len() < 2 {
            return None;
        }
        if *func.ty(func[l.body].params[0]) != Type::USIZE {
            return None;
        }
        let forms = Forms::new(func, l.body);
        let carried = func[l.body].params.len() - 1;
        let plan = Plan {
            classes: ArenaMap::default(),
            anywhere: ArenaMap::default(),
            carried: vec![Class::InOrder; carried],
            kept: Vec::new(),
            windows: Vec::new(),
            through: ArenaMap::default(),
            changes: ArenaMap::default(),
            lanes: Vec::new(),
            stages: Vec::new(),
        };
        let (values, version) = (ArenaMap::default(), ArenaMap::default());
        let mut planner = Planner { func, l, inits: &func[n].args[2..], forms, plan, values, version, exact };
        planner.plan()?;
        Some(planner.plan)
    }
}

impl Planner<'_> {
    fn plan(&mut self) -> Option<()> {
        let body = &self.func[self.l.body];
        if !body.nodes.iter().all(|&n| is_simple(&self.func[n].op)) {
            return None;
        }
        // an aggregate that is also read as it was before the loop
        let was = |v: &Value| !self.func.ty(*v).is_scalar() && self.inits.contains(v);
        if body.nodes.iter().any(|&n| self.func[n].args.iter().any(was)) {
            return None;
        }
        for (k, &p) in body.params[1..].iter().enumerate() {
            // what stays as it is or changes places is for others
            if body.params.contains(&body.results[k]) {
                return None;
            }
            self.versions(k, p)?;
        }
        for k in 0..self.plan.carried.len() {
            if self.is_apart(k) {
                self.plan.carried[k] = Class::Apart;
            }
        }
        while self.classify() {}
        self.in_lanes();
        self.negate_late();
        if !self.pays() {
            return None;
        }
        let classes = self.plan.classes.iter();
        let anywhere = classes.filter(|(_, class)| matches!(class, Class::Index | Class::Fixed));
        self.plan.anywhere = anywhere.map(|(n, _)| (n, ())).collect();
        self.keep()?;
        self.stages();
        self.windows();
        Some(())
    }

    /// Follows a carried aggregate through the body; scalars are like any other value.
    fn versions(&mut self, k: usize, p: Value) -> Option<()> {
        if self.func.ty(p).is_scalar() {
            return Some(());
        }
        let body = &self.func[self.l.body];
        let mut at = p;
        self.version.insert(at, k);
        for &n in &body.nodes {
            let node = &self.func[n];
            if node.op.consumes().is_some_and(|i| node.args[i] == at) {
                at = *node.outs.last()?;
                self.version.insert(at, k);
                self.plan.changes.insert(n, k);
            } else if !matches!(node.op, Op::Load(_) | Op::Len)
                && node.args.iter().any(|&a| self.version.get(a) == Some(&k))
            {
                return None;
            }
        }
        (at == body.results[k]).then_some(())
    }

    /// Whether each iteration has elements of its own of a carried aggregate.
    fn is_apart(&self, k: usize) -> bool {
        let mut place: Option<(Linear, Within)> = None;
        let body = &self.func[self.l.body];
        let mut any = false;
        for &n in &body.nodes {
            let node = &self.func[n];
            if !node.args.iter().any(|&a| self.version.get(a) == Some(&k)) {
                continue;
            }
            any = true;
            let changes = matches!(node.op, Op::Update(_) | Op::AddAt(_) | Op::Take(_));
            let Some(at) = element(self.func, n).filter(|_| changes) else { return false };
            let Some(form) = self.forms.of(at.index) else { return false };
            let steady = at.operands.iter().chain(at.rest).all(|&v| self.forms.is_steady(v));
            if !steady || !(1..=STRIDE).contains(&form.stride) {
                return false;
            }
            let here = (form, at.within());
            if place.as_ref().is_some_and(|place| *place != here) {
                return false;
            }
            place = Some(here);
        }
        any
    }

    /// Says when each node is done; whether something changed, so that it must be done again.
    fn classify(&mut self) -> bool {
        self.values = ArenaMap::default();
        let body = &self.func[self.l.body];
        self.values.insert(body.params[0], Class::Index);
        for (&p, &class) in body.params[1..].iter().zip(&self.plan.carried) {
            self.values.insert(p, class);
        }
        for &n in &body.nodes {
            let class = self.class(n);
            if let Some(&k) = self.plan.changes.get(n)
                && class > self.plan.carried[k]
            {
                self.plan.carried[k] = class;
                return true;
            }
            self.plan.classes.insert(n, class);
            for &o in &self.func[n].outs {
                self.values.insert(o, class);
            }
        }
        false
    }

    /// Of a sum of the adjoint each iteration of a block has a part of its own.
    fn in_lanes(&mut self) {
        let Some(exact) = self.exact else { return };
        for k in 0..self.plan.carried.len() {
            let (p, result) = (self.func[self.l.body].params[1 + k], self.func[self.l.body].results[k]);
            let Some(n) = sum(self.func, self.l.body, k, exact) else { continue };
            if self.func[n].args.iter().all(|&a| a == p || self.values.get(a) == Some(&Class::Apart)) {
                self.plan.lanes.push((k, n));
                self.plan.carried[k] = Class::Apart;
                self.plan.classes.insert(n, Class::Apart);
                self.values.insert(result, Class::Apart);
            }
        }
    }

    /// A number and its negation are not both kept: where only what is in order needs it, it is negated there.
    fn negate_late(&mut self) {
        let body = &self.func[self.l.body];
        for &n in &body.nodes {
            let node = &self.func[n];
            let users = body.nodes.iter().filter(|&&m| self.func[m].args.contains(&node.outs[0]));
            if self.plan.classes[n] == Class::Apart
                && matches!(&node.op, Op::Prim(prim) if *prim == &NEG)
                && users.into_iter().all(|&m| self.plan.classes[m] == Class::InOrder)
            {
                self.plan.classes.insert(n, Class::InOrder);
                self.values.insert(node.outs[0], Class::InOrder);
            }
        }
    }

    fn class(&self, n: Node) -> Class {
        let node = &self.func[n];
        let of = |v: &Value| self.values.get(*v).copied().unwrap_or(Class::Fixed);
        let most = node.args.iter().map(of).max().unwrap_or(Class::Fixed);
        let float = node.outs.iter().all(|&o| is_plain_float(self.func.ty(o)));
        match (&node.op, most) {
            (_, Class::InOrder) => Class::InOrder,
            _ if self.plan.changes.contains_idx(n) => {
                let k = self.plan.changes[n];
                self.plan.carried[k].max(most)
            }
            (_, Class::Fixed) => Class::Fixed,
            (Op::Load(_), _) => {
                let through = element(self.func, n).is_some_and(|at| {
                    let steady = at.operands.iter().chain(at.rest).all(|&v| self.forms.is_steady(v));
                    let form = self.forms.of(at.index);
                    steady && form.is_some_and(|form| (1..=STRIDE).contains(&form.stride))
                });
                if through && float && of(&node.args[0]) == Class::Fixed { Class::Apart } else { Class::InOrder }
            }
            (Op::Prim(prim), _) if float && matches!(prim.kind, Kind::Arithmetic | Kind::Select) => {
                if is_vectorised(prim.name, prim.cost) { Class::Apart } else { Class::InOrder }
            }
            (Op::Prim(prim), Class::Apart) if prim.kind == Kind::Compare || prim.kind == Kind::Logic => Class::Apart,
            (Op::Prim(_) | Op::Offset | Op::Steps { .. } | Op::NthStep | Op::Nth { .. }, Class::Index) => Class::Index,
            (Op::Cast(_), Class::Index) => Class::Index,
            _ => Class::InOrder,
        }
    }

    /// Whether what is done apart is worth the trouble: most of the work is, and something is in order, without which
    /// compilers make vectors by themselves or memory is what the loop waits for.
    fn pays(&self) -> bool {
        let (mut apart, mut in_order) = (0, 0);
        for &n in &self.func[self.l.body].nodes {
            let work = match &self.func[n].op {
                Op::Prim(prim) if prim.cost >= Cost::Transcendental => return false,
                Op::Prim(prim) if *prim == &NEG => 0,
                Op::Prim(prim) if prim.cost == Cost::Division => 4,
                Op::Prim(_) => 1,
                _ => 0,
            };
            match self.plan.classes[n] {
                Class::Apart => apart += work,
                Class::InOrder => in_order += work,
                Class::Fixed | Class::Index => {}
            }
        }
        in_order + self.plan.lanes.len() > 0 && apart >= LEAST && apart >= 2 * in_order
    }

    /// Finds what is kept.
    fn keep(&mut self) -> Option<()> {
        let mut kept = BTreeMap::new();
        let body = &self.func[self.l.body];
        for &n in body.nodes.iter().filter(|&&n| self.plan.classes[n] == Class::InOrder) {
            for &a in &self.func[n].args {
                if self.values.get(a) == Some(&Class::Apart) {
                    if !is_plain_float(self.func.ty(a)) {
                        return None;
                    }
                    kept.insert(a.into_raw().into_u32(), a);
                }
            }
        }
        for (k, &r) in body.results.iter().enumerate() {
            let fits = match self.values.get(r) {
                Some(class) => *class == self.plan.carried[k],
                None => false,
            };
            if !fits {
                return None;
            }
        }
        self.plan.kept = kept.into_values().collect();
        (self.plan.kept.len() <= KEPT).then_some(())
    }

    /// Sorts what is done in order into loops: sums of the adjoint at places that lie apart have their own.
    fn stages(&mut self) {
        let body = &self.func[self.l.body];
        let in_order: Vec<Node> =
            body.nodes.iter().copied().filter(|&n| self.plan.classes[n] == Class::InOrder).collect();
        let mut stages = vec![Vec::new()];
        let mut own: BTreeMap<(usize, Linear, Within), usize> = BTreeMap::new();
        let free: BTreeSet<usize> = (0..self.plan.carried.len()).filter(|&k| self.is_free_sum(k)).collect();
        for n in in_order {
            let k = self.plan.changes.get(n).copied().filter(|k| free.contains(k));
            match k.and_then(|k| self.place(n).map(|(form, within)| (k, Linear { constant: 0, ..form }, within))) {
                Some(key) => {
                    let stage = *own.entry(key).or_insert_with(|| {
                        stages.push(Vec::new());
                        stages.len() - 1
                    });
                    stages[stage].push(n);
                }
                None => stages[0].push(n),
            }
        }
        stages.retain(|stage| !stage.is_empty());
        self.plan.stages = stages;
    }

    /// Whether a carried aggregate is a sum of the adjoint that the body only adds to, at places that lie apart.
    fn is_free_sum(&self, k: usize) -> bool {
        let Some(exact) = self.exact else { return false };
        let body = &self.func[self.l.body];
        let mut places = BTreeSet::new();
        for &n in &body.nodes {
            let node = &self.func[n];
            if !node.args.iter().any(|&a| self.version.get(a) == Some(&k)) {
                continue;
            }
            let apart = node.args[1..].iter().all(|a| self.values.get(*a) != Some(&Class::InOrder));
            let Some(place) = self.place(n) else { return false };
            if !matches!(node.op, Op::AddAt(_)) || !apart || exact.contains_idx(n) {
                return false;
            }
            places.insert((Linear { constant: 0, ..place.0 }, place.1));
        }
        places.len() > 1
    }

    /// Where a node reads or changes an element, if a window can go there: the index, and in which slice it counts.
    fn place(&self, n: Node) -> Option<(Linear, Within)> {
        let at = element(self.func, n)?;
        let form = self.forms.of(at.index)?;
        let steady = at.operands.iter().chain(at.rest).all(|&v| self.forms.is_steady(v));
        (steady && (1..=STRIDE).contains(&form.stride)).then(|| (form, at.within()))
    }

    /// Opens windows: one for all that is read from places that stay close, one for each aggregate that changes, if it
    /// only changes there.
    fn windows(&mut self) {
        let body = &self.func[self.l.body];
        // the places by what they are in and their form without the constant
        let mut groups: BTreeMap<Group, Vec<(i64, Node)>> = BTreeMap::new();
        let mut shut: BTreeSet<(usize, usize)> = BTreeSet::new();
        let stage_of = |n: Node| self.plan.stages.iter().position(|stage| stage.contains(&n)).map_or(0, |k| k + 1);
        for &n in &body.nodes {
            let node = &self.func[n];
            let Some(root) = node.args.first() else { continue };
            let root = match self.version.get(*root) {
                Some(&k) => Root::Carried(k),
                None if self.plan.classes[n] == Class::Apart && matches!(node.op, Op::Load(_)) => {
                    Root::Value(root.into_raw().into_u32())
                }
                None => continue,
            };
            let changes = matches!(node.op, Op::Update(_) | Op::AddAt(_) | Op::Take(_));
            match (self.place(n), root) {
                (Some((form, within)), root) if changes || matches!(root, Root::Value(_)) => {
                    let key = (root, stage_of(n), Linear { constant: 0, ..form.clone() }, within);
                    groups.entry(key).or_default().push((form.constant, n));
                }
                (_, Root::Carried(k)) => drop(shut.insert((k, stage_of(n)))),
                _ => {}
            }
        }
        // of two windows of the same aggregate one would have to be shut
        let roots: Vec<(Root, usize)> = groups.keys().map(|key| (key.0, key.1)).collect();
        for ((root, stage, form, _), mut places) in groups {
            places.sort_by_key(|&(constant, n)| (constant, n.into_raw().into_u32()));
            if let Root::Carried(k) = root {
                let several = roots.iter().filter(|other| **other == (root, stage)).count() > 1;
                let wide = places[places.len() - 1].0.checked_sub(places[0].0).is_none_or(|span| span > SPAN);
                if several || wide || shut.contains(&(k, stage)) {
                    continue;
                }
            }
            let mut at = 0;
            while at < places.len() {
                let first = places[at].0;
                let near = |&(constant, _): &(i64, Node)| constant.checked_sub(first).is_some_and(|d| d <= SPAN);
                let count = places[at..].iter().take_while(|place| near(place)).count();
                let own = &places[at..at + count];
                self.open(root, form.stride, own);
                at += count;
            }
        }
    }

    fn open(&mut self, of: Root, stride: i64, places: &[(i64, Node)]) {
        let (first, n) = places[0];
        let last = places[places.len() - 1].0;
        let at = element(self.func, n).expect("an element");
        let window = Window {
            of,
            prefix: at.prefix.to_vec(),
            operands: at.operands.to_vec(),
            start: at.index,
            stride: usize::try_from(stride).expect("a positive step"),
            span: usize::try_from(last - first).expect("in order"),
        };
        for &(constant, n) in places {
            self.plan
                .through
                .insert(n, (self.plan.windows.len(), usize::try_from(constant - first).expect("in order")));
        }
        self.plan.windows.push(window);
    }
}

/// What may be in the body of a loop that is done in blocks.
pub(in crate::opt) fn is_simple(op: &Op) -> bool {
    match op {
        Op::Prim(prim) => prim.kind != Kind::Whole,
        Op::Const(_) | Op::Cast(_) | Op::Tuple | Op::Load(_) | Op::Update(_) | Op::AddAt(_) | Op::Take(_) => true,
        Op::Offset | Op::Steps { .. } | Op::NthStep | Op::Nth { .. } | Op::Len => true,
        _ => false,
    }
}

/// Whether compilers have vectors for a primitive.
pub(in crate::opt) fn is_vectorised(name: &str, cost: Cost) -> bool {
    cost <= Cost::Division
        && matches!(
            name,
            "add"
                | "sub"
                | "mul"
                | "div"
                | "neg"
                | "recip"
                | "scale"
                | "unscale"
                | "sqrt"
                | "abs"
                | "max"
                | "min"
                | "select"
        )
}
