fn closure(a: f64, x: f64) -> f64 {
    let mut total = 0.0;
    let mut add = |t: f64| total += a * t * t;
    add(x);
    add(2.0);
    total
}
