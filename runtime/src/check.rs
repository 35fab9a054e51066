//! Checks of gradients: against central differences, and of reverse mode against forward mode, entry by entry.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::tangent::{Differentiable, Tangent};

/// One entry of a gradient beside what it should be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EntryCheck {
    /// The position in the flat form of the gradient.
    pub index: usize,
    /// The entry of the gradient that is checked.
    pub claimed: f64,
    /// The derivative from differences, or from forward mode.
    pub reference: f64,
    /// `|claimed - reference| / max(1, |claimed|, |reference|)`; 0 if they are equal, infinite if one of them is NaN.
    pub deviation: f64,
}

/// What [`check_grad`] and [`check_forward`] found. As text it is a table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GradientCheck {
    /// The entries, in the order of the flat form.
    pub entries: Vec<EntryCheck>,
}

/// Compares `gradient`, claimed to be that of `f` at `x`, with central differences.
///
/// With several parameters `x` and `gradient` are tuples. Each coordinate is moved by `±h` for `h = 2⁻², 2⁻⁴ … 2⁻²⁶`,
/// and the central differences `(f(x + h) - f(x - h)) / 2h` are extrapolated to `h = 0` by Ridders' method, which takes
/// the entry of the Neville table with the smallest estimate of its error (C. Ridders, *Accurate computation of F′(x)
/// and F′(x) F″(x)*, Advances in Engineering Software 4, 1982; *Numerical Recipes*, 3rd edition, section 5.7). Steps at
/// which `f` is not finite are left out. Typically 11 to 13 digits are right, and 6 in single precision.
///
/// The steps are absolute, so coordinates should not be far above 1e6, and not be within 1e-8 of a kink.
///
/// ```
/// use cotangent_runtime::check_grad;
///
/// let f = |(w, b): &([f64; 2], f64)| (w[0] * w[1]).sin() + b * b;
/// let x = ([0.5, 2.0], 3.0);
/// let gradient = ([2.0 * 1.0_f64.cos(), 0.5 * 1.0_f64.cos()], 6.0);
/// check_grad(f, &x, &gradient).assert_within(1e-9);
///
/// let wrong = check_grad(f, &x, &([0.0, 0.5 * 1.0_f64.cos()], 6.0));
/// assert_eq!(wrong.worst().unwrap().index, 0);
/// ```
#[track_caller]
pub fn check_grad<X>(f: impl Fn(&X) -> f64, x: &X, gradient: &X::Tangent) -> GradientCheck
where
    X: Differentiable + Clone,
{
    check(x, gradient, |unit| {
        let at = |by: f64| {
            let mut direction = unit.clone();
            direction.scale(by);
            let mut moved = x.clone();
            moved.move_by(&direction);
            f(&moved)
        };
        ridders(|h| {
            let (right, left) = (at(h), at(-h));
            let rounding = f64::EPSILON * right.abs().max(left.abs()) / h;
            ((right - left) / (2.0 * h), rounding)
        })
    })
}

/// Compares `gradient` with forward mode: `derivative` gives the derivative of the function at `x` along a tangent.
///
/// ```
/// use cotangent_runtime::check_forward;
///
/// fn square_jvp(x: f64, dx: f64) -> (f64, f64) {
///     (x * x, 2.0 * x * dx)
/// }
/// check_forward(|x, dx| square_jvp(*x, dx).1, &3.0, &6.0).assert_within(1e-15);
/// ```
#[track_caller]
pub fn check_forward<X>(derivative: impl Fn(&X, X::Tangent) -> f64, x: &X, gradient: &X::Tangent) -> GradientCheck
where
    X: Differentiable + ?Sized,
{
    check(x, gradient, |unit| derivative(x, unit.clone()))
}

/// One entry for each coordinate, whose reference is `reference` of the unit tangent.
#[track_caller]
fn check<X>(x: &X, gradient: &X::Tangent, reference: impl Fn(&X::Tangent) -> f64) -> GradientCheck
where
    X: Differentiable + ?Sized,
{
    let claimed = gradient.to_flat();
    let mut unit = x.zero_tangent();
    let coordinates = unit.flat_len();
    assert!(
        claimed.len() == coordinates,
        "check_grad: the gradient has {} coordinates, the value {coordinates}",
        claimed.len()
    );
    let mut flat = vec![0.0; coordinates];
    let entry = |(index, claimed)| {
        flat[index] = 1.0;
        unit.set_flat(&flat);
        flat[index] = 0.0;
        EntryCheck::new(index, claimed, reference(&unit))
    };
    GradientCheck { entries: claimed.into_iter().enumerate().map(entry).collect() }
}

/// The limit of the central difference `difference(h)` as `h` goes to 0.
///
/// Steps shrink by 4, so that column j of the Neville table removes the error term h²ʲ with the factor 16ʲ.
///
/// The error of an entry is the larger distance to its two neighbours, as in Ridders' method, and the rounding error that
/// `difference` gives with each value: without it, small steps whose differences agree by chance would win.
fn ridders(difference: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut last: Vec<f64> = Vec::new();
    let (mut best, mut smallest_error) = (f64::NAN, f64::INFINITY);
    let mut h = 0.25;
    for _ in 0..13 {
        let (first, rounding) = difference(h);
        h /= 4.0;
        if !first.is_finite() {
            last.clear();
            continue;
        }
        if best.is_nan() {
            best = first;
        }
        let mut row = vec![first];
        let mut factor = 1.0;
        for (j, previous) in last.iter().enumerate() {
            factor *= 16.0;
            let next = (row[j] * factor - previous) / (factor - 1.0);
            let error = (next - row[j]).abs().max((next - previous).abs()) + rounding;
            if error < smallest_error {
                (best, smallest_error) = (next, error);
            }
            row.push(next);
        }
        last = row;
    }
    best
}

impl EntryCheck {
    fn new(index: usize, claimed: f64, reference: f64) -> Self {
        let deviation = (claimed - reference).abs() / claimed.abs().max(reference.abs()).max(1.0);
        let deviation = match deviation {
            _ if claimed == reference => 0.0,
            d if d.is_nan() => f64::INFINITY,
            d => d,
        };
        Self { index, claimed, reference, deviation }
    }
}

impl GradientCheck {
    /// The largest deviation; 0 if there are no entries.
    ///
    /// ```
    /// # use cotangent_runtime::check_grad;
    /// let check = check_grad(|x| x * x, &3.0, &6.0);
    /// assert!(check.max_deviation() < 1e-10);
    /// ```
    pub fn max_deviation(&self) -> f64 {
        self.worst().map_or(0.0, |entry| entry.deviation)
    }

    /// The first entry with the largest deviation.
    ///
    /// ```
    /// # use cotangent_runtime::check_grad;
    /// let check = check_grad(|x: &[f64; 2]| x[0] * x[1], &[3.0, 4.0], &[4.0, 0.0]);
    /// assert_eq!(check.worst().unwrap().index, 1);
    /// ```
    pub fn worst(&self) -> Option<&EntryCheck> {
        self.entries.iter().reduce(|worst, entry| if entry.deviation > worst.deviation { entry } else { worst })
    }

    /// Panics with a table of the entries that deviate by more than `tolerance`, if there are any.
    ///
    /// ```
    /// # use cotangent_runtime::check_grad;
    /// check_grad(|x| x.exp(), &0.0_f64, &1.0).assert_within(1e-9);
    /// ```
    #[track_caller]
    pub fn assert_within(&self, tolerance: f64) {
        let within = |entry: &&EntryCheck| entry.deviation <= tolerance;
        let wrong = GradientCheck { entries: self.entries.iter().filter(|e| !within(e)).copied().collect() };
        let (count, all) = (wrong.entries.len(), self.entries.len());
        assert!(count == 0, "{count} of {all} entries of the gradient deviate by more than {tolerance:e}:\n{wrong}");
    }
}

impl fmt::Display for GradientCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} {:>24} {:>24} {:>10}", "entry", "claimed", "reference", "deviation")?;
        for EntryCheck { index, claimed, reference, deviation } in &self.entries {
            write!(f, "\n{index:>6} {claimed:>24.16e} {reference:>24.16e} {deviation:>10.1e}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[track_caller]
    fn within(f: impl Fn(f64) -> f64, x: f64, derivative: f64, tolerance: f64) {
        check_grad(|x| f(*x), &x, &derivative).assert_within(tolerance);
    }

    #[test]
    fn right_gradients_pass() {
        within(|x| x * x * x, 2.0, 12.0, 1e-11);
        within(|x| x, 1e6, 1.0, 1e-8);
        within(|x| 1.0 / (1.0 + x), 0.3, -1.0 / 1.69, 1e-10);
        within(|_| 7.0, 1.0, 0.0, 0.0);
    }

    #[cfg(feature = "std")]
    #[test]
    fn steps_adapt_to_the_function() {
        within(f64::exp, 1.0, 1.0_f64.exp(), 1e-11);
        within(f64::ln, 1e-3, 1e3, 1e-9);
        within(f64::sqrt, 1e-4, 50.0, 1e-8);
        within(|x| (100.0 * x).sin(), 0.3, 100.0 * 30.0_f64.cos(), 1e-9);
        within(|x| x.abs(), 1e-3, 1.0, 1e-9);
    }

    #[test]
    fn single_precision_passes_with_a_wider_tolerance() {
        let f = |x: &[f32; 2]| f64::from(x[0] * x[1] * x[1]);
        check_grad(f, &[2.0, 3.0], &[9.0, 12.0]).assert_within(1e-5);
    }

    #[test]
    fn wrong_and_undefined_entries_are_found() {
        let f = |x: &Vec<f64>| x[0] * x[1] + if x[2] >= 0.0 { f64::NAN } else { 0.0 };
        let check = check_grad(f, &vec![2.0, 3.0, -1.0, 0.0], &vec![3.0, 2.5, 0.0, f64::NAN]);
        let deviations: Vec<f64> = check.entries.iter().map(|e| e.deviation).collect();
        assert!(deviations[0] < 1e-10 && (deviations[1] - 0.2).abs() < 1e-10 && deviations[2] == 0.0);
        assert_eq!((check.max_deviation(), check.worst().unwrap().index), (f64::INFINITY, 3));
    }

    #[test]
    fn a_function_that_is_nowhere_finite_has_no_reference() {
        let check = check_grad(|_: &f64| f64::NAN, &1.0, &0.0);
        assert!(check.entries[0].reference.is_nan());
        assert_eq!(check.max_deviation(), f64::INFINITY);
    }

    #[test]
    #[should_panic(expected = "1 of 2 entries of the gradient deviate by more than 1e-6:\n entry")]
    fn the_panic_shows_what_deviates() {
        check_grad(|x: &[f64; 2]| x[0] + x[1], &[0.0; 2], &[1.0, 2.0]).assert_within(1e-6);
    }

    #[test]
    #[should_panic(expected = "check_grad: the gradient has 1 coordinates, the value 2")]
    fn a_gradient_of_another_length_is_refused() {
        check_grad(|x: &Vec<f64>| x[0], &vec![0.0; 2], &vec![1.0]);
    }

    #[test]
    fn the_table_has_a_row_per_entry() {
        let check = check_grad(|x: &[f64; 2]| x[0], &[0.0; 2], &[1.0, 0.0]);
        assert_eq!(check.to_string().lines().count(), 3);
        assert!(check_grad(|(): &()| 0.0, &(), &()).worst().is_none());
    }

    #[test]
    fn forward_mode_is_compared_along_unit_tangents() {
        let derivative = |x: &[f64], dx: Vec<f64>| x[0] * dx[1] + x[1] * dx[0];
        let check = check_forward(derivative, &[2.0, 3.0][..], &vec![3.0, 5.0]);
        assert_eq!((check.entries[0].deviation, check.entries[1].reference), (0.0, 2.0));
    }
}
