//! Derivatives: functions of the IR to functions of the IR.

pub mod forward;
pub mod reverse;
#[cfg(test)]
pub(crate) mod samples;
