//! A file as its lines.

/// The lines of a file, each with its line end.
pub fn split(file: &[u8]) -> Vec<Vec<u8>> {
    file.split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}
