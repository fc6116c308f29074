//! Sums over plans. Pure.

import type { FallbackView, PlanView, PlannedCallView } from "../../../wire/wire";
import { capital, count, short } from "../../text/format";

type Sized = Pick<PlanView, "shares" | "sizes">;

/** Why the input of the calls is not the size of what they summarize. */
export const PROMPTS_DIFFER =
  "A prompt holds the summarized messages as the strategy writes them, often with shortened tool results, and its instructions. So it is smaller or larger than the summarized part of the context.";

/** Tokens of the context that a summary replaces, in the unit of the plan's sizes. */
export const replacedBy = (plan: PlanView): number =>
  sharesOf(plan)
    .filter(({ fate }) => fate === "summarized" || fate === "turn_prefix" || fate === "carried")
    .reduce((sum, share) => sum + share.tokens, 0);

/** Tokens of all calls of a plan, in the unit of its sizes before and after. */
export const inputOf = (plan: Sized & Pick<PlanView, "calls">): number =>
  inUnit(
    plan,
    plan.calls.reduce((sum, call) => sum + call.input_tokens, 0),
  );

/**
 * Estimates in another unit: each in proportion, so that together they are exactly `total`. What
 * a provider counts is more than the sum of the estimates.
 */
export function scaledTo<T extends { tokens: number }>(parts: readonly T[], total: number): T[] {
  const sum = parts.reduce((n, part) => n + part.tokens, 0);
  if (sum === 0) return [...parts];
  let passed = 0;
  let given = 0;
  return parts.map((part) => {
    passed += part.tokens;
    const upTo = Math.round((passed / sum) * total);
    const tokens = upTo - given;
    given = upTo;
    return { ...part, tokens };
  });
}

/** Names of the part that the session file does not contain. */
export const UNSEEN = {
  key: "unseen",
  name: "not in the file: system prompt, tools, text sent again",
  meaning:
    "The session file does not contain the system prompt, the tool definitions, and what the agent sends again after a compaction (files in view, memory files, reminders). They stay in the next request.",
} as const;

/** An estimate of messages in the unit of the plan's sizes before and after. */
export function inUnit(plan: Sized, tokens: number): number {
  const sum = plan.shares.reduce((n, share) => n + share.tokens, 0);
  return sum === 0 ? tokens : Math.round((tokens * (plan.sizes.before - plan.sizes.unseen)) / sum);
}

/** What becomes of the context, in the unit of the sizes before and after: it adds up to the first. */
export const sharesOf = (plan: PlanView): PlanView["shares"] =>
  scaledTo(plan.shares, plan.sizes.before - plan.sizes.unseen);

/** The parts of the next request in the same unit: they add up to the size after. */
export const nextOf = (plan: PlanView): PlanView["next"] =>
  scaledTo(plan.next, plan.sizes.after - plan.sizes.unseen);

/**
 * What the parts are by the strategy's own estimate, where that is another unit than that of the
 * sizes: its parameters are in it.
 */
export function ownEstimate(
  plan: PlanView,
): { before: number; after: number; kept: number | null } | null {
  const before = plan.shares.reduce((n, share) => n + share.tokens, 0);
  const counted = plan.sizes.before - plan.sizes.unseen;
  // Closer than this, both round to the same figures.
  const SAME = 0.02;
  if (before === 0 || Math.abs(counted - before) <= SAME * before) return null;
  const kept = plan.shares.find((share) => share.fate === "kept");
  return { before, after: plan.estimated_tokens_after, kept: kept?.tokens ?? null };
}

/**
 * How many times the estimates of single entries the plan's sizes are, with one decimal: a provider
 * counts more than an estimate from the text. Null where both are about the same.
 */
export function timesEstimates(plan: Sized): string | null {
  const estimated = plan.shares.reduce((n, share) => n + share.tokens, 0);
  if (estimated === 0) return null;
  const times = ((plan.sizes.before - plan.sizes.unseen) / estimated).toFixed(1);
  return times === "1.0" ? null : times;
}

/** Calls that can be made at the same time, wave after wave: each waits only for earlier ones. */
export function waves(calls: readonly Pick<PlannedCallView, "after">[]): number[][] {
  const level: number[] = [];
  for (const [n, call] of calls.entries())
    level[n] = call.after.reduce((most, at) => Math.max(most, (level[at] ?? -1) + 1), 0);
  const list: number[][] = [];
  for (const [n, at] of level.entries()) (list[at] ??= []).push(n);
  return list;
}

export interface CallGroup {
  /** The calls, in their order. */
  calls: number[];
  /** Each waits for the one before; else they are made at the same time. */
  chain: boolean;
}

/** The waves as they are read: single calls one after another are one group, not a heading each. */
export function callGroups(calls: readonly Pick<PlannedCallView, "after">[]): CallGroup[] {
  const groups: CallGroup[] = [];
  for (const wave of waves(calls)) {
    const last = groups.at(-1);
    if (wave.length === 1 && last?.chain) last.calls.push(wave[0]!);
    else groups.push({ calls: wave, chain: wave.length === 1 });
  }
  return groups;
}

/** `1`, `1 and 2`, `1 to 4`, `1, 3 and 5`: call numbers as people count, from 1. */
export function callNumbers(calls: readonly number[]): string {
  const list = [...calls].sort((a, b) => a - b).map((n) => n + 1);
  const run = list.length > 2 && list.every((n, i) => i === 0 || n === list[i - 1]! + 1);
  if (run) return `${list[0]} to ${list.at(-1)}`;
  return list.length < 2
    ? String(list[0] ?? "")
    : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;
}

/** What was made smaller, step by step: how many messages, tokens before and after. */
export function clearedBy(
  cleared: PlanView["cleared"],
): { by: string; entries: string[]; items: number; before: number; after: number }[] {
  const steps = new Map<
    string,
    { by: string; entries: string[]; items: number; before: number; after: number }
  >();
  for (const one of cleared) {
    const step = steps.get(one.by) ?? { by: one.by, entries: [], items: 0, before: 0, after: 0 };
    step.items += 1;
    step.before += one.tokens_before;
    step.after += one.tokens_after;
    if (one.entry_id !== null) step.entries.push(one.entry_id);
    steps.set(one.by, step);
  }
  return [...steps.values()];
}

/** A piece of a prompt: text, the conversation it is about, or the place where a reply comes in. */
export type PromptPiece = { text: string } | { conversation: string } | { reply: number };

/** Shorter conversations are read as part of the request. */
const FOLDED_FROM = 2_000;

/** The pieces with the conversation apart from the request, where the prompt has it as it is. */
export function requestPieces(
  call: Pick<PlannedCallView, "prompt" | "slots" | "conversation">,
): PromptPiece[] {
  const { conversation } = call;
  if (conversation.length < FOLDED_FROM) return promptPieces(call);
  let found = false;
  return promptPieces(call).flatMap((piece): PromptPiece[] => {
    const at = found || !("text" in piece) ? -1 : piece.text.indexOf(conversation);
    if (at < 0 || !("text" in piece)) return [piece];
    found = true;
    const parts: PromptPiece[] = [
      { text: piece.text.slice(0, at) },
      { conversation },
      { text: piece.text.slice(at + conversation.length) },
    ];
    return parts.filter((part) => !("text" in part) || part.text !== "");
  });
}

/** A text in parts, every other one (the second, the fourth) being what was looked for. */
export function splitBy(text: string, typed: string): string[] {
  if (typed === "") return [text];
  const parts: string[] = [];
  const lower = text.toLowerCase();
  const wanted = typed.toLowerCase();
  let from = 0;
  // Letters whose small form has another length would shift what follows.
  if (lower.length !== text.length) return [text];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

/** A prompt in pieces: text, and the places where replies come in. */
export function promptPieces(
  call: Pick<PlannedCallView, "prompt" | "slots">,
): ({ text: string } | { reply: number })[] {
  const pieces: ({ text: string } | { reply: number })[] = [];
  let from = 0;
  for (const slot of [...call.slots].sort((a, b) => a.start - b.start)) {
    if (slot.start > from) pieces.push({ text: call.prompt.slice(from, slot.start) });
    pieces.push({ reply: slot.call });
    from = slot.end;
  }
  if (from < call.prompt.length) pieces.push({ text: call.prompt.slice(from) });
  return pieces;
}

/**
 * A text in stretches of whole lines, so that a browser need only lay out those on screen. Put
 * together they are the text.
 */
export function stretches(text: string, size = 8_000): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > size) {
    const end = text.indexOf("\n", from + size);
    if (end < 0) break;
    parts.push(text.slice(from, end + 1));
    from = end + 1;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** What is done with a call of a plan that fails, in sentences; none where the run ends. */
export function onFailure(
  call: Pick<PlannedCallView, "retries" | "most_smaller" | "attempts">,
  plan: Sized,
): string[] {
  const told = call.retries.map((retry) => {
    const less = [
      retry.left_out > 0 ? `without ${count(retry.left_out, "message")}` : "",
      retry.max_chars !== null ? `messages truncated to ${short(retry.max_chars)} characters` : "",
    ].filter((part) => part !== "");
    return `${capital(less.join(", ") || "same call")}: ${short(inUnit(plan, retry.input_tokens))} input tokens.`;
  });
  if (call.most_smaller > 0)
    told.push(
      `At most ${count(call.most_smaller, "further request")} if the call does not fit, fewer where the provider states its limit.`,
    );
  return call.attempts > 1
    ? [...told, `At most ${call.attempts} attempts if the call fails or its reply is refused.`]
    : told;
}

/** The fallbacks of a plan, in the order they are used, in sentences. */
export const otherwise = (fallbacks: readonly FallbackView[]): string[] =>
  fallbacks.flatMap((own) => [
    `${capital(own.meaning)} (${own.calls.length === 0 ? "no calls" : count(own.calls.length, "call")}).`,
    ...otherwise(own.fallbacks),
  ]);
