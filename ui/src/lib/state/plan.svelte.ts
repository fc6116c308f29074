//! What is drafted in the Re-run tab: one preset or several with their own settings, and what they
//! share. Kept while the user looks at other tabs.

import type { LentPromptView, PlanRequest, PlanView } from "../../wire/wire";
import type { JsonValue } from "../../wire/serde_json/JsonValue";
import type { ParamValue } from "../inspector/rerun/params";
import type { Drafted, DraftedPreset, DraftedStep } from "./drafted";
import type { Draft } from "./drafts.svelte";
import { LivePlan } from "./live.svelte";

/** Text in a field that is no value, and why not. */
export interface Flaw {
  text: string;
  error: string;
}

/** A step of a custom list: its kind, and what differs from that kind's defaults. */
export type Step = DraftedStep;

type Settings = Readonly<Record<string, ParamValue>>;

/** A preset with its settings, by the parameters' places in it. */
export class Candidate {
  strategy = $state("");
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
    };
  }
  takeUp({ set, kinds, steps, cut }: DraftedPreset): void {
    this.set = set;
    this.flaws = {};
    this.kinds = kinds;
    this.steps = steps;
    this.cut = cut;
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
}

export class PlanDraft implements Draft {
  /** The presets that will run; there is always one. */
  candidates = $state.raw<readonly Candidate[]>([]);
  /** The one whose settings are shown. */
  private edited = $state(0);
  private next = 1;
  /** Stages whose parameters are unfolded. */
  opened = $state.raw<readonly string[]>([]);
  instructions = $state("");
  replace = $state(false);
  provider = $state("offline");
  /** Null until one is chosen; empty where the user has emptied the field. */
  model = $state<string | null>(null);
  /** Where the plans are made; a cut moved by hand belongs to one such place. */
  private place: string | null = null;

  constructor(
    private readonly ask: (request: PlanRequest) => Promise<PlanView>,
    /** The preset that is ticked at first. */
    private readonly first = "pi",
  ) {
    this.add(first);
  }

  /** Takes over who wrote the last summary; `null` where nobody has yet. */
  runOn(provider: string | null, model: string | null): void {
    if (provider === null) return;
    this.provider = provider;
    this.model = model;
  }

  /** Comes to a place in a session; at another one the preset's own cut is taken again. */
  stand(place: string): void {
    if (this.place !== null && this.place !== place)
      for (const own of this.candidates) own.cut = null;
    this.place = place;
  }
  drafted(): Drafted | null {
    const usual =
      this.candidates.length === 1 &&
      this.strategy === this.first &&
      !this.current.changed &&
      this.instructions === "" &&
      !this.replace;
    if (usual) return null;
    return {
      presets: this.candidates.map((own) => own.drafted()),
      edited: Math.max(0, this.candidates.indexOf(this.current)),
      instructions: this.instructions,
      replace: this.replace,
      taken: null,
    };
  }
  takeUp(drafted: Drafted | null): void {
    const { presets, edited, instructions, replace } = drafted ?? {
      presets: [],
      edited: 0,
      instructions: "",
      replace: false,
    };
    for (const own of this.candidates) own.plan.stop();
    this.candidates = [];
    for (const preset of presets) this.add(preset.strategy).takeUp(preset);
    if (presets.length === 0) this.add(this.first);
    this.edit((this.candidates[edited] ?? this.candidates[0]!).id);
    this.instructions = instructions;
    this.replace = replace;
    // Its cut belongs to the place that is come to next.
    this.place = null;
  }

  /** Forgets what was chosen entry by entry, in all rows. */
  forgetEntries(): void {
    for (const candidate of this.candidates) candidate.forgetEntries();
  }
  get current(): Candidate {
    return this.candidates.find((own) => own.id === this.edited) ?? this.candidates[0]!;
  }
  get strategy(): string {
    return this.current.strategy;
  }

  edit(id: number): void {
    this.edited = id;
  }
  /** Edits this preset: the one that is ticked, else in the place of the one edited so far. */
  choose(strategy: string): void {
    const ticked = this.candidates.find((own) => own.strategy === strategy);
    if (ticked) this.edit(ticked.id);
    else this.current.choose(strategy);
  }
  ticked(strategy: string): boolean {
    return this.candidates.some((own) => own.strategy === strategy);
  }
  /** Adds a preset to those that will run, or takes it out; the last one stays. */
  tick(strategy: string): void {
    const own = this.candidates.filter((one) => one.strategy === strategy);
    if (own.length === 0) this.add(strategy);
    else for (const one of own) this.remove(one.id);
  }
  /** Another run of the same preset, to be set differently. */
  copy(id: number): void {
    const from = this.candidates.find((own) => own.id === id);
    if (!from) return;
    const made = this.add(from.strategy, this.candidates.indexOf(from) + 1);
    made.takeUp(from.drafted());
    this.edit(made.id);
  }
  remove(id: number): void {
    const at = this.candidates.findIndex((own) => own.id === id);
    if (at < 0 || this.candidates.length === 1) return;
    this.candidates[at]!.plan.stop();
    this.candidates = this.candidates.filter((own) => own.id !== id);
    if (this.edited === id)
      this.edited = this.candidates[Math.min(at, this.candidates.length - 1)]!.id;
  }
  private add(strategy: string, at = this.candidates.length): Candidate {
    const made = new Candidate(this.next++, strategy, this.ask);
    this.candidates = [...this.candidates.slice(0, at), made, ...this.candidates.slice(at)];
    if (this.candidates.length === 1) this.edited = made.id;
    return made;
  }

  /** What a candidate is called: copies of one preset are numbered. */
  nameOf(candidate: Candidate): string {
    const same = this.candidates.filter((own) => own.strategy === candidate.strategy);
    return same.length > 1
      ? `${candidate.strategy} (${same.indexOf(candidate) + 1})`
      : candidate.strategy;
  }

  toggle(stage: string): void {
    this.opened = this.opened.includes(stage)
      ? this.opened.filter((own) => own !== stage)
      : [...this.opened, stage];
  }
  request(candidate: Candidate, session: string, at: string | null, redo: boolean): PlanRequest {
    const instructions = this.instructions.trim();
    return {
      session,
      at,
      redo,
      strategy: candidate.strategy,
      set: candidate.settings(),
      instructions: instructions === "" ? null : instructions,
      replace_prompt: this.replace && instructions !== "",
      provider: this.provider,
      model: this.provider === "offline" ? null : this.model || null,
    };
  }
}

function without<T>(
  all: Readonly<Record<string, T>>,
  goes: (name: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !goes(key)));
}
