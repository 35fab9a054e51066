//! Random expressions: smooth and of moderate size for moderate operands.

use super::generate::Gen;
use super::scope::{Ty, Var};

/// An expression of type `f64`, and whether `rustc` knows that it is no other float where a method is called.
pub(crate) struct Float {
    /// The text.
    pub(crate) text: String,
    /// Whether the type is known.
    pub(crate) known: bool,
}

impl Float {
    fn known(text: String) -> Self {
        Float { text, known: true }
    }

    /// As the receiver of a method.
    pub(crate) fn receiver(&self) -> String {
        if self.known { format!("({})", self.text) } else { format!("f64::from({})", self.text) }
    }
}

impl Gen {
    /// A float of size about one.
    pub(crate) fn bounded(&mut self, depth: usize) -> String {
        let e = self.float(depth);
        match self.rng.below(5) {
            0 | 1 => format!("{}.tanh()", e.receiver()),
            2 => format!("{}.sin()", e.receiver()),
            3 => format!("0.4 * {}.cos()", e.receiver()),
            _ => format!("{0} / (1.0 + {0}.powi(2))", e.receiver()),
        }
    }

    /// A float.
    pub(crate) fn float(&mut self, depth: usize) -> Float {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(34) {
            0..=4 => self.infix("+", d),
            5..=7 => self.infix("-", d),
            8..=12 => self.infix("*", d),
            13 => {
                let e = self.float(d);
                Float { text: format!("-({})", e.text), known: e.known }
            }
            14 => {
                let (a, b) = (self.float(d), self.float(d));
                Float::known(format!("({}) / (1.5 + {}.cos())", a.text, b.receiver()))
            }
            15..=19 => {
                let method = self.rng.of(&["sin", "cos", "tanh", "atan", "asinh"]);
                let e = self.float(d);
                if e.known && self.rng.chance(80) {
                    Float::known(format!("{}.{method}()", e.receiver()))
                } else {
                    Float::known(format!("f64::{method}({})", e.text))
                }
            }
            20 => {
                let (e, f) = (self.float(d), self.rng.of(&["sqrt", "ln"]));
                Float::known(format!("(1.0 + {0} * {0}).{f}()", e.receiver()))
            }
            21 => {
                let (e, f) = (self.float(d), self.rng.of(&["exp", "exp_m1", "powi(2)", "powi(3)", "exp2"]));
                let f = if f.ends_with(')') { f.to_owned() } else { format!("{f}()") };
                Float::known(format!("{}.sin().{f}", e.receiver()))
            }
            22 => {
                let (a, b, c) = (self.float(d), self.float(d), self.float(d));
                Float::known(format!("{}.mul_add({}, {})", a.receiver(), b.text, c.text))
            }
            23 => {
                let (a, b) = (self.float(d), self.float(d));
                let f = self.rng.of(&["atan2", "hypot"]);
                Float::known(format!("{}.{f}(1.5 + {}.sin())", a.receiver(), b.receiver()))
            }
            24 => {
                let (a, b) = (self.float(d), self.float(d));
                match self.rng.below(4) {
                    0 => Float::known(format!("{}.max({})", a.receiver(), b.text)),
                    1 => Float::known(format!("{}.min({})", a.receiver(), b.text)),
                    2 => Float::known(format!("{}.abs()", a.receiver())),
                    _ => Float::known(format!("{}.clamp(-0.7, 0.8)", a.receiver())),
                }
            }
            25 | 26 => {
                let c = self.condition(1);
                let (a, b) = self.nested(|g| (g.float(d), g.float(d)));
                Float { text: format!("(if {c} {{ {} }} else {{ {} }})", a.text, b.text), known: a.known || b.known }
            }
            27 => {
                let k = self.int(1);
                let (a, b) = self.nested(|g| (g.float(d), g.float(d)));
                Float::known(format!("(match {k} % 3 {{ 0 => {}, _ => {} }} + {})", a.text, b.text, self.leaf_var()))
            }
            28 => self.nested(|g| g.block_value(d)),
            29 => self.float_call(d).or_else(|| self.call(d)).unwrap_or_else(|| self.leaf()),
            30 => self.call(d).or_else(|| self.float_call(d)).unwrap_or_else(|| self.leaf()),
            31 => {
                // a differentiable argument: the interpreter runs no call that is kept as it is written
                let found = self.scope.readable(|v| v.parameter && v.ty == Ty::Float && !v.mutable);
                if found.is_empty() {
                    return self.leaf();
                }
                let x = self.rng.of(&found);
                self.scope.used(x);
                let (a, k) = (self.float(d), self.int(1));
                let x = self.scope.vars[x].read();
                Float::known(format!("helper({x} + ({}), {k} % 3)", a.text))
            }
            32 if self.wide => match self.float(d) {
                e if self.rng.chance(20) => Float::known(format!("f64::from(({}) as f32)", e.text)),
                e => Float::known(format!("(({}) * 4.0).floor() * 0.2", e.receiver())),
            },
            _ => {
                let (a, b) = (self.float(d), self.float(d));
                Float { text: format!("({}) * ({})", a.text, b.text), known: a.known || b.known }
            }
        }
    }

    fn infix(&mut self, op: &str, depth: usize) -> Float {
        let (a, b) = (self.float(depth), self.float(depth));
        Float { text: format!("({} {op} {})", a.text, b.text), known: a.known || b.known }
    }

    /// `{ let t = …; … }`
    fn block_value(&mut self, depth: usize) -> Float {
        let mark = self.scope.vars.len();
        let init = self.float(depth);
        let name = self.name();
        self.scope.declare(Var::new(&name, Ty::Float, false));
        let e = self.float(depth);
        self.scope.leave(mark);
        Float { text: format!("({{ let {name}: f64 = {}; {} }})", init.text, e.text), known: e.known }
    }

    /// A call of a closure.
    pub(crate) fn call(&mut self, depth: usize) -> Option<Float> {
        let pure_calls = self.pure_calls;
        let found = self.scope.readable(|v| match v.ty {
            Ty::Closure(false) => true,
            Ty::Closure(true) => v.frozen == 0 && !pure_calls,
            _ => false,
        });
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        let changes = self.scope.vars[k].ty == Ty::Closure(true);
        if changes {
            self.scope.changed(k);
        } else {
            self.scope.used(k);
        }
        self.scope.vars[k].hidden += usize::from(changes);
        let arg = self.float(depth.min(1));
        self.scope.vars[k].hidden -= usize::from(changes);
        Some(Float::known(format!("{}({})", self.scope.vars[k].name, arg.text)))
    }

    fn leaf(&mut self) -> Float {
        match self.rng.below(10) {
            0 | 1 => {
                let text = self.rng.of(&["0.5", "1.25", "0.3", "-0.7", "2.0", "1.0", "0.25"]);
                if self.rng.chance(50) {
                    Float { text: text.to_owned(), known: false }
                } else {
                    Float::known(format!("{text}_f64"))
                }
            }
            2 => {
                let k = self.int(1);
                Float::known(format!("({k} as f64 * 0.1)"))
            }
            _ => Float::known(self.leaf_var()),
        }
    }

    /// A float in scope.
    pub(crate) fn leaf_var(&mut self) -> String {
        let found = self.scope.readable(|v| !v.empty && v.ty.has_floats());
        if found.is_empty() {
            return "0.75_f64".to_owned();
        }
        // inner variables more often
        let k = if self.rng.chance(50) { self.rng.of(&found[..found.len().min(4)]) } else { self.rng.of(&found) };
        self.scope.used(k);
        let v = self.scope.vars[k].clone();
        match v.ty {
            Ty::Float => v.read(),
            _ => {
                let part = self.part(&v);
                format!("{}{part}", v.name)
            }
        }
    }

    /// The path to a float in an aggregate.
    pub(crate) fn part(&mut self, v: &Var) -> String {
        match v.ty {
            Ty::Struct(k) => self.field_path(&v.name, k),
            Ty::Pair => self.rng.of(&[".0", ".1"]).to_owned(),
            Ty::Matrix => {
                let (i, j) = (self.index(2), self.index(3));
                format!("[{i}][{j}]")
            }
            Ty::Mixed => {
                if self.rng.chance(30) {
                    ".1".to_owned()
                } else {
                    format!(".0[{}]", self.index(3))
                }
            }
            Ty::Array => format!("[{}]", self.index(3)),
            _ => format!("[{}]", self.position(&v.name)),
        }
    }

    /// An index below a constant.
    pub(crate) fn index(&mut self, n: usize) -> String {
        if self.rng.chance(40) {
            return self.rng.below(n).to_string();
        }
        format!("{} % {n}", self.int(1))
    }

    /// An index into a sequence that is not empty.
    pub(crate) fn position(&mut self, name: &str) -> String {
        match self.rng.below(6) {
            0 => "0".to_owned(),
            1 => format!("{name}.len() - 1"),
            2 => format!("{name}.len() - 1 - {} % {name}.len()", self.int(1)),
            _ => format!("{} % {name}.len()", self.int(1)),
        }
    }

    /// A `usize`, in parentheses where necessary.
    pub(crate) fn int(&mut self, depth: usize) -> String {
        let found = self.scope.readable(|v| v.ty == Ty::Int);
        let leaf = self.rng.below(10);
        if depth == 0 || self.rng.chance(50) {
            if leaf < 7 && !found.is_empty() {
                let k = if self.rng.chance(60) { found[0] } else { self.rng.of(&found) };
                self.scope.used(k);
                return self.scope.vars[k].name.clone();
            }
            let sequences = self.scope.readable(|v| v.ty.is_sequence());
            if leaf == 7 && !sequences.is_empty() {
                let k = self.rng.of(&sequences);
                self.scope.used(k);
                return format!("{}.len()", self.scope.vars[k].name);
            }
            return format!("{}_usize", self.rng.below(5));
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.rng.below(8) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} * 2 + 1)"),
            3 => format!("({a} % 3)"),
            4 => format!("({a} / 2)"),
            5 => format!("{a}.min({b})"),
            6 => {
                let c = self.condition(0);
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
            7 if self.wide => format!("(({}.abs() * 3.0) as usize % 3)", self.float(1).receiver()),
            _ => format!("({a} - {a}.min({b}))"),
        }
    }

    /// A condition.
    pub(crate) fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 7 } else { 10 }) {
            0 | 1 => {
                let (x, c) = (self.leaf_var(), self.rng.of(&["0.1", "-0.2", "0.45", "0.0", "-0.6"]));
                format!("{x} {} {c}", self.rng.of(&["<", ">", "<=", ">="]))
            }
            2 => {
                let (x, y) = (self.float(1), self.leaf_var());
                format!("({}) {} {y}", x.text, self.rng.of(&["<", ">"]))
            }
            3 | 4 => {
                let k = self.int(0);
                format!("{k} % {} {} {}", self.rng.of(&[2, 3]), self.rng.of(&["==", "!="]), self.rng.below(2))
            }
            5 => {
                let (a, b) = (self.int(0), self.int(0));
                format!("({a} + 1 > {b})")
            }
            6 => {
                let found = self.scope.readable(|v| v.ty == Ty::Bool);
                if found.is_empty() {
                    return format!("{} > 0.2", self.leaf_var());
                }
                let k = self.rng.of(&found);
                self.scope.used(k);
                self.scope.vars[k].name.clone()
            }
            7 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a}) && ({b})")
            }
            8 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a}) || ({b})")
            }
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }
}
