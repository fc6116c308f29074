//! What is drafted in the Re-run tab: the rows that will run, each a strategy with its own settings.
//! Kept while the user looks at other tabs.

import type { PlanRequest, PlanView } from "../../wire/wire";
import { Candidate, type RunsOn } from "./candidate.svelte";
import type { Drafted, DraftedPreset } from "./drafted";
import type { Draft } from "./drafts.svelte";

export class PlanDraft implements Draft {
  /** The presets that will run; there is always one. */
  candidates = $state.raw<readonly Candidate[]>([]);
  /** The one whose settings are shown. */
  private edited = $state(0);
  private next = 1;
  /** Stages whose parameters are unfolded. */
  opened = $state.raw<readonly string[]>([]);
  /** What of the row is edited. */
  part = $state<"stages" | "prompts">("stages");
  /** Who runs a row unless something else is chosen. */
  private usual: RunsOn = { provider: "offline", model: null };
  /** The strategy of an untouched draft. */
  private first = $state("");
  /** Where the plans are made; a cut moved by hand belongs to one such place. */
  private place: string | null = null;

  constructor(
    private readonly ask: (request: PlanRequest) => Promise<PlanView>,
    /** The preset that is ticked at first. */
    first = "pi",
  ) {
    this.first = first;
    this.add(first);
  }

  /** Takes over who wrote the last summary; `null` where nobody has yet. */
  runOn(provider: string | null, model: string | null): void {
    if (provider === null) return;
    this.usual = { provider, model };
    for (const own of this.candidates) own.runOn(this.usual);
  }
  /** Begins with the strategy of the session's agent, unless something was drafted. */
  beginWith(strategy: string): void {
    if (strategy === this.first) return;
    const untouched = this.drafted() === null;
    this.first = strategy;
    if (untouched) this.current.choose(strategy);
  }

  // What the row that is edited has.
  get instructions(): string {
    return this.current.instructions;
  }
  set instructions(text: string) {
    this.current.instructions = text;
  }
  get replace(): boolean {
    return this.current.replace;
  }
  set replace(replaces: boolean) {
    this.current.replace = replaces;
  }
  get provider(): string {
    return this.current.provider;
  }
  set provider(name: string) {
    this.current.provider = name;
  }
  get model(): string | null {
    return this.current.model;
  }
  set model(name: string | null) {
    this.current.model = name;
  }
  /** Gives every row something that the edited one has. */
  share(what: "instructions" | "runsOn"): void {
    const { instructions, replace, provider, model, repeats } = this.current;
    for (const own of this.candidates)
      if (what === "runsOn") {
        own.runOn({ provider, model });
        own.repeat(repeats);
      } else {
        own.instructions = instructions;
        own.replace = replace;
      }
  }
  /** How many runs all rows make. */
  get runs(): number {
    return this.candidates.reduce((sum, own) => sum + own.runs, 0);
  }

  /** Comes to a place in a session; at another one the preset's own cut is taken again. */
  stand(place: string): void {
    if (this.place !== null && this.place !== place)
      for (const own of this.candidates) own.cut = null;
    this.place = place;
  }
  drafted(): Drafted | null {
    const isUsual = (own: RunsOn): boolean =>
      own.provider === this.usual.provider &&
      (this.usual.model === null || own.model === this.usual.model);
    const all = this.candidates;
    const runsAsUsual = all.every(isUsual);
    const untouched =
      all.length === 1 &&
      this.strategy === this.first &&
      runsAsUsual &&
      !this.current.changed &&
      this.instructions === "" &&
      !this.replace &&
      this.current.repeats === 1;
    if (untouched) return null;
    // Of a model an address names the provider: what is usual changes with the next run.
    const isOffline = this.usual.provider === "offline";
    const drafted = (own: Candidate): DraftedPreset => ({
      ...own.drafted(),
      ...(runsAsUsual && isOffline ? { runsOn: null } : {}),
    });
    return {
      presets: all.map(drafted),
      edited: Math.max(0, all.indexOf(this.current)),
      taken: null,
    };
  }
  takeUp(drafted: Drafted | null): void {
    const { presets, edited } = drafted ?? { presets: [], edited: 0 };
    for (const own of this.candidates) own.plan.stop();
    this.candidates = [];
    for (const preset of presets) this.add(preset.strategy).takeUp(preset);
    if (presets.length === 0) this.add(this.first);
    this.edit((this.candidates[edited] ?? this.candidates[0]!).id);
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
    if (own.length === 0) {
      const { instructions, replace, provider, model, repeats } = this.current;
      const made = this.add(strategy);
      Object.assign(made, { instructions, replace, provider, model, repeats });
    } else for (const one of own) this.remove(one.id);
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
    made.runOn(this.usual);
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
  /** The plan of a row at a place. */
  request(candidate: Candidate, session: string, at: string | null, redo: boolean): PlanRequest {
    return candidate.request(session, at, redo);
  }
}
