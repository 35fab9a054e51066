//! Branches: `if`, `if let`, `match`, labelled blocks, and the merging of what their arms leave.

use super::env::Cell;
use super::option::is_option_pattern;
use super::outcome::{self, patterns::guarded};
use super::scan;
use super::slot::has_constant;
use super::{Lowering, Operand, Target, TargetKind};
use crate::ir::{Graph, Op, Type, Value};
use syn::spanned::Spanned;

/// Where a statement list stands, so that an exit at its end needs no flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Something follows.
    No,
    /// Its value is the value of the target with this index, and nothing else follows.
    Of(usize),
}

/// What lowering an arm left.
pub(crate) struct Arm {
    pub(crate) graph: Graph,
    pub(crate) result: Option<Value>,
    /// Whether the result is an option that is `None` where control has left.
    pub(crate) left: bool,
    /// The function, or the tuple with functions in it, that it gives instead of a value.
    pub(crate) function: Option<Operand>,
    pub(crate) cells: Vec<Cell>,
    /// How many cells there were before.
    pub(crate) before: usize,
}

/// What an arm does.
pub(crate) type ArmFn<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>) -> Operand;

impl<'a> Lowering<'a> {
    /// Lowers something that can be left early with a value: the function, a closure's body, a labelled block.
    pub(crate) fn scope(
        &mut self,
        kind: TargetKind,
        result_type: Option<&syn::Type>,
        f: impl FnOnce(&mut Self, Tail) -> Operand,
    ) -> Operand {
        let no = self.b().bool(false);
        let brk = self.env.new_cell("left", Some(no), true, usize::MAX);
        let value = self.env.new_cell("value", None, true, usize::MAX);
        self.env.cells[value].declared_rust = result_type.cloned();
        self.may_be_slot_of_target(value);
        let nested = self.nested;
        self.targets.push(Target { kind, brk, cont: None, no, value: Some(value), nested });
        let tail = Tail::Of(self.targets.len() - 1);
        let operand = f(self, tail);
        self.targets.pop();
        let flag = self.cell_value(brk);
        if flag == no {
            return operand;
        }
        let early = self.env.cells[value].value;
        match (operand, early) {
            (Operand::Never, Some(early)) => self.contents(value, early),
            (Operand::Never, None) => Operand::Value(self.unit()),
            (operand, None) => operand,
            (operand, Some(early)) => {
                let normal = self.settle(operand);
                let mut normal = |l: &mut Self| match &normal {
                    // control may have left for an outer target: then it is nowhere
                    Operand::Left(v) if !l.targets.is_empty() => Operand::Left(*v),
                    normal => Operand::Value(l.value(normal.clone())),
                };
                self.if_value(flag, &mut |l: &mut Self| l.contents(value, early), &mut normal)
            }
        }
    }

    /// Lowers one arm in a graph of its own.
    pub(crate) fn arm(&mut self, f: ArmFn<'_, 'a>) -> Arm {
        let graph = self.func.graph();
        self.arm_in(graph, f)
    }

    fn arm_in(&mut self, graph: Graph, f: ArmFn<'_, 'a>) -> Arm {
        let outer = std::mem::replace(&mut self.graph, graph);
        let saved = self.env.cells.clone();
        self.env.push_scope();
        let operand = f(self);
        let left = matches!(operand, Operand::Left(_));
        let (result, function) = match operand {
            Operand::Left(v) => (Some(v), None),
            Operand::Never => (None, None),
            other if self.holds_function(&other) => (None, Some(other)),
            other => (Some(self.value(other)), None),
        };
        self.env.pop_scope();
        self.graph = outer;
        let before = saved.len();
        let cells = std::mem::replace(&mut self.env.cells, saved);
        Arm { graph, result, left, function, cells, before }
    }

    /// `if cond { then } else { else_ }` on a boolean value.
    pub(crate) fn if_value(&mut self, cond: Value, then_: ArmFn<'_, 'a>, else_: ArmFn<'_, 'a>) -> Operand {
        let span = self.span;
        let a = self.arm(then_);
        let b = self.arm(else_);
        let (ga, gb) = (a.graph, b.graph);
        self.span = span;
        self.merge(Op::If { then_: ga, else_: gb }, vec![cond], a, b)
    }

    /// Makes the node of a branch and the values that its arms leave.
    pub(crate) fn merge(&mut self, op: Op, args: Vec<Value>, mut a: Arm, mut b: Arm) -> Operand {
        let left = self.leave_by_option(&mut a, &mut b);
        let (ga, gb) = (a.graph, b.graph);
        let mut outs: Vec<(Value, Value, Option<usize>)> = Vec::new();
        let functions = a.function.is_some() || b.function.is_some();
        let diverges = a.result.is_none() && b.result.is_none() && !functions;
        let mut carries_result = false;
        let result = match (a.result, b.result) {
            (None, None) => None,
            (Some(x), None) => self.absent_in(&b, x).map(|d| (x, d)),
            (None, Some(y)) => self.absent_in(&a, y).map(|d| (d, y)),
            (Some(x), Some(y)) => Some((x, y)),
        };
        if !diverges && !functions && result.is_none() {
            let span = self.span;
            return self.unsupported(
                span,
                "a branch leaves early here while the other gives a value whose type is not visible",
                "annotate the variable with its type, or give both branches a value",
            );
        }
        if let Some((x, y)) = result
            && *self.func.ty(x) != Type::Unit
            && *self.func.ty(y) != Type::Unit
        {
            carries_result = true;
            outs.push((x, y, None));
        }
        for i in 0..self.env.cells.len() {
            let (x, y) = (a.cells[i].value, b.cells[i].value);
            if x == y {
                if self.env.cells[i].value != x {
                    // both arms leave the same outer value
                    self.env.cells[i].value = x;
                }
                continue;
            }
            let declared = self.env.cells[i].declared_rust.clone().filter(|_| !self.env.cells[i].slot);
            if let (Some(v), None) | (None, Some(v)) = (x, y) {
                let ty = self.ty(v);
                self.needs_constant(i, &ty);
            }
            let pair = match (x, y) {
                (Some(x), Some(y)) => Some((x, y)),
                (Some(x), None) => self.dummy_in(gb, x, declared.as_ref()).map(|d| (x, d)),
                (None, Some(y)) => self.dummy_in(ga, y, declared.as_ref()).map(|d| (d, y)),
                (None, None) => None,
            };
            match pair {
                Some((x, y)) => outs.push((x, y, Some(i))),
                None => self.env.cells[i].value = None,
            }
        }
        let choice = functions.then(|| self.leave_arms(&op, &args, &a, &b, &mut outs));
        for (x, y, _) in &mut outs {
            [*x, *y] = self.alike([(ga, *x), (gb, *y)]);
            let (tx, ty) = (self.ty(*x), self.ty(*y));
            for (g, v, other) in [(ga, x, ty), (gb, y, tx)] {
                let outer = std::mem::replace(&mut self.graph, g);
                if let Some(none) = self.none_as(*v, &other) {
                    *v = none;
                }
                self.graph = outer;
            }
        }
        for (x, y, _) in &outs {
            self.func[ga].results.push(*x);
            self.func[gb].results.push(*y);
        }
        let types = outs.iter().map(|(x, y, _)| self.func.ty(*x).join(self.func.ty(*y))).collect();
        let node = self.b().node(op, args, types);
        let values = self.func[node].outs.clone();
        for ((x, y, cell), &v) in outs.iter().zip(&values) {
            let active = self.func.ty(v).can_be_active() && (self.is_active(*x) || self.is_active(*y));
            self.maybe_active.insert(v, active);
            if let Some(c) = cell {
                self.set_cell(*c, v);
            }
        }
        if let Some(choice) = choice {
            self.chosen(choice)
        } else if diverges {
            Operand::Never
        } else if carries_result && left {
            Operand::Left(values[0])
        } else if carries_result {
            Operand::Value(values[0])
        } else {
            Operand::Value(self.unit())
        }
    }

    /// Makes the results of two arms options where control may leave in one, and no constant is there for its result.
    fn leave_by_option(&mut self, a: &mut Arm, b: &mut Arm) -> bool {
        if a.function.is_some() || b.function.is_some() {
            return false;
        }
        let unseen = |l: &Self, arm: &Arm, other: &Arm| {
            arm.result.is_none() && l.leaves_by_flag(arm) && other.result.is_some_and(|v| !has_constant(l.func.ty(v)))
        };
        if !(a.left || b.left || unseen(self, a, b) || unseen(self, b, a)) {
            return false;
        }
        for arm in [a, b] {
            let outer = std::mem::replace(&mut self.graph, arm.graph);
            arm.result = Some(match arm.result {
                None => self.absent(Type::Dyn),
                Some(v) if arm.left => v,
                Some(v) => self.some(Operand::Value(v)),
            });
            self.graph = outer;
        }
        true
    }

    /// Whether control leaves an arm for a target.
    fn leaves_by_flag(&self, arm: &Arm) -> bool {
        let no: Vec<Value> = self.targets.iter().map(|t| t.no).collect();
        self.flags().into_iter().any(|c| arm.cells[c].value.is_some_and(|v| !no.contains(&v)))
    }

    /// What stands for the result of an arm that control does not come out of, of the type of `like`.
    fn absent_in(&mut self, arm: &Arm, like: Value) -> Option<Value> {
        // if it does not leave by a flag it panics: an expression of any type
        let leaves = self.leaves_by_flag(arm);
        if leaves || *self.func.ty(like) != Type::Dyn {
            if let Some(d) = self.dummy_in(arm.graph, like, None) {
                return Some(d);
            }
            if leaves {
                return None;
            }
        }
        let outer = std::mem::replace(&mut self.graph, arm.graph);
        let ty = self.ty(like);
        let v = self.template(&[], ty, false, |_| quote::quote!(::core::unreachable!()));
        if let Some(&n) = self.func[arm.graph].nodes.last()
            && let Op::Verbatim(code) = &mut self.func[n].op
        {
            code.diverges = true;
        }
        self.graph = outer;
        Some(v)
    }

    /// In `graph`, a value that is never read, of the type of `like`.
    fn dummy_in(&mut self, graph: Graph, like: Value, declared: Option<&syn::Type>) -> Option<Value> {
        let outer = std::mem::replace(&mut self.graph, graph);
        let ty = self.ty(like);
        let v = match declared.and_then(|t| self.dummy_of_rust(t)) {
            Some(v) => Some(v),
            None => self.dummy(&ty),
        };
        self.graph = outer;
        v
    }

    /// `if` with any condition, also with `let` in it.
    pub(crate) fn branch(&mut self, cond: &syn::Expr, then_: ArmFn<'_, 'a>, else_: ArmFn<'_, 'a>) -> Operand {
        match cond {
            syn::Expr::Paren(p) => self.branch(&p.expr, then_, else_),
            syn::Expr::Group(p) => self.branch(&p.expr, then_, else_),
            syn::Expr::Let(l) => {
                let scrutinee = self.scrutinee(&l.expr, &l.pat);
                self.branch_on_pattern(scrutinee, &l.pat, None, then_, else_)
            }
            syn::Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_)) && scan::contains_let(cond) => {
                // the arm for false stands wherever a part of the chain fails
                let else_ = std::cell::RefCell::new(else_);
                let right = &b.right;
                let mut inner = |l: &mut Self| l.branch(right, then_, &mut |l: &mut Self| (*else_.borrow_mut())(l));
                self.branch(&b.left, &mut inner, &mut |l: &mut Self| (*else_.borrow_mut())(l))
            }
            _ => {
                let c = self.operand(cond);
                self.span = cond.span();
                self.if_value(c, then_, else_)
            }
        }
    }

    /// What a pattern is tried on.
    pub(crate) fn scrutinee(&mut self, e: &syn::Expr, pat: &syn::Pat) -> Operand {
        match pat {
            pat if is_option_pattern(pat) => self.option_expr(e),
            pat if outcome::is_pattern(pat) => self.outcome_expr(e),
            _ => self.nested_expr(e),
        }
    }

    /// Runs `then_` with the names that `pat` binds if it matches (and the guard holds), else `else_`.
    pub(crate) fn branch_on_pattern(
        &mut self,
        scrutinee: Operand,
        pat: &syn::Pat,
        guard: Option<&syn::Expr>,
        then_: ArmFn<'_, 'a>,
        else_: ArmFn<'_, 'a>,
    ) -> Operand {
        let active = match &scrutinee {
            Operand::Value(v) => self.is_active(*v),
            Operand::Place(p) => self.place_active(p),
            _ => false,
        };
        if let [case, rest @ ..] = &super::alternatives::of(pat)[..]
            && !rest.is_empty()
        {
            // one after the other
            let rest = super::alternatives::any(rest);
            let (then_, else_) = (std::cell::RefCell::new(then_), std::cell::RefCell::new(else_));
            let mut then_first = |l: &mut Self| (*then_.borrow_mut())(l);
            return self.branch_on_pattern(scrutinee.clone(), case, guard, &mut then_first, &mut |l: &mut Self| {
                let (mut then_, mut else_) = (then_.borrow_mut(), else_.borrow_mut());
                l.branch_on_pattern(scrutinee.clone(), &rest, guard, &mut **then_, &mut **else_)
            });
        }
        if let Some((ok, inner)) = outcome::pattern(pat)
            && let Some(parts) = self.outcome_parts(&scrutinee)
            && (guard.is_some() || !self.pattern_test_is_trivial(inner))
        {
            let by_ref = guard.is_some() || matches!(&scrutinee, Operand::Place(p) if p.is_ref);
            return self.branch_on_outcome(parts, by_ref, (ok, inner), guard, then_, else_);
        }
        if let Some(test) = self.pattern_test(pat, &scrutinee) {
            let is_ref = matches!(&scrutinee, Operand::Place(p) if p.is_ref);
            let mut bound = |l: &mut Self| {
                l.bind_matched(pat, scrutinee.clone(), is_ref);
                then_(l)
            };
            return match (test, guard) {
                (None, None) => {
                    self.env.push_scope();
                    let r = bound(self);
                    self.env.pop_scope();
                    r
                }
                (None, Some(g)) => {
                    self.env.push_scope();
                    self.bind_matched(pat, scrutinee.clone(), is_ref);
                    let c = self.operand(g);
                    self.env.pop_scope();
                    self.if_value(c, &mut bound, else_)
                }
                (Some(test), None) => self.if_value(test, &mut bound, else_),
                (Some(test), Some(g)) => {
                    // test && guard, the guard with the names bound
                    let both = self.if_value(
                        test,
                        &mut |l: &mut Self| {
                            l.bind_matched(pat, scrutinee.clone(), is_ref);
                            Operand::Value(l.operand(g))
                        },
                        &mut |l: &mut Self| Operand::Value(l.b().bool(false)),
                    );
                    let c = self.value(both);
                    self.if_value(c, &mut bound, else_)
                }
            };
        }
        let by_ref = matches!(&scrutinee, Operand::Place(p) if p.is_ref) || scan::takes_reference(pat);
        let v = self.value(scrutinee);
        let active = active || self.is_active(v);
        if active && outcome::is_pattern(pat) {
            return self.unsupported(
                pat.span(),
                "it is not known here that this is a `Result`",
                "annotate the variable with its type: `let r: Result<f64, E> = …`",
            );
        }
        let parts = match (active, scan::parts(pat)) {
            (true, Some(parts)) if matches!(self.func.ty(v), Type::Dyn | Type::Option(_)) => parts,
            (true, _) if let Some(field) = super::pattern::field_after_rest(pat) => {
                return self.unsupported(field, "`..` before a field of unknown place", "name all fields");
            }
            (true, _) => {
                return self.unsupported(
                    pat.span(),
                    "this pattern on a differentiable value is not supported yet",
                    "match on a value without a derivative, or use `if` with comparisons",
                );
            }
            (false, _) => Vec::new(),
        };
        let bindings = scan::bindings(pat);
        // a copy is changed
        let mut pat = pat.clone();
        let changed = if active { scan::without_mut(&mut pat) } else { Vec::new() };
        let graph = self.func.graph();
        let params: Vec<Value> =
            bindings.iter().map(|b| self.func.value(Type::Dyn, Some(super::types::plain_name(b)), b.span())).collect();
        self.func[graph].params = params.clone();
        for &p in &params {
            self.maybe_active.insert(p, active);
        }
        let else_ = std::cell::RefCell::new(else_);
        let a = self.arm_in(graph, &mut |l: &mut Self| {
            for (ident, &p) in bindings.iter().zip(&params) {
                let mutable = changed.contains(ident);
                l.bind_binding(ident, p, active, by_ref && !mutable, mutable);
            }
            match guard {
                None => then_(l),
                Some(g) => {
                    let c = l.operand(g);
                    l.if_value(c, then_, &mut |l: &mut Self| (*else_.borrow_mut())(l))
                }
            }
        });
        let b = self.arm(&mut |l: &mut Self| (*else_.borrow_mut())(l));
        let pattern = quote::quote!(#pat);
        let op = Op::IfLet { pattern, bindings, parts, then_: a.graph, else_: b.graph };
        self.merge(op, vec![v], a, b)
    }

    /// `match`, each arm's body by `arm`.
    pub(crate) fn match_(
        &mut self,
        m: &syn::ExprMatch,
        arm: &mut dyn FnMut(&mut Lowering<'a>, &syn::Arm) -> Operand,
    ) -> Operand {
        let scrutinee = match strip(&m.expr) {
            syn::Expr::Tuple(t) => {
                let parts = self.matched_parts(t, &m.arms);
                let ty = Type::Tuple(parts.iter().map(|&p| self.ty(p)).collect());
                Operand::Value(self.push(Op::Tuple, parts, ty))
            }
            e => {
                let option = m.arms.iter().find(|arm| is_option_pattern(&arm.pat) || outcome::is_pattern(&arm.pat));
                let o = match option {
                    Some(arm) => self.scrutinee(e, &arm.pat),
                    None => self.nested_expr(e),
                };
                match o {
                    // read once, at the match
                    Operand::Place(p) if self.place_type(&p).is_scalar() => Operand::Value(self.read(&p)),
                    o => o,
                }
            }
        };
        self.match_arms(&scrutinee, &m.arms, arm)
    }

    pub(crate) fn match_arms(
        &mut self,
        scrutinee: &Operand,
        arms: &[syn::Arm],
        arm: &mut dyn FnMut(&mut Lowering<'a>, &syn::Arm) -> Operand,
    ) -> Operand {
        if let Some(o) = self.match_outcome(scrutinee, arms, arm) {
            return o;
        }
        let Some((first, rest)) = arms.split_first() else {
            return Operand::Never;
        };
        let (pat, guard) = guarded(&first.pat);
        let irrefutable = rest.is_empty() && guard.is_none();
        if irrefutable && self.pattern_test(pat, scrutinee).is_some() {
            // the compiler has checked that the last arm matches whatever is left
            self.env.push_scope();
            let is_ref = matches!(scrutinee, Operand::Place(p) if p.is_ref);
            self.bind_matched(pat, scrutinee.clone(), is_ref);
            let r = arm(self, first);
            self.env.pop_scope();
            return r;
        }
        let arm = std::cell::RefCell::new(arm);
        let mut then_ = |l: &mut Self| (*arm.borrow_mut())(l, first);
        let mut else_ = |l: &mut Self| {
            if rest.is_empty() { l.unreachable() } else { l.match_arms(scrutinee, rest, &mut **arm.borrow_mut()) }
        };
        self.branch_on_pattern(scrutinee.clone(), pat, guard, &mut then_, &mut else_)
    }

    /// Control does not come here, as the compiler has checked.
    fn unreachable(&mut self) -> Operand {
        let code = quote::quote!(::core::unreachable!());
        self.verbatim_effect(code);
        Operand::Never
    }
}

/// An expression without the parentheses and groups around it.
pub(crate) fn strip(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(p) => strip(&p.expr),
        syn::Expr::Group(g) => strip(&g.expr),
        other => other,
    }
}
