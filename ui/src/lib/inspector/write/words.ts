//! The words for what was written.

import type { FactView, WrittenStanding } from "../../../wire/wire";
import { count, exact, tokens } from "../../text/format";
import { countedBy } from "../summary/facts";

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

/** How much of a choice is in the message: `56 of 151 facts fit: 1,735 of 2,000 tokens`. */
export function putBackSum(inside: number, chosen: number, size: number, limit: number): string {
  const room = `${exact(size)} of ${tokens(limit)}`;
  return inside === chosen
    ? `${count(inside, "fact")}: ${room}`
    : `${exact(inside)} of ${count(chosen, "fact")} fit: ${room}`;
}

/** The lost facts by the chips under which the Summary tab shows them. */
export function lostWords(lost: readonly FactView[]): string {
  const by = countedBy(lost);
  const parts = [
    [by.dropped, "dropped"],
    [by.changed, "changed"],
    [by.partial, "partly kept"],
    [by.minor, "minor"],
    [by.model, "found by a model"],
  ] as const;
  const named = parts.filter(([number]) => number > 0);
  return `${count(lost.length, "fact")} ${lost.length === 1 ? "is" : "are"} lost: ${named
    .map(([number, name]) => `${exact(number)} ${name}`)
    .join(", ")}.`;
}
