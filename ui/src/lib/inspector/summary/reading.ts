//! How a figure is read, as a sign, and what it is about. Pure.

import type { FigureView } from "../../../wire/wire";

export interface Reading {
  sign: string;
  /** What the sign leaves out; empty where it leaves out nothing. */
  more: string;
}

/** `↑ higher is better` for what the program says of a figure in sentences. */
export function readingOf(said: string): Reading {
  if (said === "More is better.") return { sign: "↑ higher is better", more: "" };
  if (said === "Less is better.") return { sign: "↓ lower is better", more: "" };
  return { sign: "neither higher nor lower is better", more: said };
}

/** What a closed figure says under its name: its definition; of the overall score what makes it. */
export function aboutOf(figure: Pick<FigureView, "figure" | "definition" | "values">): string {
  const [, ...parts] = figure.values;
  if (figure.figure !== "overall" || parts.length === 0) return figure.definition;
  return `Made of: ${parts.map((part) => `${part.name} ${part.text}`).join(", ")}.`;
}
