//! palimpsest-formats
