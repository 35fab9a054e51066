//! Random structs, enums, functions and methods beside the function that is checked.

use super::generate::Gen;
use super::scope::{Ty, Var};

/// The items of a program.
#[derive(Default)]
pub(crate) struct Items {
    /// The structs.
    pub(crate) structs: Vec<Struct>,
    /// The enum `E`, if there is one: its variants.
    pub(crate) variants: Vec<Variant>,
    /// The functions, and methods of structs.
    pub(crate) functions: Vec<Function>,
    /// Their texts.
    pub(crate) texts: Vec<String>,
}

/// A struct; each of its fields has a name of one letter.
pub(crate) struct Struct {
    /// Its name.
    pub(crate) name: String,
    /// The fields.
    pub(crate) fields: Vec<(&'static str, Field)>,
    /// Whether it is copied.
    pub(crate) copy: bool,
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Float,
    Array,
    Pair,
    Int,
    Vec,
    Struct(usize),
}

/// A variant of the enum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// `A`
    Empty,
    /// `B(f64)`
    Float,
    /// `C { u: f64, v: f64 }`
    Named,
    /// `D(usize, f64)`
    Counted,
}

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Param {
    Float,
    FloatRef,
    FloatMut,
    Slice,
    SliceMut,
    Array,
    Vec,
    Int,
    Struct(usize),
    StructRef(usize),
    StructMut(usize),
    Enum,
    Opt,
    /// `impl Fn(f64) -> f64`
    Fun,
    /// How deep a recursion may still go.
    Fuel,
}

/// The type of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Res {
    Float,
    Unit,
    Pair,
    Array,
    Vec,
    Struct(usize),
    Enum,
    Opt,
}

/// A function or a method.
#[derive(Clone)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// Whether the first parameter is `self`.
    pub(crate) method: bool,
    /// The parameters.
    pub(crate) params: Vec<Param>,
    /// The result.
    pub(crate) result: Res,
    /// Whether it is generic over the float.
    pub(crate) generic: bool,
}

impl Function {
    /// Whether something is changed by it.
    pub(crate) fn changes(&self) -> bool {
        self.params.iter().any(|p| matches!(p, Param::FloatMut | Param::SliceMut | Param::StructMut(_)))
    }
}

impl Gen {
    /// Random items.
    pub(crate) fn make_items(&mut self) {
        for k in 0..self.rng.below(3) {
            self.make_struct(k);
        }
        if self.rng.chance(40) {
            let all = [Variant::Empty, Variant::Float, Variant::Named, Variant::Counted];
            let mut variants: Vec<Variant> = all.into_iter().filter(|_| self.rng.chance(70)).collect();
            if !variants.iter().any(|v| *v != Variant::Empty) {
                variants.push(Variant::Float);
            }
            let body: Vec<&str> = variants
                .iter()
                .map(|v| match v {
                    Variant::Empty => "A",
                    Variant::Float => "B(f64)",
                    Variant::Named => "C { u: f64, v: f64 }",
                    Variant::Counted => "D(usize, f64)",
                })
                .collect();
            let text = format!("#[derive(Clone, Copy, Differentiable)] enum E {{ {} }}", body.join(", "));
            self.items.texts.push(text);
            self.items.variants = variants;
        }
        for _ in 0..self.rng.below(4) {
            match self.rng.below(8) {
                0 => self.make_generic(),
                1 => self.make_recursive(1),
                2 => self.make_recursive(2),
                _ => {
                    let f = self.signature();
                    let text = self.definition(&f, None);
                    self.items.texts.push(text);
                    self.items.functions.push(f);
                }
            }
        }
    }

    fn make_struct(&mut self, k: usize) {
        let mut fields = vec![("a", Field::Float)];
        for name in ["b", "c", "d"].into_iter().take(self.rng.below(4)) {
            let field = match self.rng.below(8) {
                0..=2 => Field::Float,
                3 => Field::Array,
                4 => Field::Pair,
                5 => Field::Int,
                6 => Field::Vec,
                _ if k > 0 => Field::Struct(self.rng.below(k)),
                _ => Field::Float,
            };
            fields.push((name, field));
        }
        let copies = |f: &Field| match f {
            Field::Vec => false,
            Field::Struct(s) => self.items.structs[*s].copy,
            _ => true,
        };
        let copy = fields.iter().all(|(_, f)| copies(f));
        let name = format!("P{k}");
        let declared: Vec<String> = fields
            .iter()
            .map(|(n, f)| {
                let ty = match f {
                    Field::Float => "f64".to_owned(),
                    Field::Array => "[f64; 3]".to_owned(),
                    Field::Pair => "(f64, f64)".to_owned(),
                    Field::Int => "usize".to_owned(),
                    Field::Vec => "Vec<f64>".to_owned(),
                    Field::Struct(s) => format!("P{s}"),
                };
                let inactive = if *f == Field::Int && self.rng.chance(50) { "#[inactive] " } else { "" };
                format!("{inactive}{n}: {ty}")
            })
            .collect();
        let derives = if copy { "Clone, Copy, Differentiable" } else { "Clone, Differentiable" };
        self.items.texts.push(format!("#[derive({derives})] struct {name} {{ {} }}", declared.join(", ")));
        self.items.structs.push(Struct { name: name.clone(), fields, copy });
        let mut methods = String::new();
        for _ in 0..self.rng.below(3) {
            let mut f = self.signature();
            f.method = true;
            f.params.insert(0, self.rng.of(&[Param::StructRef(k), Param::StructRef(k), Param::StructMut(k)]));
            f.params.truncate(3);
            methods.push_str(&self.definition(&f, None));
            self.items.functions.push(f);
        }
        if !methods.is_empty() {
            self.items.texts.push(format!("impl {name} {{ {methods} }}"));
        }
    }

    /// A random signature.
    fn signature(&mut self) -> Function {
        let mut params = vec![Param::Float];
        for _ in 0..self.rng.below(3) {
            let some = self.rng.below(self.items.structs.len().max(1));
            let structs = !self.items.structs.is_empty();
            let p = match self.rng.below(18) {
                0 | 1 => Param::Float,
                2 => Param::FloatRef,
                3 => Param::FloatMut,
                4 | 5 => Param::Slice,
                6 | 7 => Param::SliceMut,
                8 => Param::Array,
                9 => Param::Vec,
                10 => Param::Int,
                11 if structs => Param::Struct(some),
                12 | 13 if structs => Param::StructRef(some),
                14 if structs => Param::StructMut(some),
                15 if !self.items.variants.is_empty() => Param::Enum,
                16 => Param::Opt,
                17 => Param::Fun,
                _ => Param::Int,
            };
            params.push(p);
        }
        let changes = params.iter().any(|p| matches!(p, Param::FloatMut | Param::SliceMut | Param::StructMut(_)));
        let result = match self.rng.below(14) {
            0 => Res::Pair,
            1 => Res::Array,
            2 => Res::Vec,
            3 if !self.items.structs.is_empty() => Res::Struct(self.rng.below(self.items.structs.len())),
            4 if !self.items.variants.is_empty() => Res::Enum,
            5 => Res::Opt,
            6..=8 if changes => Res::Unit,
            _ => Res::Float,
        };
        Function { name: self.new_name("g"), method: false, params, result, generic: false }
    }

    /// One function that calls itself, or two that call each other.
    fn make_recursive(&mut self, count: usize) {
        let mut one = self.signature();
        one.params.retain(|p| *p != Param::Fun);
        one.params.insert(0, Param::Fuel);
        let mut two = one.clone();
        two.name = self.new_name("g");
        let all = if count == 1 { vec![(one.clone(), one)] } else { vec![(one.clone(), two.clone()), (two, one)] };
        for (f, callee) in all {
            let text = self.definition(&f, Some(callee));
            self.items.texts.push(text);
            self.items.functions.push(f);
        }
    }

    /// The text of a function with a random body.
    fn definition(&mut self, f: &Function, calls: Option<Function>) -> String {
        let scope = std::mem::take(&mut self.scope);
        let (exits, barrier) = (std::mem::take(&mut self.exits), std::mem::replace(&mut self.barrier, 0));
        let (returns, budget) = (std::mem::replace(&mut self.returns, true), self.budget);
        let (result, cost) = (std::mem::replace(&mut self.result, f.result), std::mem::replace(&mut self.cost, 4));
        self.recursing = calls.map(|c| (c, 2));
        self.budget = 1 + self.rng.below(6);
        let mut params = Vec::new();
        for (k, p) in f.params.iter().enumerate() {
            params.push(self.parameter(*p, f.method && k == 0));
        }
        let mut body = String::new();
        if f.params.contains(&Param::Fuel) {
            let base = self.result_value();
            body.push_str(&format!("if fuel == 0 {{ return {base}; }}\n"));
        }
        body.push_str(&self.statements(5));
        let value = if f.result == Res::Float { self.total() } else { self.result_value() };
        self.recursing = None;
        (self.scope, self.exits, self.barrier, self.returns) = (scope, exits, barrier, returns);
        (self.budget, self.result, self.cost) = (budget, result, cost);
        let arrow = match f.result {
            Res::Float => "-> f64".to_owned(),
            Res::Unit => String::new(),
            Res::Pair => "-> (f64, f64)".to_owned(),
            Res::Array => "-> [f64; 3]".to_owned(),
            Res::Vec => "-> Vec<f64>".to_owned(),
            Res::Struct(k) => format!("-> {}", self.items.structs[k].name),
            Res::Enum => "-> E".to_owned(),
            Res::Opt => "-> Option<f64>".to_owned(),
        };
        format!("fn {}({}) {arrow} {{ {body} {value} }}\n", f.name, params.join(", "))
    }

    /// Declares a parameter; its text.
    fn parameter(&mut self, p: Param, receiver: bool) -> String {
        let name = if receiver { "self".to_owned() } else { self.new_name("p") };
        let mut v = Var::new(&name, Ty::Float, false);
        v.parameter = true;
        let copies = |g: &Self, k: usize| g.items.structs[k].copy;
        let ty = match p {
            Param::Float => "f64".to_owned(),
            Param::FloatRef => {
                v.deref = true;
                "&f64".to_owned()
            }
            Param::FloatMut => {
                (v.deref, v.mutable) = (true, true);
                "&mut f64".to_owned()
            }
            Param::Slice => {
                v.ty = Ty::Slice;
                "&[f64]".to_owned()
            }
            Param::SliceMut => {
                (v.ty, v.mutable) = (Ty::Slice, true);
                "&mut [f64]".to_owned()
            }
            Param::Array => {
                v.ty = Ty::Array;
                "[f64; 3]".to_owned()
            }
            Param::Vec => {
                v.ty = Ty::Vec;
                "Vec<f64>".to_owned()
            }
            Param::Int | Param::Fuel => {
                (v.ty, v.small) = (Ty::Int, true);
                "usize".to_owned()
            }
            Param::Struct(k) => {
                (v.ty, v.moves) = (Ty::Struct(k), !copies(self, k));
                self.items.structs[k].name.clone()
            }
            Param::StructRef(k) | Param::StructMut(k) => {
                let mutable = matches!(p, Param::StructMut(_));
                (v.ty, v.moves, v.deref, v.mutable) = (Ty::Struct(k), !copies(self, k), true, mutable);
                format!("&{}{}", if mutable { "mut " } else { "" }, self.items.structs[k].name)
            }
            Param::Enum => {
                v.ty = Ty::Enum;
                "E".to_owned()
            }
            Param::Opt => {
                v.ty = Ty::Opt;
                "Option<f64>".to_owned()
            }
            Param::Fun => {
                v.ty = Ty::Closure(false);
                "impl Fn(f64) -> f64".to_owned()
            }
        };
        if p == Param::Fuel {
            // not in scope, so that nothing hides it
            return "fuel: usize".to_owned();
        }
        self.scope.declare(v);
        match (receiver, p) {
            (true, Param::StructMut(_)) => "&mut self".to_owned(),
            (true, _) => "&self".to_owned(),
            _ => format!("{name}: {ty}"),
        }
    }

    /// A value of the type that the current function gives; for `return` and the end.
    pub(crate) fn result_value(&mut self) -> String {
        match self.result {
            Res::Float => self.bounded(2),
            Res::Unit => String::new(),
            Res::Pair => format!("({}, {})", self.bounded(1), self.bounded(1)),
            Res::Array => format!("[{}, {}, {}]", self.bounded(1), self.bounded(1), self.bounded(0)),
            Res::Vec => match self.rng.below(3) {
                0 => format!("vec![{}; 2]", self.bounded(1)),
                _ => format!("vec![{}, {}]", self.bounded(1), self.bounded(1)),
            },
            Res::Struct(k) => self.new_struct(k, true),
            Res::Enum => self.new_enum(),
            Res::Opt => self.new_option(),
        }
    }

    /// An expression of a struct type.
    pub(crate) fn new_struct(&mut self, k: usize, update: bool) -> String {
        let others = self.scope.readable(|v| v.ty == Ty::Struct(k) && !v.moves);
        let base = if update && !others.is_empty() && self.rng.chance(35) { Some(self.rng.of(&others)) } else { None };
        let fields = self.items.structs[k].fields.clone();
        let mut parts = Vec::new();
        for (name, f) in fields {
            if base.is_some() && self.rng.chance(50) {
                continue;
            }
            let value = match f {
                Field::Float => self.bounded(1),
                Field::Array => format!("[{}, {}, 0.25]", self.bounded(0), self.bounded(1)),
                Field::Pair => format!("({}, {})", self.bounded(0), self.bounded(1)),
                Field::Int => self.int(1),
                Field::Vec => format!("vec![{}, {}]", self.bounded(0), self.bounded(1)),
                Field::Struct(s) => self.new_struct(s, false),
            };
            parts.push(format!("{name}: {value}"));
        }
        if let Some(b) = base {
            self.scope.used(b);
            parts.push(format!("..{}", self.scope.vars[b].read()));
        }
        format!("{} {{ {} }}", self.items.structs[k].name, parts.join(", "))
    }

    /// The path from a variable of a struct type to a float in it.
    pub(crate) fn field_path(&mut self, name: &str, k: usize) -> String {
        let fields = &self.items.structs[k].fields;
        let floats: Vec<(&str, Field)> = fields.iter().copied().filter(|(_, f)| *f != Field::Int).collect();
        let (field, kind) = self.rng.of(&floats);
        match kind {
            Field::Array => format!(".{field}[{}]", self.index(3)),
            Field::Pair => format!(".{field}.{}", self.rng.below(2)),
            Field::Vec => format!(".{field}[{}]", self.position(&format!("{name}.{field}"))),
            Field::Struct(s) => format!(".{field}{}", self.field_path(&format!("{name}.{field}"), s)),
            _ => format!(".{field}"),
        }
    }

    /// A struct of numbers, as an argument.
    pub(crate) fn struct_of_numbers(&mut self, k: usize) -> String {
        let fields = self.items.structs[k].fields.clone();
        let parts: Vec<String> = fields
            .into_iter()
            .map(|(name, f)| {
                let value = match f {
                    Field::Float => self.number(),
                    Field::Array => format!("[{}]", self.numbers(3)),
                    Field::Pair => format!("({})", self.numbers(2)),
                    Field::Int => self.rng.below(4).to_string(),
                    Field::Vec => format!("vec![{}]", self.numbers(2)),
                    Field::Struct(s) => self.struct_of_numbers(s),
                };
                format!("{name}: {value}")
            })
            .collect();
        format!("{} {{ {} }}", self.items.structs[k].name, parts.join(", "))
    }

    /// A function that is generic over the float.
    fn make_generic(&mut self) {
        let name = self.new_name("g");
        let mut names = vec!["x".to_owned(), "y".to_owned()];
        let mut body = String::new();
        for _ in 0..self.rng.below(4) {
            let e = self.generic(&names, 2);
            match self.rng.below(4) {
                0 => body.push_str(&format!("if x < y {{ m = {e}; }} else {{ m = m + {e}; }} ")),
                1 => body.push_str(&format!("for _ in 0..3 {{ m = m * x + {e}; if m > T::one() {{ break; }} }} ")),
                _ => {
                    let v = self.new_name("v");
                    body.push_str(&format!("let {v} = {e}; "));
                    names.push(v);
                }
            }
        }
        names.push("m".to_owned());
        let e = self.generic(&names, 3);
        let text = format!(
            "fn {name}<T: num_traits::Float>(x: T, y: T) -> T {{ let mut m = x * y; {body} ({e}).tanh() + m.sin() }}"
        );
        self.items.texts.push(text);
        let params = vec![Param::Float, Param::Float];
        self.items.functions.push(Function { name, method: false, params, result: Res::Float, generic: true });
    }

    fn generic(&mut self, names: &[String], depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            let k = self.rng.below(names.len() + 3);
            return names.get(k).cloned().unwrap_or_else(|| {
                self.rng.of(&["T::one()", "T::from(0.5).unwrap()", "T::from(0.3_f64).unwrap()"]).to_owned()
            });
        }
        let (a, b) = (self.generic(names, depth - 1), self.generic(names, depth - 1));
        match self.rng.below(8) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 => format!("({a}).sin()"),
            6 => format!("(x + {a}).mul_add({b}, x)"),
            _ => format!("({a}).tanh() / (T::one() + {b} * {b})"),
        }
    }
}
