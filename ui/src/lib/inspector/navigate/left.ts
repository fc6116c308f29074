//! What a plan does with the entries that would be left behind. Pure.

import type { LeftEntry, PlanView } from "../../../wire/wire";
import type { GlyphName } from "../../ui/glyphs";
import { look } from "../../ui/kinds";

/** The entries a plan summarizes, and those its budget leaves out. */
export interface Fates {
  told: ReadonlySet<string>;
  over: ReadonlySet<string>;
}

/** Null where nothing is planned. */
export function fatesOf(plan: PlanView | undefined): Fates | null {
  return plan?.branch && plan.kind === "branch_summary"
    ? { told: new Set(plan.summarize_ids), over: new Set(plan.branch.over_budget_ids) }
    : null;
}

/** The look of an entry's fate (a class of the spans), and its words where it has any to itself. */
export function fateOf(
  id: string,
  fates: Fates | null,
): { key: "summarized" | "dropped"; words: string | null } {
  if (fates?.told.has(id)) return { key: "summarized", words: null };
  if (fates?.over.has(id)) return { key: "dropped", words: "over budget" };
  return { key: "dropped", words: null };
}

/** A result, or a reply stored with its results; a failed message of the model is another thing. */
const holdsResults = (entry: LeftEntry): boolean => entry.role === "tool" || entry.tools.length > 0;

/**
 * How many entries there are of each kind, by their names, the most frequent first. A failed result
 * counts as a result: failed tests show only in the text of a result, which is not here.
 */
export function kindsOf(
  entries: readonly LeftEntry[],
): { name: string; glyph: GlyphName; count: number }[] {
  const kinds = new Map<string, { name: string; glyph: GlyphName; count: number }>();
  for (const entry of entries) {
    const { name, glyph } = look(holdsResults(entry) ? { ...entry, is_error: false } : entry);
    const known = kinds.get(name);
    if (known) known.count += 1;
    else kinds.set(name, { name, glyph, count: 1 });
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count);
}
