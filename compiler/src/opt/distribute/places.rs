//! What is added at places of an aggregate that are near each other is added in one loop over the places.
//!
//! ```text
//! for %j in 0..%len { add %x [%first - 1..…][%j] += %v[%j] }       for %j in 0..%len - 2 {
//! for %j in 0..%len { add %x [%first + 1..…][%j] += %w[%j] }   →     add %x [%first + 1..…][%j] += %v[2..…][%j]
//!                                                                    add %x [%first + 1..…][%j] += %w[..…][%j]
//!                                                                  }
//!                                                                  what is left at either end as it was
//! ```
//!
//! Each element is read and written once, and no loop reads what the one before it has just written a little beside.

use super::plan::Part;
use super::{Writer, ascending, set_path};
use crate::ir::{Builder, Func, Node, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith::{ADD, SUB};
use std::collections::HashMap;

impl Writer<'_> {
    /// The loops that add at places near each other, which are in their order.
    pub(super) fn places(&mut self, func: &mut Func, parts: &[Part]) {
        let reach = parts.last().expect("a place").offset;
        let mut len = self.len;
        if reach > 0 {
            let mut b = Builder::new(func, self.graph, self.span);
            let by = b.int(reach);
            len = b.prim(&SUB, &[len, by]);
        }
        let mut all = Vec::new();
        for part in parts.iter().rev() {
            let further = reach - part.offset;
            let shift = (further > 0).then(|| Builder::new(func, self.graph, self.span).int(further));
            all.push((part, shift));
        }
        self.adding(func, len, &all);
        for part in parts {
            let mut b = Builder::new(func, self.graph, self.span);
            let [before, after] = [reach - part.offset, part.offset].map(|size| b.int(size));
            if part.offset < reach {
                self.adding(func, before, &[(part, None)]);
            }
            if part.offset > 0 {
                let start = Builder::new(func, self.graph, self.span).prim(&SUB, &[self.len, after]);
                self.adding(func, after, &[(part, Some(start))]);
            }
        }
    }

    /// A loop over so many places, at each of which parts add what they do in that iteration or, with a number, in one that is
    /// so much further on. The places are those of the first part.
    fn adding(&mut self, func: &mut Func, len: Value, parts: &[(&Part, Option<Value>)]) {
        let first = parts[0].0.node;
        let (path, mut operands) = self.window(func, first);
        if len != self.len {
            let end = operands.len() - 1;
            let ends = self.ends(func, Some(operands[end - 1]), parts[0].1, len);
            operands.splice(end - 1.., ends);
        }
        let body = func.graph();
        let number = func.value(Type::USIZE, None, self.span);
        let k = self.plan.changes[first];
        let old = func.value_like(self.now[k]);
        func[body].params = vec![number, old];
        let mut sum: Option<Value> = None;
        for &(part, shift) in parts {
            let slices = self.shifted(func, part, shift, len);
            let at = shift.map_or(number, |by| Builder::new(func, body, self.span).prim(&ADD, &[number, by]));
            let mut inner = self.inner(func, body, at);
            for &n in &part.nodes {
                match slices.get(&n) {
                    Some(&slice) => self.read(func, body, slice, number, n, &mut inner),
                    None if n != part.node => inner.copy(func, body, n),
                    None => {}
                }
            }
            let added = *func[part.node].args.last().expect("what is added");
            let added = inner.find(func, body, added);
            sum = Some(sum.map_or(added, |sum| Builder::new(func, body, self.span).prim(&ADD, &[sum, added])));
        }
        let mut op = func[first].op.clone();
        set_path(&mut op, Path([path.0, vec![Step::Index]].concat()));
        let args = [vec![old], operands, vec![number], sum.into_iter().collect()].concat();
        let new = func.value_like(old);
        let node = func.node(op, args, vec![new], self.span);
        func[body].nodes.push(node);
        func[body].results.push(new);
        let out = func.value_like(new);
        let zero = Builder::new(func, self.graph, self.span).int(0);
        let node = func.node(ascending(body), vec![zero, len, self.now[k]], vec![out], self.span);
        func[self.graph].nodes.push(node);
        self.now[k] = out;
    }

    /// The slices that a part reads in so many iterations, from one on.
    fn shifted(&mut self, func: &mut Func, part: &Part, by: Option<Value>, len: Value) -> HashMap<Node, Value> {
        let mut slices = self.slices(func, &part.nodes);
        if len != self.len {
            let path = Path(vec![Step::Range { from: true, end: RangeEnd::Exclusive }]);
            for n in &part.nodes {
                if let Some(slice) = slices.get_mut(n) {
                    let ends = self.ends(func, None, by, len);
                    *slice = Builder::new(func, self.graph, self.span).load(*slice, &path, &ends);
                }
            }
        }
        slices
    }

    /// The ends of a slice of a length.
    fn ends(&self, func: &mut Func, start: Option<Value>, by: Option<Value>, len: Value) -> [Value; 2] {
        let mut b = Builder::new(func, self.graph, self.span);
        match (start, by) {
            (Some(start), Some(by)) => {
                let start = b.prim(&ADD, &[start, by]);
                [start, b.prim(&ADD, &[start, len])]
            }
            (Some(start), None) | (None, Some(start)) => [start, b.prim(&ADD, &[start, len])],
            (None, None) => [b.int(0), len],
        }
    }
}
