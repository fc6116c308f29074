//! What is written, read again by the readers.

mod other_samples;
mod pi;
mod pi_samples;
mod reading;
