fn run_again(x: f64, r: f64, n: usize) -> f64 {
    let mut v = x;
    #[checkpoint(steps = 3)]
    for _ in 0..n {
        v = (r * v).sin();
    }
    v
}
