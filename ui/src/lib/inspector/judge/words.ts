//! What a judgement is called, and what it came to in a few words. Pure.

import type { JudgePlanView, JudgeResult, JudgeWhat, JudgementView } from "../../../wire/wire";
import { about, count, percent, short } from "../../text/format";

export const QUESTIONS: Record<JudgeWhat, { name: string; meaning: string }> = {
  facts: {
    name: "Decisions, findings and constraints",
    meaning:
      "The model lists them from the summarized span. Those that stand in the entries they cite are shown beside the facts that rules found.",
  },
  probes: {
    name: "Probes",
    meaning:
      "The model answers questions from the summary and the kept tail alone: which files were changed, which check ran last, which failed last. Rules know the answers.",
  },
  claims: {
    name: "Claims and facts, both ways",
    meaning:
      "The model checks each statement of the summary in the summarized span, and the heaviest facts of the span in the summary and the kept tail. A verdict counts only with a quote that is found. It is shown beside that of rules, under Claims.",
  },
  pair: {
    name: "Which summary is better",
    meaning:
      "The model compares both summaries in both orders. It is a preference only where both orders say the same.",
  },
};

/** What asking would send and cost: `3 calls, about 61k tokens in and 5k out, about $0.12`. */
export function priceOf(plan: JudgePlanView): string {
  const cost = plan.estimated_cost_usd === null ? "price unknown" : about(plan.estimated_cost_usd);
  const sizes = `about ${short(plan.input_tokens)} tokens in and ${short(plan.output_tokens)} out`;
  return `${count(plan.calls.length, "call")}, ${sizes}, ${cost}`;
}

/** What a judgement came to; `names` are the summaries of a pair. */
export function resultOf(result: JudgeResult, names: readonly string[]): string {
  switch (result.what) {
    case "facts": {
      const rejected = result.rejected.length;
      const kept = count(result.facts.length, "fact");
      return rejected === 0 ? kept : `${kept}, ${rejected} rejected`;
    }
    case "probes":
      return `${percent(result.share)} of ${count(result.probes.length, "probe")}`;
    case "claims": {
      const supported =
        result.claims.precision === null
          ? "no statement checked"
          : `${percent(result.claims.precision)} of statements supported`;
      const kept =
        result.fact_sums.recall === null
          ? "no fact checked"
          : `${percent(result.fact_sums.recall)} of facts kept`;
      return `${supported}, ${kept}`;
    }
    case "pair":
      if (result.better !== null)
        return `${names[result.better] ?? `Summary ${result.better + 1}`} in both orders`;
      return result.disagree ? "Tie: the two orders disagree" : "Tie: neither is better";
  }
}

/** How a judgement ended, where it has no result. */
export function endOf(judgement: JudgementView): string {
  return judgement.error ?? judgement.status;
}

/** True for a judgement about these summaries, in any order. */
export function isAbout(judgement: JudgementView, of: readonly string[]): boolean {
  return judgement.of.length === of.length && of.every((one) => judgement.of.includes(one));
}
