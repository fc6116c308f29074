//! What it cost that dropped facts were needed, in words. Pure.

import type { Again, CostView } from "../../../wire/wire";
import { count } from "../../text/format";

const NAMES: Record<Again, readonly [string, string, string]> = {
  said: ["request or constraint", "requests and constraints", "said again by the user"],
  read: ["file", "files", "read again"],
  run: ["command", "commands", "run again"],
  failed: ["error", "errors", "made again"],
  looked_up: ["name or figure", "names and figures", "looked up again"],
  told: ["decision or finding", "decisions and findings", "told again"],
};

/** `2 files read again`. */
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

/**
 * What a list of costs begins with. It is about every fact that was needed again, also about
 * requests, which the sentence before it leaves out: then it says how many those are.
 */
export function costTitle(costs: readonly CostView[], missed: number): string {
  const facts = new Set(costs.flatMap((cost) => cost.fact_ids)).size;
  if (facts === missed) return "Cost:";
  return facts === 1
    ? "Cost of the fact that was needed again:"
    : `Cost of all ${count(facts, "fact")} needed again, lost requests and minor facts included:`;
}

export const tokensOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.tokens, 0);
export const callsOf = (costs: readonly CostView[]): number =>
  costs.reduce((sum, cost) => sum + cost.calls, 0);
