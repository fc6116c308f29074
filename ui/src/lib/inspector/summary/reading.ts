//! How a figure is read, as a sign. Pure.

export interface Reading {
  sign: string;
  /** What the sign leaves out; empty where it leaves out nothing. */
  more: string;
}

/** `↑ higher is better` for what the program says of a figure in sentences. */
export function readingOf(said: string): Reading {
  if (said === "More is better.") return { sign: "↑ higher is better", more: "" };
  if (said === "Less is better.") return { sign: "↓ lower is better", more: "" };
  return { sign: "no direction", more: said };
}
