//! CPU times: the minimum of several runs, with objective and derivative taking turns, so that a slow moment of the
//! machine meets both.

use rustix::time::{ClockId, clock_gettime};

use crate::problem::Problem;

/// The shortest time between two readings of the clock, in seconds.
const BATCH_SECONDS: f64 = 1e-3;
/// However slow they are, objective and derivative run this often.
const LEAST_ROUNDS: usize = 5;

/// CPU seconds of one evaluation.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) objective: f64,
    pub(crate) derivative: f64,
}

/// Times an instance for about as many CPU seconds as the budget says.
pub(crate) fn measure(problem: &dyn Problem, budget: f64) -> Times {
    let objective = || problem.objective();
    let derivative = || problem.derivative();
    let start = cpu_seconds();
    let batches = [batch_size(&objective), batch_size(&derivative)];
    let mut least = Times { objective: f64::INFINITY, derivative: f64::INFINITY };
    let mut rounds = 0;
    while rounds < LEAST_ROUNDS || cpu_seconds() - start < budget {
        least.objective = least.objective.min(time(&objective, batches[0]));
        least.derivative = least.derivative.min(time(&derivative, batches[1]));
        rounds += 1;
    }
    least
}

/// How many calls fill the time between two readings of the clock. It doubles until they do, which warms up too.
fn batch_size(call: &dyn Fn()) -> usize {
    let mut batch = 1;
    while time(call, batch) * (batch as f64) < BATCH_SECONDS {
        batch *= 2;
    }
    batch
}

/// CPU seconds per call.
fn time(call: &dyn Fn(), calls: usize) -> f64 {
    let start = cpu_seconds();
    for _ in 0..calls {
        call();
    }
    (cpu_seconds() - start) / calls as f64
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
