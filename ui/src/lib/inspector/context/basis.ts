import type { ContextView } from "../../../wire/wire";
import { short } from "../../text/format";

/** Estimates below this share of a size are part of any report: a reply's own blocks. */
const SLIGHT = 0.01;

type Measured = Pick<ContextView, "tokens" | "basis" | "estimated_since">;

/** `≈` where a size is not what the provider reported, or not all of it. */
export const sizeSign = (context: Measured): "" | "≈" =>
  context.basis === "reported" && context.estimated_since <= context.tokens.size * SLIGHT
    ? ""
    : "≈";

/** On what the size of a context rests. */
export function basisWords(context: Measured): string {
  switch (context.basis) {
    case "reported":
      return reportedPart(context);
    case "forecast":
      return "forecast: no reply since the context changed";
    case "estimated":
      return "estimated: the provider reported no size here";
  }
}

/** How much of a reported size the provider reported, and what was estimated since. */
export function reportedPart(context: Pick<ContextView, "tokens" | "estimated_since">): string {
  const { size } = context.tokens;
  const since = context.estimated_since;
  if (since <= size * SLIGHT) return "reported by the provider";
  return `${short(size - since)} reported by the provider, ≈${short(since)} estimated since`;
}
