//! Objects of traits: in vectors, chosen by branches and indices, changed, and by reference.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[differentiable]
trait Part {
    fn value(&self, x: f64) -> f64;
    fn step(&mut self, by: f64);
    fn offset(&self) -> f64;
}

#[derive(Clone, Differentiable)]
struct Line {
    slope: f64,
}

#[differentiable]
impl Part for Line {
    fn value(&self, x: f64) -> f64 {
        self.slope * x
    }
    fn step(&mut self, by: f64) {
        self.slope += by * self.slope;
    }
    fn offset(&self) -> f64 {
        self.slope
    }
}

#[derive(Clone, Differentiable)]
struct Wave {
    rate: f64,
    scale: f64,
}

#[differentiable]
impl Part for Wave {
    fn value(&self, x: f64) -> f64 {
        self.scale * (self.rate * x).sin()
    }
    fn step(&mut self, by: f64) {
        let rate = self.rate;
        self.rate += by * self.scale;
        self.scale -= by * rate;
    }
    fn offset(&self) -> f64 {
        self.rate * self.scale
    }
}

#[derive(Clone, Differentiable)]
struct Nothing;

#[differentiable]
impl Part for Nothing {
    fn value(&self, x: f64) -> f64 {
        x.max(0.0)
    }
    fn step(&mut self, _by: f64) {}
    fn offset(&self) -> f64 {
        1.0
    }
}

#[differentiable]
fn mean(f: impl Fn(f64) -> f64, n: usize) -> f64 {
    (0..n).map(|i| f(i as f64 / n as f64)).sum::<f64>() / n as f64
}

bodies! {
    chosen(x): {
        let k = x[2];
        let part: Box<dyn Part> = if x[0] > 0.0 { Box::new(Line { slope: x[1] * k }) } else { Box::new(Wave { rate: k, scale: x[3] }) };
        part.value(x[0]) * part.offset()
    }
    other(x): {
        let part: Box<dyn Part> = if x[0] > 9.0 { Box::new(Line { slope: x[1] }) } else { Box::new(Wave { rate: x[2], scale: x[3] }) };
        part.value(x[0]) * part.as_ref().offset()
    }
    by_name(x): {
        let mut s = 0.0;
        for (k, name) in ["line", "wave", "none", "wave"].into_iter().enumerate() {
            let part: Box<dyn Part> = match name {
                "line" => Box::new(Line { slope: x[0] }),
                "wave" => {
                    let rate = x[k] * 2.0;
                    Box::new(Wave { rate, scale: x[3] })
                }
                _ => Box::new(Nothing),
            };
            s += part.value(x[2]) * part.value(-x[3]) + part.offset();
        }
        s
    }
    several(x): {
        let parts: Vec<Box<dyn Part>> =
            vec![Box::new(Line { slope: x[1] }), Box::new(Wave { rate: x[2], scale: x[0] }), Box::new(Nothing)];
        let mut s = 0.0;
        for (i, part) in parts.iter().enumerate() {
            s += part.value(x[i]) * (i + 1) as f64;
        }
        for part in &parts {
            s *= part.value(x[3]);
        }
        s + parts.iter().map(|part| part.offset()).sum::<f64>() + parts.len() as f64 * x[0] + parts[1].value(x[1])
    }
    constant(x): {
        let parts: Vec<Box<dyn Part>> = vec![Box::new(Line { slope: 0.3 }), Box::new(Wave { rate: 2.0, scale: 0.5 })];
        let mut s = 0.0;
        for part in parts.iter() {
            s += part.value(x[0]) * x[1] + part.offset() * x[2];
        }
        s * x[3]
    }
    changed(x): {
        let mut parts: Vec<Box<dyn Part>> =
            vec![Box::new(Line { slope: x[0] }), Box::new(Wave { rate: x[1], scale: x[2] })];
        for _ in 0..5 {
            for part in parts.iter_mut() {
                part.step(0.1 * x[3]);
            }
        }
        for part in &mut parts {
            part.step(x[3]);
        }
        parts[1].step(0.2);
        parts.iter().map(|part| part.offset()).product()
    }
    changed_alone(x): {
        let mut part: Box<dyn Part> = Box::new(Line { slope: x[1] });
        part.step(x[0]);
        part.step(x[2]);
        part.value(x[3])
    }
    lent(x): {
        let (line, wave) = (Line { slope: x[1] }, Wave { rate: x[2], scale: x[0] });
        let part: &dyn Part = if x[3] > 0.5 { &line } else { &wave };
        let both: [&dyn Part; 2] = [&line, &wave];
        part.value(x[3]) + both[1].value(x[0]) * both[0].value(x[1]) + line.slope * wave.rate
    }
    in_closures(x): {
        let part: Box<dyn Part> =
            if x[2] > 0.1 { Box::new(Line { slope: x[0] * 2.0 }) } else { Box::new(Wave { rate: x[1], scale: x[3] }) };
        let parts: Vec<Box<dyn Part>> = vec![Box::new(Wave { rate: x[1], scale: 2.0 }), Box::new(Line { slope: x[3] })];
        let both = |t: f64| part.value(t) + parts[1].value(t);
        both(x[3])
            + mean(|t| part.value(t) * parts[0].value(t), 5)
            + mean(|t| parts.iter().map(|part| part.value(t)).sum(), 3)
    }
    lent_to_change(x): {
        let mut line = Line { slope: x[0] };
        let mut wave = Wave { rate: x[1], scale: 0.5 };
        {
            let part: &mut dyn Part = if x[2] > 0.1 { &mut line } else { &mut wave };
            part.step(x[3]);
            part.step(0.5);
        }
        line.value(x[1]) + wave.value(x[2]) + line.slope
    }
    cast(x): {
        let parts = [Box::new(Line { slope: x[0] }) as Box<dyn Part>, Box::new(Wave { rate: x[1], scale: 2.0 })];
        let wave = Wave { rate: x[2], scale: x[3] };
        let one = if x[0] > 1.0 { &*parts[0] } else { &wave as &dyn Part };
        parts.iter().zip(x).map(|(part, t)| part.value(*t)).product::<f64>() + one.value(x[3])
    }
    boxed(x): {
        let mut part = Box::new(Wave { rate: x[0], scale: x[1] });
        part.step(x[2]);
        let y = part.value(x[3]);
        part.scale *= y;
        part.offset() * y
    }
}
