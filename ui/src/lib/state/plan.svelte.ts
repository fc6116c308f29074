//! The plan being drafted in the Re-run tab; kept while the user looks at other tabs.

import type { PlanRequest } from "../../wire/wire";
import type { ParamValue } from "../inspector/rerun/params";

/** Text in a field that is no value, and why not. */
export interface Flaw {
  text: string;
  error: string;
}

export class PlanDraft {
  strategy = $state("pi");
  /** Parameters that differ from the strategy's own. */
  set = $state.raw<Readonly<Record<string, ParamValue>>>({});
  flaws = $state.raw<Readonly<Record<string, Flaw>>>({});
  /** Stages whose parameters are unfolded. */
  opened = $state.raw<readonly string[]>([]);
  instructions = $state("");
  replace = $state(false);
  provider = $state("offline");
  model = $state<string | null>(null);

  choose(strategy: string): void {
    // Parameters belong to a strategy; those of another would be refused.
    if (strategy !== this.strategy) {
      this.set = {};
      this.flaws = {};
    }
    this.strategy = strategy;
  }
  /** Sets a parameter; null is the strategy's own value. */
  param(name: string, value: ParamValue | null): void {
    const rest = without(this.set, name);
    this.set = value === null ? rest : { ...rest, [name]: value };
    this.flaws = without(this.flaws, name);
  }
  /** Keeps text that is no value; until it is one, nothing can be run. */
  refuse(name: string, text: string, error: string): void {
    this.flaws = { ...this.flaws, [name]: { text, error } };
  }
  toggle(stage: string): void {
    this.opened = this.opened.includes(stage) ? this.opened.filter((s) => s !== stage) : [...this.opened, stage];
  }
  request(session: string, at: string | null, redo: boolean): PlanRequest {
    const instructions = this.instructions.trim();
    return {
      session,
      at,
      redo,
      strategy: this.strategy,
      set: Object.fromEntries(Object.entries(this.set).map(([name, value]) => [name, typeof value === "object" ? [...value] : value])),
      instructions: instructions === "" ? null : instructions,
      replace_prompt: this.replace && instructions !== "",
      provider: this.provider,
      model: this.provider === "offline" ? null : this.model,
    };
  }
}

function without<T>(all: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));
}
