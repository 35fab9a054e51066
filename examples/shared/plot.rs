//! Draws a training as an SVG of two panels over the iterations.
//!
//! Only the text of the SVG names a font family, so nothing is asked of the fonts of this machine.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

const SIZE: (u32, u32) = (960, 400);
const COLOURS: [RGBColor; 2] = [RGBColor(0x1f, 0x5f, 0xa8), RGBColor(0xb8, 0x4a, 0x1e)];
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One value for each iteration.
pub(crate) struct Panel<'a> {
    pub(crate) title: &'a str,
    pub(crate) values: &'a [f64],
    pub(crate) scale: Scale,
}

/// The axis of the values.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// From the least value or 0 to the largest.
    Linear,
    /// In powers of ten.
    #[allow(dead_code, reason = "not every example has one")]
    Logarithmic,
}

/// Writes the panels to `path` and makes its folder if need be.
pub(crate) fn draw(path: &Path, iterations: &str, panels: &[Panel<'_>; 2]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let page = SVGBackend::new(path, SIZE).into_drawing_area();
    page.fill(&WHITE)?;
    let (left, right) = page.split_horizontally(SIZE.0 / 2);
    for ((area, panel), colour) in [left, right].iter().zip(panels).zip(COLOURS) {
        match panel.scale {
            Scale::Linear => {
                let range = span(panel.values);
                let digits = if range.end - range.start < 2.0 { 2 } else { 1 };
                chart(area, iterations, panel, range, |value| format!("{value:.digits$}"), colour)?;
            }
            Scale::Logarithmic => {
                let (low, high) = decades(panel.values);
                chart(area, iterations, panel, (low..high).log_scale(), |value| power(*value), colour)?;
            }
        }
    }
    page.present()?;
    Ok(())
}

fn chart<Y>(
    area: &Area<'_>,
    iterations: &str,
    panel: &Panel<'_>,
    range: Y,
    label: impl Fn(&f64) -> String,
    colour: RGBColor,
) -> Result<(), Box<dyn Error>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let title_font = ("sans-serif", 20).into_font().color(&INK);
    let font = ("sans-serif", 14).into_font().color(&INK);
    let values = panel.values;
    let last = values.len().saturating_sub(1).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, title_font)
        .margin(14)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0..last, range)?;
    chart
        .configure_mesh()
        .x_desc(iterations)
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
    if values.len() <= 100 {
        chart.draw_series(values.iter().enumerate().map(|(i, value)| Circle::new((i, *value), 2, colour.filled())))?;
    }
    Ok(())
}

/// From the least value, or 0, to a little above the largest.
fn span(values: &[f64]) -> Range<f64> {
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(f64::MIN, f64::max);
    let margin = 0.05 * (high - low).max(f64::MIN_POSITIVE);
    (if low < 0.0 { low - margin } else { low })..high + margin
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
