//! palimpsest-ledger
