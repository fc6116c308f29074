//! The order of a session's subagents. Pure.

import type { SubagentView } from "../../wire/wire";

export const SUBAGENT_SORTS = {
  started: "First started",
  duration: "Longest",
  tokens: "Largest context",
  cost: "Highest cost",
} as const;
export type SubagentSort = keyof typeof SUBAGENT_SORTS;

const FIGURES: Record<SubagentSort, (agent: SubagentView) => number | null> = {
  started: () => 0,
  duration: (agent) => agent.duration_ms,
  tokens: (agent) => agent.tokens,
  cost: (agent) => agent.cost_usd,
};

/** As they started, or the largest first; those whose figure is unknown come last. */
export function sortedSubagents(
  agents: readonly SubagentView[],
  sort: SubagentSort,
): SubagentView[] {
  const figure = FIGURES[sort];
  return agents.toSorted((a, b) => (figure(b) ?? -1) - (figure(a) ?? -1));
}

/** The orders that change something: those whose figure is known of two subagents. */
export function subagentSorts(agents: readonly SubagentView[]): SubagentSort[] {
  return (Object.keys(SUBAGENT_SORTS) as SubagentSort[]).filter(
    (sort) => agents.filter((agent) => FIGURES[sort](agent) !== null).length > 1,
  );
}
