//! What is run again instead of being remembered.

use std::fmt;

/// How something is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recomputed {
    /// How many states of a loop may be kept at a time, if that is given.
    pub limit: Option<usize>,
}

/// What is done with the states of a loop that are kept so that its iterations can be run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The loop.
    pub id: u32,
    /// What is done.
    pub step: CheckpointStep,
}

/// See [`Checkpoint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointStep {
    /// `(number of iterations, if it is known) → no snapshots yet`.
    Start {
        /// How many there may be, if that is given.
        limit: Option<usize>,
    },
    /// `(snapshots or replay, state…) → the same`, at the beginning of an iteration, whose state may be kept.
    Save,
    /// `(snapshots) → replay`, what undoes the loop once.
    Replay,
    /// `(replay, k) → replay, j ≤ k, the state before iteration j…`.
    Restore,
}

impl CheckpointStep {
    /// How many operands precede those of the state, for what has some.
    pub const STATE_ARGS: usize = 1;
    /// The same of the results of [`CheckpointStep::Restore`].
    pub const STATE_OUTS: usize = 2;
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            CheckpointStep::Start { limit: Some(n) } => write!(f, "snapshots at most {n}"),
            CheckpointStep::Start { limit: None } => f.write_str("snapshots"),
            CheckpointStep::Save => f.write_str("save"),
            CheckpointStep::Replay => f.write_str("replay"),
            CheckpointStep::Restore => f.write_str("restore"),
        }
    }
}
