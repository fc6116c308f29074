//! palimpsest-api
