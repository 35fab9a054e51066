//! Draws the training as an SVG of two panels: the loss, and the norm of its gradient on a logarithmic scale.
//!
//! Only the text of the SVG names a font family, so nothing is asked of the fonts of this machine.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use crate::train::CurvePoint;

const SIZE: (u32, u32) = (960, 400);
const LOSS_COLOUR: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);
const GRADIENT_COLOUR: RGBColor = RGBColor(0xb8, 0x4a, 0x1e);
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writes the curve to `path` and makes its folder if need be.
pub(crate) fn draw(path: &Path, curve: &[CurvePoint]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let losses: Vec<f64> = curve.iter().map(|point| point.loss).collect();
    let norms: Vec<f64> = curve.iter().map(|point| point.gradient_norm).collect();

    let page = SVGBackend::new(path, SIZE).into_drawing_area();
    page.fill(&WHITE)?;
    let (left, right) = page.split_horizontally(SIZE.0 / 2);
    let top = losses.iter().copied().fold(0.0, f64::max) * 1.05;
    panel(&left, "Loss", 0.0..top, |value| format!("{value:.1}"), &losses, LOSS_COLOUR)?;
    let (low, high) = decades(&norms);
    panel(&right, "Norm of the gradient", (low..high).log_scale(), |value| power(*value), &norms, GRADIENT_COLOUR)?;
    page.present()?;
    Ok(())
}

/// One panel: `values` over the number of the iteration.
fn panel<Y>(
    area: &Panel<'_>,
    title: &str,
    range: Y,
    label: impl Fn(&f64) -> String,
    values: &[f64],
    colour: RGBColor,
) -> Result<(), Box<dyn Error>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let title_font = ("sans-serif", 20).into_font().color(&INK);
    let font = ("sans-serif", 14).into_font().color(&INK);
    let last = values.len().saturating_sub(1).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, title_font)
        .margin(14)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0..last, range)?;
    chart
        .configure_mesh()
        .x_desc("iteration of L-BFGS")
        .y_label_formatter(&label)
        .x_labels(8)
        .y_labels(8)
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(font.clone())
        .axis_desc_style(font)
        .draw()?;
    chart.draw_series(LineSeries::new(values.iter().copied().enumerate(), colour.stroke_width(2)))?;
    chart.draw_series(values.iter().enumerate().map(|(i, value)| Circle::new((i, *value), 2, colour.filled())))?;
    Ok(())
}

/// The powers of ten around the positive `values`.
fn decades(values: &[f64]) -> (f64, f64) {
    let positive = || values.iter().copied().filter(|value| *value > 0.0);
    let low = positive().fold(1.0, f64::min).log10().floor();
    let high = positive().fold(0.0, f64::max).log10().ceil();
    (10f64.powf(low), 10f64.powf(high.max(low + 1.0)))
}

/// A power of ten as `10⁻³`.
fn power(value: f64) -> String {
    let exponent = value.log10().round() as i32;
    let digits = exponent.to_string();
    let raised = digits.chars().map(|digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => other.to_digit(10).and_then(|d| char::from_u32('⁰' as u32 + d)).unwrap_or(other),
    });
    "10".chars().chain(raised).collect()
}
