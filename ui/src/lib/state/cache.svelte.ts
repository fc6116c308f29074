//! Answers by question. Events make answers stale; what somebody looks at is asked again, and
//! the old answer stays on screen until the new one is there, so that nothing jumps.

import { untrack } from "svelte";
import { wireError, type Answer, type Command, type Host, type Params } from "../../host/types";
import type { Event, WireError } from "../../wire/wire";

/** Unwatched answers kept for going back and forth quickly. */
const KEPT_ANSWERS = 120;

export class Slot<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<WireError | undefined>(undefined);
  loading = $state(false);
  private watchers = 0;
  private stale = true;
  private asked = 0;

  constructor(
    readonly command: Command,
    readonly session: string | null,
    private readonly ask: () => Promise<T>,
  ) {}

  get watched(): boolean {
    return this.watchers > 0;
  }

  watch(): () => void {
    this.watchers += 1;
    if (this.stale) void this.load();
    return () => {
      this.watchers -= 1;
    };
  }

  invalidate(): void {
    this.stale = true;
    if (this.watched) void this.load();
  }

  async load(): Promise<void> {
    this.stale = false;
    this.loading = true;
    const mine = ++this.asked;
    try {
      const value = await this.ask();
      if (mine !== this.asked) return;
      this.value = value;
      this.error = undefined;
    } catch (thrown) {
      if (mine !== this.asked) return;
      this.error = wireError(thrown);
      // A refused question is asked again when somebody comes back to it.
      this.stale = true;
    }
    this.loading = false;
  }
}

function keyOf(command: Command, params: object): string {
  return `${command} ${JSON.stringify(params)}`;
}

export class Cache {
  private readonly slots = new Map<string, Slot<unknown>>();

  constructor(private readonly host: Host) {}

  slot<C extends Command>(command: C, params: Params<C>): Slot<Answer<C>> {
    const key = keyOf(command, params);
    let slot = this.slots.get(key) as Slot<Answer<C>> | undefined;
    if (!slot) {
      const session =
        "session" in params && typeof params.session === "string" ? params.session : null;
      slot = new Slot(command, session, () => this.host.rpc(command, params));
      this.slots.set(key, slot as Slot<unknown>);
      this.forget();
    }
    return slot;
  }

  /** The answer that is here already; asks nothing. */
  known<C extends Command>(command: C, params: Params<C>): Answer<C> | undefined {
    return this.slots.get(keyOf(command, params))?.value as Answer<C> | undefined;
  }

  /** Asks once, through the cache's host but not kept. */
  ask<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>> {
    return this.host.rpc(command, params);
  }

  invalidate(fits: (slot: Slot<unknown>) => boolean): void {
    for (const slot of this.slots.values()) if (fits(slot)) slot.invalidate();
  }

  hear(event: Event): void {
    switch (event.type) {
      case "sessions_changed":
        this.invalidate(
          (s) =>
            s.command === "sessions" ||
            s.command === "search" ||
            s.command === "count_hits" ||
            s.command === "written" ||
            s.command === "app_info",
        );
        break;
      case "session_changed":
        this.invalidate(
          // What failed while its file was gone is asked again when it is back.
          (s) =>
            s.session === event.session &&
            (s.error !== undefined || (s.command !== "compare" && s.command !== "ledger")),
        );
        break;
      case "marks_changed":
        this.invalidate(
          (s) =>
            (s.command === "marks" && s.session === event.session) ||
            s.command === "labels" ||
            s.command === "sessions" ||
            s.command === "search" ||
            s.command === "count_hits",
        );
        break;
      case "run_finished":
        this.invalidate(
          (s) =>
            s.command === "runs" ||
            s.command === "run" ||
            // A run saves its prompts, and tells of them.
            s.command === "prompts" ||
            s.command === "prompt_scores",
        );
        break;
      case "lab_progress":
        // Each cell has an event of its own; figures are measured at the start and at the end.
        if (event.cell === null)
          this.invalidate((s) => s.command === "labs" || s.command === "lab_show");
        break;
      case "missed":
        this.invalidate(() => true);
        break;
      case "index_progress":
      case "chain_progress":
      case "run_delta":
      case "run_retry":
      case "notice":
        break;
    }
  }

  private forget(): void {
    if (this.slots.size <= KEPT_ANSWERS) return;
    for (const [key, slot] of this.slots) {
      if (this.slots.size <= KEPT_ANSWERS) return;
      if (!slot.watched && !slot.loading) this.slots.delete(key);
    }
  }
}

export interface Query<T> {
  /** The newest answer; while another question is on its way, the previous answer. */
  readonly value: T | undefined;
  /** True when `value` answers the present question. */
  readonly fresh: boolean;
  readonly error: WireError | undefined;
  readonly loading: boolean;
  reload(): void;
}

/**
 * Asks `question` for as long as the component lives. With `keep`, the answer to the previous
 * question stays until the next one arrives.
 */
export function query<C extends Command>(
  cache: Cache,
  question: () => readonly [C, Params<C>] | null,
  keep = false,
): Query<Answer<C>> {
  const slot = $derived.by(() => {
    const asked = question();
    return asked === null ? null : untrack(() => cache.slot(asked[0], asked[1]));
  });
  let last = $state.raw<Answer<C> | undefined>(undefined);
  $effect(() => {
    const watched = slot;
    if (watched) return untrack(() => watched.watch());
    last = undefined;
    return undefined;
  });
  $effect(() => {
    if (slot?.value !== undefined) last = slot.value;
  });
  return {
    get value() {
      return slot?.value ?? (keep && slot && !slot.error ? last : undefined);
    },
    get fresh() {
      return slot?.value !== undefined;
    },
    get error() {
      return slot?.error;
    },
    get loading() {
      return slot?.loading ?? false;
    },
    reload() {
      void slot?.load();
    },
  };
}
