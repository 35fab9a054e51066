//! Integers without a derivative keep their types: what overflows, wraps or is shifted does so as it is written.

mod bodies;

use cotangent::differentiable;

bodies! {
    shifted_literal(x): {
        let k = (1u64 << 53) as f64;
        x[0] * k / 1e15
    }
    shifted_count(x): {
        let n = x.len() as u64;
        let k = (n << 40) as f64;
        x[0] * k / 1e13
    }
    shifted_far(x): {
        let a = 1i128 << 90;
        x[0] * a as f64 / 1e27
    }
    wrapping_literal(x): {
        let k = 255u8.wrapping_add(3);
        x[0] * k as f64
    }
    power(x): {
        let k = 3u64.pow(30) as f64;
        x[0] * k / 1e14
    }
    remainders(x): {
        let k = -7i32 % 3;
        let j = (-7i32).rem_euclid(3);
        x[0] * k as f64 + x[1] * j as f64
    }
    generator(x): {
        let mut s = 7u64;
        let mut t = 0.0;
        for v in x { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        t += v * (s >> 33) as f64 / (1u64 << 31) as f64;
        } t
    }
    generator_in_a_closure(x): {
        let mut s = 7u64;
        let mut next = || { s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 11) as f64 / (1u64 << 53) as f64 };
        let mut t = 0.0;
        for v in x { t += v * v * next();
        } t
    }
    bytes(x): {
        let c = [200u8, 100];
        let s = c[0].wrapping_add(c[1]);
        x[0] * s as f64
    }
    bits(x): {
        let m = 0b1011u32;
        let c = m.count_ones() as f64 + m.trailing_zeros() as f64 + (m.leading_zeros() as f64);
        x[0] * c
    }
    subsets(x): {
        let mut s = 0.0;
        for m in 0..1usize << 4 {
            let mut p = 1.0;
            for (i, v) in x.iter().enumerate() {
                if m >> i & 1 == 1 {
                    p *= v;
                }
            }
            s += p * p;
        }
        s
    }
    hash(x): {
        let h = (0..4u64).fold(14695981039346656037u64, |h, k| (h ^ k).wrapping_mul(1099511628211));
        x[0] * (h >> 40) as f64 / 1e7
    }
    casts(x): {
        let k = 300i32 as u8 as f64 + -1i8 as u8 as f64 + 3.9f64 as usize as f64 + -5.5f64 as u32 as f64;
        x[0] * k
    }
    reversed_bits(x): {
        let n = 8u32;
        let mut s = 0.0;
        for i in 0..4u32 { let r = i.reverse_bits() >> (32 - n.trailing_zeros());
        s += x[i as usize] * r as f64;
        } s
    }
    checked(x): {
        let k = 250u8.checked_add(10).unwrap_or(7);
        x[0] * k as f64
    }
    product_over_a_range(x): {
        let mut s = 1;
        for i in 1..21u64 { s *= i;
        } x[0] * s as f64 / 1e18
    }
    range_of_bytes(x): {
        let mut t = 0.0;
        for i in 0..4u8 { t += x[i as usize] * i.wrapping_sub(1) as f64;
        } t
    }
    carried_byte(x): {
        let mut a = 250u8;
        for _ in 0..10 { a = a.wrapping_add(1);
        } x[0] * a as f64
    }
    large_in_a_branch(x): {
        let big: i64 = 3_000_000_000;
        let t = if x[0] > 0.0 { big } else { 0 };
        x[0] * t as f64 / 1e9
    }
    literal_in_a_branch(x): {
        let t = if x[0] > 0.0 { 3_000_000_000u32 } else { 0 };
        x[0] * t as f64 / 1e9
    }
    literal_in_an_arm(x): {
        let t = match x.len() { 4 => 3_000_000_000u32, _ => 0 };
        x[0] * (t / 2) as f64 / 1e9
    }
    closure_of_integers(x): {
        let c = |n| n + 1u64;
        x[0] * c(4_294_967_295) as f64 / 1e9
    }
    masks(x): {
        let mask = !0u32;
        let m = mask >> 4;
        let n = !3u8;
        x[0] * m as f64 / 1e8 + x[1] * n as f64
    }
    wrapping_negation(x): {
        let n = -128i8;
        let k = n.wrapping_neg();
        let j = n.wrapping_abs() as i32;
        x[0] * k as f64 + x[1] * j as f64
    }
}
