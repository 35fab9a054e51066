//! Zeros and sums of tangents, and tangents that are handed to calls.

use super::expr::{Expr, Form, prec};
use super::{Emitter, Repr, Result};
use crate::ir::{Arg, Const, Lambda, Node, Op, Step, Type, Value};
use crate::prims::whole::{DOT_LHS, DOT_RHS};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

impl Emitter<'_> {
    /// Zeros and sums of tangents.
    pub(super) fn tangent(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, out) = (&node.args, node.outs[0]);
        match &node.op {
            Op::ZeroOrUnit => {
                self.needs.probe = true;
                let x = self.by_ref(args[0])?;
                let (probe, tokens) = (self.private("Probe"), &x.tokens);
                self.define(out, Expr::atom(quote!((&#probe(#tokens)).zero_or_unit())).of([&x]));
            }
            Op::ZeroLike => {
                let e = self.zero_like(args[0], out)?;
                self.define(out, e);
            }
            Op::Accumulate if self.func.ty(args[0]).is_float() => {
                let e = self.prim(&crate::prims::arith::ADD, args, node.span)?;
                self.define(out, e);
            }
            Op::Accumulate if self.moving.as_ref().is_some_and(|(v, _)| *v == args[1]) => {
                let (_, from) = self.moving.take().expect("checked");
                let place = self.mutable(args[0], out)?;
                let (f, to) = (self.private("move_slice"), self.places[place].ident.clone());
                self.push(quote!(#f(&mut #from, &mut #to[..]);));
                self.put(out, place);
            }
            Op::Accumulate if self.adds_product(args[1]) => {
                let place = self.mutable(args[0], out)?;
                let e = self.expr(args[1])?;
                let (f, sum) = (self.made_by(args[1]).map(|n| &self.func[n].op), self.by_mut(place));
                let f = self.private(if matches!(f, Some(Op::Prim(p)) if *p == &DOT_LHS) {
                    "add_dot_lhs_bar"
                } else {
                    "add_dot_rhs_bar"
                });
                let operands = e.operands();
                self.push(quote!(#f(#sum, #operands);));
                self.put(out, place);
            }
            Op::Accumulate => {
                let place = self.mutable(args[0], out)?;
                let b = match self.func.ty(args[1]) {
                    // not a view
                    Type::NdArray(..) => {
                        let b = self.take(args[1])?;
                        let tokens = b.at(prec::UNARY);
                        quote!(&#tokens)
                    }
                    _ => self.by_ref(args[1])?.tokens,
                };
                let (tangent, a) = (self.private("Tangent"), self.by_mut(place));
                self.push(quote!(#tangent::accumulate(#a, #b);));
                self.put(out, place);
            }
            Op::AddEntry if self.is_first_entry(args[0]) => {
                let zero = self.take(args[0])?;
                let entry = self.take(args[1])?;
                let (f, zero_tokens, tokens) = (self.private("first_entry"), &zero.tokens, &entry.tokens);
                let e = Expr::atom(quote!(#f(#zero_tokens, #tokens))).of([&zero, &entry]);
                self.define(out, e);
            }
            Op::AddEntry => self.add_entry(args[0], args[1], out)?,
            Op::Unbroadcast if args.iter().all(|&a| self.func.ty(a).is_float()) => {
                let g = self.scalar(args[0])?;
                let _ = self.expr(args[1])?;
                self.define(out, g);
            }
            Op::Unbroadcast if self.func.ty(args[1]).is_float() => {
                let g = self.take_or_read(args[0])?;
                let _ = self.expr(args[1])?;
                let (f, g_tokens) = (self.private("summed"), &g.tokens);
                let e = Expr::atom(quote!(#f(#g_tokens))).of([&g]);
                self.define(out, e);
            }
            Op::Unbroadcast => {
                let g = self.take_or_read(args[0])?;
                let x = self.by_ref(args[1])?;
                let (f, g_tokens, x_tokens) = (self.private("unbroadcast"), &g.tokens, &x.tokens);
                let e = Expr::atom(quote!(#f(#g_tokens, #x_tokens))).of([&g, &x]);
                self.define(out, e);
            }
            _ => unreachable!("an operation on tangents"),
        }
        Ok(())
    }

    /// The node of the current graph that makes a value.
    fn made_by(&self, v: Value) -> Option<Node> {
        self.func[self.graph].nodes.iter().copied().find(|&n| self.func[n].outs.contains(&v))
    }

    /// Whether a value is the number 0.
    pub(super) fn is_zero_float(&self, v: Value) -> bool {
        self.func.maker(v).is_some_and(|n| matches!(self.func[n].op, Op::Const(Const::Float(x, _)) if x == 0.0))
    }

    /// Whether a value waits as the only use of the cotangent of a factor.
    fn adds_product(&self, v: Value) -> bool {
        let product = |n: Node| matches!(self.func[n].op, Op::Prim(p) if p == &DOT_LHS || p == &DOT_RHS);
        self.live.uses(v).count == 1
            && matches!(self.reprs.get(v), Some(Repr::Expr(_)))
            && self.made_by(v).is_some_and(product)
    }

    /// Whether a value waits as the zero that the first entry of a pullback is added to, an array.
    fn is_first_entry(&self, v: Value) -> bool {
        let zero = |n: Node| matches!(self.func[n].op, Op::ZeroLike);
        self.live.uses(v).count == 1
            && matches!(self.func.ty(v), Type::NdArray(..))
            && matches!(self.reprs.get(v), Some(Repr::Expr(_)))
            && self.made_by(v).is_some_and(zero)
    }

    /// A cotangent by value if that is its last use, else a reference to it.
    fn take_or_read(&mut self, v: Value) -> Result<Expr> {
        match self.reprs.get(v) {
            Some(&Repr::Place(p))
                if self.places[p].hold == super::Hold::Owned
                    && matches!(self.func.ty(v), Type::NdArray(..))
                    && !self.takeable(v, p) =>
            {
                self.by_ref(v)
            }
            _ => self.take(v),
        }
    }

    pub(super) fn add_entry(&mut self, acc: Value, entry: Value, out: Value) -> Result<()> {
        let mut entry = self.take(entry)?;
        if entry.lent {
            let root = entry.root();
            entry = Expr::atom(quote!(#root.to_vec())).of([&entry]);
        }
        let place = self.mutable(acc, out)?;
        let (f, acc, mut tokens) = (self.private("add_entry"), self.by_mut(place), entry.tokens.clone());
        if entry.reads.contains(&place) {
            tokens = self.temporary(tokens).tokens;
        }
        self.push(quote!(#f(#acc, #tokens);));
        self.put(out, place);
        Ok(())
    }

    /// Whether a value of an unknown type is a field, an element, or what a pattern takes out of something.
    pub(super) fn is_part(&self, v: Value) -> bool {
        match self.func.maker(v).map(|n| &self.func[n].op) {
            Some(Op::Load(path)) => {
                matches!(path.0.last(), Some(Step::Field(_) | Step::Part(_) | Step::Index | Step::Variant(_)))
            }
            // what one of them was in the branch that was taken, and the tangent of one
            Some(Op::Unwrap | Op::ZeroOrUnit | Op::AddEntry) => true,
            Some(_) => false,
            None => {
                let bound = |op: &Op| matches!(op, Op::IfLet { then_, .. } if self.func[*then_].params.contains(&v));
                self.func.nodes.iter().any(|(_, node)| bound(&node.op))
            }
        }
    }

    /// Whether a variable began with what code without a derivative gave, whatever calls and loops have made of it.
    pub(super) fn began_without(&self, v: Value) -> bool {
        if self.without.contains(&v) {
            return true;
        }
        let func = self.func;
        let inits = |n: Node| &func[n].args[func[n].args.len() - func[n].outs.len()..];
        let before = match func.maker(v) {
            Some(n) => {
                let at = func[n].outs.iter().position(|&out| out == v).expect("one of its results");
                match &func[n].op {
                    Op::Verbatim(_) => return true,
                    Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => {
                        let own = call.own(&func[n].outs).len();
                        let changed = call.args.iter().zip(&func[n].args).filter(|(mode, _)| mode.changes());
                        match at.checked_sub(own) {
                            Some(k) => call.before(&func[n].args).get(k).copied(),
                            None => changed.map(|(_, &a)| a).nth(at.wrapping_sub(1)),
                        }
                    }
                    Op::Loop(_) => inits(n).get(at).copied(),
                    Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                        let mut arms = [then_, else_].into_iter().map(|&arm| func[arm].results[at]);
                        return arms.any(|v| self.began_without(v));
                    }
                    Op::VecOf | Op::Array => return func[n].args.iter().all(|&v| self.began_without(v)),
                    Op::Update(_) => Some(func[n].args[0]),
                    Op::Load(_) => return self.is_part(v),
                    _ => None,
                }
            }
            None => func.nodes.iter().find_map(|(n, node)| {
                let Op::Loop(l) = &node.op else { return None };
                let params = &func[l.body].params;
                let at = params.iter().position(|&p| p == v)?;
                inits(n).get(at.checked_sub(params.len() - node.outs.len())?).copied()
            }),
        };
        before.is_some_and(|before| self.began_without(before))
    }

    /// Of what a closure captures and changes, the values that began so, as its own parameters.
    pub(super) fn params_without(&self, n: Node, lambda: &Lambda) -> Vec<Value> {
        let (made, params) = (self.func[n].outs[0], &lambda.func[lambda.func.root].params);
        let captured = self.func[n].args.iter().zip(params);
        let mut without: Vec<Value> = captured.filter(|(v, _)| self.began_without(**v)).map(|(_, &p)| p).collect();
        for (_, node) in self.func.nodes.iter().filter(|(_, node)| node.args.contains(&made)) {
            let (Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call)) = &node.op else { continue };
            for (state, &before) in call.states.iter().zip(call.before(&node.args)) {
                if node.args[state.function] == made && self.began_without(before) {
                    without.push(params[lambda.captures + state.index]);
                }
            }
        }
        without
    }

    fn zero_like(&mut self, x: Value, out: Value) -> Result<Expr> {
        let ty = self.func.ty(x).clone();
        if !ty.can_be_active() {
            // nothing is evaluated for it
            let _ = self.expr(x)?;
            return Ok(Expr::atom(quote!(())));
        }
        match &ty {
            Type::Float(_) => {
                let _ = self.expr(x)?;
                let zero = crate::ir::Const::Float(0.0, "0.0".into());
                Ok(self.constant(&zero, out, self.func[out].span))
            }
            Type::Slice(t) | Type::Vec(t) if t.is_float() => {
                let (root, e) = self.root(x)?;
                let zero = crate::ir::Const::Float(0.0, "0.0".into());
                let zero = self.constant_of(&zero, t, self.func[out].span);
                let zero = self.with_suffix(zero, t).tokens;
                let vec = self.private("vec");
                Ok(Expr::atom(quote!(#vec![#zero; #root.len()])).of([&e]))
            }
            _ => {
                let (root, e) = self.root(x)?;
                if matches!(self.reprs.get(x), Some(super::Repr::Expr(e)) if e.reads.is_empty() && e.form != Form::Place)
                {
                    // its type is inferred from the other arm, too late for a method
                    let trait_ = self.private("Differentiable");
                    return Ok(Expr::atom(quote!(#trait_::zero_tangent(&#root))).of([&e]));
                }
                if ty == Type::Dyn && self.is_part(x) {
                    // it may be one that was left out
                    self.needs.behind = true;
                    return Ok(Expr::atom(self.zero_or_unit(&root)).of([&e]));
                }
                if let Some(n) = self.func.maker(x).filter(|&n| matches!(self.func[n].op, Op::Build(_))) {
                    // what is built of differentiable values has to have a derivative: told where that is
                    let trait_ = self.private("Differentiable");
                    let zero = quote_spanned!(self.func[n].span=> { let built = &#root; #trait_::zero_tangent(built) });
                    return Ok(Expr::atom(zero).of([&e]));
                }
                self.needs.trait_ = true;
                Ok(Expr::atom(self.zero_of(x, &root)).of([&e]))
            }
        }
    }

    /// The zero tangent of a variable; none if it has no tangent at all, which only the compiler of Rust knows.
    pub(super) fn zero_of(&mut self, v: Value, root: &TokenStream) -> TokenStream {
        match self.func.ty(v) {
            Type::Dyn if self.began_without(v) => return self.zero_or_unit(root),
            Type::Vec(of) | Type::Array(of) if **of == Type::Dyn && self.began_without(v) => {
                let array = matches!(self.func.ty(v), Type::Array(_));
                let element = self.names.unique("element");
                let zero = self.zero_or_unit(&quote!(*#element));
                return match (array, self.private("Vec")) {
                    (true, _) => quote!(#root.each_ref().map(|#element| #zero)),
                    (false, vec) => quote!(#root.iter().map(|#element| #zero).collect::<#vec<_>>()),
                };
            }
            _ => {}
        }
        self.needs.trait_ = true;
        quote!(#root.zero_tangent())
    }

    pub(super) fn zero_or_unit(&mut self, root: &TokenStream) -> TokenStream {
        self.needs.probe = true;
        let probe = self.private("Probe");
        quote!((&#probe(&#root)).zero_or_unit())
    }

    /// The tangent of an argument. What is an array here may be a slice to the function, whose tangent is a vector.
    pub(super) fn tangent_argument(&mut self, v: Value, primal: Value, mode: Arg) -> Result<Expr> {
        let e = self.take(v)?;
        let parameter = self.func[self.func.root].params.contains(&primal);
        if mode == Arg::Ref && matches!(self.func.ty(v), Type::Dyn | Type::Boxed(_)) && !parameter {
            // a reference to a box is one to what is in it, where the function wants that
            self.needs.unboxed = true;
            let (boxed, tokens) = (self.private("MaybeBoxed"), &e.tokens);
            return Ok(Expr::atom(quote!(#boxed(#tokens).unboxed())).of([&e]));
        }
        if mode == Arg::RefMut && perhaps_boxed(self.func.ty(v)) {
            let (f, tokens) = (self.private("handed"), &e.tokens);
            return Ok(Expr::atom(quote!(#f(#tokens))).of([&e]));
        }
        if mode == Arg::Value || !matches!(self.func.ty(v), Type::Array(_)) {
            return Ok(e);
        }
        let root = e.root();
        Ok(Expr::atom(quote!(#root.into())).of([&e]))
    }

    /// Whether the tangent of a value is an array, or that of a constant whose type is not visible.
    pub(super) fn may_be_array(&self, v: Value, primal: Value) -> bool {
        let constant = || {
            let made = self.func.maker(primal).map(|n| &self.func[n].op);
            matches!(made, Some(Op::Verbatim(code)) if code.pure_)
        };
        match self.func.ty(v) {
            Type::Array(_) => true,
            Type::Dyn => constant(),
            _ => false,
        }
    }

    /// Whether a tangent that is an ordinary argument is one of an array that is lent.
    pub(super) fn is_handed_array(&self, v: Value) -> bool {
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        matches!(node.op, Op::Handed(mode) if mode != Arg::Value) && self.may_be_array(node.args[0], node.args[1])
    }

    /// A call that waits for tangents of arrays that are lent to it.
    pub(super) fn with_lent_arrays(&self, call: TokenStream, tangents: &[(Ident, TokenStream)]) -> TokenStream {
        let [same, vector, lent] = ["AsItIs", "AsVector", "LentArray"].map(|name| self.private(name));
        tangents.iter().rfold(call, |call, (name, tangent)| {
            quote!({
                use #same as _;
                use #vector as _;
                let call = |#name| #call;
                (&#lent::new(call, #tangent)).call()
            })
        })
    }

    /// A tangent that is handed to a call or comes from one, as the other side has it.
    pub(super) fn converted(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (tangent, value) = (node.args[0], node.args[1]);
        let e = if let Op::Handed(mode) = node.op {
            // what the function takes it as shows where it is called
            if self.is_handed_array(node.outs[0]) {
                self.take(tangent)?
            } else {
                self.tangent_argument(tangent, value, mode)?
            }
        } else {
            let (part, (new, e)) = (self.take(tangent)?, self.root(value)?);
            let boxed = perhaps_boxed(self.func.ty(node.outs[0]));
            let restore = self.private(if boxed { "regained" } else { "restore" });
            let tokens = &part.tokens;
            let zero = self.zero_of(value, &new);
            Expr::atom(quote!(#restore(#tokens, || #zero))).of([&part, &e])
        };
        self.define(node.outs[0], e);
        Ok(())
    }
}

/// Whether a value of this type may be in a box that the other side of a call does not see.
pub(super) fn perhaps_boxed(ty: &Type) -> bool {
    matches!(ty, Type::Dyn | Type::Boxed(_))
}
