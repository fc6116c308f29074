//! Which prompts of a strategy the plan at hand does not use. Pure.

import type { ParamInfo, PlanView } from "../../../wire/wire";

/** Prompts that only a plan with a split turn uses. */
const OF_SPLIT_TURNS: readonly string[] = ["turn_prefix", "joined", "no_history"];

/** The name of a prompt in its strategy. */
export const promptName = (param: Pick<ParamInfo, "path">): string =>
  param.path.slice("prompts.".length);

/** The prompts that are folded away: neither used by the plan nor set by the user. */
export function folded<P extends Pick<ParamInfo, "path">>(
  prompts: readonly P[],
  plan: Pick<PlanView, "turn_prefix_ids"> | null | undefined,
  set: Readonly<Record<string, unknown>>,
): P[] {
  // Without a plan nothing is known.
  if (!plan || plan.turn_prefix_ids.length > 0) return [];
  return prompts.filter(
    (own) => OF_SPLIT_TURNS.includes(promptName(own)) && set[own.path] === undefined,
  );
}
