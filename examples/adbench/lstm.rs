//! LSTM: the loss of a character model whose matrices are diagonal, and its gradient.
//!
//! Layer i has its weights at `8 width i` of `main`, for the gates to forget, of the input and of the output and for the
//! change, then its biases in the same order. Its hidden state is at `2 width i` of the state, its cells are after that.

use std::hint::black_box;

use cotangent::differentiable;
use serde_json::Value;

use crate::expected::{self, Deviation};
use crate::problem::{Files, Instance, Problem};
use crate::read::{self, DataError, Words};

pub(crate) const INSTANCES: &[Instance] = &[
    Instance { name: "LSTM l2 c1024", file: "lstm/lstm_l2_c1024.txt", expected: "lstm_l2_c1024", goal: 2.2, open },
    Instance { name: "LSTM l4 c1024", file: "lstm/lstm_l4_c1024.txt", expected: "lstm_l4_c1024", goal: 2.2, open },
];

#[differentiable(wrt(main, extra), reverse)]
fn loss(main: &[f64], extra: &[f64], state: &[f64], sequence: &[f64], layers: usize, width: usize) -> f64 {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let steps = sequence.len() / width - 1;
    let mut state = state.to_vec();
    let mut input = vec![0.0; width];
    let mut total = 0.0;
    for t in 0..steps {
        for j in 0..width {
            input[j] = sequence[t * width + j] * extra[j];
        }
        for i in 0..layers {
            let (weights, hidden) = (8 * width * i, 2 * width * i);
            let (biases, cells) = (weights + 4 * width, hidden + width);
            for j in 0..width {
                let h = state[hidden + j];
                let forget = sigmoid(input[j] * main[weights + j] + main[biases + j]);
                let ingate = sigmoid(h * main[weights + width + j] + main[biases + width + j]);
                let outgate = sigmoid(input[j] * main[weights + 2 * width + j] + main[biases + 2 * width + j]);
                let change = (h * main[weights + 3 * width + j] + main[biases + 3 * width + j]).tanh();
                let cell = state[cells + j] * forget + ingate * change;
                state[cells + j] = cell;
                state[hidden + j] = outgate * cell.tanh();
                input[j] = state[hidden + j];
            }
        }
        let next = (t + 1) * width;
        let mut sum = 2.0;
        let mut seen = 0.0;
        let mut count = 0.0;
        for j in 0..width {
            let y = input[j] * extra[width + j] + extra[2 * width + j];
            sum += y.exp();
            seen += sequence[next + j] * y;
            count += sequence[next + j];
        }
        total += seen - count * sum.ln();
    }
    -total / (width * steps) as f64
}

struct Model {
    main: Vec<f64>,
    extra: Vec<f64>,
    state: Vec<f64>,
    sequence: Vec<f64>,
    layers: usize,
    width: usize,
}

fn open(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    let path = files.data();
    let text = read::text(&path)?;
    let mut words = Words::new(&path, &text);
    let (layers, characters, width): (usize, usize, usize) = (words.number()?, words.number()?, words.number()?);
    if layers * width == 0 || characters < 2 {
        return Err(DataError::new(&path, "there must be layers, and at least two characters"));
    }
    Ok(Box::new(Model {
        main: words.numbers(8 * layers * width)?,
        extra: words.numbers(3 * width)?,
        state: words.numbers(2 * layers * width)?,
        sequence: words.numbers(characters * width)?,
        layers,
        width,
    }))
}

impl Problem for Model {
    fn objective(&self) {
        let Model { main, extra, state, sequence, layers, width } = black_box(self);
        black_box(loss(main, extra, state, sequence, *layers, *width));
    }

    fn derivative(&self) {
        let Model { main, extra, state, sequence, layers, width } = black_box(self);
        black_box(loss_value_and_grad(main, extra, state, sequence, *layers, *width));
    }

    fn compare(&self, expected: &Value) -> Result<Deviation, String> {
        let Model { main, extra, state, sequence, layers, width } = self;
        let (value, (main_bar, extra_bar)) = loss_value_and_grad(main, extra, state, sequence, *layers, *width);
        let mut deviation = Deviation::none();
        deviation.number("the value", value, expected::number(expected, "F", "the instance")?, 0.0)?;
        deviation.vector("the gradient", &[main_bar, extra_bar].concat(), expected::part(expected, "J")?)?;
        Ok(deviation)
    }
}
