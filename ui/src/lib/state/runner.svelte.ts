//! The one run in progress: its text as it comes, its waits, its end.

import { wireError, type Host } from "../../host/types";
import type { Event, PlanRequest, RunView, WireError } from "../../wire/wire";

export class Runner {
  status = $state<"idle" | "running" | "cancelling" | "done" | "failed" | "cancelled">("idle");
  session = $state<string | null>(null);
  /** The text of each call so far, by the call's place in the plan. */
  calls = $state<{ purpose: string; text: string }[]>([]);
  retry = $state.raw<{ attempt: number; of: number; wait_ms: number; reason: string } | null>(null);
  error = $state.raw<WireError | null>(null);
  result = $state.raw<RunView | null>(null);
  startedAt = $state(0);
  private stream = "";

  constructor(
    private readonly host: Host,
    private readonly finished: (event: Event) => void,
  ) {}

  get busy(): boolean {
    return this.status === "running" || this.status === "cancelling";
  }

  async run(request: PlanRequest): Promise<void> {
    if (this.busy) return;
    // The name is made here, before the call, so that no early event is missed.
    const stream = `ui-${crypto.randomUUID()}`;
    this.stream = stream;
    this.session = request.session;
    this.status = "running";
    this.calls = [];
    this.retry = null;
    this.error = null;
    this.result = null;
    this.startedAt = Date.now();
    try {
      const result = await this.host.rpc("compact", { ...request, base_url: null, stream });
      this.result = result;
      this.status = result.row.status === "done" ? "done" : result.row.status === "cancelled" ? "cancelled" : "failed";
      if (this.status === "failed") this.error = { code: "provider", message: result.row.error ?? "The run failed.", hint: null };
    } catch (thrown) {
      const error = wireError(thrown);
      this.status = error.code === "cancelled" ? "cancelled" : "failed";
      this.error = error.code === "cancelled" ? null : error;
    }
    this.retry = null;
    this.finished({ type: "run_finished", stream, run_id: this.result?.run_id ?? "", status: this.status });
  }

  async cancel(): Promise<void> {
    if (this.status !== "running") return;
    this.status = "cancelling";
    // When it has just ended there is nothing to cancel, and the result is on its way.
    await this.host.rpc("cancel", { stream: this.stream }).catch(() => {});
  }

  dismiss(): void {
    if (!this.busy) this.status = "idle";
  }

  hear(event: Event): void {
    if (!("stream" in event) || event.stream !== this.stream) return;
    if (event.type === "run_delta") {
      this.retry = null;
      while (this.calls.length <= event.call) this.calls.push({ purpose: "", text: "" });
      const call = this.calls[event.call]!;
      call.purpose = event.purpose;
      call.text += event.text;
    } else if (event.type === "run_retry") {
      this.retry = event;
    }
  }
}
