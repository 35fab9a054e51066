//! Which loops can do several iterations at once.

use crate::ir::primitive::{Cost, Kind};
use crate::ir::{Func, Graph, Loop, LoopKind, Node, Op, Type, Value};
use crate::opt::affine::{Forms, Linear};
use crate::opt::block::is_short;
use crate::opt::block::plan::is_simple;
use crate::opt::element::{Within, element};
use la_arena::ArenaMap;

/// A loop that does several iterations at once.
pub(super) struct Plan {
    /// The loops in its body.
    pub(super) inner: ArenaMap<Node, Inner>,
    /// The nodes of its body that are copied wherever what they give is needed.
    pub(super) anywhere: ArenaMap<Node, ()>,
}

/// A loop that is one for all iterations.
pub(super) struct Inner {
    /// For each carried value the one of the loop around that it is, or `None` if each iteration has its own.
    pub(super) shared: Vec<Option<usize>>,
    /// The nodes that read elements one after the other of what the loop does not change.
    pub(super) slices: Vec<Node>,
    /// The nodes of its body that are copied wherever what they give is needed.
    pub(super) anywhere: ArenaMap<Node, ()>,
}

/// The most nodes in the body of such a loop, and of one in it.
const MOST: usize = 48;
const MOST_INSIDE: usize = 24;

impl Plan {
    /// A plan for a loop, if it is one.
    pub(super) fn of(func: &Func, n: Node) -> Option<Plan> {
        let Op::Loop(l) = &func[n].op else { return None };
        let body = &func[l.body];
        if !is_counted(func, l) || is_short(func, n) || body.nodes.len() > MOST {
            return None;
        }
        let mut plan = Plan { inner: ArenaMap::default(), anywhere: anywhere(func, l.body) };
        for &m in &body.nodes {
            match &func[m].op {
                Op::Loop(inner) => {
                    if is_short(func, m) || !func[m].args[..2].iter().all(|&v| is_same(func, l.body, v)) {
                        return None;
                    }
                    plan.inner.insert(m, Inner::of(func, l, m, inner)?);
                }
                op if is_simple(op) || is_item(op) => {}
                _ => return None,
            }
            if !func[m].outs.iter().all(|&o| is_plain(func.ty(o))) {
                return None;
            }
        }
        let turns = (0..body.results.len()).all(|k| plan.is_in_turn(func, l, k));
        (turns && plan.inner.values().next().is_some()).then_some(plan)
    }

    /// Whether what is done with a carried value is one thing, which gives it to the next iteration.
    fn is_in_turn(&self, func: &Func, l: &Loop, k: usize) -> bool {
        let body = &func[l.body];
        let (p, r) = (body.params[1 + k], body.results[k]);
        let inside = |n: Node, v: Value| func[n].op.graphs().iter().any(|&g| func.free(g).contains(&v));
        let uses = |n: Node, v: Value| func[n].args.contains(&v) || inside(n, v);
        let mut users = body.nodes.iter().copied().filter(|&n| uses(n, p));
        let (Some(n), None) = (users.next(), users.next()) else { return false };
        let handed_on = body.results.iter().filter(|result| **result == r).count() == 1;
        if !handed_on
            || body.results.contains(&p)
            || !func[n].outs.contains(&r)
            || body.nodes.iter().any(|&m| uses(m, r))
        {
            return false;
        }
        match self.inner.get(n) {
            None => true,
            Some(inner) => {
                let at = func[n].outs.iter().position(|o| *o == r).expect("it gives it");
                let once = func[n].args.iter().filter(|a| **a == p).count() == 1;
                once && func[n].args[2 + at] == p && inner.shared[at] == Some(k) && !inside(n, p)
            }
        }
    }
}

impl Inner {
    /// What is known of a loop in the body of another.
    fn of(func: &Func, outer: &Loop, n: Node, l: &Loop) -> Option<Inner> {
        let body = &func[l.body];
        let upwards = matches!(l.kind, LoopKind::For { reversed: false, .. });
        let plain = |op: &Op| match op {
            Op::Prim(prim) => prim.cost < Cost::Transcendental && is_simple(op),
            op => is_simple(op) || is_item(op),
        };
        if !is_counted(func, l) || !upwards || body.nodes.len() > MOST_INSIDE {
            return None;
        }
        let plain = |&m: &Node| plain(&func[m].op) && func[m].outs.iter().all(|&o| is_plain(func.ty(o)));
        if !body.nodes.iter().all(plain) || body.results.iter().any(|r| body.params.contains(r)) {
            return None;
        }
        let forms = Forms::new(func, l.body);
        let mut shared = Vec::new();
        for (k, init) in func[n].args[2..].iter().enumerate() {
            let carried = func[outer.body].params[1..].iter().position(|p| p == init);
            shared.push(match (func.ty(body.params[1 + k]).is_scalar(), carried) {
                (true, None) => None,
                (false, Some(carried)) => {
                    has_own_places(func, outer, l, k, &forms)?;
                    Some(carried)
                }
                _ => return None,
            });
        }
        let slices = body.nodes.iter().copied().filter(|&m| is_slice(func, l, m, &forms)).collect();
        Some(Inner { shared, slices, anywhere: anywhere(func, l.body) })
    }
}

/// Whether values of a type are numbers or made of such, with which nothing happens that is not seen.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Tuple(parts) => parts.iter().all(is_plain),
        Type::Slice(of) | Type::Vec(of) | Type::Array(of) => is_plain(of),
        ty => ty.is_scalar(),
    }
}

/// Whether a loop runs over a range of numbers, and carries something.
fn is_counted(func: &Func, l: &Loop) -> bool {
    let body = &func[l.body];
    let range = matches!(l.kind, LoopKind::For { inclusive: false, .. }) && !l.exits;
    range && body.params.len() > 1 && *func.ty(body.params[0]) == Type::USIZE
}

/// Whether all that happens to a carried aggregate happens, in an iteration, to one element that is the same in every
/// iteration of the loop around.
fn has_own_places(func: &Func, outer: &Loop, l: &Loop, k: usize, forms: &Forms) -> Option<()> {
    let body = &func[l.body];
    let mut at = body.params[1 + k];
    let mut place: Option<(Linear, Within)> = None;
    let mut versions = vec![at];
    for &n in &body.nodes {
        let node = &func[n];
        if !node.args.iter().any(|a| versions.contains(a)) {
            continue;
        }
        if node.args[0] != at || node.args[1..].iter().any(|a| versions.contains(a)) {
            return None;
        }
        if !matches!(node.op, Op::Load(_) | Op::Update(_) | Op::AddAt(_) | Op::Take(_)) {
            return None;
        }
        let element = element(func, n)?;
        let form = forms.of(element.index)?;
        let terms = form.terms.keys().map(|&term| Value::from_raw(term.into()));
        let same = terms.chain(element.operands.iter().chain(element.rest).copied());
        if form.stride < 1 || !same.into_iter().all(|v| is_same(func, outer.body, v)) {
            return None;
        }
        let here = (form, element.within());
        if place.as_ref().is_some_and(|place| *place != here) {
            return None;
        }
        place = Some(here);
        if node.op.consumes().is_some() {
            at = *node.outs.last()?;
            versions.push(at);
        }
    }
    (at == body.results[k]).then_some(())
}

/// Whether a node reads one element after the other of something from outside of the loop.
fn is_slice(func: &Func, l: &Loop, n: Node, forms: &Forms) -> bool {
    let Op::Load(path) = &func[n].op else { return false };
    let Some(at) = element(func, n) else { return false };
    let whole = at.rest.is_empty() && path.0.len() == at.prefix.len() + 1;
    let steady = at.operands.iter().all(|&v| forms.is_steady(v)) && is_from_outside(func, l.body, func[n].args[0]);
    whole && steady && forms.of(at.index).is_some_and(|form| form.stride == 1)
}

/// The nodes of a body that only compute integers, without what the body changes.
fn anywhere(func: &Func, body: Graph) -> ArenaMap<Node, ()> {
    let nodes = func[body].nodes.iter().copied().filter(|&n| is_integer(func, n));
    let steady = |n: &Node| !matches!(func[*n].op, Op::Len) || is_from_outside(func, body, func[*n].args[0]);
    nodes.filter(steady).map(|n| (n, ())).collect()
}

/// Whether a node computes an integer from others, or the length of something.
fn is_integer(func: &Func, n: Node) -> bool {
    match &func[n].op {
        Op::Prim(prim) => prim.kind == Kind::Arithmetic && matches!(func.ty(func[n].outs[0]), Type::Int(_)),
        Op::Const(_) | Op::Len | Op::Offset | Op::Steps { .. } | Op::Nth { .. } | Op::NthStep => true,
        op => is_item(op),
    }
}

/// Whether an operation gives the same everywhere: a constant of the program.
fn is_item(op: &Op) -> bool {
    matches!(op, Op::Verbatim(code) if code.pure_ && code.uses.is_empty())
}

/// Whether a value is the same in every execution of a body.
fn is_same(func: &Func, body: Graph, v: Value) -> bool {
    is_from_outside(func, body, v)
        || func.maker(v).is_some_and(|n| is_integer(func, n) && func[n].args.iter().all(|&a| is_same(func, body, a)))
}

/// Whether a value is neither defined in a body nor in a graph of it.
fn is_from_outside(func: &Func, body: Graph, v: Value) -> bool {
    !func.owners(body).contains_idx(v)
}
