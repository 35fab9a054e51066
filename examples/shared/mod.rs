//! What the examples of models have in common: options, training by L-BFGS with a progress bar, checkpoints, pictures.

pub(crate) mod checkpoint;
pub(crate) mod modes;
pub(crate) mod options;
pub(crate) mod plot;
pub(crate) mod train;
