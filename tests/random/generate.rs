//! Random functions of the accepted language: parameters, the state of generation, blocks.

use super::items::{Function, Items, Res};
use super::rng::Rng;
use super::scope::{Scope, Ty, Var};

/// A function `f`, what else it needs, and a point.
#[derive(Clone)]
pub(crate) struct Program {
    /// The items.
    pub(crate) source: String,
    /// The arguments, as expressions of what owns them.
    pub(crate) args: Vec<String>,
}

/// A loop or block that can be left.
pub(crate) struct Exit {
    /// Its label.
    pub(crate) label: Option<String>,
    /// Whether it can be continued.
    pub(crate) continues: bool,
    /// Whether `break` takes a value.
    pub(crate) value: bool,
    /// Whether it is a block: left by its label only.
    pub(crate) block: bool,
}

/// The state of generation.
pub(crate) struct Gen {
    /// Where choices come from.
    pub(crate) rng: Rng,
    /// What is in scope.
    pub(crate) scope: Scope,
    /// What can be left, inner ones last.
    pub(crate) exits: Vec<Exit>,
    /// Those before this index are out of reach.
    pub(crate) barrier: usize,
    /// Whether `return` is possible.
    pub(crate) returns: bool,
    /// About how often the current statement is executed.
    pub(crate) cost: usize,
    /// How many statements may still be made.
    pub(crate) budget: usize,
    /// Whether closures that change what they capture are out of reach.
    pub(crate) pure_calls: bool,
    /// Whether there are other items, and what comes with them.
    pub(crate) wide: bool,
    /// The other items.
    pub(crate) items: Items,
    /// What the current function gives.
    pub(crate) result: Res,
    /// What the current function, a recursive one, may still call, and how often.
    pub(crate) recursing: Option<(Function, usize)>,
    /// How many names were made.
    names: usize,
}

/// A random function called `f`, alone.
pub(crate) fn program(seed: u64) -> Program {
    generate(seed, false)
}

/// The same among other functions and types.
pub(crate) fn wide_program(seed: u64) -> Program {
    generate(seed, true)
}

fn generate(seed: u64, wide: bool) -> Program {
    let mut g = Gen {
        rng: Rng::new(seed),
        scope: Scope::default(),
        exits: Vec::new(),
        barrier: 0,
        returns: true,
        cost: 1,
        budget: 0,
        pure_calls: false,
        wide,
        items: Items::default(),
        result: Res::Float,
        recursing: None,
        names: 0,
    };
    if wide {
        g.make_items();
    }
    g.budget = 3 + g.rng.below(if wide { 14 } else { 22 });
    let (params, args) = g.params();
    let result = g.rng.below(20);
    let mut body = String::new();
    while g.budget > 0 {
        g.budget -= 1;
        let s = g.statement();
        body.push_str(&s);
    }
    let value = if result == 0 { g.bounded(2) } else { g.total() };
    let items = g.items.texts.join("\n");
    let source = format!("{items} fn f({}) -> f64 {{ {body} {value} }}", params.join(", "));
    Program { source, args }
}

impl Gen {
    /// The parameters in Rust, and arguments.
    fn params(&mut self) -> (Vec<String>, Vec<String>) {
        let (mut params, mut args) = (Vec::new(), Vec::new());
        let count = 1 + self.rng.below(4);
        let structs = self.items.structs.len();
        for k in 0..count {
            let kind = if k == 0 { self.rng.below(8) } else { self.rng.below(if self.wide { 18 } else { 14 }) };
            let name = self.rng.of(&[["x", "a", "p"], ["y", "b", "q"], ["z", "c", "r"], ["w", "d", "s"]][k]);
            let n = 1 + self.rng.below(4);
            let declared;
            let (ty, mut var, arg) = match kind {
                0..=2 => ("f64", Var::new(name, Ty::Float, false), self.number()),
                3 => ("f64", Var::new(name, Ty::Float, true), self.number()),
                4 | 5 => ("&[f64]", Var::new(name, Ty::Slice, false), format!("vec![{}]", self.numbers(n))),
                6 => ("[f64; 3]", Var::new(name, Ty::Array, false), format!("[{}]", self.numbers(3))),
                7 => {
                    let mutable = self.rng.chance(50);
                    ("Vec<f64>", Var::new(name, Ty::Vec, mutable), format!("vec![{}]", self.numbers(n)))
                }
                8 => {
                    let mut v = Var::new(name, Ty::Float, false);
                    v.deref = true;
                    ("&f64", v, self.number())
                }
                9 => ("&mut [f64]", Var::new(name, Ty::Slice, true), format!("vec![{}]", self.numbers(3))),
                10 => {
                    let mut v = Var::new(name, Ty::Float, true);
                    v.deref = true;
                    ("&mut f64", v, self.number())
                }
                11 => ("(f64, f64)", Var::new(name, Ty::Pair, true), format!("({})", self.numbers(2))),
                14 | 15 if structs > 0 => {
                    let k = self.rng.below(structs);
                    let mut v = Var::new(name, Ty::Struct(k), false);
                    v.moves = !self.items.structs[k].copy;
                    let sigil = self.rng.of(&["", "&", "&mut "]);
                    (v.deref, v.mutable) = (!sigil.is_empty(), sigil == "&mut ");
                    declared = format!("{sigil}P{k}");
                    (declared.as_str(), v, self.struct_of_numbers(k))
                }
                16 if !self.items.variants.is_empty() => ("E", Var::new(name, Ty::Enum, false), self.enum_of_numbers()),
                17 => {
                    let arg = if self.rng.chance(30) { "None".to_owned() } else { format!("Some({})", self.number()) };
                    ("Option<f64>", Var::new(name, Ty::Opt, false), arg)
                }
                _ => {
                    let mut v = Var::new(name, Ty::Int, false);
                    v.small = true;
                    ("usize", v, self.rng.below(5).to_string())
                }
            };
            let by_value = !ty.starts_with('&');
            params.push(format!("{}{name}: {ty}", if var.mutable && by_value { "mut " } else { "" }));
            var.parameter = true;
            self.scope.declare(var);
            args.push(arg);
        }
        (params, args)
    }

    /// A number.
    pub(crate) fn number(&mut self) -> String {
        format!("{:?}", self.rng.float())
    }

    /// Some numbers.
    pub(crate) fn numbers(&mut self, n: usize) -> String {
        (0..n).map(|_| self.number()).collect::<Vec<_>>().join(", ")
    }

    /// A name: new, or one that shadows.
    pub(crate) fn name(&mut self) -> String {
        if self.rng.chance(18) && !self.scope.vars.is_empty() {
            let k = self.rng.below(self.scope.vars.len());
            let name = &self.scope.vars[k].name;
            if name != "self" {
                return name.clone();
            }
        }
        self.new_name("v")
    }

    /// A name that occurs nowhere else.
    pub(crate) fn new_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Something in the middle of an expression: from it, nothing outside can be left.
    pub(crate) fn nested<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        let (barrier, returns) = (self.barrier, self.returns);
        self.barrier = self.exits.len();
        self.returns = false;
        let r = make(self);
        (self.barrier, self.returns) = (barrier, returns);
        r
    }

    /// Statements in a scope of their own.
    pub(crate) fn block(&mut self, most: usize) -> String {
        let mark = self.scope.vars.len();
        let text = self.statements(most);
        self.scope.leave(mark);
        text
    }

    /// The same in braces, so that something may follow.
    pub(crate) fn braced(&mut self, most: usize) -> String {
        if self.rng.chance(40) {
            return String::new();
        }
        format!("{{ {} }}", self.block(most))
    }

    /// Statements, in braces, that end with a float.
    pub(crate) fn block_of_float(&mut self, most: usize) -> String {
        let mark = self.scope.vars.len();
        let text = self.statements(most);
        let e = self.float(2).text;
        self.scope.leave(mark);
        format!("{{ {text} {e} }}")
    }

    /// Some statements in the current scope.
    pub(crate) fn statements(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.rng.below(most) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let s = self.statement();
            text.push_str(&s);
        }
        text
    }

    /// A sum over what is in scope, so that most of the program counts.
    pub(crate) fn total(&mut self) -> String {
        let found = self.scope.readable(|v| !v.empty && (v.ty.has_floats() || matches!(v.ty, Ty::Closure(_))));
        let mut text = self.bounded(1);
        for (n, &k) in found.iter().take(8).enumerate() {
            let v = self.scope.vars[k].clone();
            let part = match v.ty {
                Ty::Float => v.read(),
                Ty::Closure(_) => format!("{}(0.3)", v.name),
                _ => {
                    let part = self.part(&v);
                    format!("{}{part}", v.name)
                }
            };
            text.push_str(&format!(" + 0.{} * {part}", 3 + n % 6));
        }
        text
    }
}
