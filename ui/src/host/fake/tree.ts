//! A made-up session seen as a tree, a context and a timeline; the backend's work in small.

import type * as W from "../../wire/wire";
import { tellApproaches } from "./approaches";
import { tellCourier } from "./courier";
import { tellErrand, tellHarbour } from "./harbour";
import type { FakeEntry, Told } from "./teller";

export const RESERVE = 16_384;
/** The made-up windows are small, so that a hundred entries fill them. */
export const SMALL_WINDOW = 64_000;
export const THRESHOLD = SMALL_WINDOW - RESERVE;
const SYSTEM_TOKENS = 3_870;
const HIDDEN = new Set(["model_change", "thinking_change", "custom"]);

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
function category(e: FakeEntry): W.Category {
  if (e.kind === "compaction" || e.kind === "branch_summary") return "summaries";
  if (e.role === "user") return "user";
  if (e.role === "tool") return "tool_results";
  return e.tool ? "tool_calls" : "assistant_text";
}

function item(e: FakeEntry): W.ContextItemView {
  const summary = e.kind === "compaction" || e.kind === "branch_summary";
  const text =
    e.tool && e.role === "assistant"
      ? `${e.tool}(${JSON.stringify({ path: e.headline })})`
      : e.text;
  return {
    role: summary ? "user" : (e.role ?? "user"),
    native_role: summary ? `${e.kind}Summary` : (e.role ?? ""),
    kind: e.kind === "compaction" ? "compaction_summary" : summary ? "branch_summary" : "message",
    entry_ids: [e.id],
    origin: summary ? "summary" : "verbatim",
    tokens: { estimated: e.tokens, counted: null, reported: null, size: e.tokens },
    category: category(e),
    tool_name: e.role === "tool" ? (e.tool ?? null) : null,
    sent: true,
    text,
    total_chars: text.length,
  };
}

export class Tale {
  readonly entries: FakeEntry[];
  readonly leaf: string;
  private readonly byId: Map<string, FakeEntry>;
  private readonly children = new Map<string | null, FakeEntry[]>();
  private readonly active: Set<string>;

  constructor(readonly told: Told) {
    this.entries = told.entries;
    this.leaf = told.leaf;
    this.byId = new Map(told.entries.map((e) => [e.id, e]));
    for (const entry of told.entries) {
      const siblings = this.children.get(entry.parent) ?? [];
      siblings.push(entry);
      this.children.set(entry.parent, siblings);
    }
    this.active = new Set(this.path(told.leaf).map((e) => e.id));
  }

  childrenOf(id: string | null): FakeEntry[] {
    return this.children.get(id) ?? [];
  }
  has(id: string): boolean {
    return this.byId.has(id);
  }
  isActive(id: string): boolean {
    return this.active.has(id);
  }
  find(id: string | null): FakeEntry {
    const entry =
      id === null || id === "leaf"
        ? this.byId.get(this.leaf)
        : (this.byId.get(id) ?? this.entries.find((e) => e.id.startsWith(id)));
    return entry ?? this.entries[this.entries.length - 1]!;
  }
  path(to: string): FakeEntry[] {
    const up: FakeEntry[] = [];
    for (
      let at: FakeEntry | undefined = this.find(to);
      at;
      at = at.parent === null ? undefined : this.byId.get(at.parent)
    )
      up.push(at);
    return up.reverse();
  }
  /** The file an entry is in, where the session has several. */
  fileOf(e: FakeEntry): string | null {
    const ix = this.entries.indexOf(e);
    return (
      this.told.files.findLast((file) => this.entries.findIndex((f) => f.id === file.first) <= ix)
        ?.path ?? null
    );
  }

  /** The entries a model gets at `to`: the newest summary, the kept tail, what follows. */
  contextEntries(to: string): FakeEntry[] {
    const whole = this.path(to);
    const cut = whole.findLastIndex((e) => e.kind === "compaction");
    const messages = (list: FakeEntry[]): FakeEntry[] =>
      list.filter((e) => e.role !== null || e.kind === "branch_summary");
    if (cut < 0) return messages(whole);
    const compaction = whole[cut]!;
    const kept = whole.findIndex((e) => e.id === compaction.kept);
    return [compaction, ...messages(whole.slice(kept, cut)), ...messages(whole.slice(cut + 1))];
  }
  contextTokens(to: string): number {
    return SYSTEM_TOKENS + this.contextEntries(to).reduce((sum, e) => sum + e.tokens, 0);
  }

  /** A price that grows with what was said, so that prompts differ. */
  private turnOf(entry: FakeEntry): W.TurnView {
    return {
      cost_usd: (entry.tokens + 1) / 100,
      cost_computed: true,
      duration_ms: 60_000 + entry.tokens * 1000,
      costs_most: false,
    };
  }

  turns(): W.TurnsView {
    const prompts = this.entries.filter((entry) => entry.role === "user");
    const row = (entry: FakeEntry): W.TurnRow => ({
      entry_id: entry.id,
      line: null,
      timestamp: entry.time,
      preview: entry.text.slice(0, 160),
      ...this.turnOf(entry),
    });
    return { turns: prompts.map(row) };
  }

  outline(request: W.OutlineRequest): W.OutlinePage {
    const rows: W.OutlineRow[] = [];
    const folded = new Set([
      ...request.folded,
      ...this.entries
        .filter((e) => this.begins(e) && !request.unfolded.includes(e.id))
        .map((e) => e.id),
    ]);
    const stack: { entry: FakeEntry; depth: number; starts: boolean }[] = this.childrenOf(null).map(
      (entry) => ({ entry, depth: 0, starts: false }),
    );
    while (stack.length > 0) {
      const { entry, depth, starts } = stack.pop()!;
      const kids = this.childrenOf(entry.id);
      if (shown(entry, request.filter))
        rows.push({
          ...this.row(entry, depth, starts, folded.has(entry.id)),
          ...(request.filter === "user_only" ? { turn: this.turnOf(entry) } : {}),
        });
      if (folded.has(entry.id)) continue;
      const split = kids.length > 1;
      for (const kid of [...kids].reverse())
        stack.push({ entry: kid, depth: depth + (split ? 1 : 0), starts: split });
    }
    // An entry that is not shown is found at the nearest one above it that is.
    let around = request.around === null ? undefined : this.byId.get(request.around);
    let focus = -1;
    while (around && focus < 0) {
      focus = rows.findIndex((r) => r.entry_id === around!.id);
      around = around.parent === null ? undefined : this.byId.get(around.parent);
    }
    const offset = focus >= 0 ? Math.max(0, focus - Math.floor(request.limit / 2)) : request.offset;
    return {
      total: rows.length,
      offset,
      rows: rows.slice(offset, offset + request.limit),
      focus: focus >= 0 ? focus : null,
    };
  }
  /** True for the first entry of a subagent's conversation. */
  private begins(e: FakeEntry): boolean {
    return e.sidechain === true && this.find(e.parent).sidechain !== true;
  }
  /** Entries of the subagent's conversation below one of its entries, that one included. */
  private inside(e: FakeEntry): number {
    const below = this.childrenOf(e.id).filter((kid) => kid.sidechain === true);
    return below.reduce((sum, kid) => sum + this.inside(kid), 1);
  }
  private row(entry: FakeEntry, depth: number, starts: boolean, folded: boolean): W.OutlineRow {
    const compaction = entry.kind === "compaction";
    const ix = this.entries.indexOf(entry);
    const begun = this.told.files.find((file) => file.first === entry.id);
    return {
      entry_id: entry.id,
      ix,
      line: ix + 1,
      depth,
      kind: entry.kind,
      role: entry.role,
      tools: entry.tool ? [entry.tool] : [],
      label: entry.label ?? null,
      preview: (entry.headline ?? entry.text).replace(/\s+/g, " ").slice(0, 160),
      tokens: entry.tokens,
      ...(compaction
        ? {
            sizes: {
              before: this.contextTokens(entry.parent!),
              before_is_estimate: false,
              after: this.contextTokens(entry.id),
              after_is_forecast: false,
              summary: entry.tokens,
            },
          }
        : {}),
      timestamp: entry.time,
      children: this.childrenOf(entry.id).length,
      starts_branch: starts,
      folded,
      on_active_path: this.active.has(entry.id),
      is_active_leaf: entry.id === this.leaf,
      is_error: entry.isError,
      aborted: false,
      undone: false,
      rejected: false,
      sidechain: entry.sidechain ?? false,
      ...(this.begins(entry) ? { inside: this.inside(entry) } : {}),
      ...(begun ? { begins_file: begun.path } : {}),
    };
  }

  timeline(at: string | null): W.Timeline {
    const whole = this.path(at ?? this.leaf);
    const points = whole.map((e, position) => ({
      position,
      entry_id: e.id,
      tokens: this.contextTokens(e.id),
      reported: e.role === "assistant",
    }));
    const marks = whole.flatMap((e, position) =>
      e.kind === "compaction" || e.kind === "branch_summary"
        ? [
            {
              position,
              entry_id: e.id,
              kind: e.kind,
              before: points[position - 1]!.tokens,
              after: points[position]!.tokens,
              is_forecast: false,
            },
          ]
        : [],
    );
    return {
      at: at ?? this.leaf,
      length: whole.length,
      points,
      marks,
      window: SMALL_WINDOW,
      threshold: THRESHOLD,
      max: Math.max(...points.map((p) => p.tokens)),
    };
  }

  context(request: W.ContextRequest): W.ContextView {
    const at = this.find(request.at).id;
    const list = this.contextEntries(at);
    const by_category: Record<string, number> = { not_recorded: SYSTEM_TOKENS };
    const by_tool: Record<string, number> = {};
    for (const e of list) {
      by_category[category(e)] = (by_category[category(e)] ?? 0) + e.tokens;
      if (e.role === "tool") by_tool[e.tool!] = (by_tool[e.tool!] ?? 0) + e.tokens;
    }
    const unknown: W.ContextItemView = {
      role: "system",
      native_role: "system",
      kind: "not_recorded",
      entry_ids: [],
      origin: "not_recorded",
      tokens: { estimated: 0, counted: null, reported: SYSTEM_TOKENS, size: SYSTEM_TOKENS },
      category: "not_recorded",
      tool_name: null,
      sent: true,
      text: "",
      total_chars: 0,
    };
    const items = [unknown, ...list.map(item)];
    const total = this.contextTokens(at);
    const end = request.limit === null ? undefined : request.offset + request.limit;
    return {
      at,
      model: this.told.model,
      thinking_level: "medium",
      window: SMALL_WINDOW,
      threshold: THRESHOLD,
      reserve: RESERVE,
      tokens: {
        estimated: total - SYSTEM_TOKENS,
        counted: request.tokenizer === null ? null : Math.round(total * 0.93),
        reported: total,
        size: total,
      },
      basis: "reported",
      estimated_since: 0,
      by_category,
      own_categories: this.told.own.map(([name, tokens]) => ({
        name,
        tokens: tokens ?? total - SYSTEM_TOKENS,
      })),
      by_tool,
      total_items: items.length,
      offset: request.offset,
      items: items.slice(request.offset, end),
      compaction_id: this.path(at).findLast((e) => e.kind === "compaction")?.id ?? null,
    };
  }

  contextDiff(request: W.ContextDiffRequest): W.ContextDiff {
    const from = this.contextEntries(this.find(request.from).id);
    const to = this.contextEntries(this.find(request.to).id);
    const sum = (list: FakeEntry[]): number => list.reduce((n, e) => n + e.tokens, 0);
    const shared = to.filter((e) => from.includes(e));
    const removed = from.filter((e) => !to.includes(e));
    const added = to.filter((e) => !from.includes(e));
    return {
      shared: shared.length,
      shared_tokens: sum(shared),
      removed: removed.map(item),
      added: added.map(item),
      removed_tokens: sum(removed),
      added_tokens: sum(added),
    };
  }
}

/** The session of pi that most tests look at. */
export const courier = new Tale(tellCourier());
/** A session of Claude Code: two files, a subagent inside it and one beside it, cleared results. */
export const harbour = new Tale(tellHarbour());
/** What the subagent beside it did. */
export const errand = new Tale(tellErrand());
/** Three branches that part at one entry. */
export const approaches = new Tale(tellApproaches());
const TALES: Record<string, Tale> = { s7: approaches, s9: harbour, s10: errand };
export const taleOf = (session: string): Tale => TALES[session] ?? courier;
/** The tale an entry is told in. */
export const taleWith = (entry: string): Tale =>
  [courier, harbour, errand, approaches].find((tale) => tale.has(entry)) ?? courier;
/** The courier's entries and active leaf. */
export const { entries, leaf } = courier;
