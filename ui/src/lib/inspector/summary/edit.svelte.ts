//! A summary that is edited: its text, its ledger as one types, and what is collected.

import { wireError, type Host } from "../../../host/types";
import type { LedgerView, RunView, WireError } from "../../../wire/wire";

/** A pause in typing after which the ledger is computed. */
const PAUSE_MS = 250;

export class SummaryEdit {
  text = $state("");
  /** The ledger of the text, or of what it was a moment ago. */
  ledger = $state.raw<LedgerView>() as LedgerView;
  /** True while the ledger is not that of the text. */
  pending = $state(false);
  busy = $state(false);
  error = $state.raw<WireError | undefined>();
  /** Where the fact stands that was put in last. */
  inserted = $state.raw<{ start: number; end: number } | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private readonly before: string;

  constructor(
    private readonly host: Host,
    private readonly session: string,
    /** The summary: `entry:ID` or a run. */
    readonly of: string,
    ledger: LedgerView,
  ) {
    this.ledger = ledger;
    this.text = ledger.summary;
    this.before = ledger.summary;
  }

  get changed(): boolean {
    return this.text !== this.before;
  }

  type(text: string): void {
    this.text = text;
    this.inserted = null;
    this.pending = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.measure(), PAUSE_MS);
  }
  restore(): void {
    this.type(this.before);
  }
  leave(): void {
    clearTimeout(this.timer);
    this.asked += 1;
  }

  private async measure(): Promise<void> {
    const mine = ++this.asked;
    try {
      const { session, of, text } = this;
      const ledger = await this.host.rpc("summary_draft", { session, of, text });
      // A later text is on its way.
      if (mine !== this.asked) return;
      this.ledger = ledger;
      this.error = undefined;
    } catch (thrown) {
      if (mine === this.asked) this.error = wireError(thrown);
    }
    if (mine === this.asked) this.pending = false;
  }

  /** Puts facts into the text, each under the section that fits its kind. */
  async insert(facts: readonly string[]): Promise<void> {
    const { session, of, text } = this;
    try {
      const done = await this.host.rpc("summary_insert", { session, of, text, facts: [...facts] });
      // What was typed meanwhile must not be lost.
      if (this.text !== text) return;
      this.type(done.text);
      clearTimeout(this.timer);
      this.inserted = done.ranges.at(-1) ?? null;
      await this.measure();
    } catch (thrown) {
      this.error = wireError(thrown);
    }
  }

  /** Keeps the text as a run; null when that failed. */
  async keep(): Promise<RunView | null> {
    this.busy = true;
    try {
      const { session, of, text } = this;
      const run = await this.host.rpc("summary_keep", { session, of, text });
      this.error = undefined;
      return run;
    } catch (thrown) {
      this.error = wireError(thrown);
      return null;
    } finally {
      this.busy = false;
    }
  }
}
