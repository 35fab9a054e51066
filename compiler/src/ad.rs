//! Derivatives: functions of the IR to functions of the IR.

pub mod forward;
mod functions;
pub mod gradient;
pub mod reverse;
#[cfg(test)]
pub(crate) mod samples;
pub mod twice;
