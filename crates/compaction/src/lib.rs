//! palimpsest-compaction
