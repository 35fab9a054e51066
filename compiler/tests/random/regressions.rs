//! The smallest programs of failures that the random ones have found.
