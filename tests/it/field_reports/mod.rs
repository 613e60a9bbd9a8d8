//! Faults of comparable systems that users reported, each as a test of what a model, a provider or a host sees.

mod dead_ends;
mod declarations;
mod policies;
mod visibility;
