//! Draws the times as an SVG: that of the derivative over that of the objective, on logarithmic scales.
//!
//! Only the text of the SVG names a font family, so nothing is asked of the fonts of this machine.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::prelude::*;

use crate::timing::Times;

const SIZE: (u32, u32) = (760, 560);
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const GUIDE: RGBColor = RGBColor(0xb0, 0xb0, 0xb0);
const COLOURS: [RGBColor; 5] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xb8, 0x4a, 0x1e),
    RGBColor(0x2e, 0x7d, 0x4f),
    RGBColor(0x7a, 0x4a, 0x9e),
    RGBColor(0xa8, 0x7a, 0x10),
];
/// The multiples of the objective that are drawn as lines.
const MULTIPLES: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// Writes the measured instances, by their names, to `path` and makes its folder if need be. The first word of a name is
/// that of the problem.
pub(crate) fn draw(path: &Path, measured: &[(&str, Times)]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let milliseconds: Vec<(&str, f64, f64)> =
        measured.iter().map(|(name, times)| (*name, times.objective * 1e3, times.derivative * 1e3)).collect();
    let (left, right) = range(milliseconds.iter().map(|(_, x, _)| *x));
    let (low, high) = range(milliseconds.iter().map(|(_, _, y)| *y));

    let page = SVGBackend::new(path, SIZE).into_drawing_area();
    page.fill(&WHITE)?;
    let font = ("sans-serif", 14).into_font().color(&INK);
    let mut chart = ChartBuilder::on(&page)
        .caption("Derivative over objective", ("sans-serif", 20).into_font().color(&INK))
        .margin(16)
        .margin_right(28)
        .x_label_area_size(46)
        .y_label_area_size(66)
        .build_cartesian_2d((left..right).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("objective, ms of CPU time")
        .y_desc("derivative, ms of CPU time")
        .x_label_formatter(&|x| format!("{x}"))
        .y_label_formatter(&|y| format!("{y}"))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(font.clone())
        .axis_desc_style(font.clone())
        .draw()?;
    for multiple in MULTIPLES {
        let (from, to) = (left.max(low / multiple), right.min(high / multiple));
        if from < to {
            chart
                .draw_series(LineSeries::new([(from, multiple * from), (to, multiple * to)], GUIDE.stroke_width(1)))?;
            let label = Text::new(format!("{multiple} ×"), (from * 1.05, multiple * from * 1.25), font.clone());
            chart.draw_series([label])?;
        }
    }
    let mut problems: Vec<&str> = Vec::new();
    for (name, ..) in &milliseconds {
        let problem = problem(name);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    for (&name, colour) in problems.iter().zip(COLOURS.iter().cycle()) {
        let points = milliseconds.iter().filter(|(other, ..)| problem(other) == name);
        let circles = points.map(|(_, x, y)| Circle::new((*x, *y), 5, colour.filled()));
        chart.draw_series(circles)?.label(name).legend(move |(x, y)| Circle::new((x + 10, y), 5, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE)
        .border_style(GRID)
        .label_font(font)
        .draw()?;
    page.present()?;
    Ok(())
}

fn problem(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// The powers of ten around the values.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(0.0, f64::max).log10().ceil();
    (10f64.powf(low), 10f64.powf(high.max(low + 1.0)))
}
