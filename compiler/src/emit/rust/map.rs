//! Elementwise maps, and operators on values of unknown type.

use super::expr::{Expr, Form};
use super::{Emitter, Repr, Result};
use crate::emit::places::Hold;
use crate::ir::{Graph, Node, Op, Operator, Role, Type, Value};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

impl Emitter<'_> {
    /// Elementwise over arrays.
    pub(super) fn map(
        &mut self,
        n: Node,
        body: Graph,
        like_first: bool,
        over: Option<usize>,
        operator: Option<Operator>,
    ) -> Result<()> {
        let node = &self.func[n];
        // even if only its literals tell that
        let number =
            |&a: &Value| self.func.ty(a).is_float() || matches!(self.reprs.get(a), Some(Repr::Expr(e)) if e.literal);
        let numbers: Vec<bool> = node.args.iter().map(number).collect();
        if numbers.iter().all(|&number| number) {
            return self.apply(n, body);
        }
        if let Some(operator) = operator
            && (operator.role != Role::Result || operator.may_be_foreign(self.func, &node.args))
        {
            return self.operator(n, body, operator);
        }
        if like_first && self.func[body].results[0] == self.func[body].params[0] {
            // the first operand as it is
            return self.copy(node.args[0], node.outs[0], false);
        }
        self.flush_for_graphs();
        // a number is a constant of the closure
        let (mut arrays, mut elements) = (Vec::new(), Vec::new());
        let many = node.args.len() - numbers.iter().filter(|&&number| number).count();
        let leads = if many == 1 { numbers.iter().position(|&number| !number) } else { Some(over.unwrap_or(0)) };
        let reused = match leads {
            Some(leads) if many == 1 || like_first || many == 2 && over.is_some() && node.args.len() == 2 => {
                self.reused(node.args[leads])?
            }
            _ => None,
        };
        let reuses = reused.is_some();
        for (i, (&a, &p)) in node.args.iter().zip(&self.func[body].params).enumerate() {
            if reuses && leads == Some(i) {
                arrays.extend(reused.clone());
                elements.push(p);
            } else if numbers[i] && !(like_first && i == 0) {
                self.share_argument(p, a)?;
            } else {
                arrays.push(self.by_ref(a)?);
                elements.push(p);
            }
        }
        let count = arrays.len();
        if !like_first && count > 2 {
            // each is written twice
            for e in &mut arrays {
                if !matches!(e.tokens.clone().into_iter().last(), Some(TokenTree::Ident(_))) {
                    e.tokens = self.temporary(e.tokens.clone()).tokens;
                }
            }
        }
        let mut operands: Vec<_> = arrays.iter().map(|e| e.tokens.clone()).collect();
        let name = match (like_first, count) {
            (_, 1) if reuses => "map1_in".to_owned(),
            (true, _) if reuses => "zip_in".to_owned(),
            (false, _) if reuses => "map2_in".to_owned(),
            (_, 0) => return self.unsupported("an elementwise operation on nothing"),
            (false, 2) if over.is_some() && node.args.len() == 2 => "map2_over".to_owned(),
            (false, 1 | 2) => format!("map{count}"),
            (true, 5..) => "zip_many".to_owned(),
            (true, _) => format!("zip{count}"),
            (false, _) => {
                // the shape of the result first, then the rest along with it
                let f = self.private("map2");
                let first = operands[1..]
                    .iter()
                    .fold(operands[0].clone(), |first, other| quote!(&#f(#first, #other, |x, _| x)));
                operands[0] = first;
                if count > 4 { "zip_many".to_owned() } else { format!("zip{count}") }
            }
        };
        let (mut patterns, result, captured) = self.elementwise_closure(body, &elements)?;
        let f = self.private(&name);
        if over == Some(1) && count == 2 && ["map2_over", "map2_in"].contains(&name.as_str()) {
            operands.swap(0, 1);
            patterns.swap(0, 1);
        }
        if name == "zip_many" || name == "zip_in" {
            let others = operands.split_off(1);
            operands.push(quote!([#(#others),*]));
            let others = patterns.split_off(1);
            patterns.push(quote!([#(#others),*]));
        }
        let e = Expr::atom(quote!(#f(#(#operands),*, |#(#patterns),*| #result))).of(&arrays).of([&captured]);
        self.define(node.outs[0], e);
        Ok(())
    }

    /// An array that is not used after the current node and whose memory the result can have, by value.
    fn reused(&mut self, v: Value) -> Result<Option<Expr>> {
        // what is an array for certain
        let array = |n: &Node| match &self.func[*n].op {
            Op::Map { .. } | Op::Unbroadcast | Op::Accumulate | Op::AddEntry | Op::ZeroLike => true,
            Op::Prim(prim) => matches!(prim.name, "dot" | "dot_lhs_bar" | "dot_rhs_bar"),
            _ => false,
        };
        let mut before = self.func[self.graph].nodes[..self.index - 1].iter();
        let made = before.any(|n| self.func[*n].outs.contains(&v) && array(n));
        let carried = self.graph != self.func.root && self.func[self.graph].params.contains(&v);
        if !(made || carried) || !matches!(self.func.ty(v), Type::NdArray(_, Some(_))) {
            return Ok(None);
        }
        let free = match self.reprs.get(v) {
            Some(&Repr::Place(p)) => self.places[p].hold == Hold::Owned && self.takeable(v, p),
            Some(Repr::Expr(e)) => e.form == Form::New && self.live.uses(v).count == 1,
            None => false,
        };
        Ok(if free { Some(self.take(v)?) } else { None })
    }

    /// An operator on what may be of a type of the user's, or a derivative of one. The closure is for all other types.
    fn operator(&mut self, n: Node, body: Graph, operator: Operator) -> Result<()> {
        self.flush_for_graphs();
        let node = &self.func[n];
        let elements = self.func[body].params.clone();
        let operands = node.args.iter().map(|&a| self.by_ref(a)).collect::<Result<Vec<_>>>()?;
        let (mut patterns, result, captured) = self.elementwise_closure(body, &elements)?;
        let mut tokens: Vec<_> = operands.iter().map(|e| e.tokens.clone()).collect();
        if operator.unary {
            // in the place of the second operand there is nothing
            let at = if let Role::Bar(_) = operator.role { 2 } else { 1 };
            tokens.insert(at, quote!(&()));
            patterns.insert(at, quote!(_));
        }
        let (f, marker) = (self.operators(operator.function()), self.operators(operator.name));
        let e = Expr::atom(quote!(#f(#marker, #(#tokens),*, |#(#patterns),*| #result)));
        self.define(node.outs[0], e.of(&operands).of([&captured]));
        Ok(())
    }

    /// The path of something about operators in the runtime.
    fn operators(&self, name: &str) -> TokenStream {
        let (module, name) = (self.private("operators"), quote::format_ident!("{name}"));
        quote!(#module::#name)
    }

    /// The closure of an elementwise operation: the patterns of its parameters, its body, and what that captures.
    fn elementwise_closure(
        &mut self,
        body: Graph,
        elements: &[Value],
    ) -> Result<(Vec<TokenStream>, TokenStream, Expr)> {
        let here = (self.graph, self.index);
        self.open();
        self.stand_at((body, 0));
        let params: Vec<_> = elements.iter().map(|&p| self.declare(p, Hold::Owned)).collect();
        self.elementwise = true;
        self.nodes(body)?;
        let result = self.take(self.func[body].results[0])?;
        self.elementwise = false;
        let unused: Vec<_> = elements.iter().map(|&p| self.live.uses(p).count == 0).collect();
        self.leave(here, &[body]);
        let scope = self.close();
        let stmts = self.render(&scope);
        let patterns: Vec<_> =
            params.iter().zip(unused).map(|(&p, unused)| self.pattern(&[(!unused).then_some(p)])).collect();
        let tokens = &result.tokens;
        let body = if stmts.is_empty() { quote!(#tokens) } else { quote!({ #stmts #tokens }) };
        let captured = Expr { reads: result.reads.iter().copied().filter(|p| !params.contains(p)).collect(), ..result };
        Ok((patterns, body, captured))
    }
}
