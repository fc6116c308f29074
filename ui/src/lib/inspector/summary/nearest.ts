//! Which compaction an entry belongs to, and what a stored summary is called.

import type { SummaryNode, Timeline } from "../../../wire/wire";

/**
 * The summary stood on: a branch summary has its own ledger. Else the nearest compaction, and
 * without any the newest branch summary that is not behind the entry on the active path.
 */
export function nearestSummary(
  summaries: readonly SummaryNode[],
  at: string,
  timeline: Timeline | undefined,
): string | null {
  if (summaries.some((own) => own.entry_id === at)) return at;
  const compactions = summaries.filter((own) => own.kind === "compaction");
  const nearest = nearestCompaction(compactions, at, timeline);
  if (nearest !== null) return nearest;
  const passed = timeline?.marks.findLast((mark) => mark.kind === "branch_summary");
  return passed?.entry_id ?? summaries.at(-1)?.entry_id ?? null;
}

/**
 * The compaction stood on, else the last one on the path to the entry, else the first one after it:
 * an entry with none before it lies before the session's first. The newest without a timeline.
 */
export function nearestCompaction(
  compactions: readonly SummaryNode[],
  at: string,
  timeline: Timeline | undefined,
): string | null {
  if (compactions.some((c) => c.entry_id === at)) return at;
  const passed = timeline?.marks.findLast((mark) => mark.kind === "compaction");
  const active = compactions.filter((c) => c.on_active_path);
  const known = active.length > 0 ? active : compactions;
  return passed?.entry_id ?? known.at(timeline ? 0 : -1)?.entry_id ?? null;
}

/** A stored summary in a sentence, such as "compaction 2"; undefined for a run. */
export function storedName(summaries: readonly SummaryNode[], of: string): string | undefined {
  const own = summaries.find((summary) => `entry:${summary.entry_id}` === of);
  if (own === undefined) return undefined;
  const place = summaries.filter((summary) => summary.kind === own.kind).indexOf(own);
  return `${own.kind === "compaction" ? "compaction" : "branch summary"} ${place + 1}`;
}
