//! What is drafted in the Switch branch tab: whether a summary of what is left behind is taken along,
//! by which preset, and its run. Kept while the user looks at other tabs.

import type { Host } from "../../host/types";
import type { Event, PlanRequest } from "../../wire/wire";
import type { Drafted } from "./drafted";
import type { Draft } from "./drafts.svelte";
import { PlanDraft } from "./plan.svelte";
import { Runner } from "./runner.svelte";

/** The branch summary: none, the default one, or one with custom instructions. */
export type Taken = "none" | "plain" | "own";
const WAYS: readonly Taken[] = ["none", "plain", "own"];

export class Leaving implements Draft {
  taken = $state<Taken>("plain");
  readonly draft: PlanDraft;
  readonly runner: Runner;

  constructor(host: Host, finished: (event: Event) => void) {
    this.draft = new PlanDraft(
      (request) => host.rpc("plan", { ...request, brief: true }),
      "pi-branch",
    );
    this.runner = new Runner(host, finished);
  }

  drafted(): Drafted | null {
    const drafted = this.draft.drafted();
    const taken = this.taken === "plain" ? null : this.taken;
    if (drafted !== null) return { ...drafted, taken };
    return taken === null
      ? null
      : {
          presets: [{ ...this.draft.current.drafted(), runsOn: null }],
          edited: 0,
          taken,
        };
  }
  takeUp(drafted: Drafted | null): void {
    this.draft.takeUp(drafted);
    this.taken = WAYS.find((way) => way === drafted?.taken) ?? "plain";
  }

  request(session: string, from: string | null, to: string): PlanRequest {
    const request = { ...this.draft.request(this.draft.current, session, null, false), from, to };
    return this.taken === "own"
      ? request
      : { ...request, instructions: null, replace_prompt: false };
  }
}
