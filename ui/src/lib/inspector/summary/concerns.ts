//! The three questions that the first screen of a summary answers, and which facts answer them. Pure.

import type { FactKind, FactView, Fate } from "../../../wire/wire";
import { isFiltered, ordered, type FactFilter } from "./facts";

/** What of mine is gone; what did it cost; what could still hurt; what only a model found; everything else. */
export type Concern = "own" | "missed" | "risk" | "model" | "rest";

const OWN: ReadonlySet<FactKind> = new Set<FactKind>(["user_request", "constraint"]);
const LOST: ReadonlySet<Fate> = new Set<Fate>(["dropped", "changed"]);

/** True for what the user asked for or ruled out, in the span itself. */
const isOwn = (fact: FactView): boolean => OWN.has(fact.kind) && fact.generation === 0;

/** True where neither the summary nor the kept tail says it as it was said. */
const isLost = (fact: FactView): boolean => LOST.has(fact.status) && !fact.in_kept_tail;

/** True for what later work builds on: decisions, errors, edited files and open tasks. */
function isLoadBearing(fact: FactView): boolean {
  switch (fact.kind) {
    case "decision":
    case "error":
      return fact.generation === 0;
    case "path":
      return fact.file_role === "edited";
    case "todo":
      return fact.task === "open";
    default:
      return false;
  }
}

/** True for what a run's figure "Needed later" counts. */
const isNeeded = (fact: FactView): boolean =>
  fact.status === "dropped" && !fact.in_kept_tail && fact.needed_later.length > 0;

/** The question that a fact belongs to: the first that it answers. What only a model found is in no figure. */
export function concernOf(fact: FactView): Concern {
  if (fact.found_by === "model") return "model";
  if (isOwn(fact) && isLost(fact)) return "own";
  if (isNeeded(fact)) return "missed";
  return isLost(fact) && isLoadBearing(fact) ? "risk" : "rest";
}

export const CONCERNS: Record<Concern, { name: string; meaning: string }> = {
  own: {
    name: "Your requests and constraints: lost or changed",
    meaning: "The user said it. The context after the compaction does not, or says something else.",
  },
  missed: {
    name: "Dropped and needed later",
    meaning: "The agent used, fetched or was told it again after the compaction.",
  },
  risk: {
    name: "Decisions, errors, edited files and open tasks: lost, not needed so far",
    meaning: "The context after the compaction no longer contains them. Later work may need them.",
  },
  model: {
    name: "Found only by a model",
    meaning:
      "Decisions, findings and constraints that a model listed and that stand in the entries it cites. They are in no figure.",
  },
  rest: {
    name: "All other facts",
    meaning: "Facts that the summary has, and facts that later work rarely depends on.",
  },
};
const ORDER = Object.keys(CONCERNS) as Concern[];

export interface FactGroup {
  /** Null for one list of what a filter leaves. */
  concern: Concern | null;
  facts: FactView[];
}

/** The facts under the questions they answer; in one list where a filter asks for some. */
export function grouped(facts: readonly FactView[], filter: FactFilter): FactGroup[] {
  const list = ordered(facts, filter);
  if (isFiltered(filter)) return [{ concern: null, facts: list }];
  return ORDER.map((concern) => ({
    concern,
    facts: list.filter((fact) => concernOf(fact) === concern),
  })).filter((group) => group.facts.length > 0);
}

/** How many facts answer each question, and how many the user's own are in all. */
export function tally(facts: readonly FactView[]): Record<Concern | "ownAll", number> {
  const counts = { own: 0, missed: 0, risk: 0, model: 0, rest: 0, ownAll: 0 };
  for (const fact of facts) {
    const concern = concernOf(fact);
    counts[concern] += 1;
    if (isOwn(fact) && concern !== "model") counts.ownAll += 1;
  }
  return counts;
}
