//! Leads from "Correct the invalid value" to the field.

import { tick } from "svelte";
import type { Candidate } from "../../state/candidate.svelte";
import type { StageKindInfo, StrategyInfo } from "../../../wire/wire";
import type { PlanDraft } from "../../state/plan.svelte";
import { STAGES, stagesOf } from "./stages";

/** True where a field holds a value that is none, or that the backend refuses. */
export const isFlawed = (own: Candidate): boolean =>
  own.flawed || own.plan.error?.field !== undefined;

/** What to correct, by the label of its field. */
export function correct(
  own: Candidate,
  presets: readonly StrategyInfo[],
  kinds: readonly StageKindInfo[],
): string {
  const path = Object.keys(own.flaws)[0] ?? own.plan.error?.field;
  const info = presets.find((preset) => preset.name === own.strategy);
  const params = info === undefined ? [] : stagesOf(info, own, kinds).flatMap((stage) => stage.all);
  const label = params.find((param) => param.path === path)?.label;
  const what = label === undefined ? "Correct the invalid value" : `Correct the value of ${label}`;
  const why = own.flaws[path ?? ""]?.error ?? own.plan.error?.message;
  return why === undefined ? what : `${what}: ${why}`;
}

/**
 * Unfolds the stage in which `own` has an invalid value and puts the keyboard into the field.
 * `folds` is the draft that knows which stages are open.
 */
export async function fix(own: Candidate, folds: PlanDraft, within: string): Promise<void> {
  const path = Object.keys(own.flaws)[0] ?? own.plan.error?.field ?? "";
  const first = path.split(".")[0];
  // Prompts belong to the summary.
  const stage = first === "prompts" ? "summarize" : first;
  const named = STAGES.filter((one) => one.name === stage);
  for (const one of named.length > 0 ? named : STAGES)
    if (!folds.opened.includes(one.name)) folds.toggle(one.name);
  await tick();
  const field = document.querySelector<HTMLElement>(
    `[data-testid="${within}"] [aria-invalid="true"]`,
  );
  field?.scrollIntoView?.({ block: "center" });
  field?.focus({ preventScroll: true });
}
