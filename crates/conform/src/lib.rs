//! Drives a testbed along a suite and compares states with those of the specification.
