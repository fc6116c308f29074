//! How long a run has been going, for as long as a component shows it.

import type { LiveRun } from "../../state/runner.svelte";

/** Often enough for a clock that shows tenths. */
const TICK_MS = 200;

export function elapsedOf(run: () => LiveRun): { readonly ms: number } {
  const clock = clockWhile(() => run().busy);
  return {
    get ms() {
      const own = run();
      if (own.startedAt === 0) return 0;
      return Math.max(0, (own.busy ? clock.now : own.endedAt) - own.startedAt);
    },
  };
}

/** How long a run still waits before it tries again; 0 once it does. */
export function waitOf(run: () => LiveRun): { readonly ms: number } {
  const clock = clockWhile(() => run().busy && run().retry !== null);
  return {
    get ms() {
      const until = run().retry?.until;
      return until === undefined ? 0 : Math.max(0, until - clock.now);
    },
  };
}

/** Less silence than this is how models write. */
const SILENCE_MS = 5_000;

/** How long a run that is under way has said nothing; 0 while it speaks or waits. */
export function silenceOf(run: () => LiveRun): { readonly ms: number } {
  const clock = clockWhile(() => run().status === "running");
  return {
    get ms() {
      const own = run();
      if (own.status !== "running" || own.retry !== null || own.heardAt === 0) return 0;
      const silent = clock.now - own.heardAt;
      return silent < SILENCE_MS ? 0 : silent;
    },
  };
}

/** The time, which goes on while somebody needs it. */
function clockWhile(needed: () => boolean): { readonly now: number } {
  let now = $state(Date.now());
  $effect(() => {
    if (!needed()) return;
    now = Date.now();
    const timer = setInterval(() => (now = Date.now()), TICK_MS);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      return now;
    },
  };
}
