//! Why the sizes of one context that stand beside each other differ. Pure.

import type { OutlineRow, SessionView, SummaryNode, Timeline } from "../../wire/wire";
import { count, exact, tokens } from "./format";

/** The size in a session's row, beside the one in its header. */
export const largestWords = (size: number): string =>
  `Largest reported: ${tokens(size)}, the largest context that the provider or the agent reported in the session. The header shows the context at the selected entry: it is smaller after a compaction, and may be larger where entries since the last report are estimated.`;

/** The size in the header, beside the one in the session's row and that of a plan. */
export const hereDiffers =
  "The session list shows the largest size that was reported in the session. Re-run adds the size that a plan would leave, which is estimated.";

/** The two sizes of a plan, beside the one in the header. */
export const planWords = (before: number, after: number): string =>
  `Context at the selected entry by the agent's own count, by which it compacts: ${tokens(before)}. The header may show more: it adds an estimate of what that count does not have yet. After the plan: about ${tokens(after)}, estimated, because nothing was sent yet. The session list shows the largest size that was reported in the session.`;

type Change = Pick<SummaryNode, "tokens_after" | "after_is_forecast" | "summary_tokens">;

/** What the context after a compaction is made of: its summary is mostly a small part. */
export function madeOf({ tokens_after, after_is_forecast, summary_tokens }: Change): string {
  const others = tokens_after - summary_tokens;
  if (summary_tokens <= 0 || others <= 0) return "";
  const after = `${after_is_forecast ? "about " : ""}${exact(tokens_after)}`;
  return `Of the ${after} tokens after the compaction, about ${exact(summary_tokens)} are the summary. The other ${exact(others)} are the system prompt and the tools, the kept tail, and what the agent sends or reads again after a compaction, such as files.`;
}

type Limits = Pick<SessionView, "threshold" | "threshold_from">;

/** Where the threshold of a session comes from. */
export const thresholdFrom = ({ threshold_from }: Pick<Limits, "threshold_from">): string =>
  threshold_from === undefined
    ? "computed by the rule of the agent for this model, with default settings"
    : `learned from ${count(threshold_from, "automatic compaction")} of this session`;

/** Why an automatic compaction below the threshold is no contradiction. */
function below({ threshold_from }: Pick<Limits, "threshold_from">): string {
  const rule =
    threshold_from === undefined
      ? "the threshold follows from the rule of the agent, its default settings and the model at the active leaf"
      : "the threshold was learned from compactions on the path to the active leaf";
  return `Both are right: ${rule}. The recorded compaction followed the model and the settings that were in force then, and the agent's own count, which may be larger than what the provider had reported.`;
}

/** The same of all recorded compactions, whoever started them. */
export const BELOW_RECORDED =
  "A compaction below the threshold is no contradiction: the user may start one at any size, and an automatic one followed the model, the settings and the agent's own count that were in force then.";

/** What started a compaction and, below the threshold, why that is possible. */
export function triggerWords(
  node: Pick<SummaryNode, "trigger" | "tokens_before">,
  limits: Limits,
): string {
  const { threshold } = limits;
  if (node.trigger !== "auto") return "Started by the user";
  const before = node.tokens_before;
  if (before === null || threshold === null || before >= threshold)
    return "Started automatically by the agent";
  return `Started automatically by the agent at ${tokens(before)}, below the auto-compaction threshold of ${exact(threshold)}. ${below(limits)}`;
}

/** The threshold of a session: where it comes from, and compactions below it. */
export function thresholdWords(
  view: Limits & { summaries: readonly Pick<SummaryNode, "trigger" | "tokens_before">[] },
): string {
  const { threshold } = view;
  if (threshold === null) return "";
  const lower = view.summaries.filter(
    ({ trigger, tokens_before: before }) =>
      trigger === "auto" && before !== null && before < threshold,
  );
  const said = `The auto-compaction threshold is ${tokens(threshold)}: ${thresholdFrom(view)}.`;
  return lower.length === 0
    ? said
    : `${said} ${count(lower.length, "automatic compaction")} of this session started below it. ${below(view)}`;
}

/** The threshold at an entry, which differs from the session's where another model is in force there. */
export const thresholdAt = (
  view: Parameters<typeof thresholdWords>[0],
  threshold: number | null,
): string =>
  threshold === null || threshold === view.threshold
    ? thresholdWords(view)
    : `The auto-compaction threshold at this entry is ${tokens(threshold)}, by the rule of the agent for the model there, with default settings. ${thresholdWords(view)}`.trim();

type Sizes = NonNullable<OutlineRow["sizes"]>;

/** How a compaction changed the context, in sentences. */
export function changeWords(sizes: Sizes, grew: boolean): string {
  const before = `${sizes.before_is_estimate ? "about " : ""}${exact(sizes.before ?? 0)}${sizes.before_is_estimate ? " by estimates" : " as recorded"}`;
  const after = `${exact(sizes.after)} tokens${sizes.after_is_forecast ? " (forecast: no reply since)" : ", by what the next request reported"}`;
  const made = madeOf({
    tokens_after: sizes.after,
    after_is_forecast: sizes.after_is_forecast,
    summary_tokens: sizes.summary,
  });
  return `${grew ? "The context grew: " : ""}${before} → ${after}. ${made}`.trim();
}

/** A compaction or branch summary on the curve, in sentences. */
export function markWords(mark: Timeline["marks"][number], node: SummaryNode | undefined): string {
  const name = mark.kind === "compaction" ? "Compaction" : "Branch summary";
  const sizes = `${name}: context ${exact(mark.before)} → ${mark.is_forecast ? "about " : ""}${exact(mark.after)} tokens.`;
  const made = node === undefined || mark.kind !== "compaction" ? "" : madeOf(node);
  return made === "" ? sizes : `${sizes} ${made}`;
}
