//! Random options, enums and patterns.

use super::generate::Gen;
use super::items::Variant;
use super::scope::{Ty, Var};

impl Gen {
    /// Something made while a name is a float, and what is captured is not changed.
    pub(crate) fn with_float(&mut self, name: &str, make: impl FnOnce(&mut Self) -> String) -> String {
        let mark = self.scope.vars.len();
        self.scope.declare(Var::new(name, Ty::Float, false));
        let pure = std::mem::replace(&mut self.pure_calls, true);
        let text = make(self);
        self.pure_calls = pure;
        self.scope.leave(mark);
        text
    }

    /// An expression of type `Option<f64>`.
    pub(crate) fn new_option(&mut self) -> String {
        let sequences = self.scope.readable(|v| v.ty.is_sequence());
        match self.rng.below(8) {
            0 => "None".to_owned(),
            1 | 2 => format!("Some({})", self.bounded(1)),
            3 | 4 if !sequences.is_empty() => {
                let k = self.rng.of(&sequences);
                self.scope.used(k);
                let v = self.scope.vars[k].name.clone();
                match self.rng.below(3) {
                    0 => format!("{v}.first().copied()"),
                    1 => format!("{v}.last().copied()"),
                    _ => format!("{v}.get({}).copied()", self.int(1)),
                }
            }
            _ => {
                let (c, e) = (self.condition(1), self.bounded(1));
                format!("if {c} {{ Some({e}) }} else {{ None }}")
            }
        }
    }

    /// `let o = …;`, or an assignment.
    pub(crate) fn let_option(&mut self) -> String {
        let e = self.new_option();
        let found = self.scope.writable(|v| v.ty == Ty::Opt);
        if !found.is_empty() && self.rng.chance(30) {
            let k = self.rng.of(&found);
            self.scope.changed(k);
            return format!("{} = {e};", self.scope.vars[k].name);
        }
        let name = self.new_name("o");
        self.scope.declare(Var::new(&name, Ty::Opt, true));
        format!("let mut {name}: Option<f64> = {e};")
    }

    /// A block in which a name is a float.
    fn arm(&mut self, name: &str, most: usize) -> String {
        let mark = self.scope.vars.len();
        self.scope.declare(Var::new(name, Ty::Float, false));
        let text = self.block(most);
        self.scope.leave(mark);
        text
    }

    /// A statement about an option.
    pub(crate) fn use_option(&mut self) -> Option<String> {
        let found = self.scope.readable(|v| v.ty == Ty::Opt);
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.used(k);
        let (o, t) = (self.scope.vars[k].name.clone(), self.new_name("t"));
        let fresh = |g: &mut Self, e: String| {
            let name = g.new_name("v");
            g.scope.declare(Var::new(&name, Ty::Float, true));
            Some(format!("let mut {name} = {e};"))
        };
        match self.rng.below(10) {
            0 => Some(format!("if let Some({t}) = {o} {{ {} }}", self.arm(&t, 3))),
            1 => Some(format!("if let Some({t}) = {o} {{ {} }} else {{ {} }}", self.arm(&t, 2), self.block(2))),
            2 => {
                let c = self.with_float(&t, |g| g.condition(0));
                Some(format!(
                    "match {o} {{ Some({t}) if {c} => {{ {} }} Some({t}) => {{ {} }} None => {{ {} }} }}",
                    self.arm(&t, 2),
                    self.arm(&t, 1),
                    self.block(1)
                ))
            }
            3 => {
                let (e, d) = (self.with_float(&t, |g| g.bounded(1)), self.bounded(1));
                fresh(self, format!("match {o} {{ Some({t}) => {e}, None => {d} }}"))
            }
            4 => {
                let d = self.bounded(1);
                fresh(self, format!("{o}.unwrap_or({d})"))
            }
            5 => {
                let (e, d) = (self.with_float(&t, |g| g.bounded(1)), self.bounded(1));
                fresh(self, format!("{o}.map_or({d}, |{t}| {e})"))
            }
            6 => {
                let (e, d) = (self.with_float(&t, |g| g.bounded(1)), self.rng.of(&["0.5", "-0.25"]));
                fresh(self, format!("{o}.map(|{t}| {e}).unwrap_or({d})"))
            }
            7 => {
                let c = self.rng.of(&["is_some", "is_none"]);
                Some(format!("if {o}.{c}() {{ {} }}", self.block(2)))
            }
            8 => {
                let d = self.bounded(1);
                fresh(self, format!("if let Some({t}) = {o} {{ {t} * 0.5 }} else {{ {d} }}"))
            }
            _ => {
                if !self.can_leave() {
                    return None;
                }
                let leave = self.leave();
                self.scope.declare(Var::new(&t, Ty::Float, false));
                Some(format!("let Some({t}) = {o} else {{ {leave} }};"))
            }
        }
    }

    /// `while let Some(t) = v.pop() { … }`, or some of the items.
    pub(crate) fn pop(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| v.ty == Ty::Vec && !v.empty);
        if found.is_empty() || self.cost > 16 {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let (v, t) = (self.scope.vars[k].name.clone(), self.new_name("t"));
        match self.rng.below(7) {
            0 => {
                self.scope.mark(k, true, true);
                self.cost *= 4;
                self.exits.push(super::generate::Exit { label: None, continues: true, value: false, block: false });
                let body = self.arm(&t, 2);
                self.exits.pop();
                self.cost /= 4;
                self.scope.mark(k, true, false);
                let e = self.bounded(1);
                Some(format!("while let Some({t}) = {v}.pop() {{ {body} }} {v}.push({e});"))
            }
            1 => Some(format!("if {v}.len() > 1 {{ let {t} = {v}.pop().unwrap(); {} }}", self.arm(&t, 2))),
            2 => Some(format!("if {v}.len() > 1 {{ let {t} = {v}.remove(0); {} }}", self.arm(&t, 2))),
            3 => {
                let (i, e, at) = (self.int(1), self.bounded(1), self.new_name("i"));
                Some(format!("let {at} = {i} % ({v}.len() + 1); {v}.insert({at}, {e});"))
            }
            4 => Some(format!("{v}.truncate({});", 1 + self.rng.below(3))),
            5 => Some(format!("{v}.{};", self.rng.of(&["reverse()", "rotate_left(1)", "rotate_right(1)"]))),
            _ => {
                let (i, j) = (self.new_name("i"), self.new_name("j"));
                Some(format!(
                    "for {i} in 0..{v}.len() {{ for {j} in 0..{v}.len() - 1 - {i} {{ \
                     if {v}[{j}] > {v}[{j} + 1] {{ {v}.swap({j}, {j} + 1); }} }} }}"
                ))
            }
        }
    }

    /// An expression of the enum.
    pub(crate) fn new_enum(&mut self) -> String {
        if self.rng.chance(25) {
            let (c, a, b) = (self.condition(1), self.variant(), self.variant());
            return format!("if {c} {{ {a} }} else {{ {b} }}");
        }
        self.variant()
    }

    fn variant(&mut self) -> String {
        let k = self.rng.below(self.items.variants.len());
        match self.items.variants[k] {
            Variant::Empty => "E::A".to_owned(),
            Variant::Float => format!("E::B({})", self.bounded(1)),
            Variant::Named => format!("E::C {{ u: {}, v: {} }}", self.bounded(1), self.bounded(0)),
            Variant::Counted => format!("E::D({}, {})", self.int(1), self.bounded(1)),
        }
    }

    /// The enum, of numbers.
    pub(crate) fn enum_of_numbers(&mut self) -> String {
        let k = self.rng.below(self.items.variants.len());
        match self.items.variants[k] {
            Variant::Empty => "E::A".to_owned(),
            Variant::Float => format!("E::B({})", self.number()),
            Variant::Named => format!("E::C {{ u: {}, v: {} }}", self.number(), self.number()),
            Variant::Counted => format!("E::D({}, {})", self.rng.below(4), self.number()),
        }
    }

    /// `let e = …;`
    pub(crate) fn let_enum(&mut self) -> Option<String> {
        if self.items.variants.is_empty() {
            return None;
        }
        let (e, name) = (self.new_enum(), self.new_name("e"));
        self.scope.declare(Var::new(&name, Ty::Enum, true));
        Some(format!("let mut {name} = {e};"))
    }

    /// The pattern of a variant, with the variables that it binds.
    fn pattern(&mut self, variant: Variant, reference: bool) -> (String, Vec<Var>) {
        let float = |g: &mut Self| {
            let mut v = Var::new(&g.new_name("t"), Ty::Float, false);
            v.deref = reference;
            v
        };
        match variant {
            Variant::Empty => ("E::A".to_owned(), vec![]),
            Variant::Float => {
                let t = float(self);
                (format!("E::B({})", t.name), vec![t])
            }
            Variant::Named => {
                let (a, b) = (float(self), float(self));
                match self.rng.below(3) {
                    0 => (format!("E::C {{ u: {}, .. }}", a.name), vec![a]),
                    _ => (format!("E::C {{ u: {}, v: {} }}", a.name, b.name), vec![a, b]),
                }
            }
            Variant::Counted if reference => {
                let t = float(self);
                (format!("E::D(_, {})", t.name), vec![t])
            }
            Variant::Counted => {
                let (n, t) = (self.new_name("n"), float(self));
                (format!("E::D({n}, {})", t.name), vec![Var::new(&n, Ty::Int, false), t])
            }
        }
    }

    /// A statement about an enum.
    pub(crate) fn use_enum(&mut self) -> Option<String> {
        let found = self.scope.readable(|v| v.ty == Ty::Enum);
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.used(k);
        let e = self.scope.vars[k].name.clone();
        let writable = self.scope.vars[k].mutable && self.scope.vars[k].frozen == 0;
        let variants = self.items.variants.clone();
        let one = self.rng.of(&variants);
        let inside = |g: &mut Self, vars: Vec<Var>, make: &mut dyn FnMut(&mut Self) -> String| {
            let mark = g.scope.vars.len();
            for v in vars {
                g.scope.declare(v);
            }
            let text = make(g);
            g.scope.leave(mark);
            text
        };
        match self.rng.below(6) {
            0 if writable => {
                self.scope.changed(k);
                let (p, mut vars) = self.pattern(one, true);
                let last = vars.last_mut()?;
                last.mutable = true;
                let name = last.name.clone();
                self.scope.mark(k, true, true);
                let value = inside(self, vars, &mut |g| g.bounded(1));
                self.scope.mark(k, true, false);
                Some(format!("if let {p} = &mut {e} {{ *{name} = {value}; }}"))
            }
            1 => {
                let (p, vars) = self.pattern(one, false);
                let body = inside(self, vars, &mut |g| g.block(2));
                Some(format!("if let {p} = {e} {{ {body} }}"))
            }
            2 if self.can_leave() && variants.len() > 1 => {
                let leave = self.leave();
                let (p, vars) = self.pattern(one, false);
                for v in vars {
                    self.scope.declare(v);
                }
                Some(format!("let {p} = {e} else {{ {leave} }};"))
            }
            kind => {
                let (value, reference) = (kind > 3, self.rng.chance(30));
                let mut arms = String::new();
                for v in variants {
                    let (p, vars) = self.pattern(v, reference);
                    let body = inside(self, vars, &mut |g| {
                        if value { g.bounded(2) } else { format!("{{ {} }}", g.block(2)) }
                    });
                    arms.push_str(&format!("{p} => {body}, "));
                }
                let text = format!("match {}{e} {{ {arms} }}", if reference { "&" } else { "" });
                if !value {
                    return Some(text);
                }
                let name = self.new_name("v");
                self.scope.declare(Var::new(&name, Ty::Float, true));
                Some(format!("let mut {name} = {text};"))
            }
        }
    }

    /// `let p = P { … };`
    pub(crate) fn let_struct(&mut self) -> Option<String> {
        if self.items.structs.is_empty() {
            return None;
        }
        let k = self.rng.below(self.items.structs.len());
        let e = self.new_struct(k, true);
        let found = self.scope.writable(|v| v.ty == Ty::Struct(k));
        if !found.is_empty() && self.rng.chance(35) {
            let k = self.rng.of(&found);
            self.scope.changed(k);
            return Some(format!("{} = {e};", self.scope.vars[k].place()));
        }
        let name = self.new_name("p");
        let mut v = Var::new(&name, Ty::Struct(k), true);
        v.moves = !self.items.structs[k].copy;
        self.scope.declare(v);
        Some(format!("let mut {name} = {e};"))
    }

    /// `let [a, b, c] = …;` and the like.
    pub(crate) fn let_pattern(&mut self) -> Option<String> {
        let (a, b, c) = (self.new_name("v"), self.new_name("v"), self.new_name("v"));
        let arrays = self.scope.readable(|v| v.ty == Ty::Array && !v.deref);
        let text = if !arrays.is_empty() && self.rng.chance(50) {
            let k = self.rng.of(&arrays);
            self.scope.used(k);
            format!("let [mut {a}, {b}, {c}] = {};", self.scope.vars[k].name)
        } else {
            let (x, y, z) = (self.bounded(1), self.bounded(0), self.bounded(1));
            format!("let ((mut {a}, {b}), {c}) = (({x}, {y}), {z});")
        };
        self.scope.declare(Var::new(&a, Ty::Float, true));
        self.scope.declare(Var::new(&b, Ty::Float, false));
        self.scope.declare(Var::new(&c, Ty::Float, false));
        Some(text)
    }
}
