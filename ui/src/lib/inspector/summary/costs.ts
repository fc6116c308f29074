//! What it cost that dropped facts were needed, in words. Pure.

import type { Again, CostView } from "../../../wire/wire";
import { count, exact } from "../../text/format";

const NAMES: Record<Again, readonly [string, string, string]> = {
  said: ["request or constraint", "requests and constraints", "said again by the user"],
  read: ["file", "files", "read"],
  run: ["command", "commands", "run again"],
  failed: ["error", "errors", "made again"],
  looked_up: ["name or figure", "names and figures", "looked up again"],
  told: ["decision, finding or task", "decisions, findings and tasks", "that came up again"],
};

/** `2 commands run again`. */
export function inWords(cost: CostView): string {
  const [one, many, done] = NAMES[cost.how];
  return `${count(cost.fact_ids.length, one, many)} ${done}`;
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

export const tokensOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.tokens, 0);
export const callsOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.calls, 0);
