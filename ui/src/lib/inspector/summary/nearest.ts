//! Which compaction an entry belongs to.

import type { SummaryNode, Timeline } from "../../../wire/wire";

/** The compaction stood on, else the last one on the path to it, else the session's newest. */
export function nearestCompaction(
  compactions: readonly SummaryNode[],
  at: string,
  timeline: Timeline | undefined,
): string | null {
  if (compactions.some((c) => c.entry_id === at)) return at;
  const passed = timeline?.marks.findLast((mark) => mark.kind === "compaction");
  const newest = compactions.findLast((c) => c.on_active_path) ?? compactions.at(-1);
  return passed?.entry_id ?? newest?.entry_id ?? null;
}
