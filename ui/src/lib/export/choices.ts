//! What a screen can be exported as. Pure.

import type { ExportWhat } from "../../wire/wire";

export interface Exported {
  what: ExportWhat;
  /** The entry, of a context the one stood on. */
  entry?: string | null;
  /** The summary: `entry:ID` or a run. */
  of?: string | null;
  /** The summaries of a comparison. */
  sides?: readonly string[];
}

const NAMES: Record<ExportWhat, string> = {
  session: "Session: figures and the active path",
  tree: "Tree: every entry with its first words",
  entry: "Entry",
  context: "Context at the entry",
  ledger: "Facts of the summary",
  chain: "Life of each fact over all compactions",
  comparison: "Comparison of the summaries",
  handoff: "Hand-off: summary, edited files, open tasks",
};

export const choicesOf = (all: readonly Exported[]): string[] => all.map((one) => NAMES[one.what]);
