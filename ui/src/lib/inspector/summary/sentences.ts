//! Sentences about a summary whose grammar depends on a number. Pure.

import type { FactView, LedgerView, ReorientationFigures } from "../../../wire/wire";
import { allOf, count, exact } from "../../text/format";

/**
 * Requests and constraints of the user, the words that a sentence explains. Where an earlier summary
 * told others, those of the span itself are new.
 */
export function saidWords(all: number, isNew: boolean): string {
  const added = isNew ? "new " : "";
  const what = all === 1 ? "request or constraint" : "requests and constraints";
  return `${added}${what} found in the user's messages`;
}

/** How much of what a summary stands for is in the file. */
export type Source = "whole" | "part" | "none";

/** The share retained is measured only where the source is whole. */
export function sourceOf(
  ledger: Pick<LedgerView, "totals" | "incomplete" | "span_tokens">,
): Source {
  if (ledger.totals.retention !== null) return "whole";
  return ledger.incomplete !== null && ledger.span_tokens > 0 ? "part" : "none";
}

/** Why a figure is missing; nothing where it is not. */
const MISSING: Record<Exclude<Source, "whole">, string> = {
  part: "Not measured: the source is incomplete.",
  none: "Not measured: the summarized entries are not in the file.",
};

/** Where the summarized entries have no request. Some agents (Codex) leave messages of the user in the context. */
export function unasked(source: Source, keptPrompts: number): string {
  if (source === "none") return MISSING.none;
  const none = "The summarized entries hold no request or constraint of the user.";
  if (keptPrompts === 0) return none;
  return keptPrompts === 1
    ? `${none} One message of the user stays in the context as it is.`
    : `${none} ${exact(keptPrompts)} messages of the user stay in the context as they are.`;
}

/** What became of the requests and constraints that are not as they were: `2 are dropped, 1 is changed`. */
export function ownWords(facts: readonly FactView[]): string {
  const own = facts.filter((fact) => fact.concern === "own");
  const fates = { dropped: "dropped", partial: "partly kept" } as Record<string, string>;
  const named = own.map((fact) => fates[fact.status] ?? "changed");
  const counted = ["dropped", "partly kept", "changed"].flatMap((fate) => {
    const n = named.filter((name) => name === fate).length;
    return n === 0 ? [] : [`${exact(n)} ${n === 1 ? "is" : "are"} ${fate}`];
  });
  return counted.join(", ");
}

/** What else is dropped of what the user said, which no sentence calls lost: a link, its comma, and the rest. */
export function settledWords(
  settled: readonly Pick<FactView, "may_be_told">[],
  afterOthers: boolean,
): { link: string; end: string; rest: string } {
  const told = settled.filter((fact) => fact.may_be_told).length;
  const isOne = settled.length === 1;
  const looks = isOne ? "looks" : "look";
  const why =
    told === settled.length
      ? "may be told in other words"
      : told === 0
        ? `${looks} settled`
        : `${looks} settled or told in other words`;
  if (afterOthers) {
    const link = `${exact(settled.length)} more ${isOne ? "is" : "are"} dropped`;
    return { link, end: ",", rest: ` but ${why}.` };
  }
  const link = isOne ? "the one that is dropped" : `the ${exact(settled.length)} that are dropped`;
  return { link, end: "", rest: ` ${why}.` };
}

/**
 * Where no dropped fact was needed later: how much was looked through. Of what is not in the file nothing
 * can be said.
 */
export function noNeed(
  ledger: Pick<LedgerView, "totals" | "incomplete" | "span_tokens" | "later_entries">,
  followed: boolean,
): string {
  if (ledger.later_entries === 0) return "Not measured: no entry follows the summary.";
  const source = sourceOf(ledger);
  if (source !== "whole") return MISSING[source];
  const where = `in the ${count(ledger.later_entries, "message", "messages")} after the summary`;
  const until = followed ? ", up to the next compaction" : "";
  return `No dropped fact was needed again ${where}${until}.`;
}

/** The kinds of facts whose loss may still matter, each with its number. */
export function riskWords(facts: readonly FactView[]): string {
  const names = [
    ["decision", "decision", "decisions"],
    ["error", "open error", "open errors"],
    ["path", "edited file", "edited files"],
    ["todo", "open task", "open tasks"],
  ] as const;
  const risks = facts.filter((fact) => fact.concern === "risk");
  const counted = names.flatMap(([kind, one, more]) => {
    const own = risks.filter((fact) => fact.kind === kind).length;
    return own === 0 ? [] : [count(own, one, more)];
  });
  const last = counted.pop() ?? "";
  return counted.length === 0 ? last : `${counted.join(", ")} and ${last}`;
}

/** What became of the requests and constraints that an earlier summary told: a link, and the rest. */
export function carriedWords(lost: number, all: number): { link: string; rest: string } {
  const which = all === 1 ? "The one request or constraint" : "requests and constraints";
  return {
    link: all === 1 ? which : `${exact(lost)} of ${exact(all)} ${which}`,
    rest: `from the previous summary ${lost === 1 ? "is" : "are"} dropped.`,
  };
}

/** The same where none is dropped. */
export function carriedKept(all: number): string {
  return all === 1
    ? "The one request or constraint from the previous summary is still there."
    : `${allOf(all)} requests and constraints from the previous summary are still there.`;
}

/** How long the agent took to its first edit after the summary. */
export function nextEdit({ calls, looks, prompts, usual }: ReorientationFigures): string {
  const next =
    calls === 0
      ? "The agent's first call after the summary edited a file."
      : `After the summary, the agent made ${count(calls, "call")} before it edited a file${lookingOf(calls, looks)}.${meanwhile(prompts)}`;
  // A new prompt asks for other work, which is not held against the work before it.
  return usual === null || prompts > 0 ? next : `${next} ${usually(usual)}.`;
}

function lookingOf(calls: number, looks: number): string {
  if (looks === 0) return "";
  if (calls === 1) return ", to read, search or list";
  if (looks === calls) return ", all to read, search or list";
  return `, ${exact(looks)} of them to read, search or list`;
}

/** The user may have asked for other things. */
function meanwhile(prompts: number): string {
  if (prompts === 0) return "";
  return ` The user sent ${prompts === 1 ? "a new prompt" : count(prompts, "prompt")} meanwhile.`;
}

function usually(calls: number): string {
  return calls === 0
    ? "Before the summary, one edit usually followed the other directly"
    : `Before the summary, it usually made ${count(calls, "call")} between two edits`;
}
