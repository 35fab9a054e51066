//! Calls of generated functions and methods.

use super::expr::Float;
use super::generate::Gen;
use super::items::{Function, Param, Res};
use super::scope::{Ty, Var};

impl Gen {
    /// A call that gives a float and changes nothing, as part of an expression.
    pub(crate) fn float_call(&mut self, depth: usize) -> Option<Float> {
        let f = self.callable(|f| f.result == Res::Float && !f.changes())?;
        let text = self.call_text(&f, depth.min(1))?;
        let turbofish = f.generic && self.rng.chance(50);
        let text = if turbofish { text.replacen('(', "::<f64>(", 1) } else { text };
        Some(Float { text, known: !f.generic || turbofish })
    }

    /// A call as a statement; what it gives is declared.
    pub(crate) fn call_statement(&mut self) -> Option<String> {
        let f = self.callable(|_| true)?;
        let call = self.call_text(&f, 1)?;
        if let (Res::Struct(k), true) = (f.result, self.rng.chance(30)) {
            let found = self.scope.writable(|v| v.ty == Ty::Struct(k));
            if !found.is_empty() && !f.changes() {
                let k = self.rng.of(&found);
                self.scope.changed(k);
                return Some(format!("{} = {call};", self.scope.vars[k].place()));
            }
        }
        let name = self.new_name("v");
        let ty = match f.result {
            Res::Unit => return Some(format!("{call};")),
            Res::Pair if self.rng.chance(50) => {
                let other = self.new_name("v");
                self.scope.declare(Var::new(&name, Ty::Float, true));
                self.scope.declare(Var::new(&other, Ty::Float, false));
                return Some(format!("let (mut {name}, {other}) = {call};"));
            }
            Res::Float => Ty::Float,
            Res::Pair => Ty::Pair,
            Res::Array => Ty::Array,
            Res::Vec => Ty::Vec,
            Res::Struct(k) => Ty::Struct(k),
            Res::Enum => Ty::Enum,
            Res::Opt => Ty::Opt,
        };
        let mut v = Var::new(&name, ty, true);
        v.moves = matches!(ty, Ty::Struct(k) if !self.items.structs[k].copy);
        self.scope.declare(v);
        // what a method may be called on has a type that is seen
        let annotated = match f.result {
            Res::Float if f.generic => ": f64",
            Res::Array => ": [f64; 3]",
            Res::Vec => ": Vec<f64>",
            _ => "",
        };
        Some(format!("let mut {name}{annotated} = {call};"))
    }

    /// A function that may be called here.
    fn callable(&mut self, wanted: impl Fn(&Function) -> bool) -> Option<Function> {
        if self.cost > 64 {
            return None;
        }
        let inside = self.scope.traces.is_empty() && self.cost == 4;
        if let Some((f, left)) = &mut self.recursing
            && *left > 0
            && inside
            && wanted(f)
            && self.rng.chance(50)
        {
            *left -= 1;
            return Some(f.clone());
        }
        let nested = self.recursing.is_some();
        let found: Vec<Function> = self
            .items
            .functions
            .iter()
            .filter(|f| wanted(f) && !(nested && f.params.contains(&Param::Fuel)))
            .cloned()
            .collect();
        if found.is_empty() { None } else { Some(found[self.rng.below(found.len())].clone()) }
    }

    fn call_text(&mut self, f: &Function, depth: usize) -> Option<String> {
        // what is borrowed is chosen first, and is out of reach of the other arguments
        let mut borrowed: Vec<(usize, bool)> = Vec::new();
        let mut texts: Vec<Option<String>> = Vec::new();
        for (k, p) in f.params.iter().enumerate() {
            let text = match self.borrowed(*p, f.method && k == 0, &borrowed) {
                Ok(None) => None,
                Ok(Some((text, var, mutably))) => {
                    self.scope.mark(var, mutably, true);
                    borrowed.push((var, mutably));
                    Some(text)
                }
                Err(()) => {
                    borrowed.iter().for_each(|&(k, mutably)| self.scope.mark(k, mutably, false));
                    return None;
                }
            };
            texts.push(text);
        }
        let recursive = self.recursing.as_ref().is_some_and(|(c, _)| c.name == f.name);
        let texts: Vec<String> = f
            .params
            .iter()
            .zip(texts)
            .map(|(p, text)| text.unwrap_or_else(|| self.value_argument(*p, depth, recursive)))
            .collect();
        for &(k, mutably) in &borrowed {
            self.scope.mark(k, mutably, false);
            if mutably { self.scope.changed(k) } else { self.scope.used(k) }
        }
        let (name, all) = (&f.name, texts.join(", "));
        Some(match f.method {
            true => {
                let (receiver, rest) = texts.split_first()?;
                let receiver = receiver.trim_start_matches("&mut ").trim_start_matches('&');
                format!("{receiver}.{name}({})", rest.join(", "))
            }
            false => format!("{name}({all})"),
        })
    }

    /// An argument that borrows a variable: its text, the variable, and whether it is changed.
    fn borrowed(
        &mut self,
        p: Param,
        receiver: bool,
        taken: &[(usize, bool)],
    ) -> Result<Option<(String, usize, bool)>, ()> {
        let mutably = matches!(p, Param::FloatMut | Param::SliceMut | Param::StructMut(_));
        let wanted = move |v: &Var| match p {
            Param::FloatMut => v.ty == Ty::Float,
            Param::Slice | Param::SliceMut => v.ty.is_sequence() && !v.empty,
            Param::StructRef(k) | Param::StructMut(k) => v.ty == Ty::Struct(k),
            _ => false,
        };
        if !mutably && !matches!(p, Param::Slice | Param::StructRef(_)) {
            return Ok(None);
        }
        let mut found = if mutably { self.scope.writable(wanted) } else { self.scope.readable(wanted) };
        found.retain(|k| !taken.iter().any(|(t, m)| t == k && (*m || mutably)));
        if found.is_empty() {
            return Err(());
        }
        let k = self.rng.of(&found);
        let v = self.scope.vars[k].clone();
        let reference = v.deref || v.ty == Ty::Slice;
        let text = match (reference || receiver, mutably) {
            (true, _) => v.name.clone(),
            (false, true) => format!("&mut {}", v.name),
            (false, false) => format!("&{}", v.name),
        };
        let part = v.ty.is_sequence() && self.rng.chance(20);
        let text = match (part, mutably) {
            (true, true) => format!("&mut {}[..1]", v.name),
            (true, false) => format!("&{}[{}.len() / 2..]", v.name, v.name),
            _ => text,
        };
        Ok(Some((text, k, mutably)))
    }

    /// An argument that is a value.
    fn value_argument(&mut self, p: Param, depth: usize, recursive: bool) -> String {
        let sequence = |g: &mut Self, ty: Ty| -> Option<String> {
            let found = g.scope.readable(|v| v.ty == ty && !v.empty);
            if found.is_empty() || g.rng.chance(40) {
                return None;
            }
            let k = g.rng.of(&found);
            g.scope.used(k);
            Some(g.scope.vars[k].name.clone())
        };
        match p {
            Param::FloatRef => format!("&({})", self.float(depth).text),
            Param::Int => format!("{} % 4", self.int(1)),
            Param::Fuel if recursive => "fuel - 1".to_owned(),
            Param::Fuel => format!("{} % 4", self.int(1)),
            Param::Array => {
                let (a, b) = (self.bounded(1), self.bounded(0));
                sequence(self, Ty::Array).unwrap_or(format!("[{a}, {b}, 0.5]"))
            }
            Param::Vec => {
                let (a, b) = (self.bounded(1), self.bounded(0));
                sequence(self, Ty::Vec).map(|v| format!("{v}.clone()")).unwrap_or(format!("vec![{a}, {b}]"))
            }
            Param::Struct(k) => {
                let found = self.scope.readable(|v| v.ty == Ty::Struct(k));
                if found.is_empty() || self.rng.chance(40) {
                    return self.new_struct(k, true);
                }
                let k = self.rng.of(&found);
                self.scope.used(k);
                let v = &self.scope.vars[k];
                if v.moves { format!("{}.clone()", v.name) } else { v.read() }
            }
            Param::Enum => sequence(self, Ty::Enum).unwrap_or_else(|| self.new_enum()),
            Param::Opt => sequence(self, Ty::Opt).unwrap_or_else(|| self.new_option()),
            Param::Fun => self.function_argument(),
            _ => self.float(depth).text,
        }
    }

    /// A function from a float to a float, as an argument.
    fn function_argument(&mut self) -> String {
        let closures = self.scope.readable(|v| v.ty == Ty::Closure(false));
        match self.rng.below(6) {
            0 => self.rng.of(&["f64::sin", "f64::tanh", "f64::cos"]).to_owned(),
            1 | 2 if !closures.is_empty() => {
                let k = self.rng.of(&closures);
                self.scope.used(k);
                format!("&{}", self.scope.vars[k].name)
            }
            3 => {
                let simple = |f: &&Function| !f.method && f.params == [Param::Float] && f.result == Res::Float;
                let found: Vec<String> = self.items.functions.iter().filter(simple).map(|f| f.name.clone()).collect();
                found.first().cloned().unwrap_or_else(|| "f64::sin".to_owned())
            }
            _ => {
                let t = self.new_name("t");
                format!("|{t}: f64| {}", self.with_float(&t, |g| g.bounded(2)))
            }
        }
    }
}
