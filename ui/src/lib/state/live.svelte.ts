//! A plan that follows what is edited: one question at a time, the newest wins.

import { wireError } from "../../host/types";
import type { PlanRequest, PlanView, WireError } from "../../wire/wire";

type Ask = (request: PlanRequest) => Promise<PlanView>;

/**
 * While one question is on its way, only the newest of those that come after it is kept, so that
 * dragging asks as fast as plans are made and no faster. The old answer stays on screen.
 */
export class LivePlan {
  value = $state.raw<PlanView | undefined>(undefined);
  error = $state.raw<WireError | undefined>(undefined);
  private wanted = $state.raw<PlanRequest | null>(null);
  private answered = $state.raw<string | null>(null);
  private asking = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ask: Ask) {}

  /** True when `value` or `error` answers what is wanted now. */
  get fresh(): boolean {
    return this.wanted !== null && this.answered === JSON.stringify(this.wanted);
  }

  /** Asks for this plan, after a pause when more is likely to be typed. */
  want(request: PlanRequest, pauseMs = 0): void {
    if (this.wanted !== null && JSON.stringify(request) === JSON.stringify(this.wanted)) return;
    // Nothing of another place may stay on screen as if it were of this one.
    if (this.wanted?.session !== request.session) this.value = undefined;
    this.wanted = request;
    clearTimeout(this.timer);
    if (pauseMs > 0) this.timer = setTimeout(() => void this.follow(), pauseMs);
    else void this.follow();
  }

  /** Asks again, because the answer may have changed. */
  reload(): void {
    this.answered = null;
    void this.follow();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private async follow(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    while (this.wanted !== null && !this.fresh) {
      const request: PlanRequest = this.wanted;
      let value: PlanView | undefined;
      let error: WireError | undefined;
      try {
        value = await this.ask(request);
      } catch (thrown) {
        error = wireError(thrown);
      }
      if (this.wanted?.session === request.session) {
        if (value) this.value = value;
        this.error = error;
      }
      this.answered = JSON.stringify(request);
    }
    this.asking = false;
  }
}
