//! The branches of the made-up sessions, and contexts side by side.

import type * as W from "../../wire/wire";
import { taleOf } from "./tree";

type Entry = ReturnType<typeof taleOf>["entries"][number];
const sum = (list: readonly Entry[]): number => list.reduce((n, e) => n + e.tokens, 0);
const isPrompt = (e: Entry): boolean => e.role === "user" && e.kind === "message";

/** Leaves beside the active path, each with the entries that only it has. */
export function branchesOf(session: string): W.BranchesView {
  const tale = taleOf(session);
  const active = new Set(tale.path(tale.leaf).map((e) => e.id));
  const parents = new Set(tale.entries.map((e) => e.parent));
  const tips = tale.entries.filter((e) => !parents.has(e.id) && !active.has(e.id));
  const branch = (tip: string, own: readonly Entry[]) => {
    const from = own[0]!.parent;
    return {
      kind: from === null ? "root" : "branch",
      name: (own.find(isPrompt) ?? own[0]!).text.slice(0, 80),
      from_id: from,
      first_id: own[0]!.id,
      tip_id: tip,
      entries: own.length,
      prompts: own.filter(isPrompt).length,
      tokens: sum(own),
      updated_at: null,
      summary_ids: [],
    } satisfies W.SessionBranch;
  };
  const branches = tips.map((tip) =>
    branch(
      tip.id,
      tale.path(tip.id).filter((e) => !active.has(e.id)),
    ),
  );
  const forks = branches.flatMap((one) => one.from_id ?? []);
  const path = tale.path(tale.leaf);
  const last = path.slice(0, -1).findLastIndex((e) => forks.includes(e.id));
  return {
    branches,
    active: branch(tale.leaf, path.slice(last + 1)),
    fork_ids: [...new Set(forks)],
    leaf_id: tale.leaf,
  };
}

export function branchCompare(request: W.BranchCompareRequest): W.BranchCompareView {
  const tale = taleOf(request.session);
  const right = request.right ?? tale.leaf;
  const shared = tale.path(request.left).filter((e) => tale.path(right).includes(e));
  const side = (tip: string): W.BranchSide => {
    const own = tale.path(tip).filter((e) => !shared.includes(e));
    const answer = own.findLast((e) => e.role === "assistant" && !e.tool);
    // A pipe hides that tests failed: the result says it, and is no failure to the agent.
    const wrong = own.filter((e) => e.role === "tool" && (e.isError || e.text.includes("FAILED")));
    const commands = own.filter((e) => e.role === "assistant" && e.tool === "bash");
    return {
      tip_id: tip,
      entries: own.length,
      prompts: own.filter(isPrompt).length,
      calls: own.filter((e) => e.tool).length,
      failed: wrong.length,
      commands: commands.map((e) => ({
        entry_id: e.id,
        command: e.headline ?? "",
        failed: wrong.some((result) => result.parent === e.id),
      })),
      total_commands: commands.length,
      files: { read: [], modified: ["src/courier.ts"] },
      tokens: sum(own),
      context: { items: 10, tokens: tale.contextTokens(tip), window: 200_000, threshold: null },
      cost_usd: 0.12,
      cost_computed: true,
      answer_id: answer?.id ?? null,
      answer: answer?.text ?? "",
    };
  };
  const sides = { left: side(request.left), right: side(right) };
  const line = (text: string): W.DiffLine => ({ number: 1, text, ranges: [] });
  return {
    common_ancestor_id: shared.at(-1)?.id ?? null,
    ...sides,
    rows: [{ kind: "replace", left: line(sides.left.answer), right: line(sides.right.answer) }],
  };
}

export function contextRows(session: string, from: string, to: string): W.ContextRows {
  const diff = taleOf(session).contextDiff({ session, from, to });
  const row =
    (side: "before" | "after") =>
    (item: W.ContextItemView): W.ContextRow => ({
      side,
      count: 1,
      tokens: item.tokens.size,
      item,
    });
  return {
    rows: [
      { side: "both", count: diff.shared, tokens: diff.shared_tokens, item: null },
      ...diff.removed.map(row("before")),
      ...diff.added.map(row("after")),
    ],
    same: diff.shared,
    same_tokens: diff.shared_tokens,
    removed: diff.removed.length,
    removed_tokens: diff.removed_tokens,
    added: diff.added.length,
    added_tokens: diff.added_tokens,
  };
}
