fn second_order(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = root(x * y);
    }
    y.sin()
}
