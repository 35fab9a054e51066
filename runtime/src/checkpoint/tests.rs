//! The schedules: no more advances and no more snapshots than there must be.

use super::*;

/// Undoes a loop of `l` iterations; gives how often it advanced, how often an iteration was run at most, the one that
/// is undone not counted, and how many snapshots there were at most.
fn undo(l: usize, limit: Option<usize>, known: bool) -> (usize, usize, usize) {
    let mut kept = Checkpoints::new(known.then_some(l), limit);
    let mut runs = vec![0; l];
    for (i, runs) in runs.iter_mut().enumerate() {
        kept.step(|| i);
        // the last iteration is undone right away in the papers' count
        *runs += usize::from(i + 1 < l);
    }
    let mut most = kept.snapshots.len();
    let mut replay = kept.replay();
    for k in (0..l).rev() {
        let (from, mut state) = replay.restore(k);
        assert_eq!(state, from);
        for runs in &mut runs[from..k] {
            replay.step(|| state);
            *runs += 1;
            state += 1;
        }
        assert_eq!(state, k);
        most = most.max(replay.kept.len() + replay.extra.len());
    }
    (runs.iter().sum(), runs.iter().copied().max().unwrap_or(0), most)
}

/// The least number of advances: Griewank and Walther (2000), by dynamic programming over where the next snapshot lies.
fn least(longest: usize, snapshots: usize) -> Vec<Vec<usize>> {
    let mut t = vec![vec![0; longest + 1]; snapshots + 1];
    t[1] = (0..=longest).map(|l: usize| l * l.saturating_sub(1) / 2).collect();
    for s in 2..=snapshots {
        for l in 2..=longest {
            t[s][l] = (1..l).map(|m| m + t[s - 1][l - m] + t[s][m]).min().expect("not empty");
        }
    }
    t
}

#[test]
fn no_schedule_advances_less_often() {
    for (s, least) in least(120, 9).iter().enumerate().skip(1) {
        for (l, least) in least.iter().enumerate() {
            let (advances, _, most) = undo(l, Some(s), true);
            assert_eq!(advances, *least, "{l} iterations, {s} snapshots");
            assert!(most <= s + 1);
        }
    }
}

#[test]
fn the_closed_form() {
    // r·l - C(s+r, r-1) with r = 5
    assert_eq!(undo(100, Some(4), true).0, 374);
    assert_eq!(undo(0, Some(4), true).0, 0);
    assert_eq!(undo(1, Some(1), true).0, 0);
    assert_eq!(undo(300, Some(1), true).0, 300 * 299 / 2);
}

#[test]
fn an_unknown_number_of_iterations() {
    let repetitions = |l: usize, s: usize| {
        let (mut reach, mut r) = (1, 0);
        while reach < l {
            r += 1;
            reach = reach * (s + r) / r;
        }
        r
    };
    for s in 1..=12 {
        for l in 0..=400 {
            let (_, repeated, most) = undo(l, Some(s), false);
            assert!(most <= s);
            // once more than with a schedule that knew the number, in the worst case
            assert!(s == 1 || repeated <= repetitions(l, s) + 1, "{l} iterations, {s} snapshots: {repeated}");
        }
    }
}

#[test]
fn snapshots_grow_with_the_logarithm() {
    for known in [false, true] {
        let (advances, repeated, most) = undo(1_000_000, None, known);
        assert!(most <= 47, "{most}");
        assert!(repeated <= 7, "{repeated}");
        assert!(advances <= 6_000_000, "{advances}");
    }
}

#[test]
fn a_replay_starts_anew() {
    let mut kept = Checkpoints::new(None, Some(3));
    (0..50).for_each(|i| kept.step(|| i));
    for _ in 0..2 {
        let mut replay = kept.replay();
        for k in (0..50).rev() {
            let (from, state) = replay.restore(k);
            assert_eq!(from, state);
            (from..k).for_each(|j| replay.step(|| j));
        }
    }
}
