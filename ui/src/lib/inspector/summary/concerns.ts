//! The three questions that the first screen of a summary answers, and the facts under them. Pure.

import type { Concern, FactView } from "../../../wire/wire";
import { LOSES, isFiltered, lostOf, ordered, type FactFilter } from "./facts";

export const CONCERNS: Record<Concern, { name: string; meaning: string }> = {
  own: {
    name: "Your requests and constraints: dropped or changed",
    meaning: "The user said it. The context after the summary does not, or says something else.",
  },
  missed: {
    name: "Other facts: dropped and needed later",
    meaning: "The agent used, fetched or was told it again after the summary.",
  },
  risk: {
    name: "Decisions, open errors, edited files, open tasks: dropped, no later need found",
    meaning: "The context after the summary no longer contains them. Later work may need them.",
  },
  model: {
    name: "Found only by a model",
    meaning:
      "Decisions, findings and constraints that a model listed and that stand in the entries it cites. They are in no figure.",
  },
  rest: {
    name: "All other facts",
    meaning:
      "Facts that the summary has or may tell in other words, and dropped facts that later work rarely depends on.",
  },
};
const ORDER = Object.keys(CONCERNS) as Concern[];

export interface FactGroup {
  /** Null for one list of what a filter leaves. */
  concern: Concern | null;
  facts: FactView[];
}

/** Lost requests of an earlier summary stand beside those of the span, as the sentences above the list count both. */
function shownUnder(fact: FactView): Concern {
  const isCarried = fact.concern === "rest" && isAsked(fact) && fact.generation > 0;
  return isCarried && isGone(fact) ? "own" : fact.concern;
}

/** The facts under the questions they answer; in one list where a filter asks for some. */
export function grouped(facts: readonly FactView[], filter: FactFilter): FactGroup[] {
  const list = ordered(facts, filter);
  if (isFiltered(filter)) return [{ concern: null, facts: list }];
  return ORDER.map((concern) => ({
    concern,
    facts: list.filter((fact) => shownUnder(fact) === concern),
  })).filter((group) => group.facts.length > 0);
}

/** True for what the user asked for or ruled. */
export const isAsked = (fact: FactView): boolean =>
  fact.kind === "user_request" || fact.kind === "constraint";
const isGone = (fact: FactView): boolean =>
  fact.status !== "partial" && LOSES.has(fact.status) && !fact.in_kept_tail;

/**
 * True for a lost fact that the agent may still need: it answers one of the three questions. What was
 * settled, and requests of an earlier summary that this one may tell in other words, answer none.
 */
export function stillMatters(fact: FactView): boolean {
  if (fact.concern === "rest") return shownUnder(fact) === "own" && !fact.may_be_told;
  return fact.concern !== "model" && LOSES.has(fact.status) && !fact.in_kept_tail;
}

/** The lost facts: those that may still matter, and the others, each the worst first. */
export function lostByNeed(facts: readonly FactView[]): { needed: FactView[]; others: FactView[] } {
  const lost = lostOf(facts);
  return {
    needed: lost.filter(stillMatters),
    others: lost.filter((fact) => !stillMatters(fact)),
  };
}

/** The requests and constraints that an earlier summary told, and those of them that are dropped. */
export function carriedOf(facts: readonly FactView[]): { all: number; lost: FactView[] } {
  const carried = facts.filter((fact) => isAsked(fact) && fact.generation > 0);
  return { all: carried.length, lost: carried.filter(isGone) };
}

/**
 * All requests and constraints that rules found in the summarized entries themselves. A slight one that was
 * needed later is counted there.
 */
export function askedOf(facts: readonly FactView[]): FactView[] {
  return facts.filter(
    (fact) =>
      isAsked(fact) &&
      fact.generation === 0 &&
      fact.found_by !== "model" &&
      fact.concern !== "missed",
  );
}

/**
 * Dropped requests and constraints of the user that no question above counts as lost: they were
 * answered in the span, or the summary has what came of them or may tell them in other words.
 */
export function settledOf(facts: readonly FactView[]): FactView[] {
  return askedOf(facts).filter((fact) => fact.concern === "rest" && isGone(fact));
}

/** The requests and constraints of the user that are neither lost nor settled, those that are partly kept too. */
export function stillOf(facts: readonly FactView[]): FactView[] {
  const settled = new Set(settledOf(facts));
  return askedOf(facts).filter((fact) => fact.concern !== "own" && !settled.has(fact));
}
