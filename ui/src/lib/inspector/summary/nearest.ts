//! Which compaction an entry belongs to.

import type { SummaryNode, Timeline } from "../../../wire/wire";

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
