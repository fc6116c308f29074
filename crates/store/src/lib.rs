//! palimpsest-store
