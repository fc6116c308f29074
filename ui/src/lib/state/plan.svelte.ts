//! The plan being drafted in the Re-run tab; kept while the user looks at other tabs.

import type { PlanRequest } from "../../wire/wire";

export class PlanDraft {
  strategy = $state("pi");
  set = $state.raw<Readonly<Record<string, number | boolean | string>>>({});
  instructions = $state("");
  replace = $state(false);
  provider = $state("offline");
  model = $state<string | null>(null);

  choose(strategy: string): void {
    // Parameters belong to a strategy; those of another would be refused.
    if (strategy !== this.strategy) this.set = {};
    this.strategy = strategy;
  }
  param(name: string, value: number | boolean | string | null): void {
    const rest = Object.fromEntries(Object.entries(this.set).filter(([key]) => key !== name));
    this.set = value === null ? rest : { ...rest, [name]: value };
  }
  request(session: string, at: string | null, redo: boolean): PlanRequest {
    const instructions = this.instructions.trim();
    return {
      session,
      at,
      redo,
      strategy: this.strategy,
      set: { ...this.set },
      instructions: instructions === "" ? null : instructions,
      replace_prompt: this.replace && instructions !== "",
      provider: this.provider,
      model: this.provider === "offline" ? null : this.model,
    };
  }
}
