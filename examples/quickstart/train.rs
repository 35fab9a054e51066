//! Minimises the loss by L-BFGS: the generated gradient as an `argmin` problem, and its progress as a bar.
//!
//! `argmin` moves one parameter vector; ours holds the weights and then the offset. It asks for the value and for the
//! gradient at a point one after the other, so the problem keeps the last answer and works each point out once.

use std::cell::RefCell;
use std::rc::Rc;

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};

use crate::model::loss_value_and_grad;

/// How many pairs of steps and gradient changes L-BFGS remembers.
const MEMORY: usize = 10;
const MAX_ITERATIONS: u64 = 500;
/// Where training stops: the Euclidean norm of the gradient.
const GRADIENT_TOLERANCE: f64 = 1e-8;

/// What the training learned and how it got there.
pub(crate) struct Trained {
    pub(crate) weights: Vec<f64>,
    pub(crate) offset: f64,
    pub(crate) loss: f64,
    /// The start and the point after each iteration.
    pub(crate) curve: Vec<CurvePoint>,
    /// Why it stopped, in argmin's words.
    pub(crate) stopped: String,
}

/// The state of the training after an iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurvePoint {
    pub(crate) loss: f64,
    pub(crate) gradient_norm: f64,
}

/// Trains from zero on the rows of `x` (row-major, `columns` wide) with labels `y`.
pub(crate) fn train(x: &[f64], y: &[f64], columns: usize, l2: f64) -> Result<Trained, Error> {
    let curve = Rc::new(RefCell::new(Vec::new()));
    let problem = Problem { x, y, l2, last: RefCell::new(None) };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(GRADIENT_TOLERANCE)?
        .with_tolerance_cost(0.0)?;
    let result = Executor::new(problem, solver)
        .configure(|state| state.param(vec![0.0; columns + 1]).max_iters(MAX_ITERATIONS))
        .add_observer(Progress::new(Rc::clone(&curve)), ObserverMode::Always)
        .run()?;
    let parameters = result.state.get_best_param().expect("L-BFGS keeps its best point");
    let (weights, offset) = split(parameters);
    Ok(Trained {
        weights: weights.to_vec(),
        offset,
        loss: result.state.get_best_cost(),
        curve: curve.take(),
        stopped: result.state.get_termination_status().to_string(),
    })
}

fn split(parameters: &[f64]) -> (&[f64], f64) {
    let (offset, weights) = parameters.split_last().expect("there is always the offset");
    (weights, *offset)
}

struct Problem<'a> {
    x: &'a [f64],
    y: &'a [f64],
    l2: f64,
    last: RefCell<Option<Evaluation>>,
}

/// The last point that was asked for, with its value and gradient.
struct Evaluation {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Problem<'_> {
    /// Works out the value and the gradient at `point`, unless they are at hand, and gives them to `take`.
    fn at<T>(&self, point: &[f64], take: impl FnOnce(&Evaluation) -> T) -> T {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.point == point) {
            return take(known);
        }
        let (weights, offset) = split(point);
        let (value, (mut gradient, in_offset)) = loss_value_and_grad(weights, offset, self.x, self.y, self.l2);
        gradient.push(in_offset);
        take(last.insert(Evaluation { point: point.to_vec(), value, gradient }))
    }
}

impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, parameters: &Vec<f64>) -> Result<f64, Error> {
        let value = self.at(parameters, |known| known.value);
        // The line search would look for a way out of a NaN for ever.
        if value.is_finite() { Ok(value) } else { Err(Error::msg(format!("training failed: the loss is {value}"))) }
    }
}

impl Gradient for Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, parameters: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(parameters, |known| known.gradient.clone()))
    }
}

/// Records the curve and draws the bar, which measures how far the gradient has fallen to its tolerance, in decades.
struct Progress {
    curve: Rc<RefCell<Vec<CurvePoint>>>,
    bar: ProgressBar,
}

impl Progress {
    const BAR_LENGTH: u64 = 1000;

    fn new(curve: Rc<RefCell<Vec<CurvePoint>>>) -> Self {
        let style = ProgressStyle::with_template("training [{bar:40}] {msg}").expect("the template is well formed");
        let bar = ProgressBar::new(Self::BAR_LENGTH).with_style(style.progress_chars("=> "));
        Self { curve, bar }
    }

    fn record(&self, state: &Lbfgs) {
        let gradient = state.get_gradient().map_or(&[][..], Vec::as_slice);
        let gradient_norm = gradient.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        let mut curve = self.curve.borrow_mut();
        curve.push(CurvePoint { loss: state.get_cost(), gradient_norm });
        let first = curve[0].gradient_norm;
        let fallen = (first / gradient_norm).ln() / (first / GRADIENT_TOLERANCE).ln();
        self.bar.set_position((fallen.clamp(0.0, 1.0) * Self::BAR_LENGTH as f64) as u64);
        self.bar.set_message(format!("loss {:.6}, |gradient| {gradient_norm:.1e}", state.get_cost()));
    }
}

type Lbfgs = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

impl Observe<Lbfgs> for Progress {
    fn observe_init(&mut self, _name: &str, state: &Lbfgs, _: &KV) -> Result<(), Error> {
        self.record(state);
        Ok(())
    }

    fn observe_iter(&mut self, state: &Lbfgs, _: &KV) -> Result<(), Error> {
        self.record(state);
        Ok(())
    }

    fn observe_final(&mut self, _state: &Lbfgs) -> Result<(), Error> {
        self.bar.abandon();
        Ok(())
    }
}
