//! Elements of sequences, as nodes name them.

use crate::ir::{Func, Node, RangeEnd, Step, Type, Value};

/// An element of a sequence, as a node names it: `root[prefix…][index]rest…`.
pub(super) struct Element<'f> {
    pub(super) prefix: &'f [Step],
    pub(super) operands: &'f [Value],
    pub(super) index: Value,
    pub(super) rest: &'f [Value],
}

/// The slice that an index counts in: whether each has a lower and an upper end, and the values that these are.
pub(super) type Within = (Vec<(bool, bool)>, Vec<Value>);

impl Element<'_> {
    /// The slice that it counts in.
    pub(super) fn within(&self) -> Within {
        let ends = |step: &Step| match step {
            Step::Range { from, end } => (*from, *end != RangeEnd::Open),
            _ => (false, false),
        };
        (self.prefix.iter().map(ends).collect(), self.operands.to_vec())
    }
}

/// The element that a node reads or changes.
pub(super) fn element<'f>(func: &'f Func, n: Node) -> Option<Element<'f>> {
    let node = &func[n];
    let path = node.op.path()?;
    let at = path.0.iter().position(|step| !matches!(step, Step::Range { .. }))?;
    let (prefix, [Step::Index, rest @ ..]) = path.0.split_at(at) else { return None };
    if !rest.iter().all(|step| matches!(step, Step::Index | Step::Field(_))) {
        return None;
    }
    let inclusive = |step: &Step| matches!(step, Step::Range { end: RangeEnd::Inclusive, .. });
    if !matches!(func.ty(node.args[0]), Type::Slice(_) | Type::Vec(_) | Type::Array(_)) || prefix.iter().any(inclusive)
    {
        return None;
    }
    let before: usize = prefix.iter().map(Step::operands).sum();
    let all = &node.args[1..1 + path.operands()];
    Some(Element { prefix, operands: &all[..before], index: all[before], rest: &all[before + 1..] })
}
