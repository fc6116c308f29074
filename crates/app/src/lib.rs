//! palimpsest-app
