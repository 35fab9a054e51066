fn branch(x: f64, y: f64) -> f64 {
    let t = if x > y { x * y } else { y.exp() };
    t * x
}
