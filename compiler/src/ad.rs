//! Derivatives: functions of the IR to functions of the IR.

pub mod forward;
#[cfg(test)]
pub(crate) mod samples;
