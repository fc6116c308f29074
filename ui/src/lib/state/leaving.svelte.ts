//! What is drafted in the Navigate tab: whether a summary of what is left behind is taken along,
//! by which preset, and its run. Kept while the user looks at other tabs.

import type { Host } from "../../host/types";
import type { Event, PlanRequest } from "../../wire/wire";
import { PlanDraft } from "./plan.svelte";
import { Runner } from "./runner.svelte";

/** The summary taken along: none, the preset's own, or one with instructions of one's own. */
export type Taken = "none" | "plain" | "own";

export class Leaving {
  taken = $state<Taken>("plain");
  readonly draft: PlanDraft;
  readonly runner: Runner;

  constructor(host: Host, finished: (event: Event) => void) {
    this.draft = new PlanDraft((request) => host.rpc("plan", { ...request, brief: true }));
    this.draft.choose("pi-branch");
    this.runner = new Runner(host, finished);
  }

  request(session: string, from: string | null, to: string): PlanRequest {
    const request = { ...this.draft.request(this.draft.current, session, null, false), from, to };
    return this.taken === "own" ? request : { ...request, instructions: null, replace_prompt: false };
  }
}
