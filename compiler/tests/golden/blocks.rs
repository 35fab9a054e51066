/// Iterations in blocks: all but the sum is done for several at once, each place that stays the same has a sum of its own.
fn blocks(x: &[f64], at: usize) -> f64 {
    let mut s = 0.0;
    for j in at + 1..x.len() {
        let d = x[at] - x[j];
        let q = d * d / (1.0 + d * d);
        s += q * q - 2.0 * q;
    }
    s
}
