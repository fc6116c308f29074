//! palimpsest-tokens
