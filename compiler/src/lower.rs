//! From syntax to IR: `syn` → graphs.
//!
//! Mutable variables become *cells* that hold the current version of a value; branches and loops pass the cells that
//! they may change in and out. References are transparent: a name bound to `&x[1..]` or to the item of an iterator is an
//! alias of a place. Exits (`break`, `continue`, `return`) become flags, and what follows an exit that may have been taken
//! is lowered under the condition that it was not; where only one arm of a branch falls through, what follows the
//! branch is lowered inside that arm, and no flag is tested.
//!
//! Whether a variable may hold a differentiable value is found by lowering again until nothing changes: only code in
//! which no such variable occurs may be kept verbatim. What is not understood is an error at its token.

mod adapt;
mod again;
mod alternatives;
mod argument;
mod arity;
mod array;
mod assign;
mod attributes;
mod call;
mod choose;
mod chosen;
mod closure;
mod combinators;
mod consume;
mod control;
mod convert;
mod desugar;
mod drive;
mod env;
mod escape;
mod exit;
mod expr;
mod function;
mod gather;
mod handed;
mod inactive;
mod index;
mod indexed;
mod item;
mod items;
mod iter;
mod itself;
mod kept;
mod loops;
mod macros;
mod matching;
mod method;
mod objects;
mod option;
mod outcome;
mod owned;
mod pattern;
mod place;
mod reorder;
mod rest;
pub(crate) mod scan;
mod sequence;
mod slices;
mod slot;
mod stand_in;
mod stmt;
mod structs;
mod tries;
pub mod types;
mod units;
mod unseen;
mod usage;
mod variant;

use crate::diag::{Code, Diagnostics, catalog};
use crate::ir::{Builder, Const, Func, Graph, Op, ParamMode, Step, Type, Value};
use crate::syntax::signature::{By, FnKind, Function, ResultKind, Signature, TypeClass};
use env::{Binding, CellId, Env};
use la_arena::ArenaMap;
use proc_macro2::{Span, TokenStream};
use std::collections::{BTreeMap, BTreeSet};

/// The lowered function.
pub struct Lowered {
    /// Its IR. Results of the root: the return value, then the final versions of the `&mut` parameters.
    pub func: Func,
    /// Items inside the function's body, to be repeated in the companions.
    pub items: Vec<TokenStream>,
}

/// Lowers the body of an annotated function. Problems go to `diags`; then the result is meaningless.
pub fn lower(sig: &Signature, body: &syn::Block, diags: &mut Diagnostics) -> Lowered {
    let mut active = BTreeSet::new();
    let mut cell_types = BTreeMap::new();
    let (mut slots, mut outcomes) = (BTreeSet::new(), BTreeSet::new());
    let mut simpler = None;
    loop {
        let (body, cells) = simpler.as_ref().map_or((body, None), |(body, cells)| (body, Some(cells)));
        let before = (active.len(), cell_types.clone(), slots.len(), outcomes.len());
        let mut problems = Diagnostics::new();
        let mut lowering = Lowering::new(sig, &mut problems, &mut active, &mut cell_types, &mut slots, &mut outcomes);
        lowering.shared = cells;
        lowering.arities = arity::Arities::of(body);
        lowering.check_attributes(body);
        lowering.check_items(body);
        lowering.function(body);
        let (func, items, deques) = (lowering.func, lowering.items, lowering.deques);
        if (active.len(), &cell_types, slots.len(), outcomes.len()) == (before.0, &before.1, before.2, before.3) {
            if (deques || problems.has_errors()) && simpler.is_none() {
                simpler = stand_in::replaced(body);
                if simpler.is_some() {
                    let _ = problems.finish();
                    continue;
                }
            }
            diags.absorb(problems);
            return Lowered { func, items };
        }
        // what an incomplete round found does not count
        let _ = problems.finish();
    }
}

/// What an expression lowers to.
#[derive(Clone)]
pub(crate) enum Operand {
    /// A value.
    Value(Value),
    /// A place that has not been read yet.
    Place(place::Place),
    /// A closure.
    Closure(usize),
    /// A function named by its path.
    Function(Box<syn::Expr>),
    /// One function if a condition holds, else another.
    Choice(Value, Box<Operand>, Box<Operand>),
    /// A tuple whose parts are known: items of zipped iterators, what `split_at` gives.
    Parts(Vec<Operand>),
    /// An option: whether there is a value, and the value.
    Opt(Value, Box<Operand>),
    /// An option that is `None` where control has left, so that its payload is read only afterwards.
    Left(Value),
    /// An object of a trait: where it is.
    Object(Box<place::Place>),
    /// An iterator.
    Iter(Box<iter::Iter>),
    /// Nothing: control does not come here.
    Never,
}

/// What `return` or `break` leaves.
pub(crate) struct Target {
    kind: TargetKind,
    /// Set when it is left by `break` or `return`.
    brk: CellId,
    /// Set by `continue`.
    cont: Option<CellId>,
    /// What a flag is while it is not set.
    no: Value,
    /// The value that it is left with.
    value: Option<CellId>,
    /// How deep inside an expression it stands.
    nested: usize,
}

/// What can be left.
pub(crate) enum TargetKind {
    Function,
    Loop(Option<String>),
    Block(Option<String>),
}

/// The state of lowering one function.
pub(crate) struct Lowering<'a> {
    sig: &'a Signature,
    diags: &'a mut Diagnostics,
    /// Keys of the cells that may hold a differentiable value, found in earlier rounds and this one.
    active_cells: &'a mut BTreeSet<usize>,
    /// Types of cells that were not visible where a loop begins, found in earlier rounds.
    cell_types: &'a mut BTreeMap<usize, Type>,
    /// Keys of the cells that are filled on some paths only with a value of a type without an obvious constant, found in
    /// earlier rounds: they hold options.
    slots: &'a mut BTreeSet<usize>,
    /// Keys of the cells that hold results of unknown types, found in earlier rounds and this one.
    outcomes: &'a mut BTreeSet<usize>,
    func: Func,
    graph: Graph,
    env: Env,
    targets: Vec<Target>,
    closures: Vec<closure::Closure>,
    items: Vec<TokenStream>,
    /// What the names that the body imports stand for.
    imports: BTreeMap<String, syn::Path>,
    maybe_active: ArenaMap<Value, bool>,
    /// Whether the pattern that is bound is one of a match.
    matching: bool,
    /// Whether the pattern that is tested is one for a part of a tuple.
    within: bool,
    /// What becomes of the value of what is lowered.
    fate: stmt::Fate,
    /// Keys of the cells that are shared references, which may be set to something else.
    references: BTreeSet<usize>,
    /// Views of arrays that are values, as what they show is turned or shaped.
    views: ArenaMap<Value, ()>,
    /// By the keys of the cells that are parameters by mutable reference: which parameter.
    lent_params: BTreeMap<usize, usize>,
    /// Values that are structs of the user's.
    structs: ArenaMap<Value, ()>,
    /// Values of unknown types that are fields or elements of others.
    parts: ArenaMap<Value, ()>,
    /// What refers to something that is kept where no derivative is.
    guards: ArenaMap<Value, ()>,
    /// The variables of which the compiler of Rust is asked whether they keep what is stored in them.
    asked: BTreeSet<(usize, bool, bool)>,
    /// Flags of `Some(…)` and `None` as they are written.
    certain: ArenaMap<Value, ()>,
    /// The values that are `None`.
    nones: ArenaMap<Value, ()>,
    /// What calls of other functions gave.
    returned: ArenaMap<Value, ()>,
    /// Values that are treated as if they had derivatives, as their elements are changed through references.
    lent: ArenaMap<Value, ()>,
    usage: BTreeMap<String, usage::Usage>,
    /// The source of the function, by which it is seen what it does not mention.
    source: String,
    /// Whether the call that is about to be made is one of a method that may only read its receiver.
    perhaps_changed: bool,
    /// Which argument of the next call, one of several that it may change, may only be read.
    in_doubt: Vec<usize>,
    /// Whether the last argument is a mutable reference by its name, and it is not known whether the function changes it.
    doubtful: bool,
    /// Whether `unwrap` or `expect` is called on what is being lowered.
    unwraps: bool,
    /// How many operators and methods that only read their operands enclose what is being lowered.
    reading: usize,
    /// Whether the receiver of the method call that is about to be lowered is an option.
    option_method_of: bool,
    /// The same for a result.
    outcome_method_of: bool,
    /// What stands for something that was reported, and what was made of it.
    poisons: ArenaMap<Value, ()>,
    /// Whether a function has been reported that is held where it cannot be called.
    lost_function: bool,
    /// Whether a method of deques is called with differentiable values.
    deques: bool,
    /// Numbers the names in what stands for methods of options.
    combinators: usize,
    /// Values in which references have been replaced by what they refer to.
    plain: ArenaMap<Value, ()>,
    /// The type that is written for what is being lowered.
    expected: Option<(usize, syn::Type)>,
    /// How many operators and calls enclose what is being lowered within its statement.
    nested: usize,
    /// The condition of the `while` loop that is to be built, and its graph.
    pending_cond: Option<(Graph, syn::Expr)>,
    /// How many things that can be left have been lowered.
    target_count: usize,
    /// How many variables have been declared, and how many closure calls enclose what is being lowered.
    declarations: usize,
    calls: usize,
    /// How many arguments named functions take.
    arities: arity::Arities,
    /// The names of variables that are cells in the source.
    shared: Option<&'a BTreeSet<String>>,
    /// What the closures change that are handed over, and whether what they leave may be differentiable.
    changing: ArenaMap<Value, Vec<(CellId, bool)>>,
    /// The closures that are handed over and call a function parameter that may have a state.
    ordered: ArenaMap<Value, ()>,
    /// The function parameters, by their values.
    functions: std::collections::HashMap<Value, &'a Function>,
    span: Span,
}

impl<'a> Lowering<'a> {
    fn new(
        sig: &'a Signature,
        diags: &'a mut Diagnostics,
        active_cells: &'a mut BTreeSet<usize>,
        cell_types: &'a mut BTreeMap<usize, Type>,
        slots: &'a mut BTreeSet<usize>,
        outcomes: &'a mut BTreeSet<usize>,
    ) -> Self {
        let func = Func::new(&sig.name.to_string());
        let graph = func.root;
        Lowering {
            sig,
            diags,
            active_cells,
            cell_types,
            slots,
            outcomes,
            func,
            graph,
            env: Env::default(),
            targets: Vec::new(),
            closures: Vec::new(),
            items: Vec::new(),
            imports: BTreeMap::new(),
            maybe_active: ArenaMap::default(),
            matching: false,
            within: false,
            fate: stmt::Fate::Used,
            references: BTreeSet::new(),
            views: ArenaMap::default(),
            lent_params: BTreeMap::new(),
            structs: ArenaMap::default(),
            parts: ArenaMap::default(),
            guards: ArenaMap::default(),
            asked: BTreeSet::new(),
            certain: ArenaMap::default(),
            nones: ArenaMap::default(),
            returned: ArenaMap::default(),
            lent: ArenaMap::default(),
            usage: BTreeMap::new(),
            source: String::new(),
            perhaps_changed: false,
            in_doubt: vec![],
            doubtful: false,
            unwraps: false,
            reading: 0,
            option_method_of: false,
            outcome_method_of: false,
            poisons: ArenaMap::default(),
            deques: false,
            combinators: 0,
            lost_function: sig.params.iter().any(types::is_lost_function),
            plain: ArenaMap::default(),
            expected: None,
            nested: 0,
            pending_cond: None,
            target_count: 0,
            declarations: 0,
            calls: 0,
            arities: arity::Arities::default(),
            shared: None,
            changing: ArenaMap::default(),
            ordered: ArenaMap::default(),
            functions: std::collections::HashMap::new(),
            span: Span::call_site(),
        }
    }

    fn function(&mut self, body: &syn::Block) {
        self.env.push_scope();
        let mut finals = Vec::new();
        let sig = self.sig;
        self.source = inactive::source(sig, body);
        self.usage = usage::of(body);
        for (i, param) in sig.params.iter().enumerate() {
            let ty = types::of_param(param);
            let v = self.func.value(ty, Some(types::plain_name(&param.arg)), param.arg.span());
            // also one that `wrt` leaves out is called by the protocol
            self.maybe_active.insert(v, param.differentiable || param.function.is_some());
            if let Some(function) = &param.function {
                self.functions.insert(v, function);
            }
            if let TypeClass::Unknown(_) = param.class {
                self.structs.insert(v, ());
            }
            let root = self.func.root;
            self.func[root].params.push(v);
            self.func.sizes.push(param.sizes.clone());
            self.func.modes.push(match param.by {
                By::Value => ParamMode::Value,
                By::Ref => ParamMode::Ref,
                By::RefMut => ParamMode::RefMut,
            });
            if param.by == By::RefMut {
                let cell = self.bind_param_cell(&param.pattern, v);
                self.lent_params.insert(self.env.cells[cell].key, i);
                finals.push(cell);
            } else {
                let is_ref = param.by == By::Ref;
                self.bind_pattern(&param.pattern, Operand::Value(v), is_ref);
                if let Some(function) = &param.function
                    && function.kind != FnKind::Fn
                    && let Some(Binding::Cell(cell, _)) = self.lookup(&types::plain_name(&param.arg)).cloned()
                {
                    // `mut` says that it is called
                    self.env.cells[cell].mutable = false;
                }
            }
        }
        let result_type = match &sig.result {
            ResultKind::Unit => None,
            ResultKind::Value { ty, .. } => Some(&**ty),
        };
        let result = self.scope(TargetKind::Function, result_type, |l, tail| l.block(body, tail));
        let result = self.as_result(result);
        let result = self.value(result);
        self.check_view(result);
        let mut results = vec![result];
        results.extend(finals.into_iter().map(|c| self.env.cells[c].value.expect("parameters are initialised")));
        let root = self.func.root;
        self.func[root].results = results;
    }

    /// A builder at the end of the current graph.
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.func, self.graph, self.span)
    }

    /// Whether a value may carry a derivative.
    fn is_active(&self, v: Value) -> bool {
        self.maybe_active.get(v).copied().unwrap_or(false)
    }

    /// Appends a node with one result, which may be active if an operand is and its type allows.
    fn push(&mut self, op: Op, args: Vec<Value>, ty: Type) -> Value {
        let active = ty.can_be_active() && args.iter().any(|&a| self.is_active(a));
        let poison = args.iter().any(|&a| self.poisons.contains_idx(a));
        let v = self.b().push(op, args, ty);
        if poison {
            self.poisons.insert(v, ());
        }
        self.maybe_active.insert(v, active);
        v
    }

    fn unit(&mut self) -> Value {
        self.b().unit()
    }

    fn ty(&self, v: Value) -> Type {
        self.func.ty(v).clone()
    }

    /// Reports something that is not supported. Gives a value so that the search for problems can go on.
    fn unsupported(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) -> Operand {
        self.diags.error_with(span, &catalog::UNSUPPORTED_SYNTAX, what.into(), help.into());
        self.poison()
    }

    /// Reports an entry of the catalogue.
    fn refuse(&mut self, span: Span, code: &'static Code, arguments: &[(&str, &dyn std::fmt::Display)]) -> Operand {
        self.diags.error(span, code, arguments);
        self.poison()
    }

    /// What stands for something that was reported: differentiable, so that what is wrong with its uses is found too.
    fn poison(&mut self) -> Operand {
        let v = self.push(Op::Const(Const::Unit), vec![], Type::Dyn);
        self.maybe_active.insert(v, true);
        self.poisons.insert(v, ());
        Operand::Value(v)
    }

    /// Reads an operand.
    fn value(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Value(v) => v,
            Operand::Place(p) if p.is_mut && p.path.view().is_some() && self.reading == 0 => {
                // a copy would lose what is written to it
                let span = self.span;
                self.refuse(span, &catalog::REFERENCE_LOST, &[]);
                self.read(&p)
            }
            Operand::Place(p) => self.read(&p),
            Operand::Object(p) => self.read(&p),
            Operand::Never => self.unit(),
            Operand::Parts(parts) => {
                let parts: Vec<Value> = parts.into_iter().map(|p| self.value(p)).collect();
                let ty = Type::Tuple(parts.iter().map(|&p| self.ty(p)).collect());
                self.push(Op::Tuple, parts, ty)
            }
            Operand::Opt(flag, payload) => self.option_value(flag, *payload),
            Operand::Left(v) => self.read(&Self::value_place(v).step(Step::some(), [])),
            Operand::Iter(_) => {
                let span = self.span;
                let o = self.unsupported(
                    span,
                    "an iterator as a value is not supported here yet",
                    "consume it where it is made: `sum()`, `fold(…)`, `collect()`, a `for` loop",
                );
                self.value(o)
            }
            o @ Operand::Choice(..) if self.holds_object(&o) => self.one_of_several(),
            Operand::Closure(_) | Operand::Function(_) | Operand::Choice(..) => {
                let span = self.span;
                let o = self.unsupported(
                    span,
                    "a function as a value is not supported here yet",
                    "call it directly, or pass the values that it needs instead of the function",
                );
                self.value(o)
            }
        }
    }

    /// Lowers an operand of an operator or a call, and reads it.
    fn operand(&mut self, e: &syn::Expr) -> Value {
        let o = self.nested_expr(e);
        self.value(o)
    }

    /// Lowers an operand of an operator or a call.
    fn nested_expr(&mut self, e: &syn::Expr) -> Operand {
        self.nested += 1;
        let o = self.expr(e);
        self.nested -= 1;
        o
    }
}
