//! palimpsest-llm
