//! What a plan can be told about an entry of the tree.

/** Summarize from it on, up to it, or put it among those that are summarized. */
export type Pick = "from" | "up_to" | "mark";
