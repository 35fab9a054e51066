//! Functions with local containers of `std` for which something simpler stands in.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use cotangent::{check_forward, check_grad, differentiable};

/// Reverse mode against differences, and forward against reverse.
macro_rules! holds {
    ($f:ident, $grad:ident, $jvp:ident, $x:expr) => {{
        let x: Vec<f64> = $x;
        let gradient = $grad(&x);
        check_grad(|x: &Vec<f64>| $f(x), &x, &gradient).assert_within(1e-8);
        check_forward(|x: &Vec<f64>, dx| $jvp(x, dx).1, &x, &gradient).assert_within(1e-13);
        gradient
    }};
}

fn signal(n: usize) -> Vec<f64> {
    (0..n).map(|k| (0.7 * k as f64).sin() + 0.3).collect()
}

/// The squares of the means of each three values in a row.
#[differentiable]
fn moving_average(x: &[f64]) -> f64 {
    let mut window = VecDeque::with_capacity(3);
    let mut total = 0.0;
    for &v in x {
        window.push_back(v);
        if window.len() > 3 {
            window.pop_front();
        }
        let mean = window.iter().sum::<f64>() / window.len() as f64;
        total += mean * mean;
    }
    total
}

#[test]
fn moving_averages() {
    holds!(moving_average, moving_average_grad, moving_average_jvp, signal(8));
    // x² + ((x + y)/2)²
    assert_eq!(moving_average_grad(&[2.0, 4.0]), [2.0 * 2.0 + 3.0, 3.0]);
}

#[differentiable]
fn recursive_filter(x: &[f64]) -> f64 {
    let mut past: VecDeque<f64> = VecDeque::from(vec![0.0; 2]);
    let mut energy = 0.0;
    for v in x.iter() {
        let y = v + 0.5 * past[0] - 0.25 * past[1];
        past.push_front(y);
        past.pop_back();
        energy += y * y;
    }
    energy + past.front().unwrap() * past.back().unwrap()
}

#[test]
fn recursive_filters() {
    holds!(recursive_filter, recursive_filter_grad, recursive_filter_jvp, signal(6));
}

/// Each value is replaced by its sine, until half of them are left.
#[differentiable]
fn queue(x: &[f64]) -> f64 {
    let mut waiting: std::collections::VecDeque<f64> = x.iter().copied().collect();
    let mut rounds = 0;
    while let Some(v) = waiting.pop_front() {
        rounds += 1;
        if rounds % 2 == 0 {
            waiting.push_back(v.sin());
        }
        if waiting.len() <= x.len() / 2 {
            break;
        }
    }
    waiting.iter().enumerate().map(|(k, v)| (k + 1) as f64 * v * v).sum()
}

#[test]
fn queues() {
    holds!(queue, queue_grad, queue_jvp, signal(7));
}

#[differentiable]
fn changed_inside(x: &[f64]) -> f64 {
    let mut d = VecDeque::new();
    d.extend(x.iter().map(|v| v * v));
    if let Some(v) = d.front_mut() {
        *v *= 3.0;
    }
    for v in d.iter_mut() {
        *v += x[0];
    }
    d[1] *= d[0];
    let gone = d.remove(0).unwrap();
    d.rotate_left(1);
    gone + d.make_contiguous().iter().product::<f64>() + d.back().copied().unwrap_or(0.0)
}

#[test]
fn changes_inside() {
    holds!(changed_inside, changed_inside_grad, changed_inside_jvp, signal(4));
}

/// Breadth first over a binary tree of indices, beside a deque of values.
#[differentiable]
fn levels(x: &[f64]) -> f64 {
    let mut indices = VecDeque::new();
    let mut values = VecDeque::new();
    indices.push_back(0_usize);
    values.push_back(1.0);
    let mut total = 0.0;
    while let (Some(i), Some(weight)) = (indices.pop_front(), values.pop_front()) {
        let path = weight * x[i];
        total += path.tanh();
        for child in [2 * i + 1, 2 * i + 2] {
            if child < x.len() {
                indices.push_back(child);
                values.push_back(path);
            }
        }
    }
    total
}

#[test]
fn trees() {
    holds!(levels, levels_grad, levels_jvp, signal(7));
}

#[differentiable]
fn several(x: &[f64]) -> f64 {
    let mut lanes = vec![VecDeque::new(), VecDeque::new()];
    for (k, v) in x.iter().enumerate() {
        lanes[k % 2].push_back(v * (k + 1) as f64);
    }
    let mut s = 0.0;
    for lane in &lanes {
        s += lane.front().unwrap() * lane.iter().rev().take(2).sum::<f64>();
    }
    s
}

#[test]
fn deques_in_a_vector() {
    holds!(several, several_grad, several_jvp, signal(5));
}

/// Without a differentiable value in it a deque is left alone.
#[differentiable]
fn shortest(x: &[f64]) -> f64 {
    let mut queue = VecDeque::from([(0_usize, 1_usize)]);
    let mut s = 0.0;
    while let Some((i, depth)) = queue.pop_front() {
        s += x[i] / depth as f64;
        if i + 1 < x.len() && queue.range(..).all(|&(k, _)| k != i + 1) {
            queue.push_back((i + 1, depth + 1));
        }
    }
    s
}

#[test]
fn deques_of_indices() {
    assert_eq!(shortest_grad(&[1.0, 1.0, 1.0]), [1.0, 0.5, 1.0 / 3.0]);
}

/// The sum of squares by a cell that closures share.
#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let total = Cell::new(0.0);
    let calls = Cell::new(0);
    let add = |v: f64| {
        total.set(total.get() + v * v);
        calls.set(calls.get() + 1);
    };
    for &v in x {
        add(v);
    }
    total.update(|t| t * x[0]);
    let before = total.replace(1.0);
    total.get() + before * calls.get() as f64
}

#[test]
fn cells() {
    holds!(counted, counted_grad, counted_jvp, signal(4));
    // x³ of one value, once
    assert_eq!(counted_grad(&[2.0]), [12.0]);
}

#[differentiable]
fn borrowed(x: &[f64]) -> f64 {
    let seen = RefCell::new(Vec::new());
    let sum: RefCell<f64> = RefCell::new(x[0]);
    for &v in x {
        seen.borrow_mut().push(v * v);
        *sum.borrow_mut() += v.sin();
        let mut last = sum.borrow_mut();
        *last *= 0.5;
    }
    let s: f64 = seen.borrow().iter().sum();
    let n = seen.borrow().len() as f64;
    seen.borrow_mut()[0] *= 2.0;
    let first = seen.borrow()[0];
    let mean = s * *sum.borrow() / n;
    mean + first + sum.into_inner()
}

#[test]
fn ref_cells() {
    holds!(borrowed, borrowed_grad, borrowed_jvp, signal(4));
}

#[differentiable]
fn locked(x: &[f64]) -> f64 {
    let state = std::sync::Mutex::new(1.0);
    let limits = std::sync::RwLock::new(vec![0.5 * x[0], 2.0]);
    for &v in x {
        *state.lock().unwrap() *= 1.0 + 0.1 * v;
        limits.write().unwrap()[1] += v;
    }
    let s = *state.lock().unwrap();
    let bound = limits.read().unwrap();
    s * bound[0] + bound[1]
}

#[test]
fn locks() {
    holds!(locked, locked_grad, locked_jvp, signal(4));
}

#[differentiable]
fn shared(x: &[f64]) -> f64 {
    let weights: Rc<Vec<f64>> = Rc::new(x.iter().map(|v| v.exp()).collect());
    let same = Rc::clone(&weights);
    let total = Arc::new(weights.iter().sum::<f64>());
    let scaled = |k: usize| same[k] / *total;
    let again = weights.clone();
    scaled(0) * scaled(1) + again[2] * total.sqrt()
}

#[test]
fn shared_values() {
    holds!(shared, shared_grad, shared_jvp, signal(4));
}

/// What chooses a deque or an element is evaluated once.
#[differentiable]
fn chosen_once(x: &[f64]) -> f64 {
    let mut queues = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
    for (i, v) in x.iter().enumerate() {
        queues[i % 3].push_back(*v);
        queues[(i + 1) % 3].push_front(v * v);
    }
    let mut order = vec![2usize, 1, 0, 1];
    let mut s = 1.0;
    while !order.is_empty() {
        if let Some(v) = queues[order.pop().unwrap()].pop_front() {
            s = s * 0.5 + v;
        }
    }
    let (mut places, mut k) = (vec![0usize, 1], 0);
    let mut last = VecDeque::from(x.to_vec());
    let a = last.remove(places.pop().unwrap()).unwrap();
    let b = last.remove({
        k += 1;
        k - 1
    });
    s + a * b.unwrap_or(1.0) * k as f64 + last[0]
}

#[test]
fn deques_that_are_chosen() {
    let x = signal(4);
    assert_eq!(chosen_once_value_and_grad(&x).0, chosen_once(&x));
    holds!(chosen_once, chosen_once_grad, chosen_once_jvp, x);
}

#[derive(Clone, cotangent::Differentiable)]
struct Log {
    all: Vec<f64>,
    energy: f64,
}

#[differentiable]
impl Log {
    fn push_back(&mut self, v: f64) {
        self.all.push(v);
        self.energy += v * v;
    }
}

enum Curve {
    Arc(f64),
    Line,
}

/// Methods and variants of the user's with names of such containers.
#[differentiable]
fn same_names(x: &[f64]) -> f64 {
    let curves = [Curve::Arc(0.5), Curve::Line];
    let mut deque = VecDeque::new();
    let mut log = Log { all: vec![], energy: 0.0 };
    for (i, v) in x.iter().enumerate() {
        let factor = match curves[i % 2] {
            Curve::Arc(r) => r,
            Curve::Line => 2.0,
        };
        deque.push_back(v * factor);
        log.push_back(v * 2.0);
    }
    deque.pop_front().unwrap() * log.energy + log.all[1]
}

#[test]
fn names_of_the_users() {
    holds!(same_names, same_names_grad, same_names_jvp, signal(4));
}

/// What is pushed through a guard in one of two branches is in the lock afterwards.
#[differentiable]
fn collected(x: &[f64]) -> f64 {
    let seen = std::sync::Mutex::new(Vec::new());
    for v in x {
        let mut guard = seen.lock().unwrap();
        if *v > 0.0 {
            guard.push(v * v);
        } else {
            guard.push(v.sin());
        }
    }
    let all = seen.into_inner().unwrap();
    all.iter().enumerate().map(|(k, t)| t * k as f64).sum()
}

#[test]
fn guards_in_branches() {
    // Σ k t_k, where t is v² or sin v
    let gradient = collected_grad(&[0.5, 1.5, -0.5]);
    assert_eq!(gradient, [0.0, 3.0, 2.0 * (-0.5_f64).cos()]);
    check_forward(|x: &Vec<f64>, dx| collected_jvp(x, dx).1, &vec![0.5, 1.5, -0.5], &gradient).assert_within(1e-14);
}
