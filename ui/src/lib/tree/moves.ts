//! Where the keys lead in the outline. Pure.

import type { OutlineRow, SummaryNode } from "../../wire/wire";

/** The nearest row above that is one branch level up, or the row before. */
export function parentIndex(
  at: number,
  row: (index: number) => OutlineRow | undefined,
): number | null {
  const depth = row(at)?.depth;
  if (depth === undefined || at === 0) return null;
  if (depth === 0) return at - 1;
  for (let i = at - 1; i >= 0; i--) {
    const above = row(i);
    if (above === undefined || above.depth < depth) return i;
    // Inside its branch a row's parent is simply the row before it.
    if (above.depth === depth && row(at)?.starts_branch !== true) return i;
  }
  return null;
}

/** The next row whose text begins with what was typed, going round at the end. */
export function typeAhead(
  rows: readonly (readonly [number, OutlineRow])[],
  from: number,
  typed: string,
): number | null {
  const wanted = typed.toLowerCase();
  const after = rows.filter(([i]) => i > from);
  const before = rows.filter(([i]) => i <= from);
  for (const [i, row] of [...after, ...before]) {
    const texts = [row.label ?? "", row.tools[0] ?? "", row.preview];
    if (texts.some((text) => text.toLowerCase().startsWith(wanted))) return i;
  }
  return null;
}

/** The compaction or branch summary before or after the place stood on. */
export function nextSummary(
  summaries: readonly SummaryNode[],
  entry: string | null,
  time: number | null,
  step: 1 | -1,
): string | null {
  const here = summaries.findIndex((s) => s.entry_id === entry);
  if (here >= 0) return summaries[here + step]?.entry_id ?? null;
  const at = time ?? Number.POSITIVE_INFINITY;
  const found =
    step > 0
      ? summaries.find((s) => (s.timestamp ?? 0) > at)
      : summaries.findLast((s) => (s.timestamp ?? 0) < at);
  return found?.entry_id ?? null;
}
