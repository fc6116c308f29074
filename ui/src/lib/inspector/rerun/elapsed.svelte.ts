//! How long a run has been going, for as long as a component shows it.

import type { LiveRun } from "../../state/runner.svelte";

/** Often enough for a clock that shows tenths. */
const TICK_MS = 200;

export function elapsedOf(run: () => LiveRun): { readonly ms: number } {
  let now = $state(Date.now());
  $effect(() => {
    if (!run().busy) return;
    const timer = setInterval(() => (now = Date.now()), TICK_MS);
    return () => clearInterval(timer);
  });
  return {
    get ms() {
      const own = run();
      if (own.startedAt === 0) return 0;
      return Math.max(0, (own.busy ? now : own.endedAt) - own.startedAt);
    },
  };
}
