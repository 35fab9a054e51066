fn straight_line(x: f64, y: f64) -> f64 {
    let z = x * y.sin();
    z.exp() / (x + 2.0) + z
}
