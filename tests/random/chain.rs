//! Random chains of iterators.

use super::generate::Gen;
use super::scope::{Ty, Var};

impl Gen {
    /// An expression in which some names are floats; by reference if `deref`. No closure that changes what it captures
    /// is called, as two closures of a chain may not both do that.
    fn inner(&mut self, names: &[(&str, bool)], condition: bool) -> String {
        let mark = self.scope.vars.len();
        for &(name, deref) in names {
            let mut v = Var::new(name, Ty::Float, false);
            v.deref = deref;
            self.scope.declare(v);
        }
        let pure = std::mem::replace(&mut self.pure_calls, true);
        let text = if condition { self.condition(1) } else { self.bounded(1) };
        self.pure_calls = pure;
        self.scope.leave(mark);
        text
    }

    /// The items of a sequence in scope, as floats: an iterator over `f64`.
    fn items(&mut self) -> Option<String> {
        let found = self.scope.readable(|v| v.ty.is_sequence());
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.used(k);
        let s = self.scope.vars[k].name.clone();
        let t = self.new_name("t");
        Some(match self.rng.below(8) {
            0 => format!("{s}.iter().map(|{t}| {})", self.inner(&[(&t, true)], false)),
            1 => {
                let c = self.inner(&[(&t, true)], true);
                format!("{s}.iter().copied().filter(|{t}| {c})")
            }
            2 => {
                let other = self.rng.of(&found);
                self.scope.used(other);
                let (o, u) = (self.scope.vars[other].name.clone(), self.new_name("t"));
                let e = self.inner(&[(&t, true), (&u, true)], false);
                let adapter = self.rng.of(&["", ".rev()", ".skip(1)", ".take(2)"]);
                format!("{s}.iter().zip({o}.iter(){adapter}).map(|({t}, {u})| {e})")
            }
            3 => {
                let i = self.new_name("i");
                let mark = self.scope.vars.len();
                self.scope.declare(Var::new(&i, Ty::Int, false));
                let e = self.inner(&[(&t, true)], false);
                self.scope.leave(mark);
                format!("{s}.iter().enumerate().map(|({i}, {t})| {e})")
            }
            4 => format!("{s}.windows(2).map(|{t}| {t}[1] * {} - {t}[0])", self.bounded(0)),
            5 => {
                let mark = self.scope.vars.len();
                self.scope.declare(Var::new(&t, Ty::Int, false));
                let e = self.inner(&[], false);
                self.scope.leave(mark);
                format!("({}..{}.len()).map(|{t}| {e})", self.rng.below(2), s)
            }
            6 => format!("{s}.iter().chain({s}.iter().rev()).copied()"),
            _ => format!("{s}.iter().copied(){}", self.rng.of(&["", ".rev()", ".skip(1)", ".step_by(2)", ".take(2)"])),
        })
    }

    /// A float that a chain gives.
    pub(crate) fn consumed(&mut self) -> Option<String> {
        let items = self.items()?;
        let (a, t) = (self.new_name("a"), self.new_name("t"));
        Some(match self.rng.below(6) {
            0 => format!("{items}.product::<f64>()"),
            1 | 2 => {
                let first = self.bounded(0);
                format!("{items}.fold({first}, |{a}, {t}| {})", self.inner(&[(&a, false), (&t, false)], false))
            }
            3 => format!("{items}.fold(f64::NEG_INFINITY, f64::max).tanh()"),
            _ => format!("{items}.sum::<f64>().sin()"),
        })
    }

    /// A vector that a chain gives; it may be empty.
    pub(crate) fn collected(&mut self) -> Option<String> {
        Some(format!("{}.collect::<Vec<f64>>()", self.items()?))
    }

    /// A chain that changes a sequence in place.
    pub(crate) fn for_each(&mut self) -> Option<String> {
        let found = self.scope.writable(|v| v.ty.is_sequence());
        if found.is_empty() {
            return None;
        }
        let k = self.rng.of(&found);
        self.scope.changed(k);
        let (s, t) = (self.scope.vars[k].name.clone(), self.new_name("t"));
        self.scope.mark(k, true, true);
        let e = self.inner(&[(&t, true)], false);
        self.scope.mark(k, true, false);
        Some(format!("{s}.iter_mut().for_each(|{t}| *{t} = {e});"))
    }
}
