//! palimpsest-testkit
