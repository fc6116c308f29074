//! The runs in progress: their texts as they come, their waits, their ends.

import { wireError, type Host } from "../../host/types";
import type {
  Event,
  PlanRequest,
  PlanView,
  RunningRun,
  RunStatus as RunEnd,
  RunView,
  WireError,
} from "../../wire/wire";

export type RunStatus = "waiting" | "running" | "cancelling" | "done" | "failed" | "cancelled";

/**
 * A browser opens six connections to one address. One carries the events, and plans and
 * cancelling need some as well: more runs than this wait for their turn.
 */
const AT_ONCE = 3;

/** A call that is made again after a wait. */
export interface Retry {
  attempt: number;
  of: number;
  reason: string;
  wait_ms: number;
  /** When the wait ends, in milliseconds since 1970. */
  until: number;
}

/** One run, from before it begins to what came of it. */
export class LiveRun {
  status = $state<RunStatus>("waiting");
  /** The text of each call so far, by the call's place in the plan. */
  calls = $state<{ purpose: string; text: string }[]>([]);
  retry = $state.raw<Retry | null>(null);
  error = $state.raw<WireError | null>(null);
  result = $state.raw<RunView | null>(null);
  startedAt = $state(0);
  endedAt = $state(0);
  /** When anything was last heard of it. */
  heardAt = $state(0);
  /** Why attempts failed so far, oldest first. */
  failures = $state.raw<readonly string[]>([]);

  constructor(
    readonly name: string,
    readonly request: PlanRequest,
    /** How many calls its plan has, where that is known. */
    readonly planned: number,
    /** The hash of the plan on screen, which the run executes. */
    readonly plan: string | undefined,
    /** Made here, before the call, so that no early event is missed. */
    readonly stream = `ui-${crypto.randomUUID()}`,
    /** True for a run that was found under way: another page began it. */
    readonly found = false,
    /** True where the user agreed to a cost above the limit. */
    readonly above = false,
  ) {}

  /** A run that was found under way. */
  static of(own: RunningRun, name: string): LiveRun {
    const request = {
      session: own.session,
      at: own.at,
      redo: false,
      strategy: own.strategy,
      set: {},
      instructions: own.instructions,
      replace_prompt: false,
      provider: own.provider,
      model: own.model,
    };
    const run = new LiveRun(name, request, own.calls, undefined, own.stream, true);
    run.status = "running";
    run.startedAt = own.started_at;
    run.heardAt = own.heard_at;
    run.failures = own.failures;
    for (const { call, purpose, text } of own.texts) run.add(call, purpose, text);
    return run;
  }

  get busy(): boolean {
    return this.status === "waiting" || this.status === "running" || this.status === "cancelling";
  }
  get characters(): number {
    return this.calls.reduce((n, call) => n + call.text.length, 0);
  }

  private add(at: number, purpose: string, text: string): void {
    while (this.calls.length <= at) this.calls.push({ purpose: "", text: "" });
    const call = this.calls[at]!;
    call.purpose = purpose;
    call.text += text;
  }
  hear(event: Event): void {
    this.heardAt = Date.now();
    if (event.type === "run_delta") {
      this.retry = null;
      this.add(event.call, event.purpose, event.text);
    } else if (event.type === "run_retry") {
      this.failures = [...this.failures, event.reason];
      this.retry = {
        attempt: event.attempt,
        of: event.of,
        reason: event.reason,
        wait_ms: event.wait_ms,
        until: Date.now() + event.wait_ms,
      };
    }
  }
}

/** What to run: a name for it, its request, and the plan on screen. */
export interface ToRun {
  name: string;
  request: PlanRequest;
  plan: PlanView | undefined;
  /** True where the user agreed to a cost above the limit. */
  above?: boolean;
}

export class Runner {
  runs = $state.raw<readonly LiveRun[]>([]);
  session = $state<string | null>(null);

  constructor(
    private readonly host: Host,
    private readonly finished: (event: Event) => void,
  ) {}

  get busy(): boolean {
    return this.runs.some((run) => run.busy);
  }
  get cancelling(): boolean {
    return this.busy && this.runs.every((run) => !run.busy || run.status === "cancelling");
  }

  async run(list: readonly ToRun[]): Promise<void> {
    if (this.busy || list.length === 0) return;
    this.session = list[0]!.request.session;
    this.runs = list.map(
      (one) =>
        new LiveRun(
          one.name,
          one.request,
          one.plan?.calls.length ?? 0,
          one.plan?.plan_hash,
          undefined,
          false,
          one.above,
        ),
    );
    const queue = [...this.runs];
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift())
        if (next.status === "waiting") await this.carryOut(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
  /** Makes one run again, in its place; the others stay as they are. */
  async again(run: LiveRun): Promise<void> {
    if (run.busy || run.found) return;
    const { name, request, planned, plan, above } = run;
    const fresh = new LiveRun(name, request, planned, plan, undefined, false, above);
    this.runs = this.runs.map((own) => (own === run ? fresh : own));
    await this.carryOut(fresh);
  }
  /** Takes up the runs that are under way, as after a reload: those of `session` if there are any. */
  takeUp(all: readonly RunningRun[], session: string | null): void {
    if (this.busy || all.length === 0) return;
    this.session = all.some((own) => own.session === session) ? session : all.at(-1)!.session;
    const own = all.filter((run) => run.session === this.session);
    this.runs = own.map((run, n) => {
      const same = own.filter((other) => other.strategy === run.strategy);
      const name = same.length > 1 ? `${run.strategy} (${same.indexOf(run) + 1})` : run.strategy;
      return LiveRun.of(own[n]!, name);
    });
  }

  private async carryOut(run: LiveRun): Promise<void> {
    run.status = "running";
    run.startedAt = Date.now();
    run.heardAt = run.startedAt;
    try {
      const shown = run.plan === undefined ? {} : { plan_hash: run.plan };
      const result = await this.host.rpc("compact", {
        ...run.request,
        ...shown,
        ...(run.above ? { above_limit: true } : {}),
        stream: run.stream,
      });
      this.settle(run, result);
    } catch (thrown) {
      const error = wireError(thrown);
      run.status = error.code === "cancelled" ? "cancelled" : "failed";
      run.error = error.code === "cancelled" ? null : error;
    }
    run.endedAt = Date.now();
    run.retry = null;
    this.finished({
      type: "run_finished",
      stream: run.stream,
      run_id: run.result?.run_id ?? "",
      status: run.status,
    });
  }

  private settle(run: LiveRun, result: RunView): void {
    const ends: Record<RunEnd, RunStatus> = {
      running: "failed",
      interrupted: "failed",
      done: "done",
      failed: "failed",
      cancelled: "cancelled",
    };
    run.result = result;
    run.status = ends[result.row.status];
    if (run.status === "failed")
      run.error = {
        code: "provider",
        message: result.row.error ?? "The run failed.",
        hint: result.row.hint ?? null,
        next: result.row.next,
      };
  }
  /** A run that another page began has ended: its result is read. */
  private async collect(run: LiveRun, id: string): Promise<void> {
    try {
      this.settle(run, await this.host.rpc("run", { run: id }));
    } catch (thrown) {
      run.status = "failed";
      run.error = wireError(thrown);
    }
    run.endedAt = Date.now();
    run.retry = null;
  }

  /** Cancels one run, or all of them. */
  async cancel(one?: LiveRun): Promise<void> {
    const going = this.runs.filter((run) => one === undefined || run === one);
    const begun = going.filter((run) => run.status === "running");
    for (const run of going) if (run.status === "waiting") run.status = "cancelled";
    for (const run of begun) run.status = "cancelling";
    // When one has just ended there is nothing to cancel, and its result is on its way.
    await Promise.all(
      begun.map((run) => this.host.rpc("cancel", { stream: run.stream }).catch(() => {})),
    );
  }

  dismiss(): void {
    if (!this.busy) this.runs = [];
  }

  hear(event: Event): void {
    if (!("stream" in event)) return;
    const run = this.runs.find((own) => own.stream === event.stream);
    run?.hear(event);
    if (run?.found && event.type === "run_finished") void this.collect(run, event.run_id);
  }
}
