//! Random statements.

use super::generate::{Exit, Gen};
use super::items::Res;
use super::scope::{Trace, Ty, Var};

impl Gen {
    /// A statement.
    pub(crate) fn statement(&mut self) -> String {
        loop {
            let made = match self.rng.below(if self.wide { 64 } else { 46 }) {
                0..=4 => Some(self.let_float()),
                5 => Some(self.let_int_or_bool()),
                6..=8 => Some(self.let_sequence()),
                9 => Some(self.let_tuple()),
                10..=14 => self.assign(),
                15..=17 => self.assign_part(),
                18..=20 => Some(self.if_()),
                21 | 22 => Some(self.match_()),
                23..=27 => self.for_(),
                28 => self.while_(),
                29 => self.loop_(),
                30 | 31 => self.exit(),
                32..=34 => self.change_sequence(),
                35 => self.swap(),
                36 | 37 => self.closure(),
                38 => self.call(1).map(|e| {
                    let name = self.name();
                    self.scope.declare(Var::new(&name, Ty::Float, true));
                    format!("let mut {name} = {};", e.text)
                }),
                39 => Some(format!("{{ {} }}", self.block(3))),
                40 => self.alias(),
                41 => self.late(),
                42 => self.end_closure(),
                43 => self.for_each(),
                44 => self.let_collected(),
                46..=50 => self.call_statement(),
                51..=53 => self.let_struct(),
                54 => Some(self.let_option()),
                55..=57 => self.use_option(),
                58 => self.let_enum(),
                59 | 60 => self.use_enum(),
                61 | 62 => self.pop(),
                63 => self.let_pattern(),
                _ => self.assign_int(),
            };
            if let Some(s) = made {
                return format!("{s}\n");
            }
        }
    }

    /// The value of a variable, as it may be written after `let x =` or `x =`.
    fn value(&mut self) -> String {
        match self.rng.below(12) {
            0 => {
                let c = self.condition(1);
                let (a, b) = (self.block_of_float(2), self.block_of_float(2));
                format!("if {c} {a} else {b}")
            }
            1 => {
                let k = self.int(1);
                let arms = self.arms(true);
                format!("match {k} % 5 {{ {arms} }}")
            }
            2 => {
                let label = self.new_name("'b");
                let mark = self.scope.vars.len();
                self.exits.push(Exit { label: Some(label.clone()), continues: false, value: true, block: true });
                let text = self.statements(3);
                let (c, e, last) = (self.condition(1), self.bounded(1), self.bounded(1));
                self.exits.pop();
                self.scope.leave(mark);
                format!("{label}: {{ {text} if {c} {{ break {label} {e}; }} {last} }}")
            }
            4 if self.cost <= 64 => self.consumed().unwrap_or_else(|| self.bounded(2)),
            3 if self.cost <= 16 => self.nested(|g| {
                let sum = g.bounded(1);
                let block = g.block_of_float(3);
                format!("{sum} + {block}")
            }),
            _ => self.bounded(3),
        }
    }

    fn let_float(&mut self) -> String {
        let diverging = self.rng.chance(12) && self.can_leave();
        let init = if diverging {
            let c = self.condition(1);
            let leave = self.leave();
            match self.rng.below(3) {
                0 => format!("if {c} {{ {leave} }} else {}", self.block_of_float(2)),
                1 => format!("if {c} {} else {{ {} {leave} }}", self.block_of_float(2), self.braced(1)),
                _ => {
                    let (k, a, b) = (self.int(1), self.bounded(1), self.block_of_float(1));
                    let leave = leave.trim_end_matches(';');
                    format!("match {k} % 4 {{ 0 => {a}, 1 => {leave}, _ => {b} }}")
                }
            }
        } else {
            self.value()
        };
        let name = self.name();
        let mutable = self.rng.chance(65);
        self.scope.declare(Var::new(&name, Ty::Float, mutable));
        let annotated = self.rng.chance(25) || !init.contains(['(', 'v']);
        format!(
            "let {}{name}{} = {init};",
            if mutable { "mut " } else { "" },
            if annotated || diverging { ": f64" } else { "" }
        )
    }

    fn let_int_or_bool(&mut self) -> String {
        let name = self.name();
        if self.rng.chance(60) {
            let e = self.int(2);
            let mutable = self.rng.chance(60);
            self.scope.declare(Var::new(&name, Ty::Int, mutable));
            format!("let {}{name} = {e} % 6;", if mutable { "mut " } else { "" })
        } else {
            let e = self.condition(2);
            self.scope.declare(Var::new(&name, Ty::Bool, true));
            format!("let mut {name} = {e};")
        }
    }

    fn let_sequence(&mut self) -> String {
        let name = self.name();
        let (ty, init) = match self.rng.below(9) {
            0 => (Ty::Array, format!("[{}, {}, {}]", self.bounded(1), self.bounded(1), self.bounded(0))),
            1 => (Ty::Array, format!("[{}; 3]", self.bounded(1))),
            2 => (Ty::Vec, format!("vec![{}, {}]", self.bounded(1), self.bounded(1))),
            3 => (Ty::Vec, format!("vec![{}; {} % 3 + 1]", self.bounded(1), self.int(1))),
            4 => (Ty::Vec, format!("vec![0.0_f64; {} % 4 + 1]", self.int(1))),
            5 | 6 => {
                let found = self.scope.readable(|v| v.ty.is_sequence() && !v.empty);
                if found.is_empty() {
                    (Ty::Vec, format!("vec![{}; 2]", self.bounded(1)))
                } else {
                    let k = self.rng.of(&found);
                    self.scope.used(k);
                    let v = &self.scope.vars[k];
                    match v.ty {
                        Ty::Array => (Ty::Array, v.name.clone()),
                        Ty::Vec => (Ty::Vec, format!("{}.{}()", v.name, self.rng.of(&["clone", "to_vec"]))),
                        _ => (Ty::Vec, format!("{}.to_vec()", v.name)),
                    }
                }
            }
            7 => {
                let row = |g: &mut Self| format!("[{}, {}, {}]", g.bounded(1), g.bounded(0), g.bounded(0));
                (
                    Ty::Matrix,
                    if self.rng.chance(30) {
                        "[[0.0_f64; 3]; 2]".to_owned()
                    } else {
                        format!("[{}, {}]", row(self), row(self))
                    },
                )
            }
            _ => (Ty::Mixed, format!("([{}, {}, 0.5], {})", self.bounded(0), self.bounded(0), self.bounded(1))),
        };
        self.scope.declare(Var::new(&name, ty, true));
        format!("let mut {name} = {init};")
    }

    fn let_collected(&mut self) -> Option<String> {
        let (init, name) = (self.collected()?, self.name());
        let mut v = Var::new(&name, Ty::Vec, true);
        v.empty = true;
        self.scope.declare(v);
        Some(format!("let mut {name} = {init};"))
    }

    fn let_tuple(&mut self) -> String {
        let (a, b) = (self.bounded(1), self.bounded(1));
        if self.rng.chance(50) {
            let name = self.name();
            self.scope.declare(Var::new(&name, Ty::Pair, true));
            return format!("let mut {name} = ({a}, {b});");
        }
        let (x, y) = (self.name(), self.new_name("v"));
        let angle = self.float(1).receiver();
        self.scope.declare(Var::new(&x, Ty::Float, true));
        self.scope.declare(Var::new(&y, Ty::Float, false));
        match self.rng.below(3) {
            0 => format!("let (mut {x}, {y}) = {angle}.sin_cos();"),
            _ => format!("let (mut {x}, {y}) = ({a}, {b});"),
        }
    }

    fn assign(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| v.ty == Ty::Float);
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let x = self.scope.vars[k].place();
        Some(match self.rng.below(7) {
            0 | 1 => format!("{x} = {};", self.value()),
            2 => format!("{x} += 0.3 * {};", self.bounded(2)),
            3 => format!("{x} -= {};", self.bounded(1)),
            4 => format!("{x} *= {};", self.bounded(2)),
            5 => format!("{x} /= 1.5 + {};", self.bounded(1)),
            _ => format!("{x} = {} * 0.5 + {};", self.scope.vars[k].read(), self.bounded(2)),
        })
    }

    fn assign_int(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| matches!(v.ty, Ty::Int | Ty::Bool));
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let name = self.scope.vars[k].name.clone();
        Some(if self.scope.vars[k].ty == Ty::Bool {
            format!("{name} = {};", self.condition(1))
        } else if self.rng.chance(40) {
            format!("{name} += 1;")
        } else {
            format!("{name} = {} % 5;", self.int(2))
        })
    }

    fn assign_part(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| !v.empty && v.ty != Ty::Float && v.ty.has_floats());
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let v = self.scope.vars[k].clone();
        let x = &v.name;
        let whole = self.rng.below(12);
        match (whole, v.ty) {
            (0, Ty::Pair) => return Some(format!("{x} = ({x}.1, {});", self.bounded(1))),
            (0, Ty::Array) => return Some(format!("{x} = [{x}[1], {}, {x}[0] * 0.5];", self.bounded(1))),
            (0, Ty::Matrix) => return Some(format!("{x}[{} % 2] = {x}[{} % 2];", self.int(1), self.int(1))),
            (1, Ty::Matrix) => return Some(format!("{x}[1] = [{}; 3];", self.bounded(1))),
            (0, Ty::Mixed) => return Some(format!("{x}.0 = [{x}.1, {}, {x}.0[0]];", self.bounded(1))),
            (0, Ty::Vec) => return Some(format!("{x} = vec![{}; {} % 3 + 1];", self.bounded(1), self.int(1))),
            _ => {}
        }
        let mut part = self.part(&v);
        let mut first = String::new();
        let hoist = v.ty == Ty::Vec || v.ty == Ty::Slice && !self.scope.traces.is_empty();
        if hoist && part != "[0]" || part.starts_with('[') && v.ty != Ty::Matrix && self.rng.chance(10) {
            // `v[v.len() - 1] = …` is accepted for slices only
            let i = self.new_name("i");
            first = format!("let {i} = {};", &part[1..part.len() - 1]);
            part = format!("[{i}]");
        }
        if let (Ty::Struct(_), Some(at)) = (v.ty, part.find('['))
            && part.contains(".len()")
        {
            let i = self.new_name("i");
            first = format!("let {i} = {};", &part[at + 1..part.len() - 1]);
            part = format!("{}[{i}]", &part[..at]);
        }
        let change = match self.rng.below(6) {
            0 | 1 => format!("{x}{part} = {};", self.bounded(2)),
            2 | 3 => format!("{x}{part} += 0.4 * {};", self.bounded(2)),
            4 => format!("{x}{part} *= {};", self.bounded(1)),
            _ => format!("{x}{part} -= {};", self.bounded(1)),
        };
        Some(first + &change)
    }

    fn if_(&mut self) -> String {
        let c = self.condition(2);
        let a = self.block(3);
        match self.rng.below(4) {
            0 | 1 => format!("if {c} {{ {a} }}"),
            2 => format!("if {c} {{ {a} }} else {{ {} }}", self.block(3)),
            _ => {
                let (d, b) = (self.condition(1), self.block(2));
                format!("if {c} {{ {a} }} else if {d} {{ {b} }} else {{ {} }}", self.block(2))
            }
        }
    }

    fn match_(&mut self) -> String {
        match self.rng.below(3) {
            0 => {
                let (k, c) = (self.int(1), self.condition(0));
                let (a, b, d) = (self.block(2), self.block(2), self.block(2));
                format!("match ({k} % 2, {c}) {{ (0, true) => {{ {a} }} (_, false) => {{ {b} }} _ => {{ {d} }} }}")
            }
            _ => {
                let k = self.int(1);
                let arms = self.arms(false);
                format!("match {k} % 5 {{ {arms} }}")
            }
        }
    }

    /// The arms of a match on `0..5`.
    fn arms(&mut self, value: bool) -> String {
        let mut text = String::new();
        let body = |g: &mut Self| if value { g.block_of_float(2) } else { format!("{{ {} }}", g.block(2)) };
        for _ in 0..1 + self.rng.below(3) {
            let pat = self.rng.of(&["0", "1", "2", "3", "0 | 2", "1..=3", "0..2", "3.."]);
            let guard = if self.rng.chance(25) { format!(" if {}", self.condition(1)) } else { String::new() };
            text.push_str(&format!("{pat}{guard} => {} ", body(self)));
        }
        if self.rng.chance(25) {
            let mark = self.scope.vars.len();
            let name = self.new_name("k");
            self.scope.declare(Var::new(&name, Ty::Int, false));
            text.push_str(&format!("{name} if {name} > 1 => {} ", body(self)));
            self.scope.leave(mark);
        }
        text.push_str(&format!("_ => {}", body(self)));
        text
    }

    /// Whether something can be left from here.
    pub(crate) fn can_leave(&self) -> bool {
        self.returns || self.exits.len() > self.barrier
    }

    /// A statement that leaves something.
    pub(crate) fn leave(&mut self) -> String {
        let reach = self.barrier..self.exits.len();
        if !reach.is_empty() && (!self.returns || self.rng.chance(75)) {
            // inside a labelled block, a loop needs its label too
            let innermost = self.exits.len().checked_sub(1);
            let k = if self.rng.chance(60) { self.exits.len() - 1 } else { reach.start + self.rng.below(reach.len()) };
            let e = &self.exits[k];
            let (label, value, continues, block) = (e.label.clone(), e.value, e.continues, e.block);
            let plain = innermost == Some(k) && !block;
            let suffix = match &label {
                Some(l) if !plain || self.rng.chance(40) => Some(format!(" {l}")),
                None if plain => Some(String::new()),
                Some(_) => Some(String::new()),
                None => None,
            };
            if let Some(suffix) = suffix {
                if continues && self.rng.chance(50) {
                    return format!("continue{suffix};");
                }
                if value {
                    return format!("break{suffix} {};", self.bounded(1));
                }
                return format!("break{suffix};");
            }
        }
        if self.returns {
            return format!("return {};", self.result_value());
        }
        // a loop without a label that is not the innermost: leave that
        match self.exits[self.barrier..].last() {
            Some(e) => {
                let label = e.label.clone().map(|l| format!(" {l}")).unwrap_or_default();
                if e.value { format!("break{label} {};", self.bounded(1)) } else { format!("break{label};") }
            }
            None => String::new(),
        }
    }

    fn exit(&mut self) -> Option<String> {
        if !self.can_leave() || (self.exits.len() == self.barrier && self.rng.chance(60)) {
            return None;
        }
        let c = self.condition(2);
        let before = self.braced(1);
        let leave = self.leave();
        Some(match self.rng.below(5) {
            0 => {
                let (d, b) = (self.condition(1), self.block(2));
                format!("if {c} {{ {before} if {d} {{ {leave} }} {b} }}")
            }
            1 => format!("if {c} {{ {} }} else {{ {before} {leave} }}", self.block(2)),
            2 => {
                let k = self.int(1);
                format!(
                    "match {k} % 4 {{ 0 => {{ {before} {leave} }} 1 if {c} => {{ {} }} _ => {{ {} }} }}",
                    self.block(2),
                    self.block(1)
                )
            }
            _ => format!("if {c} {{ {before} {leave} }}"),
        })
    }

    fn swap(&mut self) -> Option<String> {
        let ty = self.rng.of(&[Ty::Vec, Ty::Float, Ty::Array, Ty::Float]);
        let found = self.scope.writable(|v| v.ty == ty && !v.deref);
        if found.len() < 2 {
            return None;
        }
        let i = self.rng.below(found.len());
        let j = (i + 1 + self.rng.below(found.len() - 1)) % found.len();
        let (a, b) = (found[i], found[j]);
        if self.scope.vars[a].empty != self.scope.vars[b].empty {
            return None;
        }
        self.scope.changed(a);
        self.scope.changed(b);
        let (x, y) = (self.scope.vars[a].name.clone(), self.scope.vars[b].name.clone());
        Some(if ty == Ty::Float && self.rng.chance(50) {
            format!("({x}, {y}) = ({y}, {x} + 0.1);")
        } else if ty == Ty::Float && self.rng.chance(30) {
            let name = self.new_name("v");
            self.scope.declare(Var::new(&name, Ty::Float, false));
            format!("let {name} = std::mem::replace(&mut {x}, {y});")
        } else {
            format!("std::mem::swap(&mut {x}, &mut {y});")
        })
    }

    /// A closure, which borrows until its scope ends.
    fn closure(&mut self) -> Option<String> {
        if self.scope.traces.len() >= 2 {
            return None;
        }
        let moves = self.rng.chance(30);
        let base = self.scope.vars.len();
        self.scope.traces.push(Trace { base, moves, ..Trace::default() });
        let (exits, barrier) = (std::mem::take(&mut self.exits), std::mem::replace(&mut self.barrier, 0));
        let returns = std::mem::replace(&mut self.returns, true);
        let result = std::mem::replace(&mut self.result, Res::Float);
        let cost = self.cost;
        self.cost *= 4;
        let param = self.new_name("t");
        self.scope.declare(Var::new(&param, Ty::Float, false));
        let body = if self.rng.chance(50) {
            format!("{{ {} }}", self.bounded(2))
        } else {
            let text = self.statements(3);
            format!("{{ {text} {} }}", self.bounded(2))
        };
        self.scope.leave(base);
        (self.cost, self.result) = (cost, result);
        (self.exits, self.barrier, self.returns) = (exits, barrier, returns);
        let trace = self.scope.traces.pop().expect("pushed above");
        let changes = !trace.writes.is_empty();
        // an enclosing closure captures the same
        for &k in &trace.reads {
            self.scope.used(k);
        }
        for &k in &trace.writes {
            if moves { self.scope.used(k) } else { self.scope.changed(k) }
        }
        let name = self.new_name("h");
        let mut var = Var::new(&name, Ty::Closure(changes), changes);
        if !moves {
            var.borrows.extend(trace.writes.iter().map(|&k| (k, true)));
            var.borrows.extend(trace.reads.difference(&trace.writes).map(|&k| (k, false)));
        }
        self.scope.declare(var);
        let (m, mv) = (if changes { "mut " } else { "" }, if moves { "move " } else { "" });
        Some(format!("let {m}{name} = {mv}|{param}: f64| {body};"))
    }

    /// The last use of a closure that was made in this scope.
    fn end_closure(&mut self) -> Option<String> {
        let k = self.scope.vars.len().checked_sub(1)?;
        if !matches!(self.scope.vars[k].ty, Ty::Closure(_)) || self.scope.vars[k].hidden > 0 {
            return None;
        }
        let f = self.scope.vars[k].name.clone();
        if self.scope.vars[k].frozen > 0 || self.scope.traces.iter().any(|t| k < t.base) || self.rng.chance(50) {
            return None;
        }
        let arg = self.bounded(0);
        if arg.contains(&f) {
            return None;
        }
        // names that a borrow hid are visible again
        self.scope.end(k);
        let name = self.new_name("v");
        self.scope.declare(Var::new(&name, Ty::Float, false));
        Some(format!("let {name} = {f}({arg});"))
    }
}
