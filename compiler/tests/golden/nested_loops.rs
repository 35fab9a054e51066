fn nested_loops(x: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let mut p = 1.0;
        for j in 0..=i {
            p *= x + j as f64;
        }
        sum += p;
    }
    sum
}
