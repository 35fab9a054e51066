//! Snapshots of the state of a loop, for sweeps that run iterations again instead of remembering them.
//!
//! The primal takes snapshots as it goes ([`Checkpoints::step`]). To undo iteration `k` the pullback starts from the
//! last snapshot before it ([`Replay::restore`]), advances to `k`, taking further snapshots where others have become
//! free, and runs that iteration once more with everything kept.
//!
//! Where the number of iterations is known the snapshots lie as Griewank and Walther, "Algorithm 799: revolve" (2000)
//! place them: `l` iterations with `s` snapshots advance `r·l - C(s+r, r-1)` times, `r` being the least number with
//! `C(s+r, r) ≥ l`, and no schedule advances less often. Otherwise they are moved while the loop runs, after Wang, Moin
//! and Iaccarino, "Minimal repetition dynamic checkpointing algorithm for unsteady adjoint calculation" (2009), which
//! never runs an iteration more often than a schedule that knew the number from the start; the pullback, which knows it,
//! goes on as above.

use alloc::vec::Vec;
use core::ops::Range;

/// Makes known to the `#[differentiable]` function around it that its pullback runs `block` again instead of
/// remembering what happens in it.
///
/// Of the block nothing is kept but the variables that it uses. It is run twice, so it must do the same both times:
/// what reads a clock or a file, or draws from a generator that is not one of the function's variables, belongs outside.
/// Called anywhere else, this runs `block`.
///
/// ```
/// # use cotangent_runtime::checkpoint;
/// let y = checkpoint(|| 2.0_f64.sin());
/// assert_eq!(y, 2.0_f64.sin());
/// ```
pub fn checkpoint<T>(block: impl FnOnce() -> T) -> T {
    block()
}

/// The state before an iteration.
#[derive(Clone, Debug)]
struct Snapshot<S> {
    step: usize,
    /// How often the iterations after it have been thinned out.
    level: u32,
    state: S,
}

/// The snapshots that a loop leaves behind.
#[derive(Clone, Debug)]
pub struct Checkpoints<S> {
    /// How many there may be; by default that follows from the number of iterations.
    limit: Option<usize>,
    trips: Option<usize>,
    /// The iteration that comes next.
    position: usize,
    /// The next one before which a snapshot is taken, where that can be planned.
    next: usize,
    snapshots: Vec<Snapshot<S>>,
    /// Those of `snapshots` that may go.
    dispensable: Range<usize>,
}

impl<S: Clone> Checkpoints<S> {
    /// For a loop of `trips` iterations, if that is known, of which `limit` states may be kept at a time, and the one
    /// before the last iteration: by default a number that grows with the logarithm of `trips`.
    pub fn new(trips: Option<usize>, limit: Option<usize>) -> Self {
        Checkpoints { limit, trips, position: 0, next: 0, snapshots: Vec::new(), dispensable: 0..0 }
    }

    /// The loop is before its next iteration, in this state.
    #[inline]
    pub fn step(&mut self, state: impl FnOnce() -> S) {
        let position = self.position;
        self.position += 1;
        match self.trips {
            Some(trips) if position == self.next => {
                let free = allowed(self.limit, trips) - self.snapshots.len();
                self.snapshots.push(Snapshot { step: position, level: 0, state: state() });
                self.next = following(position, trips, free);
            }
            // the papers' loop stands here when it turns round
            Some(trips) if position + 1 == trips => {
                self.snapshots.push(Snapshot { step: position, level: 0, state: state() });
            }
            Some(_) => {}
            None => self.unplanned(position, state()),
        }
    }

    /// Takes a snapshot; where there are enough, one goes.
    fn unplanned(&mut self, step: usize, state: S) {
        let mut level = 0;
        if self.snapshots.len() >= allowed(self.limit, step + 1) {
            if self.dispensable.is_empty() {
                // the last one moves on; the first one stays
                if self.snapshots.len() == 1 {
                    return;
                }
                level = self.snapshots.pop().map_or(0, |last| last.level) + 1;
                let end = self.snapshots.len();
                let lower = |s: &Snapshot<S>| s.step > 0 && s.level < level;
                let start = end - self.snapshots.iter().rev().take_while(|s| lower(s)).count();
                self.dispensable = start..end;
            } else {
                self.snapshots.remove(self.dispensable.start);
                self.dispensable.end -= 1;
            }
        }
        self.snapshots.push(Snapshot { step, level, state });
    }

    /// What undoes the loop; any number of times.
    pub fn replay(&self) -> Replay<'_, S> {
        let limit = allowed(self.limit, self.position);
        Replay { kept: &self.snapshots, extra: Vec::new(), limit, position: 0, next: usize::MAX, end: 0 }
    }
}

/// Undoes a loop, from the last iteration to the first.
#[derive(Debug)]
pub struct Replay<'c, S> {
    kept: &'c [Snapshot<S>],
    extra: Vec<Snapshot<S>>,
    limit: usize,
    position: usize,
    next: usize,
    end: usize,
}

impl<S: Clone> Replay<'_, S> {
    /// The last state that is known at or before iteration `k`, which none of the iterations asked for before lies
    /// below, and which iteration comes after it: from there the loop has to advance to `k`.
    ///
    /// # Panics
    /// If the loop was never run.
    pub fn restore(&mut self, k: usize) -> (usize, S) {
        while self.extra.last().is_some_and(|s| s.step > k) {
            self.extra.pop();
        }
        let count = self.kept.partition_point(|s| s.step <= k);
        self.kept = &self.kept[..count];
        if self.extra.last().is_some_and(|s| s.step == k)
            && let Some(last) = self.extra.pop()
        {
            // nothing before it needs it
            return (k, last.state);
        }
        let last = self.extra.last().or(self.kept.last()).expect("the state before the first iteration is kept");
        let (from, state) = (last.step, last.state.clone());
        (self.position, self.end) = (from, k + 1);
        self.next = following(from, self.end, self.free() + 1);
        (from, state)
    }

    /// The loop is before its next iteration, in this state.
    #[inline]
    pub fn step(&mut self, state: impl FnOnce() -> S) {
        if self.position == self.next {
            let free = self.free();
            self.extra.push(Snapshot { step: self.position, level: 0, state: state() });
            self.next = following(self.position, self.end, free);
        }
        self.position += 1;
    }

    fn free(&self) -> usize {
        self.limit.saturating_sub(self.kept.len() + self.extra.len())
    }
}

/// How many snapshots there may be of a loop.
fn allowed(limit: Option<usize>, trips: usize) -> usize {
    const FEW: usize = 8;
    limit.unwrap_or(FEW + 2 * trips.max(1).ilog2() as usize).max(1)
}

/// Where the snapshot after one at `from` lies, if `free` more, that one included, may be taken up to `end`.
fn following(from: usize, end: usize, free: usize) -> usize {
    if free < 2 { usize::MAX } else { from + split(end - from, free) }
}

/// How far to advance from a snapshot to the next, with `s ≥ 2` of them for `l` iterations.
///
/// With `C(s+r-1, r-1) < l ≤ C(s+r, r)`, both parts must be ones that `r` repetitions suffice for with the snapshots
/// that they have; the longest such step is taken.
fn split(l: usize, s: usize) -> usize {
    if l <= s {
        return 1;
    }
    // C(s+r, r), C(s+r-1, r-1)
    let (mut reach, mut shorter, mut r) = (1_u128, 0_u128, 0_u128);
    let (length, snapshots) = (l as u128, s as u128);
    while reach < length {
        r += 1;
        shorter = reach;
        reach = reach * (snapshots + r) / r;
    }
    // C(s+r-2, r-1), what fewer snapshots reach with fewer repetitions
    let rest = shorter * snapshots / (snapshots + r - 1);
    let longest = shorter.min(length - rest);
    usize::try_from(longest).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests;
