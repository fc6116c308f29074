//! Geometry of the branch tree.
