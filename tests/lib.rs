//! Runs the code of the README as doc tests.
#![doc = include_str!("../README.md")]
