//! palimpsest-graph
