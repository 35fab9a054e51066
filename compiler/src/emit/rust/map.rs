//! Elementwise maps, and operators on values of unknown type.

use super::expr::Expr;
use super::{Emitter, Repr, Result};
use crate::emit::places::Hold;
use crate::ir::{Graph, Node, Operator, Role, Value};
use proc_macro2::TokenStream;
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
        for (i, (&a, &p)) in node.args.iter().zip(&self.func[body].params).enumerate() {
            if numbers[i] && !(like_first && i == 0) {
                self.share_argument(p, a)?;
            } else {
                arrays.push(self.by_ref(a)?);
                elements.push(p);
            }
        }
        let mut operands: Vec<_> = arrays.iter().map(|e| e.tokens.clone()).collect();
        let count = operands.len();
        let name = match (like_first, count) {
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
        if name == "map2_over" && over == Some(1) {
            operands.swap(0, 1);
            patterns.swap(0, 1);
        }
        if name == "zip_many" {
            let others = operands.split_off(1);
            operands.push(quote!([#(#others),*]));
            let others = patterns.split_off(1);
            patterns.push(quote!([#(#others),*]));
        }
        let e = Expr::atom(quote!(#f(#(#operands),*, |#(#patterns),*| #result))).of(&arrays).of([&captured]);
        self.define(node.outs[0], e);
        Ok(())
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
