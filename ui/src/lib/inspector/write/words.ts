//! The words for what was written.

import type { FactView, WriteFrom, WritePlanView, WrittenStanding } from "../../../wire/wire";
import { count, exact, short, tokens } from "../../text/format";
import { countedBy } from "../summary/facts";

/** What a written session continues with. */
export const CHANGES: Readonly<Record<string, string>> = {
  history: "Context without a new summary",
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

/** What the agent gets in a session that is to be written. */
const CONTENTS: Record<WriteFrom["kind"], string> = {
  run: "the summary, then what follows it in the session",
  edited: "the summary, then what follows it in the session",
  undone: "the context just before the compaction; what came after the compaction is left out",
  navigation: "the context at the target entry",
  message: "the context of the session, then the message",
};

/** What a session that is to be written holds, and how large it is. */
export function containsWords(
  kind: WriteFrom["kind"],
  { context, tokens_before, tokens_after }: WritePlanView,
): string {
  const size = `${short(tokens_after)} tokens in ${count(context.length, "item")}`;
  const same =
    kind === "edited" && tokens_before === tokens_after
      ? " This is the context as it is now: edit the text to change it."
      : "";
  return `The agent gets ${size}: ${CONTENTS[kind]}.${same}`;
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

/** What is ticked when the list opens. */
export function tickedWords(needed: number): string {
  if (needed === 0) return "By rule, none of them still matters: none is ticked.";
  return needed === 1
    ? "1 may still matter and is ticked."
    : `${exact(needed)} may still matter and are ticked.`;
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
