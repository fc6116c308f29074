//! Folds long runs of equal rows away, leaving a few for orientation.

import type { DiffRow } from "../../wire/wire";

/** Equal rows left around a change. */
export const CONTEXT_ROWS = 3;

export type Shown =
  { type: "row"; row: DiffRow; index: number } | { type: "fold"; from: number; to: number };

/** What is drawn of `rows`; `opened` holds the first rows of folds that were opened. */
export function folded(rows: readonly DiffRow[], opened: ReadonlySet<number>): Shown[] {
  const out: Shown[] = [];
  for (let i = 0; i < rows.length;) {
    if (rows[i]!.kind !== "equal") {
      out.push({ type: "row", row: rows[i]!, index: i++ });
      continue;
    }
    let end = i;
    while (end < rows.length && rows[end]!.kind === "equal") end++;
    const from = i === 0 ? i : i + CONTEXT_ROWS;
    const to = end === rows.length ? end : end - CONTEXT_ROWS;
    const hide = to - from > 1 && !opened.has(from);
    for (let n = i; n < end; n++) {
      if (hide && n === from) out.push({ type: "fold", from, to });
      if (!hide || n < from || n >= to) out.push({ type: "row", row: rows[n]!, index: n });
    }
    i = end;
  }
  return out;
}
