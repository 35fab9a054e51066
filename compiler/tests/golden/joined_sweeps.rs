/// Value and gradient in one sweep: each row's cotangent is known when the row has been summed.
fn joined_sweeps(w: &[f64], x: &[Vec<f64>]) -> f64 {
    let mut loss = 0.0;
    for i in 0..x.len() {
        let mut z = 0.0;
        for j in 0..w.len() {
            z += w[j] * x[i][j];
        }
        if z > 0.0 {
            loss += z.exp();
        }
    }
    loss / x.len() as f64
}
