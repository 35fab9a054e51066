//! Makes the primal keep what was decided: further results of arms, residual vectors of loops.

use super::Primal;
use super::decide::Decisions;
use crate::ir::{Builder, Const, Func, Graph, Kind, Loop, LoopKind, Node, Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith;
use la_arena::ArenaMap;
use proc_macro2::Span;

/// Where the pullback finds what was kept.
#[derive(Default)]
pub(super) struct Kept {
    /// For a value kept in an arm: the result of the branch, in the enclosing graph, and whether it is optional.
    pub(super) exported: ArenaMap<Value, (Value, bool)>,
    /// For a loop: its residuals.
    pub(super) residuals: ArenaMap<Node, Residuals>,
}

/// The residual vector of a loop.
pub(super) struct Residuals {
    /// What a slot holds, in order.
    pub(super) values: Vec<Value>,
    /// The vector after the outermost loop: a value of the graph of that loop.
    pub(super) stack: Value,
    /// Where the slots of one execution begin.
    pub(super) base: Base,
    /// Whether the slots are made before the loop, and not pushed one by one.
    pub(super) made: bool,
}

/// Where the slots of one execution of a loop begin.
#[derive(Clone)]
pub(super) enum Base {
    /// At the start of the vector.
    Start,
    /// At a value of the graph of the loop.
    Noted(Value),
    /// As many executions of the same length came before as these loops around it count, the outermost first.
    Multiple(Vec<Node>),
}

struct Keeper<'f> {
    f: &'f mut Func,
    primal: &'f Primal,
    /// What each graph keeps; grows with what nested graphs hand up.
    lists: ArenaMap<Graph, Vec<Value>>,
    kept: Kept,
    /// Results of branches that are optional.
    options: ArenaMap<Value, ()>,
    /// The loops around, the outermost first; an arm is `None`.
    around: Vec<Option<Node>>,
    /// The owners of values that this pass makes.
    owner: ArenaMap<Value, Graph>,
}

/// The current versions of the residual vectors that are threaded through a graph, in a fixed order.
type Stacks = Vec<(Node, Value)>;

/// Keeps.
pub(super) fn keep(func: &mut Func, primal: &Primal, decisions: &Decisions) -> Kept {
    let lists = decisions.kept.clone();
    let mut k = Keeper {
        f: func,
        primal,
        lists,
        kept: Kept::default(),
        options: ArenaMap::default(),
        around: Vec::new(),
        owner: ArenaMap::default(),
    };
    let mut stacks = Stacks::new();
    k.graph(primal.root, &mut stacks, false);
    k.kept
}

impl Keeper<'_> {
    /// Rewrites a graph. `stacks`: the vectors of enclosing loops' loops; updated. `in_loop`: whether a loop encloses it.
    fn graph(&mut self, g: Graph, stacks: &mut Stacks, in_loop: bool) {
        let old = std::mem::take(&mut self.f[g].nodes);
        for n in old {
            match self.f[n].op.clone() {
                Op::Closure(_) => self.f[g].nodes.push(n),
                Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                    self.branch(g, n, then_, else_, stacks, in_loop);
                }
                Op::Loop(l) => self.loop_(g, n, &l, stacks, in_loop),
                _ => self.f[g].nodes.push(n),
            }
        }
    }

    /// Whether a graph or one nested in it keeps anything.
    fn keeps(&self, g: Graph) -> bool {
        let mut found = self.lists.get(g).is_some_and(|l| !l.is_empty());
        self.f.walk(g, &mut |_, n| {
            for inner in self.f[n].op.graphs() {
                found |= self.lists.get(inner).is_some_and(|l| !l.is_empty());
            }
        });
        found
    }

    /// The loops in a graph, outer ones first, that may need a vector.
    fn loops_in(&self, g: Graph) -> Vec<Node> {
        let mut found = Vec::new();
        self.f.walk(g, &mut |_, n| {
            if let Op::Loop(l) = &self.f[n].op
                && self.keeps(l.body)
            {
                found.push(n);
            }
        });
        found
    }

    fn hand_up(&mut self, g: Graph, v: Value) {
        self.owner.insert(v, g);
        if g == self.primal.root {
            return;
        }
        match self.lists.get_mut(g) {
            Some(l) => l.push(v),
            None => {
                self.lists.insert(g, vec![v]);
            }
        }
    }

    fn branch(&mut self, g: Graph, n: Node, then_: Graph, else_: Graph, stacks: &mut Stacks, in_loop: bool) {
        let span = self.f[n].span;
        // vectors that loops in the arms push on
        let inner: Vec<Node> = if in_loop { [self.loops_in(then_), self.loops_in(else_)].concat() } else { Vec::new() };
        let threaded: Vec<usize> = (0..stacks.len()).filter(|&i| inner.contains(&stacks[i].0)).collect();
        for arm in [then_, else_] {
            let mut own = stacks.clone();
            self.around.push(None);
            self.graph(arm, &mut own, in_loop);
            self.around.pop();
            for &i in &threaded {
                self.f[arm].results.push(own[i].1);
            }
        }
        for &i in &threaded {
            let ty = self.f.ty(stacks[i].1).clone();
            let out = self.f.value(ty, Some("residuals".to_owned()), span);
            self.f[n].outs.push(out);
            stacks[i].1 = out;
        }
        for (arm, other) in [(then_, else_), (else_, then_)] {
            for v in self.lists.get(arm).cloned().unwrap_or_default() {
                let (out, optional) = self.export(n, arm, other, v, span);
                self.kept.exported.insert(v, (out, optional));
                self.hand_up(g, out);
            }
        }
        self.f[g].nodes.push(n);
    }

    /// Makes a value of an arm a result of the branch.
    fn export(&mut self, n: Node, arm: Graph, other: Graph, v: Value, span: Span) -> (Value, bool) {
        let ty = self.f.ty(v).clone();
        let name = self.f[v].name.clone();
        let mut b = Builder::new(self.f, other, span);
        let (own, absent, ty, optional) = match dummy(&mut b, &ty) {
            Some(d) => (v, d, ty, false),
            // handed up from an inner arm: it is optional already
            None if ty == Type::Inactive && self.options.contains_idx(v) => {
                let absent = b.push(Op::Absent, vec![], Type::Inactive);
                (v, absent, ty, false)
            }
            None => {
                let absent = b.push(Op::Absent, vec![], Type::Inactive);
                let some = Builder::new(self.f, arm, span).push(Op::Some, vec![v], Type::Inactive);
                (some, absent, Type::Inactive, true)
            }
        };
        self.f[arm].results.push(own);
        self.f[other].results.push(absent);
        let out = self.f.value(ty, name, span);
        if optional || self.options.contains_idx(v) {
            self.options.insert(out, ());
        }
        self.f[n].outs.push(out);
        (out, optional)
    }

    fn loop_(&mut self, g: Graph, n: Node, l: &Loop, stacks: &mut Stacks, in_loop: bool) {
        let span = self.f[n].span;
        if !self.keeps(l.body) {
            self.f[g].nodes.push(n);
            return;
        }
        let needed: Vec<Node> = std::iter::once(n).chain(self.loops_in(l.body)).collect();
        if !in_loop {
            // the outermost loop: its vectors and those of the loops in it begin empty
            for &m in &needed {
                let mut b = Builder::new(self.f, g, span);
                let empty = b.push(Op::VecEmpty, vec![], Type::Vec(Box::new(Type::Dyn)));
                b.name(empty, "residuals");
                stacks.push((m, empty));
            }
        }
        let threaded: Vec<usize> = (0..stacks.len()).filter(|&i| needed.contains(&stacks[i].0)).collect();
        let own = stacks.iter().position(|(m, _)| *m == n).expect("every loop that keeps has a vector");
        let base = in_loop.then(|| {
            let mut b = Builder::new(self.f, g, span);
            let base = b.push(Op::Len, vec![stacks[own].1], Type::USIZE);
            b.name(base, "base");
            base
        });
        // thread the vectors through the loop
        let mut inside = stacks.clone();
        let mut own_param = stacks[own].1;
        let mut own_arg = 0;
        for &i in &threaded {
            let ty = self.f.ty(stacks[i].1).clone();
            let p = self.f.value(ty.clone(), Some("residuals".to_owned()), span);
            self.f[l.body].params.push(p);
            self.f[n].args.push(stacks[i].1);
            inside[i].1 = p;
            if i == own {
                own_param = p;
                own_arg = self.f[n].args.len() - 1;
            }
            if let crate::ir::LoopKind::While { cond } = l.kind {
                let p = self.f.value(ty, None, span);
                self.f[cond].params.push(p);
            }
        }
        self.around.push(Some(n));
        self.graph(l.body, &mut inside, true);
        self.around.pop();
        let values = self.lists.get(l.body).cloned().unwrap_or_default();
        let (mut made, mut slots_base) = (false, base.map_or(Base::Start, Base::Noted));
        if !values.is_empty() {
            let types: Vec<Type> = values.iter().map(|&v| self.f.ty(v).clone()).collect();
            let mut b = Builder::new(self.f, l.body, span);
            let slot = match values.as_slice() {
                [one] => *one,
                _ => b.push(Op::Tuple, values.clone(), Type::Tuple(types)),
            };
            let slot_ty = b.func.ty(slot).clone();
            let vec_ty = Type::Vec(Box::new(slot_ty));
            let before = inside[own].1;
            // the slots' type is known only now
            self.f.values[own_param].ty = vec_ty.clone();
            self.f.values[stacks[own].1].ty = vec_ty.clone();
            made = Range::of(l).is_some() && values.iter().all(|&v| has_constant(self.f.ty(v)));
            if made {
                (slots_base, self.f.nodes[n].args[own_arg], inside[own].1) =
                    self.make_slots(g, n, l, stacks[own].1, [before, slot], base);
            } else {
                inside[own].1 =
                    Builder::new(self.f, l.body, span).push(Op::Push(Path::default()), vec![before, slot], vec_ty);
            }
        }
        for &i in &threaded {
            let v = inside[i].1;
            self.f[l.body].results.push(v);
            let ty = self.f.ty(v).clone();
            let out = self.f.value(ty, Some("residuals".to_owned()), span);
            self.f[n].outs.push(out);
            stacks[i].1 = out;
        }
        self.f[g].nodes.push(n);
        if let Base::Noted(base) = slots_base
            && !values.is_empty()
        {
            self.hand_up(g, base);
        }
        self.kept.residuals.insert(n, Residuals { values, stack: stacks[own].1, base: slots_base, made });
        if !in_loop {
            // the final vectors are what the pullback reads
            for &m in &needed {
                let at = stacks.iter().position(|(k, _)| *k == m).expect("pushed above");
                let (_, v) = stacks.remove(at);
                if let Some(r) = self.kept.residuals.get_mut(m) {
                    r.stack = v;
                    if !r.values.is_empty() && g != self.primal.root {
                        self.hand_up(g, v);
                    }
                    self.owner.insert(v, g);
                }
            }
        }
    }

    /// Makes the slots of a loop before it, and fills one in each iteration. Gives where they begin, the vector before
    /// the loop, and that at the end of an iteration, which is `before` with `slot` in it.
    fn make_slots(
        &mut self,
        g: Graph,
        n: Node,
        l: &Loop,
        stack: Value,
        [before, slot]: [Value; 2],
        noted: Option<Value>,
    ) -> (Base, Value, Value) {
        let span = self.f[n].span;
        let ty = self.f.ty(before).clone();
        let slot_ty = self.f.ty(slot).clone();
        let base = match (noted, self.regular(n)) {
            (None, _) => Base::Start,
            (Some(_), Some(loops)) => Base::Multiple(loops),
            (Some(noted), None) => Base::Noted(noted),
        };
        let range = Range::of(l).expect("a loop over a range");
        let own = [self.f[n].args[0], self.f[n].args[1]];
        let around: Vec<(Range, [Value; 3])> = match &base {
            Base::Multiple(loops) => loops.iter().map(|&m| self.index_of(m)).collect(),
            _ => Vec::new(),
        };
        let mut b = Builder::new(self.f, g, span);
        let count = range.count(&mut b, own);
        let (mut counts, mut start) = (Vec::new(), None);
        match base {
            Base::Start => counts.push(count),
            Base::Noted(noted) => {
                counts.push(b.prim(&arith::ADD, &[noted, count]));
                start = Some(noted);
            }
            Base::Multiple(_) => {
                counts.extend(around.iter().map(|(range, [_, lo, hi])| range.count(&mut b, [*lo, *hi])));
                counts.push(count);
                let first = multiple(&mut b, &around, count);
                // those of this execution, which are the next ones unless a loop around goes downwards
                counts.insert(0, b.prim(&arith::ADD, &[first, count]));
                start = Some(first);
            }
        }
        let absent = dummy(&mut b, &slot_ty).expect("checked");
        let args = [stack, absent].into_iter().chain(counts).collect();
        let made = b.push(Op::Lengthen, args, ty.clone());
        b.name(made, "residuals");
        let path = Path(vec![Step::Range { from: start.is_some(), end: RangeEnd::Exclusive }, Step::Index]);
        let bounds = bounds(&mut b, start, count);
        let index = b.func[l.body].params[0];
        let mut b = Builder::new(self.f, l.body, span);
        let ordinal = range.ordinal(&mut b, [index, own[0], own[1]]);
        let args = std::iter::once(before).chain(bounds).chain([ordinal, slot]).collect();
        let after = b.push(Op::Update(path), args, ty);
        (base, made, after)
    }

    /// The loops around a loop, if that is run in every iteration of theirs and always as often.
    fn regular(&self, n: Node) -> Option<Vec<Node>> {
        let first = self.around.iter().rposition(Option::is_none).map_or(0, |i| i + 1);
        // an arm inside of the outermost loop
        if self.around[..first].iter().any(Option::is_some) {
            return None;
        }
        let loops: Vec<Node> = self.around[first..].iter().flatten().copied().collect();
        let Op::Loop(outermost) = &self.f[*loops.first()?].op else { return None };
        let same = |&m: &Node| self.f[m].args[..2].iter().all(|&v| self.invariant(v, outermost.body, 0));
        let counted = |&m: &Node| matches!(&self.f[m].op, Op::Loop(l) if Range::of(l).is_some());
        (loops.iter().all(counted) && loops[1..].iter().all(same) && same(&n)).then_some(loops)
    }

    /// Whether a value is the same in every iteration of the loop with this body.
    fn invariant(&self, v: Value, body: Graph, depth: usize) -> bool {
        let mut at = self.primal.owner.get(v).copied();
        loop {
            match at {
                None => return true,
                Some(g) if g == body => break,
                Some(g) => at = self.primal.parent.get(g).map(|(_, outer)| *outer),
            }
        }
        let Some(&n) = self.primal.def.get(v) else { return false };
        let pure = match &self.f[n].op {
            Op::Const(_) | Op::Cast(_) | Op::Steps { .. } => true,
            Op::Prim(p) => p.kind == Kind::Arithmetic,
            Op::Verbatim(code) => code.pure_,
            _ => false,
        };
        depth < 16 && pure && self.f[n].args.iter().all(|&a| self.invariant(a, body, depth + 1))
    }

    /// The range of a loop; its index in an iteration, and its bounds.
    fn index_of(&self, n: Node) -> (Range, [Value; 3]) {
        let Op::Loop(l) = &self.f[n].op else { unreachable!("a loop") };
        let range = Range::of(l).expect("a loop over a range");
        (range, [self.f[l.body].params[0], self.f[n].args[0], self.f[n].args[1]])
    }
}

/// A loop that runs once for each number of its range.
#[derive(Clone, Copy)]
pub(super) struct Range {
    inclusive: bool,
    reversed: bool,
}

impl Range {
    pub(super) fn of(l: &Loop) -> Option<Range> {
        match l.kind {
            LoopKind::For { inclusive, reversed } if !l.exits => Some(Range { inclusive, reversed }),
            _ => None,
        }
    }

    /// The number of iterations.
    pub(super) fn count(self, b: &mut Builder<'_>, [lo, hi]: [Value; 2]) -> Value {
        let one = b.int(1);
        b.push(Op::Steps { inclusive: self.inclusive }, vec![lo, hi, one], Type::USIZE)
    }

    /// How many iterations came before the one with this index, in the order of the primal.
    pub(super) fn ordinal(self, b: &mut Builder<'_>, [index, lo, hi]: [Value; 3]) -> Value {
        if !self.reversed {
            return b.push(Op::Offset, vec![lo, index], Type::USIZE);
        }
        let back = b.push(Op::Offset, vec![index, hi], Type::USIZE);
        if self.inclusive {
            return back;
        }
        let one = b.int(1);
        b.prim(&arith::SUB, &[back, one])
    }
}

/// Where the slots of a loop of `count` iterations begin that is run once in every iteration of those around it.
pub(super) fn multiple(b: &mut Builder<'_>, around: &[(Range, [Value; 3])], count: Value) -> Value {
    let mut position = None;
    for &(range, values) in around {
        let ordinal = range.ordinal(b, values);
        position = Some(match position {
            None => ordinal,
            Some(outer) => {
                let own = range.count(b, [values[1], values[2]]);
                let before = b.prim(&arith::MUL, &[outer, own]);
                b.prim(&arith::ADD, &[before, ordinal])
            }
        });
    }
    let position = position.expect("a loop around");
    b.prim(&arith::MUL, &[position, count])
}

/// The bounds of the slots of one execution.
pub(super) fn bounds(b: &mut Builder<'_>, start: Option<Value>, count: Value) -> Vec<Value> {
    match start {
        None => vec![count],
        Some(start) => vec![start, b.prim(&arith::ADD, &[start, count])],
    }
}

/// Whether there is a constant of a type whose values are copied.
fn has_constant(ty: &Type) -> bool {
    match ty {
        Type::Tuple(ts) => ts.iter().all(has_constant),
        Type::Option(t) => has_constant(t),
        ty => matches!(ty, Type::Float(_) | Type::Int(_) | Type::Bool | Type::Unit),
    }
}

/// A constant of a type that is never read.
pub(super) fn dummy(b: &mut Builder<'_>, ty: &Type) -> Option<Value> {
    let c = match ty {
        Type::Float(_) => Const::Float(0.0, "0.0".to_owned()),
        Type::Int(_) => Const::Int("0".to_owned()),
        Type::Bool => Const::Bool(false),
        Type::Unit => Const::Unit,
        Type::Vec(_) => return Some(b.push(Op::VecEmpty, vec![], ty.clone())),
        Type::Option(_) | Type::Fault => return Some(b.push(Op::Absent, vec![], ty.clone())),
        Type::Tuple(ts) => {
            let parts = ts.iter().map(|t| dummy(b, t)).collect::<Option<Vec<_>>>()?;
            return Some(b.push(Op::Tuple, parts, ty.clone()));
        }
        _ => return None,
    };
    Some(b.push(Op::Const(c), vec![], ty.clone()))
}
