//! Forward mode against reverse mode: a check of a gradient that costs one evaluation, however many parameters there are.

use cotangent::Tangent;

/// The slope along some direction, from the gradient and by forward mode.
pub(crate) fn compare<T: Tangent>(gradient: &T, jvp: impl FnOnce(T) -> f64) -> Result<(), String> {
    let mut along = gradient.clone();
    let directions: Vec<f64> = (0..gradient.to_flat().len()).map(|i| (1.7 * i as f64 + 0.3).sin()).collect();
    along.set_flat(&directions);
    let size = gradient.dot(gradient).sqrt() * along.dot(&along).sqrt();
    let apart = (gradient.dot(&along) - jvp(along)).abs() / size;
    println!("forward from reverse mode           {apart:.1e} of the sizes away");
    // a NaN must fail as well
    if apart <= 1e-12 { Ok(()) } else { Err(format!("forward and reverse mode differ by {apart:e} of the sizes")) }
}
