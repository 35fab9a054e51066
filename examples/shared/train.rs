//! Training by L-BFGS, in rounds, with a progress bar and a checkpoint after each round.
//!
//! A round starts L-BFGS anew from where the last one ended. So a training that is resumed goes the same way, to the last
//! bit, as one that was never interrupted.

use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use cotangent::{Differentiable, Tangent};
use indicatif::{ProgressBar, ProgressStyle};

use super::checkpoint::{self, Parameters};
use super::options::Options;
use super::plot::{self, Panel, Scale};

/// How many pairs of steps and gradient changes L-BFGS remembers.
const MEMORY: usize = 10;
/// Where the training stops: the Euclidean norm of the gradient.
const GRADIENT_TOLERANCE: f64 = 1e-8;

/// What is to be trained.
pub(crate) struct Task<'a, M: Differentiable> {
    /// The name of the example.
    pub(crate) name: &'a str,
    /// The parameters at the start.
    pub(crate) start: M,
    pub(crate) value_and_grad: &'a dyn Fn(&M) -> (f64, M::Tangent),
    /// What the second panel of the picture shows.
    pub(crate) measure: &'a dyn Fn(&M) -> f64,
    pub(crate) measure_title: &'a str,
    /// How many iterations a round has.
    pub(crate) iterations: usize,
}

/// The training after an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) loss: f64,
    pub(crate) measure: f64,
}

/// Trains, and draws the curve. What it gives are the parameters and the curve.
pub(crate) fn train<M>(task: &Task<'_, M>, options: &Options) -> Result<(M, Vec<Point>), Box<dyn Error>>
where
    M: Differentiable<Tangent: 'static> + Parameters + Clone + 'static,
{
    let mut model = task.start.clone();
    let mut curve = Vec::new();
    if options.resume {
        curve = checkpoint::read(&options.checkpoint, task.name, &mut model)?;
        println!("resumed after {} iterations from {}", curve.len().saturating_sub(1), options.checkpoint.display());
    }
    if curve.is_empty() {
        curve.push(Point { loss: (task.value_and_grad)(&model).0, measure: (task.measure)(&model) });
    }
    let total = options.rounds * task.iterations;
    let style = ProgressStyle::with_template("training [{bar:40}] {pos}/{len} {msg}").expect("it is well formed");
    let bar = ProgressBar::new(total as u64).with_style(style.progress_chars("=> "));
    bar.set_position(curve.len() as u64 - 1);
    while curve.len() <= total {
        let before = curve.len();
        let (next, points) = round(task, model, total - (before - 1), &bar)?;
        (model, curve) = (next, [curve, points].concat());
        checkpoint::write(&options.checkpoint, task.name, &mut model, &curve)?;
        if curve.len() < before + task.iterations {
            break; // the gradient vanishes
        }
    }
    bar.abandon();
    let (losses, measures): (Vec<_>, Vec<_>) = curve.iter().map(|point| (point.loss, point.measure)).unzip();
    let panels = [
        Panel { title: "Loss", values: &losses, scale: Scale::Linear },
        Panel { title: task.measure_title, values: &measures, scale: Scale::Linear },
    ];
    plot::draw(&options.picture(), "iteration of L-BFGS", &panels)?;
    println!("loss                                {:.6}", losses[losses.len() - 1]);
    println!("curve drawn to                      {}", options.picture().display());
    Ok((model, curve))
}

/// The parameters after at most one round, and the points on the way.
fn round<M>(task: &Task<'_, M>, start: M, left: usize, bar: &ProgressBar) -> Result<(M, Vec<Point>), Box<dyn Error>>
where
    M: Differentiable + Clone,
{
    let iterations = task.iterations.min(left);
    let problem = Problem { task, start: start.clone(), last: RefCell::new(None) };
    let points = Rc::new(RefCell::new(Vec::new()));
    let progress = Progress { points: Rc::clone(&points), bar: bar.clone() };
    let zero = start.zero_tangent().to_flat();
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(GRADIENT_TOLERANCE)?
        .with_tolerance_cost(0.0)?;
    let result = Executor::new(problem, solver)
        .configure(|state| state.param(zero).max_iters(iterations as u64))
        .add_observer(progress, ObserverMode::Always)
        .run()?;
    let way = result.state.get_param().expect("L-BFGS keeps its point");
    let measured = |(loss, way): &Passed| Point { loss: *loss, measure: (task.measure)(&moved(&start, way)) };
    let curve = points.borrow().iter().map(measured).collect();
    Ok((moved(&start, way), curve))
}

/// The model moved by the flat form of a tangent.
fn moved<M: Differentiable + Clone>(start: &M, way: &[f64]) -> M {
    let mut step = start.zero_tangent();
    step.set_flat(way);
    let mut model = start.clone();
    model.move_by(&step);
    model
}

/// The loss as a function of the way from the start of the round.
struct Problem<'a, M: Differentiable> {
    task: &'a Task<'a, M>,
    start: M,
    last: RefCell<Option<Evaluation>>,
}

/// The last point that was asked for, with its value and gradient.
struct Evaluation {
    way: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl<M: Differentiable + Clone> Problem<'_, M> {
    /// Works out the value and the gradient at a point, unless they are at hand, and gives them to `take`.
    fn at<T>(&self, way: &[f64], take: impl FnOnce(&Evaluation) -> T) -> T {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.way == way) {
            return take(known);
        }
        let (value, gradient) = (self.task.value_and_grad)(&moved(&self.start, way));
        take(last.insert(Evaluation { way: way.to_vec(), value, gradient: gradient.to_flat() }))
    }
}

impl<M: Differentiable + Clone> CostFunction for Problem<'_, M> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, way: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        let value = self.at(way, |known| known.value);
        // the line search would look for a way out of a NaN for ever
        if value.is_finite() {
            Ok(value)
        } else {
            Err(argmin::core::Error::msg(format!("the training failed: the loss is {value}")))
        }
    }
}

impl<M: Differentiable + Clone> Gradient for Problem<'_, M> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, way: &Vec<f64>) -> Result<Vec<f64>, argmin::core::Error> {
        Ok(self.at(way, |known| known.gradient.clone()))
    }
}

/// A loss and the point where it is.
type Passed = (f64, Vec<f64>);

/// Notes each point, and moves the bar.
struct Progress {
    points: Rc<RefCell<Vec<Passed>>>,
    bar: ProgressBar,
}

impl Observe<IterState<Vec<f64>, Vec<f64>, (), (), (), f64>> for Progress {
    fn observe_iter(
        &mut self,
        state: &IterState<Vec<f64>, Vec<f64>, (), (), (), f64>,
        _: &KV,
    ) -> Result<(), argmin::core::Error> {
        let way = state.get_param().cloned().unwrap_or_default();
        self.points.borrow_mut().push((state.get_cost(), way));
        self.bar.inc(1);
        self.bar.set_message(format!("loss {:.6}", state.get_cost()));
        Ok(())
    }
}
