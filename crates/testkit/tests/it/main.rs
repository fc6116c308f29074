//! The sessions of the kit are what the readers and planners take them for.

mod readable;
mod samples;
