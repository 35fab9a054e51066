/// Steps of diffusion in two buffers that change places: each cotangent that goes to several cells has a loop for each of them.
fn stencil(u: &[f64], c: f64, n: usize) -> f64 {
    let mut now = u.to_vec();
    let mut next = u.to_vec();
    for _ in 0..n {
        for i in 1..u.len() - 1 {
            next[i] = now[i] + c * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
        }
        std::mem::swap(&mut now, &mut next);
    }
    now[1]
}
