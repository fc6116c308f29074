//! How large a damaged file may become.

/// Largest file that mutations may grow a file to, in bytes.
pub const MOST_BYTES: usize = 2 << 20;
