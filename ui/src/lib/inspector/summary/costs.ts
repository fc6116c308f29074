//! What it cost that dropped facts were needed, in words. Pure.

import type { Again, CostView, FactKind, FactView } from "../../../wire/wire";
import { exact } from "../../text/format";

/** What was done again with facts that came back in one way. */
const DONE: Record<Again, string> = {
  said: "said again by the user",
  read: "read",
  run: "run again",
  failed: "made again",
  looked_up: "looked up again",
  told: "that came up again",
};

/** The kinds of facts in this sentence, one and several. */
const NAMES: Record<FactKind, readonly [string, string]> = {
  user_request: ["request", "requests"],
  constraint: ["constraint", "constraints"],
  path: ["file", "files"],
  command: ["command", "commands"],
  error: ["error", "errors"],
  symbol: ["name", "names"],
  number: ["figure", "figures"],
  decision: ["decision", "decisions"],
  finding: ["finding", "findings"],
  todo: ["task", "tasks"],
};

/** `2 commands run again`, `3 findings and tasks that came up again`: one number, that of the facts shown. */
export function inWords(cost: CostView, facts: readonly FactView[]): string {
  const meant = new Set(cost.fact_ids);
  const named = facts.filter((fact) => meant.has(fact.id)).map((fact) => fact.kind);
  const kinds = [...new Set(named)].map((kind) => NAMES[kind][named.length === 1 ? 0 : 1]);
  const last = kinds.pop() ?? "";
  const what = kinds.length === 0 ? last : `${kinds.join(", ")} and ${last}`;
  return `${exact(named.length)} ${what} ${DONE[cost.how]}`;
}

/** Facts that a link shows alone, with the name of the list. */
export interface Chosen {
  name: string;
  ids: ReadonlySet<string>;
}

/** The facts of one way, or of all together. */
export function chosen(costs: readonly CostView[], name: string): Chosen {
  return { name, ids: new Set(costs.flatMap((cost) => cost.fact_ids)) };
}

/** How many dropped facts were needed again: the subject and the verb of a sentence. */
export function neededWords(facts: number): string {
  return facts === 1
    ? "1 dropped fact was needed later"
    : `${exact(facts)} dropped facts were needed later`;
}

/** Files that the summary has and that were read again: what of it is a link, and what follows it. */
export function namedWords(files: number): { link: string; rest: string } {
  return files === 1
    ? { link: "1 file that the summary names", rest: "was read again" }
    : { link: `${exact(files)} files that the summary names`, rest: "were read again" };
}

export const tokensOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.tokens, 0);
export const callsOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.calls, 0);
