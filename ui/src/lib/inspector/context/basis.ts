import type { ContextView } from "../../../wire/wire";
import { short } from "../../text/format";

/** Estimates below this share of a size are part of any report: a reply's own blocks. */
const SLIGHT = 0.01;

/** How much of a reported size the provider reported, and what was estimated since. */
export function reportedPart(context: Pick<ContextView, "tokens" | "estimated_since">): string {
  const { size } = context.tokens;
  const since = context.estimated_since;
  if (since <= size * SLIGHT) return "reported by the provider";
  return `${short(size - since)} reported by the provider, ≈${short(since)} estimated since`;
}
