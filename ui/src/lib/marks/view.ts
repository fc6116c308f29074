//! What the views ask of a session's marks. Pure.

import type { MarksView } from "../../wire/wire";

/** The marks of entries by their position. */
export interface EntryMarks {
  notes: ReadonlyMap<number, string>;
  labels: ReadonlyMap<number, readonly string[]>;
}

export const NO_MARKS: EntryMarks = { notes: new Map(), labels: new Map() };

export function byEntry(marks: MarksView | undefined): EntryMarks {
  if (!marks) return NO_MARKS;
  const notes = new Map<number, string>();
  const labels = new Map<number, string[]>();
  for (const { on, text } of marks.notes) if (typeof on?.ix === "number") notes.set(on.ix, text);
  for (const { on, text } of marks.labels) {
    if (typeof on?.ix !== "number") continue;
    const list = labels.get(on.ix);
    if (list) list.push(text);
    else labels.set(on.ix, [text]);
  }
  return { notes, labels };
}

/** The note and labels on the session itself. */
export function ofSession(marks: MarksView | undefined): { note: string | null; labels: string[] } {
  return {
    note: marks?.notes.find((note) => note.on === null)?.text ?? null,
    labels: (marks?.labels ?? []).filter((label) => label.on === null).map((label) => label.text),
  };
}
