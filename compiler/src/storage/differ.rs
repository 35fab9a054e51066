//! Proofs that two indices are never the same.
//!
//! An index is a polynomial of the indices of the loops around it and of numbers that these loops do not change. The
//! difference of two is bounded from below by replacing the loops' indices, the innermost first, by the end of their
//! range that makes the difference smaller. All numbers are of type `usize`, so none is negative.

use std::collections::BTreeMap;

/// A number: a value of the function, and whether it is the one of a later iteration.
pub(super) type Symbol = (u32, bool);

/// A polynomial: the factor of each product of symbols, which are in order. No factor is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Polynomial(BTreeMap<Vec<Symbol>, i128>);

/// What is known of the index of a loop. Both ends are included.
pub(super) struct Range {
    pub(super) index: Symbol,
    pub(super) lo: Polynomial,
    pub(super) hi: Polynomial,
}

impl Polynomial {
    pub(super) fn constant(c: i128) -> Self {
        Polynomial::default().with(Vec::new(), c)
    }

    pub(super) fn symbol(s: Symbol) -> Self {
        Polynomial::default().with(vec![s], 1)
    }

    fn with(mut self, product: Vec<Symbol>, factor: i128) -> Self {
        let sum = self.0.remove(&product).unwrap_or(0) + factor;
        if sum != 0 {
            self.0.insert(product, sum);
        }
        self
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        other.0.iter().fold(self.clone(), |sum, (product, &factor)| sum.with(product.clone(), factor))
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        other.0.iter().fold(self.clone(), |sum, (product, &factor)| sum.with(product.clone(), -factor))
    }

    /// The product; `None` if its numbers grow out of hand.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut all = Polynomial::default();
        for (a, &x) in &self.0 {
            for (b, &y) in &other.0 {
                let mut product = [a.as_slice(), b].concat();
                product.sort_unstable();
                let factor = x.checked_mul(y).filter(|f| f.unsigned_abs() < 1 << 80)?;
                all = all.with(product, factor);
            }
        }
        (all.0.len() < 64).then_some(all)
    }

    /// The factor of a symbol, and the rest; `None` if it occurs in a square.
    fn split(&self, s: Symbol) -> Option<(Self, Self)> {
        let (mut factor, mut rest) = (Polynomial::default(), Polynomial::default());
        for (product, &x) in &self.0 {
            match product.iter().filter(|t| **t == s).count() {
                0 => rest = rest.with(product.clone(), x),
                1 => factor = factor.with(product.iter().copied().filter(|t| *t != s).collect(), x),
                _ => return None,
            }
        }
        Some((factor, rest))
    }

    /// Whether it is above zero wherever the ranges, the innermost first, are not empty.
    pub(super) fn is_positive(&self, ranges: &[Range]) -> bool {
        let mut least = self.clone();
        for range in ranges {
            let Some((factor, rest)) = least.split(range.index) else { return false };
            let end = if factor.0.values().all(|&x| x > 0) {
                &range.lo
            } else if factor.0.values().all(|&x| x < 0) {
                &range.hi
            } else {
                return false;
            };
            let Some(product) = factor.times(end) else { return false };
            least = rest.plus(&product);
        }
        // the end of a range that is not empty and begins at 0 or above
        let one = Polynomial::constant(1);
        let counts: Vec<Polynomial> = ranges.iter().map(|range| range.hi.plus(&one)).collect();
        let counted = |s: &Symbol| counts.contains(&Polynomial::symbol(*s));
        least.0.values().all(|&x| x > 0) && least.0.keys().any(|product| product.iter().all(counted))
    }
}

#[cfg(test)]
mod tests {
    use super::{Polynomial, Range, Symbol};

    const N: Symbol = (0, false);
    const I: Symbol = (1, false);
    const LATER: Symbol = (1, true);
    const J: Symbol = (2, false);

    fn at(row: Symbol, column: Symbol) -> Polynomial {
        let row = Polynomial::symbol(row).times(&Polynomial::symbol(N)).unwrap();
        row.plus(&Polynomial::symbol(column))
    }

    /// `for i in 0..n { for j in 0..i { … } }`, and a later `i`.
    fn ranges() -> [Range; 3] {
        let (zero, one) = (Polynomial::default(), Polynomial::constant(1));
        let last = Polynomial::symbol(N).minus(&one);
        let before = Polynomial::symbol(I).minus(&one);
        let after = Polynomial::symbol(I).plus(&one);
        [
            Range { index: J, lo: zero.clone(), hi: before },
            Range { index: LATER, lo: after, hi: last.clone() },
            Range { index: I, lo: zero, hi: last },
        ]
    }

    #[test]
    fn elements_of_triangles() {
        let positive = |a: Polynomial, b: Polynomial| a.minus(&b).is_positive(&ranges());
        // the diagonal is right of the triangle, and a later row is below
        assert!(positive(at(I, I), at(I, J)));
        assert!(positive(at(LATER, J), at(I, J)));
        assert!(positive(at(LATER, LATER), at(I, J)));
        assert!(!positive(at(I, J), at(I, I)));
        assert!(!positive(at(I, J), at(I, J)));
        // in one dimension
        assert!(positive(Polynomial::symbol(LATER), Polynomial::symbol(J)));
        assert!(!positive(at(LATER, J), at(J, LATER).plus(&Polynomial::symbol(N))));
        assert!(!positive(Polynomial::symbol(LATER), Polynomial::symbol(I).plus(&Polynomial::constant(1))));
    }

    #[test]
    fn unknown_numbers() {
        let n = Polynomial::symbol(N);
        assert!(n.is_positive(&ranges()), "a loop to it ran");
        assert!(!n.is_positive(&[]));
        assert!(n.plus(&Polynomial::constant(1)).is_positive(&[]));
        assert!(!n.minus(&Polynomial::constant(1)).is_positive(&ranges()));
        assert!(!Polynomial::default().is_positive(&ranges()));
    }
}
