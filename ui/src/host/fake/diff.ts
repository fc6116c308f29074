//! Two texts line by line.

import type * as W from "../../wire/wire";

/** A line difference good enough to look at: lines of one text that the other has not. */
export function diff(left: string, right: string): W.DiffRow[] {
  const a = left.split("\n");
  const b = right.split("\n");
  const rows: W.DiffRow[] = [];
  const line = (number: number, text: string, marked: boolean): W.DiffLine => ({
    number: number + 1,
    text,
    ranges: marked && text.length > 12 ? [{ start: 6, end: Math.min(18, text.length) }] : [],
  });
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j])
      rows.push({ kind: "equal", left: line(i, a[i++]!, false), right: line(j, b[j++]!, false) });
    else {
      const inB = i < a.length ? b.indexOf(a[i]!, j) : -1;
      const inA = j < b.length ? a.indexOf(b[j]!, i) : -1;
      if (i < a.length && inB < 0 && j < b.length && inA < 0)
        rows.push({ kind: "replace", left: line(i, a[i++]!, true), right: line(j, b[j++]!, true) });
      else if (i < a.length && inB < 0)
        rows.push({ kind: "delete", left: line(i, a[i++]!, false), right: null });
      else if (j < b.length)
        rows.push({ kind: "insert", left: null, right: line(j, b[j++]!, false) });
      else rows.push({ kind: "delete", left: line(i, a[i++]!, false), right: null });
    }
  }
  return rows;
}
