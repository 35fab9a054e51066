//! Indices as linear forms of the number of the iteration.

use crate::ir::{Const, Func, Graph, NodeData, Op, Type, Value};
use crate::prims::arith::{ADD, MUL, SUB};
use la_arena::ArenaMap;
use std::collections::BTreeMap;

/// `stride·i + Σ factor·term + constant`, of terms that are the same in every iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linear {
    /// How far an iteration goes.
    pub(super) stride: i64,
    /// The terms with their factors, none of which is 0.
    pub(super) terms: BTreeMap<u32, i64>,
    /// The rest.
    pub(super) constant: i64,
}

impl Linear {
    pub(super) fn constant(constant: i64) -> Self {
        Linear { constant, ..Linear::default() }
    }

    pub(super) fn term(v: Value) -> Self {
        Linear { terms: BTreeMap::from([(v.into_raw().into_u32(), 1)]), ..Linear::default() }
    }

    pub(super) fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        let add = |a: i64, b: i64| a.checked_add(b.checked_mul(factor)?);
        let mut sum = self.clone();
        sum.stride = add(sum.stride, other.stride)?;
        sum.constant = add(sum.constant, other.constant)?;
        for (&term, &by) in &other.terms {
            let by = add(sum.terms.get(&term).copied().unwrap_or(0), by)?;
            sum.terms.insert(term, by);
        }
        sum.terms.retain(|_, by| *by != 0);
        Some(sum)
    }

    fn times(&self, factor: i64) -> Option<Self> {
        Linear::default().plus(self, factor)
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        (self.stride == 0 && self.terms.is_empty()).then_some(self.constant)
    }
}

/// The linear forms of the integers in the body of a loop over a range, whose first parameter is the index.
pub(super) struct Forms(ArenaMap<Value, Option<Linear>>);

impl Forms {
    pub(super) fn new(func: &Func, body: Graph) -> Self {
        let mut forms = Forms(ArenaMap::default());
        let (&index, carried) = func[body].params.split_first().expect("an index");
        forms.0.insert(index, Some(Linear { stride: 1, ..Linear::default() }));
        carried.iter().for_each(|&p| drop(forms.0.insert(p, None)));
        for &n in &func[body].nodes {
            let node = &func[n];
            let form = if let [out] = node.outs[..]
                && matches!(func.ty(out), Type::Int(_))
            {
                forms.find(node)
            } else {
                None
            };
            let steady = form.is_none() && node.op.graphs().is_empty() && node.args.iter().all(|&a| forms.is_steady(a));
            for &out in &node.outs {
                forms.0.insert(out, if steady { Some(Linear::term(out)) } else { form.clone() });
            }
        }
        forms
    }

    /// What a value is, if it is known to be linear; a value from outside, or that follows from such only, is a term.
    pub(super) fn of(&self, v: Value) -> Option<Linear> {
        match self.0.get(v) {
            Some(form) => form.clone(),
            None => Some(Linear::term(v)),
        }
    }

    /// Whether a value is the same in every iteration.
    pub(super) fn is_steady(&self, v: Value) -> bool {
        self.of(v).is_some_and(|form| form.stride == 0)
    }

    fn find(&self, node: &NodeData) -> Option<Linear> {
        match (&node.op, &node.args[..]) {
            (Op::Const(Const::Int(digits)), _) => digits.parse().ok().map(Linear::constant),
            (Op::Prim(prim), &[x, y]) if *prim == &ADD => self.of(x)?.plus(&self.of(y)?, 1),
            (Op::Prim(prim), &[x, y]) if *prim == &SUB => self.of(x)?.plus(&self.of(y)?, -1),
            (Op::Offset, &[lo, i]) => self.of(i)?.plus(&self.of(lo)?, -1),
            (Op::Prim(prim), &[x, y]) if *prim == &MUL => {
                let (x, y) = (self.of(x)?, self.of(y)?);
                match (x.as_constant(), y.as_constant()) {
                    (Some(by), _) => y.times(by),
                    (_, Some(by)) => x.times(by),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
