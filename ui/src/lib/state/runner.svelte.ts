//! The runs in progress: their texts as they come, their waits, their ends.

import { wireError, type Host } from "../../host/types";
import type { Event, PlanRequest, PlanView, RunView, WireError } from "../../wire/wire";

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
  /** Made here, before the call, so that no early event is missed. */
  readonly stream = `ui-${crypto.randomUUID()}`;

  constructor(
    readonly name: string,
    readonly request: PlanRequest,
    /** How many calls its plan has, where that is known. */
    readonly planned: number,
    /** The hash of the plan on screen, which the run executes. */
    readonly plan: string | undefined,
  ) {}

  get busy(): boolean {
    return this.status === "waiting" || this.status === "running" || this.status === "cancelling";
  }
  get characters(): number {
    return this.calls.reduce((n, call) => n + call.text.length, 0);
  }

  hear(event: Event): void {
    if (event.type === "run_delta") {
      this.retry = null;
      while (this.calls.length <= event.call) this.calls.push({ purpose: "", text: "" });
      const call = this.calls[event.call]!;
      call.purpose = event.purpose;
      call.text += event.text;
    } else if (event.type === "run_retry") {
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
      (one) => new LiveRun(one.name, one.request, one.plan?.calls.length ?? 0, one.plan?.plan_hash),
    );
    const queue = [...this.runs];
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift())
        if (next.status === "waiting") await this.carryOut(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  private async carryOut(run: LiveRun): Promise<void> {
    run.status = "running";
    run.startedAt = Date.now();
    try {
      const shown = run.plan === undefined ? {} : { plan_hash: run.plan };
      const result = await this.host.rpc("compact", {
        ...run.request,
        ...shown,
        stream: run.stream,
      });
      run.result = result;
      run.status =
        result.row.status === "done"
          ? "done"
          : result.row.status === "cancelled"
            ? "cancelled"
            : "failed";
      if (run.status === "failed")
        run.error = {
          code: "provider",
          message: result.row.error ?? "The run failed.",
          hint: result.row.hint ?? null,
          next: result.row.next,
        };
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
    if ("stream" in event) this.runs.find((run) => run.stream === event.stream)?.hear(event);
  }
}
