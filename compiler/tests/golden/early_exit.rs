fn early_exit(x: f64, n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..n {
        s = s * x + i as f64;
        if s > 10.0 {
            return s * x;
        }
    }
    s - x
}
