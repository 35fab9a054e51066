fn in_place(u: &mut [f64], k: f64) {
    for i in 1..u.len() {
        u[i] = u[i] + k * u[i - 1] * u[i];
    }
}
