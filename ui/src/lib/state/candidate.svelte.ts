//! One row of the tray: a strategy with its settings, its instructions, and who runs it how often.

import type { LentPromptView, PlanRequest, PlanView } from "../../wire/wire";
import type { JsonValue } from "../../wire/serde_json/JsonValue";
import type { ParamValue } from "../inspector/rerun/params";
import type { DraftedPreset, DraftedStep } from "./drafted";
import { LivePlan } from "./live.svelte";

/** Most runs that one row makes. */
export const MOST_REPEATS = 20;

/** Who runs a row: a provider and its model. */
export interface RunsOn {
  provider: string;
  /** Null until one is chosen; empty where the user has emptied the field. */
  model: string | null;
}

/** Text in a field that is no value, and why not. */
export interface Flaw {
  text: string;
  error: string;
}

/** A step of a custom list: its kind, and what differs from that kind's defaults. */
export type Step = DraftedStep;

type Settings = Readonly<Record<string, ParamValue>>;

/** A row: a strategy with its settings, by the parameters' places in it. */
export class Candidate {
  strategy = $state("");
  /** Custom instructions. */
  instructions = $state("");
  /** True: they replace the prompt. */
  replace = $state(false);
  provider = $state("offline");
  model = $state<string | null>(null);
  /** How often it is run, where a model answers. */
  repeats = $state(1);
  /** Parameters that differ from the preset's own. */
  set = $state.raw<Settings>({});
  flaws = $state.raw<Readonly<Record<string, Flaw>>>({});
  /** Stages of another kind than the preset's, such as `select`: `turn_tail`. */
  kinds = $state.raw<Readonly<Record<string, string>>>({});
  /** The reduce stage, where it is no longer the preset's. */
  steps = $state.raw<readonly Step[] | null>(null);
  /** The first entry kept, where the cut was moved by hand. */
  cut = $state<string | null>(null);
  readonly plan: LivePlan;

  constructor(
    readonly id: number,
    strategy: string,
    ask: (request: PlanRequest) => Promise<PlanView>,
  ) {
    this.strategy = strategy;
    this.plan = new LivePlan(ask);
  }

  choose(strategy: string): void {
    // Parameters belong to a preset; those of another would be refused.
    if (strategy !== this.strategy) this.reset();
    this.strategy = strategy;
  }
  reset(): void {
    this.set = {};
    this.flaws = {};
    this.kinds = {};
    this.steps = null;
    this.cut = null;
  }
  get changed(): boolean {
    return (
      this.cut !== null ||
      this.steps !== null ||
      Object.keys(this.kinds).length > 0 ||
      Object.keys(this.set).length > 0
    );
  }
  /** True where the offline summarizer writes, which reads no prompt. */
  get offline(): boolean {
    return this.provider === "offline";
  }
  /** How many runs it makes: the offline summarizer always writes the same. */
  get runs(): number {
    return this.offline ? 1 : this.repeats;
  }
  /** Sets how often it is run, within bounds. */
  repeat(times: number): void {
    this.repeats = Number.isFinite(times)
      ? Math.max(1, Math.min(MOST_REPEATS, Math.round(times)))
      : 1;
  }
  /** Chooses a provider; its model is chosen next. */
  runOn({ provider, model }: RunsOn): void {
    this.provider = provider;
    this.model = model;
  }
  get flawed(): boolean {
    return Object.keys(this.flaws).length > 0;
  }

  /** Sets a parameter; null is the preset's own value. */
  param(path: string, value: ParamValue | null): void {
    const rest = without(this.set, (own) => own === path);
    this.set = value === null ? rest : { ...rest, [path]: value };
    this.flaws = without(this.flaws, (own) => own === path);
  }
  /** Keeps text that is no value; until it is one, nothing can be run. */
  refuse(path: string, text: string, error: string): void {
    this.flaws = { ...this.flaws, [path]: { text, error } };
  }
  /** Prompts that other presets lend this one as it is set; as the last plan has them. */
  get lent(): readonly LentPromptView[] {
    const plan = this.plan.value;
    return plan?.strategy === this.strategy ? (plan.lent ?? []) : [];
  }
  /** Switches a stage to another kind; null is the preset's own. Its parameters go with it, and what was written into prompts lent to it. */
  switch(stage: string, kind: string | null): void {
    const lent = this.lent
      .filter((own) => stage.split(".")[0] === own.stage)
      .map((own) => own.param.path);
    const inside = (path: string): boolean => path.startsWith(`${stage}.`) || lent.includes(path);
    this.set = without(this.set, inside);
    this.flaws = without(this.flaws, inside);
    const rest = without(this.kinds, (own) => own === stage);
    this.kinds = kind === null ? rest : { ...rest, [stage]: kind };
    if (stage === "select") this.cut = null;
  }
  /** The entries that are summarized, where they are chosen one by one. */
  get marked(): readonly string[] {
    const ids = this.set["select.ids"];
    return this.kinds["select"] === "entries" && Array.isArray(ids)
      ? (ids as readonly string[])
      : [];
  }
  /** Puts an entry among those that are summarized, or takes it out; nothing else is from now on. */
  mark(entry: string): void {
    const marked = this.marked;
    if (this.kinds["select"] !== "entries" || this.cut !== null) this.switch("select", "entries");
    this.param(
      "select.ids",
      marked.includes(entry) ? marked.filter((own) => own !== entry) : [...marked, entry],
    );
  }
  /** Forgets what was chosen entry by entry: the entries are those of one session. */
  forgetEntries(): void {
    this.cut = null;
    if (this.kinds["select"] === "entries" || this.kinds["select"] === "from_entry")
      this.switch("select", null);
  }
  /** Summarizes an entry with what follows it, or with what comes before. */
  side(entry: string, direction: "from" | "up_to"): void {
    this.switch("select", "from_entry");
    this.set = { ...this.set, "select.entry_id": entry, "select.direction": direction };
  }
  /** Replaces the reduce stage with a custom list; null restores that of the strategy. */
  reduce(steps: readonly Step[] | null): void {
    const inside = (path: string): boolean => path.startsWith("reduce.");
    this.set = without(this.set, inside);
    this.flaws = without(this.flaws, inside);
    this.steps = steps;
  }

  drafted(): DraftedPreset {
    return {
      strategy: this.strategy,
      set: this.set,
      kinds: this.kinds,
      steps: this.steps,
      cut: this.cut,
      instructions: this.instructions,
      replace: this.replace,
      runsOn: { provider: this.provider, model: this.model },
      repeats: this.repeats,
    };
  }
  takeUp(drafted: DraftedPreset): void {
    this.set = drafted.set;
    this.flaws = {};
    this.kinds = drafted.kinds;
    this.steps = drafted.steps;
    this.cut = drafted.cut;
    this.instructions = drafted.instructions;
    this.replace = drafted.replace;
    if (drafted.runsOn !== null) this.runOn(drafted.runsOn);
    this.repeat(drafted.repeats);
  }

  /** The settings as a request takes them. */
  settings(): PlanRequest["set"] {
    const set: Record<string, JsonValue> = {};
    const write = (value: ParamValue): JsonValue =>
      typeof value === "object" ? [...value] : value;
    for (const [stage, kind] of Object.entries(this.kinds)) set[`${stage}.kind`] = kind;
    for (const [path, value] of Object.entries(this.set)) set[path] = write(value);
    if (this.steps !== null) {
      set["reduce"] = this.steps.map((step) => ({
        kind: step.kind,
        ...Object.fromEntries(
          Object.entries(step.set).map(([name, value]) => [name, write(value)]),
        ),
      }));
    }
    if (this.cut !== null) {
      for (const path of Object.keys(set)) if (path.startsWith("select.")) delete set[path];
      set["select.kind"] = "cut_at";
      set["select.first_kept"] = this.cut;
    }
    return set;
  }

  /** The plan of this row at a place. */
  request(session: string, at: string | null, redo: boolean): PlanRequest {
    const instructions = this.instructions.trim();
    return {
      session,
      at,
      redo,
      strategy: this.strategy,
      set: this.settings(),
      instructions: instructions === "" ? null : instructions,
      // No prompt is read offline, so none is replaced.
      replace_prompt: this.replace && !this.offline && instructions !== "",
      provider: this.provider,
      model: this.offline ? null : this.model || null,
    };
  }
}

function without<T>(
  all: Readonly<Record<string, T>>,
  goes: (name: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !goes(key)));
}
