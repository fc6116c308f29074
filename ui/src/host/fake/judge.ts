//! A model as judge of the made-up session.

import type * as W from "../../wire/wire";
import { HostError } from "../types";

const USAGE: W.UsageView = {
  input: 900,
  output: 60,
  cache_read: 0,
  cache_write: 0,
  total: 960,
  cost_usd: 0.004,
  cost_computed: false,
};

/** What each question comes to. */
const RESULTS: Record<W.JudgeWhat, W.JudgeResult> = {
  facts: {
    what: "facts",
    facts: [
      {
        kind: "decision",
        text: "The wire format of RetryEnvelope stays as it is.",
        entry_ids: ["e1"],
        quote: "Do not change the wire format of RetryEnvelope",
      },
    ],
    rejected: [
      {
        why: "not_quoted",
        reason: "the quote is not in the cited entries",
        text: "The queue leaks memory.",
      },
    ],
  },
  pair: {
    what: "pair",
    better: null,
    disagree: true,
    verdicts: [
      { better: 0, reason: "A names the open task." },
      { better: 1, reason: "A names the open task." },
    ],
  },
  claims: {
    what: "claims",
    claims: {
      supported: 3,
      contradicted: 0,
      stale: 1,
      without_source: 0,
      unchecked: 1,
      differ: 1,
      precision: 0.75,
    },
    fact_sums: {
      kept: 3,
      partly: 0,
      changed: 0,
      dropped: 1,
      unchecked: 0,
      differ: 0,
      recall: 0.75,
    },
    sentences: [
      {
        text: "Retries use exponential backoff.",
        rule: "supported",
        by_model: {
          verdict: "stale",
          differs: true,
          statements: [
            {
              text: "Retries use exponential backoff",
              verdict: "stale",
              entry_ids: ["e1"],
              quote: "Do not change the wire format of RetryEnvelope",
              not_checked: null,
              reason: null,
            },
          ],
        },
      },
    ],
    facts: [],
    unknown: 2,
  },
  probes: {
    what: "probes",
    share: 0.5,
    probes: [
      {
        kind: "files_edited",
        question: "Which files were changed, written or removed so far? Give each as its path.",
        expected: ["src/queue/retry.rs", "src/queue/backoff.rs"],
        found: ["src/queue/retry.rs"],
        wrong: [],
      },
    ],
  },
};

export class FakeJudge {
  all: W.JudgementView[] = [];

  plan(request: W.JudgeRequest): W.JudgePlanView {
    const calls = request.what === "pair" ? 2 : 1;
    return {
      what: request.what,
      title: "compaction as the session holds it",
      provider: request.provider,
      model: request.model ?? "",
      calls: Array.from({ length: calls }, (_, n) => ({
        label: `${request.what} ${n + 1}`,
        system: "",
        prompt: "",
        input_tokens: 12_000,
        max_output_tokens: 6_000,
      })),
      input_tokens: 12_000 * calls,
      output_tokens: 1_000 * calls,
      estimated_cost_usd: 0.05 * calls,
      most_cost_usd: 0.2 * calls,
      destination: `The prompts are sent to ${request.provider}.`,
      notes: [],
    };
  }

  judge(request: W.JudgeRequest): W.JudgementView {
    const judgement: W.JudgementView = {
      judgement_id: `j${this.all.length + 1}`,
      what: request.what,
      session: request.session,
      of: request.of,
      status: "done",
      error: null,
      provider: request.provider,
      model: request.model ?? "",
      started_at: 1_770_000_000_000,
      elapsed_ms: 1_200,
      usage: USAGE,
      cost_usd: 0.004,
      calls: [],
      result: RESULTS[request.what],
    };
    this.all = [judgement, ...this.all];
    return judgement;
  }

  one(id: string): W.JudgementView {
    const found = this.all.find((own) => own.judgement_id === id);
    if (found === undefined)
      throw new HostError({
        code: "not_found",
        message: `there is no judgement '${id}'`,
        hint: null,
      });
    return found;
  }

  remove(id: string): Record<string, never> {
    this.all = this.all.filter((own) => own.judgement_id !== id);
    return {};
  }
}
