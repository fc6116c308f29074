//! The presets as a list to pick from.

import type { Needs, StrategyInfo } from "../../../wire/wire";

export interface Family {
  name: string;
  /** What stands above the family. */
  title: string;
  presets: StrategyInfo[];
}

/** The presets by family, the name up to the first hyphen; those without relatives come last, together. */
export function families(list: readonly StrategyInfo[]): Family[] {
  const groups = new Map<string, StrategyInfo[]>();
  const own = list.filter((preset) => preset.path !== null);
  const yours: Family[] =
    own.length === 0 ? [] : [{ name: "yours", title: "Custom", presets: own }];
  for (const preset of list) {
    if (preset.path !== null) continue;
    const name = preset.name.split("-")[0]!;
    groups.set(name, [...(groups.get(name) ?? []), preset]);
  }
  const related = [...groups]
    .filter(([, presets]) => presets.length > 1)
    .map(([name, presets]) => ({ name, title: shared(presets.map((p) => p.name)), presets }));
  const alone = [...groups.values()].filter((presets) => presets.length === 1).flat();
  return alone.length === 0
    ? [...yours, ...related]
    : [
        ...yours,
        ...related,
        { name: "", title: related.length === 0 ? "Strategies" : "Other", presets: alone },
      ];
}

/** What the names begin with in common: `claude-code` rather than `claude`. */
function shared(names: readonly string[]): string {
  const parts = names.map((name) => name.split("-"));
  const first = parts[0] ?? [];
  const end = first.findIndex((part, n) => parts.some((other) => other[n] !== part));
  return first.slice(0, end < 0 ? first.length : end).join("-");
}

/** Whether a strategy is made for branch summaries. */
export const isForBranches = (preset: StrategyInfo): boolean =>
  preset.stages.select === "left_behind";

/** What a preset needs, beside its name and in a sentence. */
const NEEDS: Record<Needs, { short: string; sentence: string }> = {
  nothing: { short: "no model", sentence: "Runs without a model." },
  model: { short: "model", sentence: "Needs a model or the offline summarizer." },
  model_only: {
    short: "model only",
    sentence: "Needs a model. The offline summarizer cannot run it.",
  },
  program: { short: "program", sentence: "Needs an external program. Set its command." },
};
export const needs = (preset: StrategyInfo): { short: string; sentence: string } =>
  NEEDS[preset.needs];

/** Whether a preset can run on the provider chosen; null where it can, else the reason. */
export function refusal(preset: StrategyInfo, offline: boolean): string | null {
  return offline && preset.needs === "model_only"
    ? "It needs a model and cannot run offline. Choose a provider with a model to use it."
    : null;
}

/** Presets whose name, meaning or source has every word typed. */
export function found(list: readonly StrategyInfo[], typed: string): StrategyInfo[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter((preset) => {
    const text =
      `${preset.name} ${preset.description} ${preset.source} ${needs(preset).short}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
