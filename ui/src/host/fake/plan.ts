//! Plans of the made-up sessions; the engine's work in small.

import type * as W from "../../wire/wire";
import { HostError } from "../types";
import { STRATEGIES } from "./strategies";
import type { FakeEntry } from "./teller";
import { taleOf, type Tale } from "./tree";

export const shownText = (e: FakeEntry): string =>
  e.headline ? `${e.tool}(${e.headline})` : e.text;
const sum = (list: readonly FakeEntry[]): number => list.reduce((n, e) => n + e.tokens, 0);

/** The context planned on: at a compaction that is done again, the one just before it. */
function stand(request: { session: string; at: string | null; redo: boolean }): {
  tale: Tale;
  at: FakeEntry;
  all: FakeEntry[];
} {
  const tale = taleOf(request.session);
  const asked = tale.find(request.at);
  const at = request.redo && asked.kind === "compaction" ? tale.find(asked.parent) : asked;
  return { tale, at, all: tale.contextEntries(at.id) };
}

export function cutPoints(request: W.CutPointsRequest): W.CutPoint[] {
  const { tale, at, all } = stand(request);
  const path = tale.path(at.id);
  const first = all[0]?.kind === "compaction" ? 2 : 1;
  return all.flatMap((e, n) =>
    n < first || e.role === "tool"
      ? []
      : [
          {
            entry_id: e.id,
            position: path.indexOf(e),
            tokens: sum(all.slice(n)),
            starts_turn: e.role === "user",
          },
        ],
  );
}

export function plan(request: W.PlanRequest): W.PlanView {
  if (request.to) return planBranch(request, request.to);
  const { tale, at, all } = stand(request);
  const info = STRATEGIES.find((s) => s.name === request.strategy) ?? STRATEGIES[0]!;
  if (info.needs === "model_only" && (request.provider ?? "offline") === "offline")
    throw new HostError({
      code: "user_fixable",
      message: `the strategy ${info.name} needs a model and cannot run offline`,
      hint: "choose a provider with a model",
    });
  const set = request.set as Record<string, W.ParamInfo["default"]>;
  const params = Object.fromEntries(
    info.params.map((p) => [p.name, set[p.path] ?? set[p.name] ?? p.default]),
  );
  const limit = set["summarize.method.reserve_tokens"];
  if (limit === 13)
    throw new HostError({
      code: "user_fixable",
      message: "'13' is no value for 'summarize.method.reserve_tokens': it brings bad luck",
      hint: null,
      field: "summarize.method.reserve_tokens",
    });
  const lent = lentTo(info, set);
  const stray = Object.keys(set).find(
    (path) =>
      path.startsWith("prompts.") &&
      ![...info.params, ...lent.map((own) => own.param)].some((p) => p.path === path),
  );
  if (stray !== undefined)
    throw new HostError({
      code: "user_fixable",
      message: `there is no '${stray}'`,
      hint: null,
      field: stray,
    });
  const cut = cutOf(all, request, Number(params.keep_recent_tokens ?? 12_000));
  const path = tale.path(at.id);
  const paid = request.provider !== null && request.provider !== "offline";
  const base = {
    strategy: info.name,
    params,
    at: at.id,
    tokens_before: tale.contextTokens(at.id),
    turn_start_id: null,
    is_split_turn: false,
    turn_prefix_ids: [],
    dropped_ids: [],
    files: { read: [], modified: [] },
    max_concurrent: 8,
    destination: destination(request),
    common_ancestor_id: null,
    branch: null,
    prompts: [],
    ...(lent.length > 0 ? { lent } : {}),
  };
  if (cut <= 1) {
    const empty = {
      summarize_ids: [],
      calls: [],
      cleared: [],
      bands: [],
      shares: [],
      next: [],
      may_grow: false,
    };
    return {
      ...base,
      ...empty,
      kind: "nothing",
      reason: "The whole context fits into what is kept.",
      first_kept_id: null,
      kept_ids: all.map((e) => e.id),
      previous_summary: null,
      estimated_tokens_after: base.tokens_before,
      estimated_cost_usd: 0,
      most_cost_usd: 0,
      user_prices: false,
      ...sizes(base.tokens_before, base.tokens_before),
    };
  }
  const previous = all[0]!.kind === "compaction" ? all[0]! : null;
  const span = all.slice(previous ? 1 : 0, cut);
  const turn = span.findLastIndex((e) => e.role === "user");
  const split = cut < all.length && all[cut]!.role !== "user" && turn > 0;
  const summarized = split ? span.slice(0, turn) : span;
  const prefix = split ? span.slice(turn) : [];
  const kept = all.slice(cut);
  const steps =
    (set["reduce"] as { kind: string }[] | undefined)?.map((step) => step.kind) ??
    info.stages.reduce;
  const cleared =
    steps.length === 0
      ? []
      : span
          .filter((e) => e.role === "tool")
          .map((e): W.ClearedView => ({
            entry_id: e.id,
            position: path.indexOf(e),
            by: steps[0]!,
            tokens_before: e.tokens,
            tokens_after: 3,
          }));
  const calls = callsOf(request, set, summarized, prefix);
  const after = 4_000 + sum(kept);
  const groups: [W.ItemFate, readonly FakeEntry[]][] = [
    ["carried", previous ? [previous] : []],
    ["summarized", summarized],
    ["turn_prefix", prefix],
    ["kept", kept],
  ];
  const shares = groups
    .filter(([, list]) => list.length > 0)
    .map(([fate, list]) => ({ fate, items: list.length, tokens: sum(list) }));
  const place = (e: FakeEntry): number => path.indexOf(e);
  return {
    ...base,
    kind: "compaction",
    reason: null,
    first_kept_id: kept[0]?.id ?? null,
    is_split_turn: split,
    turn_start_id: split ? prefix[0]!.id : null,
    summarize_ids: summarized.map((e) => e.id),
    turn_prefix_ids: prefix.map((e) => e.id),
    kept_ids: kept.map((e) => e.id),
    previous_summary: previous?.text ?? null,
    files: {
      read: ["src/queue/backoff.rs", "src/broker/session.rs"],
      modified: ["src/queue/retry.rs"],
    },
    cleared,
    calls: request.brief
      ? calls.map((call) => ({ ...call, system: "", prompt: "", conversation: "", slots: [] }))
      : calls,
    bands: groups
      .filter(([fate, list]) => list.length > 0 && fate !== "system")
      .map(([fate, list]) => ({ fate, first: place(list[0]!), last: place(list.at(-1)!) })),
    shares: [{ fate: "system", items: 1, tokens: 3_870 }, ...shares],
    next: [
      { kind: "system", role: null, items: 1, tokens: 3_870, text: null, cut: false },
      {
        kind: "summary",
        role: "user",
        items: 1,
        tokens: 1_600,
        text: "Earlier parts of this conversation were replaced by a summary:\n\n[reply of call 1]",
        cut: false,
      },
      { kind: "kept", role: null, items: kept.length, tokens: sum(kept), text: null, cut: false },
    ],
    may_grow: after > base.tokens_before,
    estimated_tokens_after: after,
    estimated_cost_usd: paid ? 0.0412 : 0,
    most_cost_usd: paid ? 0.0412 : 0,
    user_prices: false,
    ...sizes(base.tokens_before, after),
  };
}

/** What a preset borrows that is switched to segments. */
function lentTo(
  info: W.StrategyInfo,
  set: Record<string, W.ParamInfo["default"]>,
): W.LentPromptView[] {
  if (set["summarize.method.kind"] !== "slices" || info.stages.summarize === "slices") return [];
  const prompt = (name: string, text: string, description: string): W.LentPromptView => ({
    param: {
      name: `prompts.${name}`,
      path: `prompts.${name}`,
      label: name,
      stage: "prompts",
      kind: "text",
      words: [],
      default: text,
      unit: null,
      description,
    },
    from: "parallel-stitch",
    stage: "summarize",
  });
  return [
    prompt(
      "slice",
      "Summarize this segment:\n\n{{conversation}}",
      "requests the summary of one segment",
    ),
    prompt(
      "stitch",
      "Put these together:\n\n{{summaries}}",
      "requests one summary of all segment summaries",
    ),
  ];
}

function destination(request: W.PlanRequest): string {
  const paid = request.provider !== null && request.provider !== "offline";
  return paid
    ? `The span goes to ${request.provider} at api.example.org.`
    : "Nothing leaves this machine: the offline summarizer runs here.";
}

export function leaving(request: W.LeaveRequest): W.LeaveView {
  const tale = taleOf(request.session);
  const planned = planBranch(
    {
      session: request.session,
      at: null,
      redo: false,
      strategy: null,
      set: {},
      instructions: null,
      replace_prompt: false,
      provider: null,
      model: null,
      from: request.from,
    },
    request.to,
  );
  const branch = planned.branch!;
  const entries = branch.left_behind_ids.map((id) => tale.find(id));
  return {
    from_id: branch.from_id,
    to_id: branch.to_id,
    new_leaf_id: branch.new_leaf_id,
    prompt: branch.written_anew ? tale.find(branch.to_id).text.slice(0, 160) : null,
    common_ancestor_id: branch.common_ancestor_id,
    entries: entries.map((e) => ({
      entry_id: e.id,
      kind: e.kind,
      role: e.role,
      is_error: e.isError,
      tools: e.tool ? [e.tool] : [],
      tokens: e.tokens,
      preview: shownText(e).slice(0, 160),
    })),
    tokens_from: tale.contextTokens(branch.from_id!),
    tokens_to: branch.new_leaf_id === null ? 0 : tale.contextTokens(branch.new_leaf_id),
  };
}

/** What is left behind, without its tool results, the newest that fits. */
function planBranch(request: W.PlanRequest, asked: string): W.PlanView {
  const tale = taleOf(request.session);
  const from = tale.find(request.from ?? null);
  const to = tale.find(asked);
  const there = tale.path(to.id);
  const left = tale.path(from.id).filter((e) => !there.includes(e));
  const ancestor = tale.path(from.id).findLast((e) => there.includes(e)) ?? null;
  const anew = to.role === "user" && to.kind === "message";
  const leaf = anew ? to.parent : to.id;
  const stays = leaf === null ? [] : tale.contextEntries(leaf);
  const set = request.set as Record<string, W.ParamInfo["default"]>;
  const budget = Number(set["select.budget_tokens"] ?? set["budget_tokens"] ?? 111_616);
  const told = left.filter((e) => e.role !== null && e.role !== "tool");
  let first = told.length;
  for (let tokens = 0; first > 0 && (budget === 0 || tokens + told[first - 1]!.tokens <= budget);)
    tokens += told[--first]!.tokens;
  const taken = told.slice(first);
  const branch: W.BranchView = {
    from_id: from.id,
    to_id: to.id,
    new_leaf_id: leaf,
    written_anew: anew,
    common_ancestor_id: ancestor?.id ?? null,
    left_behind_ids: left.map((e) => e.id),
    over_budget_ids: told.slice(0, first).map((e) => e.id),
    budget_tokens: budget,
    taken_tokens: sum(taken),
  };
  const base = {
    strategy: request.strategy ?? "pi-branch",
    params: {},
    at: leaf,
    tokens_before: tale.contextTokens(from.id),
    first_kept_id: null,
    turn_start_id: null,
    is_split_turn: false,
    turn_prefix_ids: [],
    kept_ids: stays.map((e) => e.id),
    previous_summary: null,
    dropped_ids: branch.over_budget_ids,
    cleared: [],
    max_concurrent: 8,
    may_grow: false,
    destination: destination(request),
    common_ancestor_id: branch.common_ancestor_id,
    branch,
    prompts: [],
  };
  if (taken.length === 0) {
    const reason =
      from.id === to.id
        ? "the target entry is the start entry; choose another target entry"
        : left.length === 0
          ? "nothing is left behind: the entry to leave lies on the way to the one to go to"
          : "no message is left behind";
    return {
      ...base,
      kind: "nothing",
      reason,
      summarize_ids: [],
      files: { read: [], modified: [] },
      calls: [],
      bands: [],
      shares: [],
      next: [],
      estimated_tokens_after: 0,
      estimated_cost_usd: 0,
      most_cost_usd: 0,
      user_prices: false,
      ...sizes(base.tokens_before, 0),
    };
  }
  const calls = callsOf(request, request.set, taken, []).map((call): W.PlannedCallView => ({
    ...call,
    purpose: "branch",
    label: "the summary of the branch",
    system: request.brief ? "" : call.system,
    prompt: request.brief ? "" : call.prompt,
  }));
  return {
    ...base,
    kind: "branch_summary",
    reason: null,
    summarize_ids: taken.map((e) => e.id),
    files: { read: ["src/broker/session.rs"], modified: ["src/queue/retry.rs"] },
    calls,
    bands: [],
    shares: [
      { fate: "summarized", items: taken.length, tokens: sum(taken) },
      { fate: "kept", items: stays.length, tokens: sum(stays) },
    ],
    next: [
      { kind: "kept", role: null, items: stays.length, tokens: sum(stays), text: null, cut: false },
      {
        kind: "summary",
        role: "user",
        items: 1,
        tokens: 900,
        text: "This conversation returned from another branch:\n\n[reply of call 1]",
        cut: false,
      },
    ],
    estimated_tokens_after: sum(stays) + 900,
    estimated_cost_usd: request.provider === "offline" || request.provider === null ? 0 : 0.0124,
    most_cost_usd: request.provider === "offline" || request.provider === null ? 0 : 0.0124,
    user_prices: false,
    ...sizes(base.tokens_before, sum(stays) + 900),
  };
}

/** Nothing is unseen in a tale: its sizes are sums of what it holds. */
const sizes = (
  before: number,
  after: number,
): Pick<W.PlanView, "estimated_tokens_before" | "sizes"> => ({
  estimated_tokens_before: before,
  sizes: { before, after, unseen: 0 },
});

/** Where the kept tail begins, in the context. */
function cutOf(all: readonly FakeEntry[], request: W.PlanRequest, keep: number): number {
  if (request.set["select.kind"] === "everything") return all.length;
  if (request.set["select.kind"] === "cut_at")
    return all.findIndex((e) => e.id === request.set["select.first_kept"]);
  let cut = all.length;
  for (let tokens = 0; cut > 0 && tokens < keep;) tokens += all[--cut]!.tokens;
  return cut;
}

function callsOf(
  request: W.PlanRequest,
  set: W.PlanRequest["set"],
  summarized: readonly FakeEntry[],
  prefix: readonly FakeEntry[],
): W.PlannedCallView[] {
  const told = (list: readonly FakeEntry[]): string =>
    list.map((e) => `[${e.role ?? "Summary"}]: ${shownText(e)}`).join("\n\n");
  const asked = request.instructions ?? "";
  const call = (
    label: string,
    step: W.StepKind,
    prompt: string,
    more: Partial<W.PlannedCallView> = {},
  ): W.PlannedCallView => ({
    purpose: "history",
    label,
    step,
    after: [],
    slots: [],
    worker: "model",
    model: null,
    system: "You write checkpoints of coding sessions. Do not continue the conversation.",
    prompt,
    conversation: told(summarized),
    max_output_tokens: 13_107,
    temperature: null,
    input_tokens: Math.ceil(prompt.length / 4),
    request: "transcript",
    messages: [],
    cached_tokens: 0,
    retries: [],
    most_smaller: 0,
    attempts: 1,
    ...more,
  });
  const conversation = `<conversation>\n${told(summarized)}\n</conversation>`;
  const order =
    request.replace_prompt && asked
      ? asked
      : `Write a structured checkpoint of the conversation above.${asked ? `\n\nAdditional focus: ${asked}` : ""}`;
  if (set["summarize.method.kind"] === "slices" || set["summarize.kind"] === "slices") {
    const half = Math.ceil(summarized.length / 2);
    const mark = (n: number): string => `{{reply of call ${n}}}`;
    const stitch = `Put these together:\n\n${mark(0)}\n\n${mark(1)}\n\n${order}`;
    const slot = (n: number): W.ReplySlotView => ({
      start: stitch.indexOf(mark(n)),
      end: stitch.indexOf(mark(n)) + mark(n).length,
      call: n,
    });
    return [
      call(
        "the summary (segment 1 of 2)",
        "slice",
        `${told(summarized.slice(0, half))}\n\n${order}`,
      ),
      call("the summary (segment 2 of 2)", "slice", `${told(summarized.slice(half))}\n\n${order}`),
      call("the summary (segments put together)", "stitch", stitch, {
        after: [0, 1],
        slots: [slot(0), slot(1)],
      }),
    ];
  }
  return [
    call(
      "the summary",
      "whole",
      request.replace_prompt && asked
        ? `${asked}\n\n${conversation}`
        : `${conversation}\n\n${order}`,
    ),
    ...(prefix.length > 0
      ? [
          call("the summary of the split turn's beginning", "whole", told(prefix), {
            purpose: "turn_prefix",
            max_output_tokens: 8_192,
          }),
        ]
      : []),
  ];
}
