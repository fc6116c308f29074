//! palimpsest-cli
