//! The rules that always hold, each as a property of generated or of all small inputs.

mod bad_input;
mod batches;
mod drops;
mod gate;
mod host;
mod isolation;
mod leaks;
mod names;
mod no_dead_end;
mod scripts;
mod stable_bytes;
