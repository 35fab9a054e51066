//! The stable text form of a function: what golden tests pin and what people read.
//!
//! One line per node, nested graphs indented. A value is `%name`, `%name.1` for the next value of that name, or `%0`,
//! `%1` where it has none; numbers follow the order of the text, so holes in the arenas do not show. A graph that some
//! reverse sweep replays carries a label `@0`. Any function can be printed, well formed or not: a value that nothing
//! defines is `%?0`.
//!
//! ```text
//! fn power(%x: f64, %n: usize) -> f64 {
//!   %0: f64 = 1.0
//!   %1: usize = 0
//!   %y: f64 = for %i: usize in %1..%n (%y.1: f64 = %0) {
//!     %2: f64 = %y.1 * %x
//!     yield %2
//!   }
//!   return %y
//! }
//! ```

use super::call::Call;
use super::graph::{Func, Graph, Node, ParamMode, Value};
use super::lambda::Form;
use super::op::{Const, Loop, LoopKind, Op, Verbatim};
use super::path::{Path, RangeEnd, Step};
use super::primitive::Spelling;
use la_arena::ArenaMap;
use std::collections::BTreeMap;
use std::fmt;

#[cfg(test)]
mod tests;
mod tokens;

pub use tokens::rust;

/// A place in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of a node.
    Node(Node),
    /// The parameters and results of a graph.
    Graph(Graph),
}

/// The text form of a function.
pub fn print(func: &Func) -> String {
    annotated(func, &[])
}

/// The text form of a function with notes under the lines that they are about.
pub fn annotated(func: &Func, notes: &[(Place, &str)]) -> String {
    let mut p =
        Printer { func, names: names(func), labels: labels(func), notes, out: String::new(), depth: 0, open: vec![] };
    p.function();
    p.out
}

/// The name of every value in the text form, with its `%`.
pub fn names(func: &Func) -> ArenaMap<Value, String> {
    let mut names = Namer { func, names: ArenaMap::default(), taken: BTreeMap::new(), anonymous: 0, seen: vec![] };
    names.graph(func.root);
    let Namer { mut names, seen, .. } = names;
    let mut unknown = 0;
    let mut name = |v: Value| {
        if !names.contains_idx(v) {
            names.insert(v, format!("%?{unknown}"));
            unknown += 1;
        }
    };
    for &g in &seen {
        for &n in &func[g].nodes {
            func[n].args.iter().for_each(|&v| name(v));
        }
        func[g].results.iter().for_each(|&v| name(v));
    }
    names
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// Gives names in the order of the text.
struct Namer<'f> {
    func: &'f Func,
    names: ArenaMap<Value, String>,
    /// How many values of each name there are.
    taken: BTreeMap<&'f str, usize>,
    anonymous: usize,
    /// The graphs that were visited, in order; a graph that is nested twice is visited once.
    seen: Vec<Graph>,
}

impl<'f> Namer<'f> {
    fn graph(&mut self, g: Graph) {
        if self.seen.contains(&g) {
            return;
        }
        self.seen.push(g);
        let func = self.func;
        func[g].params.iter().for_each(|&v| self.value(v));
        for &n in &func[g].nodes {
            func[n].outs.iter().for_each(|&v| self.value(v));
            func[n].op.graphs().into_iter().for_each(|g| self.graph(g));
        }
    }

    fn value(&mut self, v: Value) {
        if self.names.contains_idx(v) {
            return;
        }
        let name = match self.func[v].name.as_deref() {
            Some(name) => {
                let count = self.taken.entry(name).or_default();
                *count += 1;
                if *count == 1 { format!("%{name}") } else { format!("%{name}.{}", *count - 1) }
            }
            None => {
                self.anonymous += 1;
                format!("%{}", self.anonymous - 1)
            }
        };
        self.names.insert(v, name);
    }
}

/// The labels of the graphs that are replayed, numbered in the order of the text.
fn labels(func: &Func) -> ArenaMap<Graph, String> {
    let mut replayed = ArenaMap::default();
    let mut order = Vec::new();
    visit(func, func.root, &mut order);
    for &g in &order {
        if let Some(p) = func[g].replays {
            replayed.insert(p, ());
        }
        for &n in &func[g].nodes {
            if let Op::Loop(l) = &func[n].op
                && let Some(body) = loop_body(func, l.replays)
            {
                replayed.insert(body, ());
            }
        }
    }
    let labelled = order.into_iter().filter(|&g| replayed.contains_idx(g)).enumerate();
    labelled.map(|(k, g)| (g, format!("@{k}"))).collect()
}

fn visit(func: &Func, g: Graph, order: &mut Vec<Graph>) {
    if order.contains(&g) {
        return;
    }
    order.push(g);
    for &n in &func[g].nodes {
        func[n].op.graphs().into_iter().for_each(|g| visit(func, g, order));
    }
}

/// The body of the loop that another one replays.
fn loop_body(func: &Func, node: Option<Node>) -> Option<Graph> {
    match &func[node?].op {
        Op::Loop(l) => Some(l.body),
        _ => None,
    }
}

struct Printer<'f> {
    func: &'f Func,
    names: ArenaMap<Value, String>,
    labels: ArenaMap<Graph, String>,
    notes: &'f [(Place, &'f str)],
    out: String,
    depth: usize,
    /// The graphs that are being printed: a graph nested in itself must not print for ever.
    open: Vec<Graph>,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.depth));
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn note(&mut self, place: Place) {
        for (at, text) in self.notes {
            if *at == place {
                self.line(&format!("^ {text}"));
            }
        }
    }

    fn name(&self, v: Value) -> &str {
        self.names.get(v).map_or("%?", String::as_str)
    }

    fn list(&self, values: &[Value]) -> String {
        values.iter().map(|&v| self.name(v)).collect::<Vec<_>>().join(", ")
    }

    fn typed(&self, v: Value) -> String {
        format!("{}: {}", self.name(v), self.func[v].ty)
    }

    fn typed_list(&self, values: &[Value]) -> String {
        values.iter().map(|&v| self.typed(v)).collect::<Vec<_>>().join(", ")
    }

    /// The carried values of a loop: `(%s: f64 = %0)`.
    fn carried(&self, params: &[Value], inits: &[Value]) -> String {
        let init = |k: usize| inits.get(k).map_or(String::new(), |&v| format!(" = {}", self.name(v)));
        let list: Vec<_> = params.iter().enumerate().map(|(k, &v)| self.typed(v) + &init(k)).collect();
        if list.is_empty() { String::new() } else { format!(" ({})", list.join(", ")) }
    }

    fn label(&self, g: Graph) -> &str {
        self.labels.get(g).map_or("@?", String::as_str)
    }

    /// What stands before the brace of a graph: its own label and the one that it replays.
    fn tag(&self, g: Graph) -> String {
        let own = self.labels.get(g).map_or(String::new(), |l| format!(" {l}"));
        let replayed = self.func[g].replays.map_or(String::new(), |p| format!(" replays {}", self.label(p)));
        own + &replayed
    }

    fn function(&mut self) {
        let (func, root) = (self.func, self.func.root);
        let param = |(k, &v): (usize, &Value)| {
            let mode = match func.modes.get(k) {
                Some(ParamMode::Ref) => "ref ",
                Some(ParamMode::RefMut) => "ref mut ",
                Some(ParamMode::Value) | None => "",
            };
            format!("{mode}{}", self.typed(v))
        };
        let params = func[root].params.iter().enumerate().map(param).collect::<Vec<_>>().join(", ");
        let types: Vec<_> = func[root].results.iter().map(|&v| func[v].ty.to_string()).collect();
        let result = match types.as_slice() {
            [] => String::new(),
            [one] => format!(" -> {one}"),
            _ => format!(" -> ({})", types.join(", ")),
        };
        self.line(&format!("fn {}({params}){result}{} {{", func.name, self.tag(root)));
        self.block(root, "return", false);
        self.line("}");
    }

    /// The inside of a graph.
    fn block(&mut self, g: Graph, end: &str, exits: bool) {
        self.depth += 1;
        if self.open.contains(&g) {
            self.line("… (nested in itself)");
        } else {
            self.open.push(g);
            for &n in &self.func[g].nodes {
                self.node(n);
            }
            match (exits, self.func[g].results.as_slice()) {
                (_, []) => {}
                (true, [flag, rest @ ..]) => {
                    let text = format!("{end} {}", self.list(rest));
                    self.line(&format!("{}; exit if {}", text.trim_end(), self.name(*flag)));
                }
                (false, results) => self.line(&format!("{end} {}", self.list(results))),
            }
            self.note(Place::Graph(g));
            self.open.pop();
        }
        self.depth -= 1;
    }

    /// A line that opens a graph, with the note of the node under it, then the graph.
    fn open(&mut self, node: Option<Node>, head: &str, g: Graph, end: &str, exits: bool) {
        self.line(&format!("{head} {{"));
        if let Some(n) = node {
            self.note(Place::Node(n));
        }
        self.block(g, end, exits);
    }

    fn node(&mut self, n: Node) {
        let data = &self.func[n];
        let args = self.list(&data.args);
        let outs = self.typed_list(&data.outs);
        let lhs = if outs.is_empty() { outs } else { outs + " = " };
        match &data.op {
            Op::If { then_, else_ } => {
                self.open(Some(n), &format!("{lhs}if {args}{}", self.tag(*then_)), *then_, "yield", false);
                self.open(None, &format!("}} else{}", self.tag(*else_)), *else_, "yield", false);
            }
            Op::IfLet { pattern, then_, else_, .. } => {
                let bound = self.carried(&self.func[*then_].params, &[]);
                let head = format!("{lhs}if let `{}` = {args}{bound}{}", rust(pattern), self.tag(*then_));
                self.open(Some(n), &head, *then_, "yield", false);
                self.open(None, &format!("}} else{}", self.tag(*else_)), *else_, "yield", false);
            }
            Op::Loop(l) => self.loop_(n, &lhs, l),
            Op::Closure(g) => {
                let params = self.typed_list(&self.func[*g].params);
                self.open(Some(n), &format!("{lhs}closure ({params}){}", self.tag(*g)), *g, "return", false);
            }
            Op::Apply(g) | Op::Map { body: g, .. } => {
                let what = match &data.op {
                    Op::Map { like_first: true, .. } => "map like first",
                    Op::Map { .. } => "map",
                    _ => "apply",
                };
                let bound = self.carried(&self.func[*g].params, &data.args);
                self.open(Some(n), &format!("{lhs}{what}{bound}{}", self.tag(*g)), *g, "return", false);
            }
            op => {
                let text = self.plain(op, &data.args);
                self.line(&format!("{lhs}{text}"));
                self.note(Place::Node(n));
                return;
            }
        }
        self.line("}");
    }

    fn loop_(&mut self, n: Node, lhs: &str, l: &Loop) {
        let func = self.func;
        let (own, inits) = func[n].args.split_at(l.kind.operands().min(func[n].args.len()));
        let params = &func[l.body].params;
        let (bound, params) = params.split_at(l.kind.bindings().min(params.len()));
        let replays = match (loop_body(func, l.replays), func[l.body].replays) {
            (Some(a), Some(b)) if a == b => {
                format!(
                    "{} reverses {}",
                    self.labels.get(l.body).map_or(String::new(), |l| format!(" {l}")),
                    self.label(a)
                )
            }
            (Some(a), _) => format!(" visits {}{}", self.label(a), self.tag(l.body)),
            (None, _) => self.tag(l.body),
        };
        let head = match &l.kind {
            LoopKind::For { inclusive, reversed } => {
                let name = |k: usize| own.get(k).map_or("%?", |&v| self.name(v));
                let rev = if *reversed { "rev " } else { "" };
                let dots = if *inclusive { "..=" } else { ".." };
                format!("for {} in {rev}{}{dots}{}", self.typed_list(bound), name(0), name(1))
            }
            LoopKind::Infinite => "loop".to_owned(),
            LoopKind::Iter { iter, pattern, .. } => {
                let bound = if bound.is_empty() { String::new() } else { format!(" ({})", self.typed_list(bound)) };
                format!("for `{}`{bound} in {}", rust(pattern), self.verbatim(iter, own))
            }
            LoopKind::While { cond } => {
                let head = format!("{lhs}while{}{}", self.carried(&func[*cond].params, inits), self.tag(*cond));
                self.open(Some(n), &head, *cond, "yield", false);
                let head = format!("}} do{}{replays}", self.carried(params, &[]));
                self.open(None, &head, l.body, "yield", l.exits);
                return;
            }
        };
        let head = format!("{lhs}{head}{}{replays}", self.carried(params, inits));
        self.open(Some(n), &head, l.body, "yield", l.exits);
    }

    fn verbatim(&self, code: &Verbatim, args: &[Value]) -> String {
        let uses: Vec<_> = (code.uses.iter().enumerate())
            .map(|(k, name)| {
                let mutable = if code.defs.contains(&k) { "mut " } else { "" };
                let by_ref = if code.refs.get(k) == Some(&true) { "&" } else { "" };
                format!("{mutable}{name} = {by_ref}{}", args.get(k).map_or("%?", |&v| self.name(v)))
            })
            .collect();
        let what = if code.pure_ { "code" } else { "effect" };
        let code = rust(&code.code);
        if uses.is_empty() { format!("{what} `{code}`") } else { format!("{what} `{code}` [{}]", uses.join(", ")) }
    }

    fn call(&self, what: &str, call: &Call, args: &[Value], skip: usize) -> String {
        let modes = call.args.iter().map(|a| a.prefix());
        let modes = std::iter::repeat_n("", skip).chain(modes).chain(std::iter::repeat(""));
        let args: Vec<_> = args.iter().zip(modes).map(|(&v, mode)| format!("{mode}{}", self.name(v))).collect();
        let callee = format!("{:?}", call.callee).replace(' ', "");
        format!("{what} {callee}({})", args.join(", "))
    }

    /// The root and path of an operation on a part of an aggregate, then the operands that are left.
    fn path<'v>(&self, path: &Path, args: &'v [Value]) -> (String, &'v [Value]) {
        let mut rest = args.iter();
        let mut next = || rest.next().map_or("%?", |&v| self.name(v));
        let mut text = next().to_owned();
        for step in &path.0 {
            match step {
                Step::Index => text += &format!("[{}]", next()),
                Step::Flat => text += &format!(".flat[{}]", next()),
                Step::View(view) => text += &view.text(&view.uses.iter().map(|_| next()).collect::<Vec<_>>()),
                Step::Range { from, end } => {
                    let lo = if *from { next() } else { "" };
                    text += &match end {
                        RangeEnd::Open => format!("[{lo}..]"),
                        RangeEnd::Exclusive => format!("[{lo}..{}]", next()),
                        RangeEnd::Inclusive => format!("[{lo}..={}]", next()),
                    };
                }
                Step::Field(name) => text += &format!(".{name}"),
                Step::Part(name) => text += &format!(".part({name})"),
                Step::Unbox => text += ".unbox",
                Step::Variant(v) => text += &format!(".variant({})", v.part),
            }
        }
        (text, rest.as_slice())
    }

    /// An operation without nested graphs.
    fn plain(&self, op: &Op, args: &[Value]) -> String {
        let list = self.list(args);
        let on_path = |what: &str, path: &Path, sign: &str| {
            let (text, rest) = self.path(path, args);
            if rest.is_empty() { format!("{what} {text}") } else { format!("{what} {text}{sign}{}", self.list(rest)) }
        };
        let range = |name: &str, inclusive: bool| format!("{name}{}", if inclusive { "_inclusive" } else { "" });
        match op {
            Op::Const(Const::Float(_, digits)) | Op::Const(Const::Int(digits)) => digits.clone(),
            Op::Const(Const::Bool(b)) => b.to_string(),
            Op::Const(Const::Unit) => "()".to_owned(),
            Op::Prim(p) => match (p.rust, args) {
                (Spelling::Infix(sign), &[a, b]) => format!("{} {sign} {}", self.name(a), self.name(b)),
                (Spelling::Prefix(sign), &[a]) => format!("{sign}{}", self.name(a)),
                _ => format!("{}({list})", p.name),
            },
            Op::Cast(ty) => format!("{list} as {}", rust(ty)),
            Op::Verbatim(code) => self.verbatim(code, args),
            Op::Tuple if args.len() == 1 => format!("({list},)"),
            Op::Tuple => format!("({list})"),
            Op::Build(b) => {
                let fields = b.fields.iter().zip(args).map(|(f, &a)| format!("{f}: {}", self.name(a)));
                let mut fields: Vec<String> = fields.collect();
                if b.base {
                    fields.push(format!("..{}", args.last().map_or("?", |&a| self.name(a))));
                }
                format!("{} {{ {} }}", rust(&b.path), fields.join(", "))
            }
            Op::Array => format!("[{list}]"),
            Op::Repeat(n) => format!("[{list}; {}]", rust(n)),
            Op::VecOf => format!("vec[{list}]"),
            Op::VecRepeat => format!("vec[{}]", list.replacen(", ", "; ", 1)),
            Op::VecEmpty => format!("vec_empty({list})"),
            Op::Push(path) if path.0.is_empty() => format!("push({list})"),
            Op::Push(path) => on_path("push", path, ", "),
            Op::Lengthen => format!("lengthen({list})"),
            Op::Pop(path) if path.0.is_empty() => format!("pop({list})"),
            Op::Pop(path) => on_path("pop", path, ", "),
            Op::Len => format!("len({list})"),
            Op::Copy(true) => format!("to_vec({list})"),
            Op::Copy(false) => format!("copy({list})"),
            Op::Load(path) => on_path("load", path, ", "),
            Op::Update(path) => on_path("update", path, " = "),
            Op::AddAt(path) => on_path("add", path, " += "),
            Op::Take(path) => on_path("take", path, ", "),
            Op::Fill(path) => on_path("fill", path, " = "),
            Op::Swap(path) => on_path("swap", path, " at "),
            Op::Call(c) => self.call("call", c, args, 0),
            Op::CallVjp(c) => self.call("call_vjp", c, args, 0),
            Op::CallJvp(c) => self.call("call_jvp", c, args, 0),
            Op::CallPullback(c) => {
                let callee = format!("{:?}", c.callee).replace(' ', "");
                format!("pullback {callee}({list})")
            }
            Op::ZeroLike => format!("zero_like({list})"),
            Op::ZeroOrUnit => format!("zero_or_unit({list})"),
            Op::Accumulate => format!("accumulate({list})"),
            Op::AddEntry => format!("add_entry({list})"),
            Op::CastCotangent(ty) => format!("cast_cotangent<{}>({list})", rust(ty)),
            Op::CastTangent(ty) => format!("cast_tangent<{}>({list})", rust(ty)),
            Op::Nth { inclusive, reversed } => {
                format!("{}({list})", range(if *reversed { "nth_back" } else { "nth" }, *inclusive))
            }
            Op::Offset => format!("offset({list})"),
            Op::NthStep => format!("nth_step({list})"),
            Op::Total => format!("total({list})"),
            Op::Steps { inclusive } => format!("{}({list})", range("steps", *inclusive)),
            Op::Unbroadcast => format!("unbroadcast({list})"),
            Op::Lambda(l) => {
                let form = match l.form {
                    Form::Plain => "lambda",
                    Form::Vjp => "lambda_vjp",
                    Form::Jvp => "lambda_jvp",
                };
                let text = print(&l.func).trim_end().replace('\n', "\n    ");
                format!("{form}({list}) {text}")
            }
            Op::Empty | Op::Absent => if matches!(op, Op::Empty) { "empty" } else { "absent" }.to_owned(),
            Op::Checkpoint(c) => format!("{c}({list})"),
            Op::Some | Op::Unwrap | Op::IsSome | Op::Restored | Op::SplitDots | Op::JoinDots | Op::Outcome(_) => {
                format!("{}({list})", op.name())
            }
            Op::Handed(arg) => format!("handed({}{list})", arg.prefix()),
            Op::If { .. } | Op::IfLet { .. } | Op::Loop(_) | Op::Apply(_) | Op::Closure(_) | Op::Map { .. } => {
                unreachable!("operations with graphs are printed by `node`")
            }
        }
    }
}
