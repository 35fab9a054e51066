//! The body generator: graphs to Rust statements.
//!
//! A value is an expression that is waiting for its use, or is in a variable. Scalars that are used once, in the graph
//! that defines them, wait; whatever changes a variable first puts what waits and reads it into variables of their own.
//! Aggregates are changed in place where the old version is dead (see [`super::liveness`]), and copied before otherwise.
//! What is outside a closure is never changed or moved inside.

mod aggregate;
mod apply;
mod asked;
mod assign;
mod call;
mod checkpoint;
mod control;
mod expr;
mod lambda;
mod loops;
mod map;
mod needs;
mod operand;
mod option;
mod perhaps;
mod prim;
mod pullback;
mod scope;
mod sequence;
mod state;
mod take;
mod tangent;
mod types;
mod verbatim;
mod view;

use super::counting;
use super::frames::Frames;
use super::liveness::Liveness;
use super::names::Names;
use super::places::{Hold, PlaceId, Places, is_copy};
use crate::ir::{Func, Graph, Node, Op, Step, Type, Value};
use crate::syntax::signature::Signature;
pub(super) use expr::Expr;
use expr::Form;
use la_arena::ArenaMap;
use needs::Needs;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
pub(super) use scope::{Scope, Stmt};
use std::collections::HashMap;

/// Something that has no form in Rust.
#[derive(Clone, Debug)]
pub struct Unsupported {
    /// Where it comes from.
    pub span: Span,
    /// What it is.
    pub what: String,
}

impl Repr {
    /// The variables that occur in an expression.
    fn reads(&self) -> Vec<PlaceId> {
        match self {
            Repr::Expr(e) => e.reads.clone(),
            Repr::Place(_) => Vec::new(),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// What is known of a value.
#[derive(Clone)]
pub(super) enum Repr {
    /// An expression, not evaluated yet.
    Expr(Expr),
    /// A variable.
    Place(PlaceId),
}

/// How large an expression may grow before it gets a name.
const HEAVY: u32 = 14;

pub(super) struct Emitter<'f> {
    pub(super) func: &'f Func,
    krate: syn::Path,
    /// The type parameters that stand for floats.
    floats: Vec<Ident>,
    live: Liveness,
    /// Integers of unknown types that must not become `usize`.
    own_integers: ArenaMap<Value, ()>,
    pub(super) names: Names,
    reprs: ArenaMap<Value, Repr>,
    pub(super) places: Places,
    /// Updates that change a slice which refers to their range.
    windows: HashMap<Node, (Ident, usize)>,
    /// A slice of tangents that the next node takes from its place.
    moving: Option<(Value, TokenStream)>,
    /// Values whose expressions wait, with the graph that defines them.
    waiting: Vec<(Value, Graph)>,
    scopes: Vec<Scope>,
    /// What is emitted: a graph and a position in it, see [`super::liveness`].
    graph: Graph,
    index: usize,
    /// How many closures are around it.
    pub(super) level: usize,
    /// Whether the end of the function is emitted: the pullback still comes.
    pub(super) closing: bool,
    /// Whether products of cotangents are taken as they are.
    pub(super) plain: bool,
    /// What is to be imported.
    pub(super) needs: Needs,
    elementwise: bool,
    /// The types of references to function parameters.
    pub(super) objects: Vec<(Value, TokenStream)>,
    /// The variables that closures among the arguments of the current call refer to.
    borrowed: Vec<PlaceId>,
    /// What holds the variables of closures that are handed over.
    variables: ArenaMap<Value, (crate::ir::Form, Vec<state::Variable>)>,
    /// Function parameters with a state that are handed on, and how many arguments they take.
    shared: ArenaMap<Value, usize>,
    /// What must live as long as the pullback of the next call.
    held: Vec<Ident>,
    /// Parameters of a closure that may be references; where they are copies of what those refer to, what tells it.
    given: Vec<(Value, Option<Ident>)>,
    /// Parameters of a closure for what began with a value of code without a derivative.
    without: Vec<Value>,
    /// If the function calls itself: what the calls share.
    pub(super) frames: Option<Frames>,
    /// The places of tuples that are returned as views.
    shown: Vec<(Node, usize)>,
}

impl<'f> Emitter<'f> {
    pub(super) fn new(func: &'f Func, sig: &Signature, items: &[TokenStream]) -> Self {
        let mut names = Names::new(func, &sig.names, items);
        for p in &sig.params {
            names.user(&p.arg);
            names.user(&p.tangent_name);
        }
        names.user(&sig.seed_name);
        if sig.gives_reference() {
            // it may be called for that
            let name = &sig.name;
            names.reserve(quote!(#name), &[]);
        }
        let mut e = Self::with(func, names, sig.krate.clone(), sig.floats.clone());
        if let Some(&result) = func[func.root].results.first() {
            e.shown =
                sig.shown(func, result).iter().filter_map(|shown| shown.at.filter(|_| shown.view.is_some())).collect();
        }
        e
    }

    fn with(func: &'f Func, names: Names, krate: syn::Path, floats: Vec<Ident>) -> Self {
        Emitter {
            func,
            krate,
            floats,
            live: Liveness::new(func),
            own_integers: counting::used_otherwise(func),
            names,
            reprs: ArenaMap::default(),
            places: Places::default(),
            windows: HashMap::new(),
            moving: None,
            waiting: Vec::new(),
            scopes: vec![Scope::default()],
            graph: func.root,
            index: 0,
            level: 0,
            closing: false,
            plain: false,
            needs: Needs::default(),
            elementwise: false,
            objects: Vec::new(),
            borrowed: Vec::new(),
            variables: ArenaMap::default(),
            shared: ArenaMap::default(),
            held: Vec::new(),
            given: Vec::new(),
            without: Vec::new(),
            frames: None,
            shown: Vec::new(),
        }
    }

    /// The path of an item of the runtime.
    pub(in crate::emit) fn private(&self, name: &str) -> TokenStream {
        let (krate, name) = (&self.krate, Ident::new(name, Span::mixed_site()));
        quote!(#krate::__private::#name)
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        let node = self.func[self.graph].nodes.get(self.index.wrapping_sub(1));
        let span = node.map_or_else(Span::call_site, |&n| self.func[n].span);
        Err(Unsupported { span, what: what.into() })
    }

    // ---- values and variables

    /// Puts a value into a variable that exists.
    pub(super) fn put(&mut self, v: Value, place: PlaceId) {
        let (graph, index) = (self.graph, self.index);
        let live = &self.live;
        let holders = &mut self.places[place].holders;
        if holders.len() > 8 {
            holders.retain(|&w| !live.dead_after(w, graph, index));
        }
        holders.push(v);
        self.reprs.insert(v, Repr::Place(place));
    }

    /// Declares a variable for a value, whose `let` is somebody else's.
    pub(super) fn declare(&mut self, v: Value, hold: Hold) -> PlaceId {
        self.declare_as(v, v, hold)
    }

    /// The same, in the name of another value.
    fn declare_as(&mut self, v: Value, named: Value, hold: Hold) -> PlaceId {
        let func = self.func;
        match &func[named].name {
            Some(name) => self.declare_named(v, name, true, hold),
            None => self.declare_named(v, scope::suggestion(&func[named].ty), false, hold),
        }
    }

    /// The same, in a name, which may be a `user`'s.
    fn declare_named(&mut self, v: Value, base: &str, user: bool, hold: Hold) -> PlaceId {
        // nothing in scope is ever hidden: what waits, and statements half written, may still refer to it
        let ident = self.names.free(base.trim_start_matches("r#"), user);
        self.declare_ident(v, ident, hold)
    }

    pub(super) fn declare_ident(&mut self, v: Value, ident: Ident, hold: Hold) -> PlaceId {
        let place = self.places.add(ident.clone(), hold, self.level, v);
        self.names.enter(&ident, place);
        self.scopes.last_mut().expect("a scope is open").declared.push((ident, place));
        self.reprs.insert(v, Repr::Place(place));
        place
    }

    /// Whether nothing after the current node uses a value.
    fn dead(&self, v: Value) -> bool {
        self.live.dead_after(v, self.graph, self.index) && !(self.closing && self.live.uses(v).captured)
    }

    /// Whether a waiting value is still to be used.
    fn needed(&self, v: Value) -> bool {
        !self.dead(v) || self.live.occurrences(v, self.graph, self.index) > 0
    }

    fn waits_on(&self, v: Value, place: PlaceId) -> bool {
        let through = self.places.through(place);
        matches!(self.reprs.get(v), Some(Repr::Expr(e)) if e.reads.iter().any(|p| through.contains(p)))
    }

    /// Gives a value an expression: it waits for its use if that may be, and is put into a variable otherwise.
    pub(super) fn define(&mut self, v: Value, e: Expr) {
        let uses = self.live.uses(v);
        let ty = self.func.ty(v);
        if uses.count == 0 {
            if e.effect {
                let tokens = &e.tokens;
                let code = if matches!(ty, Type::Unit) { quote!(#tokens;) } else { quote!(let _ = #tokens;) };
                self.push(code);
            }
            return;
        }
        let here = uses.count == 1 && uses.graph == Some(self.graph);
        let waits = match e.form {
            // a loop does not look for the same part again and again
            Form::Place if uses.repeated && matches!(ty, Type::Slice(_)) && self.may_borrow(v, &e) => false,
            Form::Place if !ty.is_scalar() => uses.count == 1 || self.is_simple(v),
            _ => here && e.weight <= HEAVY && !(uses.by_name && self.func[v].name.is_some()),
        };
        if waits {
            self.wait(v, e);
        } else {
            self.bind(v, e);
        }
    }

    fn wait(&mut self, v: Value, e: Expr) {
        if e.effect {
            self.flush(|e| e.effect);
        }
        if e.effect || !e.reads.is_empty() {
            self.waiting.push((v, self.graph));
        }
        self.reprs.insert(v, Repr::Expr(e));
    }

    /// Whether a value is a field of something, which is as good as a name.
    fn is_simple(&self, v: Value) -> bool {
        let node = self.func[self.graph].nodes.get(self.index.wrapping_sub(1)).map(|&n| &self.func[n]);
        node.is_some_and(|node| {
            node.outs.contains(&v)
                && matches!(&node.op, Op::Load(p) if p.0.iter().all(|s| matches!(s, Step::Field(_))))
                && !self.live.uses(v).by_name
        })
    }

    /// Puts an expression into a new variable: a reference where it names a place that stays as it is, else its own.
    pub(super) fn bind(&mut self, v: Value, e: Expr) -> PlaceId {
        let ty = self.func.ty(v).clone();
        // a view of something without a name would not last
        let view = e.form == Form::View && e.base.is_some();
        if !is_copy(&ty) && (view && self.stays(v, &e) || e.form == Form::Place && self.may_borrow(v, &e)) {
            let place = self.declare(v, if view { Hold::View } else { Hold::Ref });
            if let Some(base) = e.base {
                self.places.borrow(place, base);
                // a view of a view is one of that variable
                self.places[place].lent &= !(view && self.places[base].hold == Hold::View);
            }
            let tokens = if view { e.tokens } else { e.at(expr::prec::UNARY) };
            self.let_(vec![Some(place)], None, if view { tokens } else { quote!(& #tokens) });
            return place;
        }
        self.bind_owned(v, v, e)
    }

    /// Puts an expression into a new variable of its own, in the name of `named`.
    fn bind_owned(&mut self, v: Value, named: Value, e: Expr) -> PlaceId {
        let ty = self.func.ty(v).clone();
        let annotation = e.annotation(&ty);
        let init = self.owned(&e, &ty);
        self.unwait(v);
        if e.effect {
            self.flush(|e| e.effect);
        }
        let place = self.declare_as(v, named, if e.lent { Hold::Ref } else { Hold::Owned });
        self.borrow_base(place, &e);
        self.let_(vec![Some(place)], annotation, init);
        place
    }

    /// Whether a variable may refer to the place of an expression for as long as the value is used.
    fn may_borrow(&self, v: Value, e: &Expr) -> bool {
        let escapes = |base: PlaceId| {
            self.live.uses(v).captured && !self.places.outlives(base) && self.places[base].level == self.level
        };
        self.stays(v, e) && e.base.is_none_or(|base| !escapes(base))
    }

    /// Whether nothing changes the place of an expression as long as the value is used. (What the pullback needs of a
    /// view is copied in the end: sums over a copy may be rounded differently.)
    fn stays(&self, v: Value, e: &Expr) -> bool {
        let below = e.base.map_or_else(Vec::new, |base| self.places.below(base));
        let mut roots = below.iter().flat_map(|&place| &self.places[place].holders);
        roots.all(|&root| self.live.borrowable(root, v, self.graph, self.index))
    }

    pub(super) fn let_(&mut self, places: Vec<Option<PlaceId>>, ty: Option<Ident>, init: TokenStream) {
        self.scopes.last_mut().expect("a scope is open").stmts.push(Stmt::Let(places, ty, init));
    }

    fn let_nested(&mut self, first: Option<PlaceId>, rest: Vec<Option<PlaceId>>, init: TokenStream) {
        self.scopes.last_mut().expect("a scope is open").stmts.push(Stmt::Nested(first, rest, init));
    }

    /// A value does not wait any more.
    fn unwait(&mut self, v: Value) {
        self.waiting.retain(|(w, _)| *w != v);
    }

    /// Puts what waits in this graph and satisfies a condition into variables.
    fn flush(&mut self, condition: impl Fn(&Expr) -> bool) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut kept = Vec::with_capacity(waiting.len());
        for (v, graph) in waiting {
            let Some(Repr::Expr(e)) = self.reprs.get(v) else { continue };
            if graph == self.graph && !self.needed(v) {
                continue;
            }
            if graph == self.graph && condition(e) {
                let e = e.clone();
                let init = self.owned(&e, &self.func.ty(v).clone());
                let annotation = e.annotation(self.func.ty(v));
                let place = self.declare(v, if e.lent { Hold::Ref } else { Hold::Owned });
                self.borrow_base(place, &e);
                self.let_(vec![Some(place)], annotation, init);
            } else {
                kept.push((v, graph));
            }
        }
        kept.append(&mut self.waiting);
        self.waiting = kept;
    }

    /// A variable is about to change: what waits and reads it is evaluated first.
    fn flush_reading(&mut self, place: PlaceId) {
        let through = self.places.through(place);
        self.flush(|e| e.reads.iter().any(|p| through.contains(p)));
    }

    /// A node with nested graphs is next: what waits must not read what they may change.
    fn flush_for_graphs(&mut self) {
        let mut changed = Vec::new();
        for &(v, _) in &self.waiting {
            if let Some(Repr::Expr(e)) = self.reprs.get(v) {
                for &p in &e.reads {
                    let below = self.places.below(p);
                    let mut holders = below.iter().flat_map(|&p| &self.places[p].holders);
                    if holders.any(|&w| self.live.consumed_at(w, self.graph, self.index)) {
                        changed.push(p);
                    }
                }
            }
        }
        self.flush(|e| e.effect || e.reads.iter().any(|p| changed.contains(p)));
    }

    // ---- graphs

    /// Emits the nodes of a graph. Afterwards the emitter stands at its results.
    pub(super) fn nodes(&mut self, g: Graph) -> Result<()> {
        for (index, &n) in self.func[g].nodes.iter().enumerate() {
            self.stand_at((g, index + 1));
            if self.diverges(n) {
                // nothing after it is evaluated
                break;
            }
            self.node(n)?;
        }
        self.stand_at((g, self.func[g].nodes.len() + 1));
        Ok(())
    }

    fn diverges(&self, n: Node) -> bool {
        matches!(&self.func[n].op, Op::Verbatim(code) if code.diverges)
    }

    pub(super) fn stand_at(&mut self, (graph, index): (Graph, usize)) {
        self.graph = graph;
        self.index = index;
    }

    /// Back from nested graphs, where nothing waits any more.
    fn leave(&mut self, here: (Graph, usize), nested: &[Graph]) {
        self.waiting.retain(|(_, graph)| !nested.contains(graph));
        self.stand_at(here);
    }

    fn node(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        match &node.op {
            Op::Const(c) => {
                let e = self.constant(c, outs[0], node.span);
                self.reprs.insert(outs[0], Repr::Expr(e));
                Ok(())
            }
            Op::Prim(p) => {
                let e = self.prim(p, args, node.span)?;
                self.define(outs[0], e);
                Ok(())
            }
            Op::Verbatim(v) => self.verbatim(v, args, outs),
            Op::Cast(_) | Op::CastCotangent(_) | Op::CastTangent(_) => self.cast(n),
            Op::Tuple | Op::Build(_) | Op::Array | Op::VecOf | Op::Repeat(_) | Op::VecRepeat | Op::VecEmpty => {
                self.compose(n)
            }
            Op::Load(_) | Op::Update(_) | Op::AddAt(_) | Op::Take(_) | Op::Fill(_) | Op::Swap(_) => self.part(n),
            Op::Push(_) | Op::Pop(_) => self.part(n),
            Op::Lengthen | Op::Len | Op::Copy(_) | Op::Total => self.sequence(n),
            Op::ZeroLike | Op::ZeroOrUnit | Op::Accumulate | Op::AddEntry | Op::Unbroadcast => self.tangent(n),
            Op::Some | Op::Absent | Op::Unwrap | Op::IsSome | Op::Outcome(_) => self.option(n),
            Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => self.range(n),
            Op::Map { body, like_first, over, operator } => self.map(n, *body, *like_first, *over, *operator),
            Op::If { then_, else_ } => self.branch(n, None, *then_, *else_),
            Op::IfLet { pattern, bindings, then_, else_, parts } => {
                let hold = if parts.is_empty() { Hold::Owned } else { Hold::Ref };
                self.branch(n, Some((pattern, bindings, hold)), *then_, *else_)
            }
            Op::Loop(l) => self.repeat(n, l),
            Op::Apply(g) => self.apply(n, *g),
            Op::Checkpoint(c) => self.checkpoint(n, *c),
            Op::Lambda(lambda) => self.lambda(n, lambda),
            Op::Empty => {
                let tangent = self.private("Tangent");
                self.reprs.insert(outs[0], Repr::Expr(Expr::atom(quote!(#tangent::empty()))));
                Ok(())
            }
            Op::SplitDots | Op::JoinDots => self.perhaps_dots(n),
            Op::Handed(_) | Op::Restored => self.converted(n),
            Op::Closure(_) => self.unsupported("a closure that is not the pullback"),
            Op::Call(_) | Op::CallVjp(_) | Op::CallJvp(_) => self.call(n),
            Op::CallPullback(call) => self.call_pullback(n, call),
        }
    }
}
