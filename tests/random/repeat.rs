//! Random loops, and statements on sequences.

use super::generate::{Exit, Gen};
use super::scope::{Ty, Var};

impl Gen {
    /// `'l: ` or nothing; registers the loop.
    fn begin(&mut self, continues: bool, value: bool) -> String {
        let label = self.rng.chance(35).then(|| self.new_name("'l"));
        let text = label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
        self.exits.push(Exit { label, continues, value, block: false });
        text
    }

    /// The body of a loop in which `vars` are declared.
    fn body(&mut self, vars: Vec<Var>, most: usize) -> String {
        let mark = self.scope.vars.len();
        for v in vars {
            self.scope.declare(v);
        }
        self.cost *= 4;
        let text = self.statements(most);
        self.cost /= 4;
        self.scope.leave(mark);
        text
    }

    /// A small number as the end of a range.
    fn end(&mut self) -> String {
        let small = self.scope.readable(|v| v.ty == Ty::Int && v.small);
        let sequences = self.scope.readable(|v| v.ty.is_sequence());
        match self.rng.below(6) {
            0 | 1 if !small.is_empty() => {
                let k = self.rng.of(&small);
                self.scope.used(k);
                self.scope.vars[k].name.clone()
            }
            2 | 3 if !sequences.is_empty() => {
                let k = self.rng.of(&sequences);
                self.scope.used(k);
                format!("{}.len()", self.scope.vars[k].name)
            }
            4 => format!("{} % 4", self.int(1)),
            _ => self.rng.of(&["2", "3", "4"]).to_owned(),
        }
    }

    fn small(&mut self) -> Var {
        let name = self.name();
        let mut v = Var::new(&name, Ty::Int, false);
        v.small = true;
        v
    }

    /// `for`
    pub(crate) fn for_(&mut self) -> Option<String> {
        if self.cost > 16 || self.budget == 0 {
            return None;
        }
        if self.rng.chance(45) {
            return self.for_items();
        }
        let hi = self.end();
        let range = match self.rng.below(9) {
            0..=2 => format!("0..{hi}"),
            3 => format!("1..={hi}"),
            4 => format!("(0..{hi}).rev()"),
            5 => format!("(0..={hi}).rev()"),
            6 => format!("(0..{hi} + 2).step_by(2)"),
            7 => format!("(1..={hi}).rev().step_by(2)"),
            _ => {
                let lo = self.int(1);
                format!("{lo} % 3..{hi}")
            }
        };
        let label = self.begin(true, false);
        let i = self.small();
        let name = i.name.clone();
        let body = self.body(vec![i], 4);
        self.exits.pop();
        Some(format!("{label}for {name} in {range} {{ {body} }}"))
    }

    /// `for` over the items of a sequence.
    fn for_items(&mut self) -> Option<String> {
        let found = self.scope.readable(|v| v.ty.is_sequence());
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        let v = self.scope.vars[k].clone();
        let s = v.name.clone();
        let writable = v.mutable && v.frozen == 0;
        let item = self.name();
        let mut x = Var::new(&item, Ty::Float, false);
        let (mut borrows, mut vars, mut pattern) = (Some(false), Vec::new(), item.clone());
        let iterator = match self.rng.below(15) {
            0 | 1 if writable => {
                (x.deref, x.mutable, borrows) = (true, true, Some(true));
                format!("{s}.iter_mut()")
            }
            2 if writable && v.ty == Ty::Vec => {
                (x.deref, x.mutable, borrows) = (true, true, Some(true));
                format!("&mut {s}")
            }
            3 if writable => {
                (x.deref, x.mutable, borrows) = (true, true, Some(true));
                let i = self.small_named("i");
                pattern = format!("({}, {item})", i.name);
                vars.push(i);
                format!("{s}.iter_mut().enumerate()")
            }
            4 if v.ty == Ty::Array => {
                borrows = None;
                s.clone()
            }
            5 => {
                pattern = format!("&{item}");
                format!("{s}.iter()")
            }
            6 => format!("{s}.iter().copied(){}", self.rng.of(&["", ".rev()"])),
            7 | 8 => {
                x.deref = true;
                let i = self.small_named("i");
                pattern = format!("({}, {item})", i.name);
                vars.push(i);
                format!("{s}.iter().enumerate(){}", self.rng.of(&["", ".skip(1)", ".take(2)"]))
            }
            9 | 10 => {
                let other = self.rng.of(&found);
                self.scope.used(other);
                let o = self.scope.vars[other].name.clone();
                x.deref = true;
                let mut y = Var::new(&self.new_name("y"), Ty::Float, false);
                y.deref = true;
                y.borrows.push((other, false));
                pattern = format!("({item}, {})", y.name);
                vars.push(y);
                format!("{s}.iter().zip({o}.iter(){})", self.rng.of(&["", ".rev()", ".skip(1)"]))
            }
            11 => {
                let (w, n) = self.rng.of(&[("windows", 2), ("chunks", 2), ("windows", 1), ("chunks_exact", 2)]);
                (x.ty, x.empty) = (Ty::Slice, false);
                format!("{s}.{w}({n})")
            }
            12 if v.ty == Ty::Vec => {
                borrows = None;
                format!("{s}.clone()")
            }
            13 => {
                x.deref = true;
                format!(
                    "{s}.iter(){}",
                    self.rng.of(&[".rev()", ".skip(1)", ".step_by(2)", ".take(2)", ".rev().take(2)"])
                )
            }
            _ => {
                x.deref = true;
                match (v.ty, v.mutable) {
                    (Ty::Slice, false) => s.clone(),
                    (Ty::Slice, true) => format!("{s}.iter()"),
                    _ => format!("&{s}"),
                }
            }
        };
        match borrows {
            Some(true) => self.scope.changed(k),
            _ => self.scope.used(k),
        }
        x.borrows.extend(borrows.map(|mutably| (k, mutably)));
        vars.push(x);
        let label = self.begin(true, false);
        let body = self.body(vars, 4);
        self.exits.pop();
        Some(format!("{label}for {pattern} in {iterator} {{ {body} }}"))
    }

    fn small_named(&mut self, prefix: &str) -> Var {
        let name = self.new_name(prefix);
        let mut v = Var::new(&name, Ty::Int, false);
        v.small = true;
        v
    }

    /// `while`
    pub(crate) fn while_(&mut self) -> Option<String> {
        if self.cost > 16 || self.budget == 0 {
            return None;
        }
        let counter = self.small_named("n");
        let k = counter.name.clone();
        let end = self.rng.of(&["2", "3", "4"]);
        let mark = self.scope.vars.len();
        self.scope.declare(counter);
        let c = self.condition(1);
        let kind = self.rng.below(4);
        let label = self.begin(kind != 3, false);
        let body = self.body(vec![], 4);
        self.exits.pop();
        // the counter stays in scope
        debug_assert_eq!(self.scope.vars.len(), mark + 1);
        Some(match kind {
            0 => format!("let mut {k} = 0_usize; {label}while {k} < {end} {{ {k} += 1; {body} }}"),
            1 => format!("let mut {k} = 0_usize; {label}while {k} < {end} && ({c}) {{ {k} += 1; {body} }}"),
            2 => format!("let mut {k} = 0_usize; {label}while {{ {k} += 1; {k} < {end} }} {{ {body} }}"),
            _ => format!("let mut {k} = 0_usize; {label}while {k} < {end} {{ {{ {body} }} {k} += 1; }}"),
        })
    }

    /// `loop`, also with a value.
    pub(crate) fn loop_(&mut self) -> Option<String> {
        if self.cost > 16 || self.budget == 0 {
            return None;
        }
        let counter = self.small_named("n");
        let k = counter.name.clone();
        let end = self.rng.of(&["2", "3", "4"]);
        self.scope.declare(counter);
        let value = self.rng.chance(60);
        let label = self.begin(true, value);
        let first = if self.rng.chance(40) { self.body(vec![], 1) } else { String::new() };
        let c = if self.rng.chance(40) { format!(" || ({})", self.condition(1)) } else { String::new() };
        let e = if value { format!(" {}", self.bounded(1)) } else { String::new() };
        let body = self.body(vec![], 3);
        self.exits.pop();
        let head = format!("let mut {k} = 0_usize;");
        let text = format!("{label}loop {{ {k} += 1; {{ {first} }} if {k} > {end}{c} {{ break{e}; }} {body} }}");
        // `first` may continue for ever, but for the counter that it cannot reach
        let text = text.replacen(&format!("{k} += 1;"), &format!("{k} += 1; if {k} > 6 {{ break{e}; }}"), 1);
        if !value {
            return Some(format!("{head} {text}"));
        }
        let name = self.new_name("v");
        self.scope.declare(Var::new(&name, Ty::Float, true));
        Some(format!("{head} let mut {name} = {text};"))
    }

    /// A statement that changes a sequence.
    pub(crate) fn change_sequence(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| v.ty.is_sequence() && !v.empty);
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let v = self.scope.vars[k].clone();
        let x = v.name.clone();
        Some(match self.rng.below(9) {
            0 | 1 if v.ty == Ty::Vec && self.cost <= 16 => format!("{x}.push({});", self.bounded(1)),
            2 | 3 => {
                let (e, m) = (self.bounded(1), self.new_name("m"));
                let part = self.rng.of(&["", "[..1]", "[1..]"]);
                format!("let {m} = {e}; {x}{part}.fill({m});")
            }
            4 | 5 => {
                let others = self.scope.readable(|o| o.ty.is_sequence() && !o.empty && o.name != x);
                if others.is_empty() {
                    return None;
                }
                let o = self.rng.of(&others);
                self.scope.used(o);
                let y = self.scope.vars[o].name.clone();
                match self.rng.below(3) {
                    0 => format!("if {x}.len() == {y}.len() {{ {x}.copy_from_slice(&{y}[..]); }}"),
                    1 => format!("{x}[..1].copy_from_slice(&{y}[{y}.len() - 1..]);"),
                    _ => {
                        let m = self.new_name("m");
                        format!("let {m} = {x}.len().min({y}.len()); {x}[..{m}].copy_from_slice(&{y}[..{m}]);")
                    }
                }
            }
            6 => {
                let (i, j) = (self.position(&x), self.position(&x));
                let at = self.new_name("i");
                format!("let {at} = {i}; {x}[{at}] = {x}[{j}];")
            }
            _ => {
                let (i, j) = (self.position(&x), self.position(&x));
                let (a, b) = (self.new_name("i"), self.new_name("j"));
                format!("let ({a}, {b}) = ({i}, {j}); {x}.swap({a}, {b});")
            }
        })
    }

    /// A name for a part of a sequence.
    pub(crate) fn alias(&mut self) -> Option<String> {
        let found = self.scope.readable(|v| v.ty.is_sequence() && !v.empty || v.ty == Ty::Matrix);
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.used(k);
        let v = self.scope.vars[k].clone();
        let (x, name) = (v.name.clone(), self.new_name("s"));
        let mut alias = Var::new(&name, if v.ty == Ty::Matrix { Ty::Array } else { Ty::Slice }, false);
        // a reborrow: an array behind a reference is not copied
        alias.borrows.push((k, false));
        if v.ty == Ty::Matrix {
            alias.ty = Ty::Slice;
            let i = self.int(1);
            self.scope.declare(alias);
            return Some(format!("let {name} = &{x}[{i} % 2][..];"));
        }
        match self.rng.below(5) {
            0 => {
                let other = self.new_name("s");
                let mut left = Var::new(&other, Ty::Slice, false);
                left.empty = true;
                left.borrows.push((k, false));
                self.scope.declare(left);
                self.scope.declare(alias);
                return Some(format!("let ({other}, {name}) = {x}.split_at({x}.len() / 2);"));
            }
            1 => {
                self.scope.declare(alias);
                return Some(format!("let {name} = &{x}[..{x}.len() / 2 + 1];"));
            }
            _ => {}
        }
        self.scope.declare(alias);
        Some(format!("let {name} = &{x}[{x}.len() / 2..];"))
    }

    /// A variable that is initialised later.
    pub(crate) fn late(&mut self) -> Option<String> {
        let name = self.new_name("v");
        let (c, a, b) = (self.condition(1), self.braced(2), self.braced(1));
        let (x, y) = (self.bounded(1), self.bounded(1));
        let ty = self.rng.of(&["", ": f64"]);
        self.scope.declare(Var::new(&name, Ty::Float, false));
        Some(format!("let {name}{ty}; if {c} {{ {a} {name} = {x}; }} else {{ {b} {name} = {y}; }}"))
    }
}
