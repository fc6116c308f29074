//! The words for what was written.

import type { WrittenStanding } from "../../../wire/wire";

/** What a written session continues with. */
export const CHANGES: Readonly<Record<string, string>> = {
  history: "Full history",
  branch_summary: "Branch summary",
  compaction: "Compaction",
  edited_summary: "Stored summary",
  message: "Message",
};

/** What a written file is now. */
export const STANDINGS: Record<WrittenStanding, string> = {
  as_written: "unchanged since",
  continued: "the agent has continued in it",
  missing: "the file is missing",
  undone: "undone",
};

/**
 * What a written session continues with, in words. A stored summary may have been written as it
 * stands, so `source` names it, and only another text makes it an edited one.
 */
export function changeName(change: string, source?: string, edited = false): string {
  if (change !== "edited_summary" || source === undefined) return CHANGES[change] ?? change;
  return edited ? `Edited summary of ${source}` : `Summary of ${source}`;
}

/** The folder of a file, on any system. */
export function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end > 0 ? path.slice(0, end) : path;
}
