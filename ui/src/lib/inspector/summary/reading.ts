//! How a figure is read, as a sign, and what it is about. Pure.

import type { FigureView } from "../../../wire/wire";

export interface Reading {
  sign: string;
  /** What the sign leaves out; empty where it leaves out nothing. */
  more: string;
}

/** How a figure differs from the words and figures of the same name beside the facts. */
const BESIDE: Partial<Record<FigureView["figure"], string>> = {
  overall:
    "“Facts retained” is one of its parts. The score is lower where the end of the span is missing, where passages are copied, and where statements are wrong.",
  "constraint-recall":
    "Counts constraints alone, and only in the summary. The sentence above the facts counts requests too, and what the kept tail has.",
};

/** That difference in a sentence; empty for other figures. */
export function besideFacts({ figure }: Pick<FigureView, "figure">): string {
  return BESIDE[figure] ?? "";
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
  const isFactor = ({ name }: (typeof parts)[number]): boolean => /factor$/i.test(name);
  const said = (part: (typeof parts)[number]): string => `${part.name} ${part.text}`;
  const shares = parts.filter((part) => !isFactor(part)).map(said);
  const mean = shares.length > 1 ? [`Mean of ${listed(shares)}`] : shares;
  return `${[...mean, ...parts.filter(isFactor).map(said)].join(", times ")}.`;
}

/** `a, b and c`. */
function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
