//! The lab: the experiment that is described, what it costs, and the experiments under way.

import { wireError, type Host } from "../../host/types";
import type {
  CutRef,
  Event,
  LabCellState,
  LabParts,
  LabPlanView,
  LabReplayView,
  LabRequest,
  WireError,
} from "../../wire/wire";
import type { Cache } from "./cache.svelte";
import type { CostGate } from "./cost.svelte";
import type { Candidate } from "./candidate.svelte";
import { PlanDraft } from "./plan.svelte";
import { count } from "../text/format";
import type { Toasts } from "./toasts.svelte";

/** Runs made at the same time. */
const AT_ONCE = 4;

/** How far an experiment is, as it was told while it runs. */
export interface LabProgress {
  cells: number;
  ended: number;
  running: boolean;
  /** The cells that began or ended since it was last read, by {@link placeOf}. */
  states: ReadonlyMap<string, LabCellState>;
}

/** A cell by its place. */
export const placeOf = (cell: { row: number; cut: number; repeat: number }): string =>
  `${cell.cut} ${cell.row} ${cell.repeat}`;

const NOTHING: LabRequest = {
  experiment: null,
  parts: null,
  lab: null,
  budget_usd: null,
  stream: null,
  retry_failed: false,
  above_limit: false,
};

export class LabDesk {
  /** The rows that are described. */
  readonly draft: PlanDraft;
  name = $state("");
  /** The set of cuts of the experiment that is described. */
  set = $state<string | null>(null);
  /** Most that it may cost in dollars; null without a limit. */
  budget = $state<number | null>(null);
  /** The query that the next set of cuts is made of. */
  query = $state("");
  /** The cut that is about to be added to a set. */
  adding = $state.raw<CutRef | null>(null);
  /** What the description costs, and which description that was. */
  private priced = $state.raw<{ key: string; plan: LabPlanView } | null>(null);
  pricing = $state(false);
  error = $state.raw<WireError | null>(null);
  progress = $state.raw<ReadonlyMap<string, LabProgress>>(new Map());
  /** Experiments whose cancellation was requested. */
  stopping = $state.raw<ReadonlySet<string>>(new Set());
  /** Experiments that are deleted once the offer to undo it has passed. */
  doomed = $state.raw<ReadonlySet<string>>(new Set());
  /** What replays came to, by experiment. */
  replayed = $state.raw<ReadonlyMap<string, LabReplayView | "running">>(new Map());

  constructor(
    private readonly host: Host,
    private readonly toasts: Toasts,
    private readonly cache: Cache,
    private readonly cost: CostGate,
  ) {
    this.draft = new PlanDraft((request) => host.rpc("plan", { ...request, brief: true }));
  }

  /** The experiment that is described. */
  get parts(): LabParts {
    return {
      name: this.name.trim(),
      set: this.set,
      rows: this.draft.candidates.map((own) => {
        const { strategy, set, instructions, replace_prompt, provider, model } = own.request(
          "",
          null,
          false,
        );
        return {
          name: this.draft.nameOf(own),
          strategy: strategy ?? own.strategy,
          set,
          instructions,
          replace_prompt,
          provider,
          model,
          repeats: own.runs,
        };
      }),
      budget_usd: this.budget,
      concurrent: AT_ONCE,
    };
  }
  /** Calls and cost of what is described; null until they were asked for. */
  get price(): LabPlanView | null {
    return this.priced?.key === JSON.stringify(this.parts) ? this.priced.plan : null;
  }

  /** Asks what the experiment would cost. Nothing is sent to a provider. */
  async ask(): Promise<void> {
    const parts = this.parts;
    this.pricing = true;
    this.error = null;
    try {
      const plan = await this.host.rpc("lab_plan", { ...NOTHING, parts });
      this.priced = { key: JSON.stringify(parts), plan };
    } catch (thrown) {
      this.error = wireError(thrown);
    }
    this.pricing = false;
  }
  /** Starts what was priced, and says under which id; null where the user did not agree to the cost. */
  async start(): Promise<string | null> {
    const plan = this.price;
    if (plan === null) return null;
    const { parts } = this;
    const passed = await this.passed(plan);
    if (passed === null) return null;
    void this.run(plan.lab_id, { ...NOTHING, parts, above_limit: passed.above });
    this.note(plan.lab_id, { cells: plan.cells, ended: plan.ended, running: true });
    return plan.lab_id;
  }
  /** Goes on with an experiment that was cut off, stopped, or has failed cells. */
  async resume(lab: string, budget: number | null, failed: boolean): Promise<void> {
    const request = { ...NOTHING, lab, budget_usd: budget, retry_failed: failed };
    let above = false;
    if (this.cost.limitUsd !== null) {
      try {
        const passed = await this.passed(await this.host.rpc("lab_plan", request));
        if (passed === null) return;
        above = passed.above;
      } catch (thrown) {
        this.toasts.fail(wireError(thrown));
        return;
      }
    }
    this.note(lab, { running: true });
    void this.run(lab, { ...request, above_limit: above });
  }
  /** Asks where the rest of an experiment may cost more than the limit. */
  private passed(plan: LabPlanView): Promise<{ above: boolean } | null> {
    return this.cost.pass({
      what: `This experiment of ${count(plan.cells - plan.ended, "run")}`,
      estimate: plan.cost_usd,
      most: plan.most_usd,
      userPrices: plan.user_prices,
      calls: plan.calls,
      requests: null,
    });
  }
  /** Deletes an experiment when the offer to take that back has passed. */
  remove(lab: string, name: string): void {
    this.doomed = new Set([...this.doomed, lab]);
    const keep = (): void => {
      this.doomed = new Set([...this.doomed].filter((own) => own !== lab));
    };
    let taken = false;
    this.toasts.offer(
      `Deleted the experiment ${name}. Its runs stay.`,
      "Undo",
      () => {
        taken = true;
        keep();
      },
      () => {
        if (!taken) void this.destroy(lab, keep);
      },
    );
  }
  private async destroy(lab: string, keep: () => void): Promise<void> {
    try {
      await this.host.rpc("lab_delete", { lab });
    } catch (thrown) {
      keep();
      this.toasts.fail(wireError(thrown));
    }
    this.reload();
  }
  private async run(lab: string, request: LabRequest): Promise<void> {
    try {
      await this.host.rpc("lab_run", request);
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
    // Also where its last event was lost with the connection.
    this.forget(lab);
    this.reload();
  }
  async cancel(lab: string): Promise<void> {
    this.stopping = new Set([...this.stopping, lab]);
    try {
      await this.host.rpc("cancel", { stream: lab });
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
  }
  /** Makes all summaries again from the stored replies. */
  async replay(lab: string): Promise<void> {
    const set = (came: LabReplayView | "running" | null): void => {
      const next = new Map(this.replayed);
      if (came === null) next.delete(lab);
      else next.set(lab, came);
      this.replayed = next;
    };
    set("running");
    try {
      set(await this.host.rpc("lab_replay", { lab }));
    } catch (thrown) {
      set(null);
      this.toasts.fail(wireError(thrown));
    }
  }

  /** Takes the rows of another draft over; what was chosen entry by entry belongs to one session. */
  takeRows(from: PlanDraft): void {
    const presets = from.candidates.map((own: Candidate) => ({ ...own.drafted(), cut: null }));
    this.draft.takeUp({ presets, edited: 0, taken: null });
    this.draft.forgetEntries();
  }

  hear(event: Event): void {
    if (event.type === "missed") {
      // What was told meanwhile is lost: the experiments are read again.
      this.progress = new Map();
      this.stopping = new Set();
      return;
    }
    if (event.type !== "lab_progress") return;
    const { lab_id: lab, cells, ended, running, cell } = event;
    if (!running) return this.forget(lab);
    const states = new Map(this.progress.get(lab)?.states);
    if (cell !== null) states.set(placeOf(cell), cell.state);
    this.note(lab, { cells, ended, running, states });
  }
  private note(lab: string, change: Partial<LabProgress>): void {
    const before = this.progress.get(lab) ?? {
      cells: 0,
      ended: 0,
      running: true,
      states: new Map(),
    };
    this.progress = new Map([...this.progress, [lab, { ...before, ...change }]]);
  }
  private forget(lab: string): void {
    const next = new Map(this.progress);
    next.delete(lab);
    this.progress = next;
    this.stopping = new Set([...this.stopping].filter((own) => own !== lab));
    const replayed = new Map(this.replayed);
    replayed.delete(lab);
    this.replayed = replayed;
  }
  private reload(): void {
    this.cache.invalidate((slot) => ["labs", "lab_show", "runs"].includes(slot.command));
  }
}
