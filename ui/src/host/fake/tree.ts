//! The made-up session seen as a tree, a context and a timeline; the backend's work in small.

import type * as W from "../../wire/wire";
import { tell, type FakeEntry } from "./story";

const told = tell();
export const entries = told.entries;
export const leaf = told.leaf;
export const WINDOW = 200_000;
export const RESERVE = 16_384;
/** The made-up window is small, so that 130 entries fill it. */
export const SMALL_WINDOW = 64_000;
export const THRESHOLD = SMALL_WINDOW - RESERVE;
const SYSTEM_TOKENS = 3_870;

const byId = new Map(entries.map((e) => [e.id, e]));
const children = new Map<string | null, FakeEntry[]>();
for (const entry of entries) {
  const siblings = children.get(entry.parent) ?? [];
  siblings.push(entry);
  children.set(entry.parent, siblings);
}
export const childrenOf = (id: string | null): FakeEntry[] => children.get(id) ?? [];

export function find(id: string | null): FakeEntry {
  const entry = id === null || id === "leaf" ? byId.get(leaf) : (byId.get(id) ?? entries.find((e) => e.id.startsWith(id)));
  return entry ?? entries[entries.length - 1]!;
}

export function path(to: string): FakeEntry[] {
  const up: FakeEntry[] = [];
  for (let at: FakeEntry | undefined = find(to); at; at = at.parent === null ? undefined : byId.get(at.parent)) up.push(at);
  return up.reverse();
}
const activePath = new Set(path(leaf).map((e) => e.id));

/** The entries a model gets at `to`: the newest summary, the kept tail, what follows. */
export function contextEntries(to: string): FakeEntry[] {
  const whole = path(to);
  const cut = whole.findLastIndex((e) => e.kind === "compaction");
  const messages = (list: FakeEntry[]): FakeEntry[] => list.filter((e) => e.role !== null || e.kind === "branch_summary");
  if (cut < 0) return messages(whole);
  const compaction = whole[cut]!;
  const kept = whole.findIndex((e) => e.id === compaction.kept);
  return [compaction, ...messages(whole.slice(kept, cut)), ...messages(whole.slice(cut + 1))];
}
export function contextTokens(to: string): number {
  return SYSTEM_TOKENS + contextEntries(to).reduce((sum, e) => sum + e.tokens, 0);
}

const HIDDEN = new Set(["model_change", "thinking_change"]);
function shown(entry: FakeEntry, filter: W.TreeFilter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "default":
      return !HIDDEN.has(entry.kind);
    case "no_tools":
      return !HIDDEN.has(entry.kind) && entry.kind !== "tool_result";
    case "user_only":
      return entry.role === "user";
    case "labeled_only":
      return entry.label !== undefined;
  }
}

export function outline(request: W.OutlineRequest): W.OutlinePage {
  const rows: W.OutlineRow[] = [];
  const folded = new Set(request.folded);
  const stack: { entry: FakeEntry; depth: number; starts: boolean }[] = childrenOf(null).map((entry) => ({ entry, depth: 0, starts: false }));
  while (stack.length > 0) {
    const { entry, depth, starts } = stack.pop()!;
    const kids = childrenOf(entry.id);
    if (shown(entry, request.filter)) {
      const compaction = entry.kind === "compaction";
      rows.push({
        entry_id: entry.id,
        ix: entries.indexOf(entry),
        line: entries.indexOf(entry) + 1,
        depth,
        kind: entry.kind,
        role: entry.role,
        tools: entry.tool ? [entry.tool] : [],
        label: entry.label ?? null,
        preview: (entry.headline ?? entry.text).replace(/\s+/g, " ").slice(0, 160),
        tokens: entry.tokens,
        tokens_before: compaction ? contextTokens(entry.parent!) : null,
        tokens_after: compaction ? contextTokens(entry.id) : null,
        timestamp: entry.time,
        children: kids.length,
        starts_branch: starts,
        folded: folded.has(entry.id),
        on_active_path: activePath.has(entry.id),
        is_active_leaf: entry.id === leaf,
        is_error: entry.isError,
        sidechain: false,
        begins_file: null,
      });
    }
    if (folded.has(entry.id)) continue;
    const split = kids.length > 1;
    for (const kid of [...kids].reverse()) stack.push({ entry: kid, depth: depth + (split ? 1 : 0), starts: split });
  }
  const focus = request.around === null ? -1 : rows.findIndex((r) => r.entry_id === request.around);
  const offset = focus >= 0 ? Math.max(0, focus - Math.floor(request.limit / 2)) : request.offset;
  return { total: rows.length, offset, rows: rows.slice(offset, offset + request.limit), focus: focus >= 0 ? focus : null };
}

export function timeline(at: string | null): W.Timeline {
  const whole = path(at ?? leaf);
  const points = whole.map((e, position) => ({ position, entry_id: e.id, tokens: contextTokens(e.id), reported: e.role === "assistant" }));
  const marks = whole.flatMap((e, position) =>
    e.kind === "compaction" || e.kind === "branch_summary"
      ? [{ position, entry_id: e.id, kind: e.kind, before: points[position - 1]!.tokens, after: points[position]!.tokens }]
      : [],
  );
  return { at: at ?? leaf, length: whole.length, points, marks, window: SMALL_WINDOW, threshold: THRESHOLD, max: Math.max(...points.map((p) => p.tokens)) };
}

function category(e: FakeEntry): string {
  if (e.kind === "compaction" || e.kind === "branch_summary") return "summaries";
  if (e.role === "user") return "user";
  if (e.role === "tool") return "tool_results";
  return e.tool ? "tool_calls" : "assistant_text";
}

function item(e: FakeEntry): W.ContextItemView {
  const summary = e.kind === "compaction" || e.kind === "branch_summary";
  const text = e.tool && e.role === "assistant" ? `${e.tool}(${JSON.stringify({ path: e.headline })})` : e.text;
  return {
    role: summary ? "user" : (e.role ?? "user"),
    native_role: summary ? `${e.kind}Summary` : (e.role ?? ""),
    kind: e.kind === "compaction" ? "compaction_summary" : summary ? "branch_summary" : "message",
    entry_ids: [e.id],
    origin: summary ? "summary" : "verbatim",
    tokens: { estimated: e.tokens, counted: null, reported: null },
    category: category(e),
    tool_name: e.role === "tool" ? (e.tool ?? null) : null,
    sent: true,
    text,
    total_chars: text.length,
  };
}

export function context(request: W.ContextRequest): W.ContextView {
  const at = find(request.at).id;
  const list = contextEntries(at);
  const by_category: Record<string, number> = { not_recorded: SYSTEM_TOKENS };
  const by_tool: Record<string, number> = {};
  for (const e of list) {
    by_category[category(e)] = (by_category[category(e)] ?? 0) + e.tokens;
    if (e.role === "tool") by_tool[e.tool!] = (by_tool[e.tool!] ?? 0) + e.tokens;
  }
  const unknown: W.ContextItemView = {
    role: "system", native_role: "system", kind: "not_recorded", entry_ids: [], origin: "not_recorded",
    tokens: { estimated: 0, counted: null, reported: SYSTEM_TOKENS }, category: "not_recorded", tool_name: null, sent: true, text: "", total_chars: 0,
  };
  const items = [unknown, ...list.map(item)];
  const total = contextTokens(at);
  const end = request.limit === null ? undefined : request.offset + request.limit;
  return {
    at, model: "claude-sonnet-4-5", thinking_level: "medium", window: SMALL_WINDOW, threshold: THRESHOLD, reserve: RESERVE,
    tokens: { estimated: total - SYSTEM_TOKENS, counted: request.tokenizer === null ? null : Math.round(total * 0.93), reported: total },
    by_category, own_categories: [], by_tool, total_items: items.length, offset: request.offset, items: items.slice(request.offset, end),
    compaction_id: path(at).findLast((e) => e.kind === "compaction")?.id ?? null,
  };
}

export function contextDiff(request: W.ContextDiffRequest): W.ContextDiff {
  const from = contextEntries(find(request.from).id);
  const to = contextEntries(find(request.to).id);
  const sum = (list: FakeEntry[]): number => list.reduce((n, e) => n + e.tokens, 0);
  const shared = to.filter((e) => from.includes(e));
  const removed = from.filter((e) => !to.includes(e));
  const added = to.filter((e) => !from.includes(e));
  return {
    shared: shared.length, shared_tokens: sum(shared), removed: removed.map(item), added: added.map(item),
    removed_tokens: sum(removed), added_tokens: sum(added),
  };
}
