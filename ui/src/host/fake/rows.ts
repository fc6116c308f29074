//! The made-up sessions as list rows, and single entries rendered.

import type * as W from "../../wire/wire";
import { STORY_START_MS, type FakeEntry } from "./teller";
import {
  courier,
  errand,
  approaches,
  harbour,
  RESERVE,
  SMALL_WINDOW,
  taleOf,
  THRESHOLD,
  type Tale,
} from "./tree";

const HOUR_MS = 3_600_000;
const CLAUDE = { agent: "claude-code", agent_version: "2.1.63", model: "claude-opus-4-5" };
const TITLES: [string, string, Partial<W.SessionRow>][] = [
  [
    "The courier retry queue loses messages when the broker restarts",
    "courier",
    {
      entries: courier.entries.length,
      leaves: 2,
      compactions: 2,
      branch_summaries: 1,
      cost_usd: 1.842,
      peak_context: 51_240,
      live: true,
      live_until: Date.now() + 60_000,
    },
  ],
  [
    "Rename the delivery states in the admin table",
    "courier",
    { entries: 64, cost_usd: 0.21, peak_context: 31_900 },
  ],
  [
    "Why does the nightly export take four hours?",
    "courier",
    {
      entries: 412,
      leaves: 5,
      compactions: 3,
      branch_summaries: 2,
      cost_usd: 6.03,
      peak_context: 183_411,
      warnings: 1,
    },
  ],
  [
    "Parser for the tide tables of the harbour office",
    "tidewatch",
    { entries: 188, compactions: 1, cost_usd: 1.1, peak_context: 142_007 },
  ],
  [
    "Chart labels overlap on narrow screens",
    "tidewatch",
    { entries: 51, cost_usd: 0.12, peak_context: 22_310 },
  ],
  [
    "Sample: a session with two chained compactions",
    "samples",
    { entries: 240, compactions: 2, flags: ["loop"], sample: true, peak_context: 98_000 },
  ],
  [
    "Sample: three branches and two branch summaries",
    "samples",
    {
      entries: approaches.entries.length,
      leaves: 3,
      branch_summaries: 2,
      sample: true,
      peak_context: 40_100,
    },
  ],
  [
    "Set up the linter and fix what it finds",
    "tidewatch",
    { entries: 120, parent_kind: "forked_from", cost_usd: 0.4, peak_context: 67_000 },
  ],
  [
    "Show the tide tables as a chart",
    "tidewatch",
    {
      ...CLAUDE,
      parent_kind: "forked_from",
      entries: harbour.entries.length,
      leaves: 2,
      compactions: 2,
      cost_usd: 0.94,
      peak_context: 41_700,
    },
  ],
  [
    "Check the chart on four widths",
    "tidewatch",
    {
      ...CLAUDE,
      parent_kind: "subagent_of",
      entries: errand.entries.length,
      model: "claude-haiku-4-5",
      peak_context: 4_300,
    },
  ],
];

export function sessionRows(): W.SessionRow[] {
  return TITLES.map(([title, project, more], n) => ({
    id: `s${n + 1}`,
    shown_id: `s${n + 1}`,
    agent: "pi",
    agent_version: "0.87.0",
    parent_kind: null,
    parent_name: null,
    continued_in: null,
    path: `/home/ada/.pi/agent/sessions/--${project}--/2026-11-${20 - n}.jsonl`,
    title,
    renamed: false,
    cwd: `/home/ada/code/${project}`,
    project,
    project_root: `/home/ada/code/${project}`,
    worktree: null,
    entries: 40,
    leaves: 1,
    compactions: 0,
    branch_summaries: 0,
    flags: [],
    errors: 0,
    rejections: 0,
    warnings: 0,
    bytes: 380_000 + n * 91_000,
    model: "claude-sonnet-4-5",
    peak_context: null,
    cost_usd: null,
    cost_computed: false,
    cost_partial: false,
    created_at: STORY_START_MS - n * 19 * HOUR_MS,
    updated_at: STORY_START_MS + 2 * HOUR_MS - n * 19 * HOUR_MS,
    live: false,
    live_until: null,
    sample: false,
    written: false,
    parent: null,
    differs: null,
    copy: null,
    hits: null,
    starred: false,
    notes: 0,
    labels: [],
    ...more,
  }));
}

/** Whether a word of a query fits a session: the few filters that the window itself uses. */
export function fits(row: W.SessionRow, word: string): boolean {
  if (word.startsWith("tokens:>")) return (row.peak_context ?? 0) > Number(word.slice(8));
  if (word === "has:compaction") return row.compactions > 0;
  if (word === "is:subagent" || word === "-is:subagent")
    return (row.parent_kind === "subagent_of") === !word.startsWith("-");
  if (word.startsWith("agent:")) return row.agent === word.slice(6);
  return `${row.title} ${row.project}`.toLowerCase().includes(word);
}

export function treeView(session: string): W.TreeView {
  const tale = taleOf(session);
  const nodes = tale.entries.map((e, ix): W.TreeNode => ({
    on_active_path: tale.isActive(e.id),
    undone: false,
    id: e.id,
    parent_id: e.parent,
    parent_guessed: false,
    line: ix + 1,
    kind: e.kind,
    role: e.role,
    timestamp: e.time,
    label: e.label ?? null,
    tokens: e.tokens,
    preview: e.text.slice(0, 160),
    is_fork: false,
    sidechain: e.sidechain ?? false,
    file: tale.fileOf(e),
    note: null,
    user_labels: [],
  }));
  return { id: session, agent: "claude-code", leaf_id: tale.leaf, warnings: [], nodes, merged: [] };
}

export function openView(id: string): W.SessionView {
  const row = sessionRows().find((r) => r.id === id || r.path === id) ?? sessionRows()[0]!;
  const tale = taleOf(row.id);
  const { entries } = tale;
  const files = tale.told.files.map(({ path, first }) => ({
    path,
    first_entry_id: first,
    entries: entries.filter((e) => tale.fileOf(e) === path).length,
  }));
  return {
    row,
    native_id: "0199f1b2-77aa-7c31-9a10-3fd1c2c0aa01",
    format_version: 3,
    parent_session: null,
    links: tale.told.links,
    own_from: tale.told.own_from ?? null,
    taken_back_from: tale.told.taken_back_from ?? null,
    files,
    can_write: true,
    strategy: "pi",
    can_append: true,
    leaf_id: tale.leaf,
    opens_at: tale.leaf,
    spending: [
      {
        model: "anthropic/claude-opus-4-5",
        requests: 40,
        input: 3_248,
        output: 9_120,
        estimated_output: 0,
        cache_read: 1_230_000,
        cache_write: 48_160,
        cost_usd: 1.842,
        cost_computed: false,
        parts: null,
      },
    ],
    subagents: [],
    leaf_ids: entries.filter((e) => tale.childrenOf(e.id).length === 0).map((e) => e.id),
    summaries: entries.flatMap((e): W.SummaryNode[] => {
      if (e.kind !== "compaction" && e.kind !== "branch_summary") return [];
      const node: W.SummaryNode = {
        entry_id: e.id,
        kind: e.kind,
        timestamp: e.time,
        tokens_before: e.kind === "compaction" ? tale.contextTokens(e.parent!) : null,
        tokens_after: tale.contextTokens(e.id),
        before_is_estimate: false,
        after_is_forecast: false,
        summary_tokens: e.tokens,
        trigger: e.trigger ?? null,
        preview: e.text.replace(/\s+/g, " ").slice(0, 90),
        on_active_path: tale.isActive(e.id),
      };
      return [node];
    }),
    warnings:
      row.id !== "s1"
        ? []
        : [
            { line: 71, reason: "The line is not JSON: it ends in the middle of a string." },
            { line: null, reason: "The last line is incomplete; the file may still be written." },
          ],
    model: tale.told.model,
    window: SMALL_WINDOW,
    threshold: THRESHOLD,
    reserve: RESERVE,
    generation: 1,
  };
}

const span = (text: string, style: Partial<W.MdSpan> = {}): W.MdSpan => ({
  text,
  strong: false,
  emphasis: false,
  code: false,
  strike: false,
  href: null,
  ...style,
});

/** Just enough markdown for the story's own texts. */
export function markdown(text: string): W.MdBlock[] {
  const blocks: W.MdBlock[] = [];
  for (const part of text.split(/\n\n(?![^`]*```\n?$)/)) {
    const code = /```(\w*)\n([\s\S]*?)\n?```/.exec(part);
    const heading = /^(#+) (.*)/.exec(part);
    if (code) blocks.push({ type: "code", language: code[1] || null, text: code[2]!, spans: [] });
    else if (heading) {
      blocks.push({ type: "heading", level: heading[1]!.length, spans: spans(heading[2]!) });
      const rest = part.slice(heading[0].length).trim();
      if (rest) blocks.push(...markdown(rest));
    } else if (/^(- |\d+\. )/.test(part)) {
      const items = part.split("\n").map((line): W.MdItem => {
        const task = /^- \[([ x])\] /.exec(line);
        return {
          checked: task ? task[1] === "x" : null,
          blocks: [
            { type: "paragraph", spans: spans(line.replace(/^(- \[[ x]\] |- |\d+\. )/, "")) },
          ],
        };
      });
      blocks.push({ type: "list", start: part.startsWith("1.") ? 1 : null, items });
    } else blocks.push({ type: "paragraph", spans: spans(part) });
  }
  return blocks;
}
function spans(text: string): W.MdSpan[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/)
    .filter(Boolean)
    .map((piece) => {
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece);
      if (link) return span(link[1]!, { href: link[2]! });
      if (piece.startsWith("`")) return span(piece.slice(1, -1), { code: true });
      if (piece.startsWith("**")) return span(piece.slice(2, -2), { strong: true });
      return span(piece);
    });
}

function blocks(tale: Tale, e: FakeEntry): W.BlockView[] {
  const views: W.BlockView[] = [];
  if (e.thinking) views.push({ type: "thinking", text: e.thinking, redacted: false });
  if (e.role === "tool")
    views.push({
      type: "plain",
      text: e.text,
      total_chars: e.text.length + (e.tokens > 4_000 ? 14_000 : 0),
      cut: e.tokens > 4_000,
      styles: [],
      spans: [],
    });
  else if (e.text)
    views.push({
      type: "markdown",
      blocks: markdown(e.text),
      total_chars: e.text.length,
      cut: false,
    });
  if (e.tool && e.role === "assistant")
    views.push({
      type: "tool_call",
      call_id: `call_${e.id}`,
      name: e.tool,
      headline: e.headline ?? "",
      arguments: JSON.stringify({ path: e.headline, limit: 200 }, null, 2),
      result_id: tale.childrenOf(e.id).find((c) => c.role === "tool")?.id ?? null,
      outcome: "done",
      shape: { type: "other" },
    });
  return views;
}

/** Named details of what is no message. */
function details(tale: Tale, e: FakeEntry): W.Detail[] {
  const detail = (name: string, value: string, entry_id: string | null = null): W.Detail => ({
    name,
    value,
    entry_id,
  });
  switch (e.kind) {
    case "compaction":
      return [
        detail("first kept", e.kept!, e.kept!),
        detail("tokens before", String(tale.contextTokens(e.parent!))),
      ];
    case "clearing":
      return [detail("cleared", "3 tool results"), detail("tokens saved", "18210")];
    case "custom":
      return [
        detail("extension", e.text.startsWith("checkpoint") ? "file-history-snapshot" : "todo"),
      ];
    case "model_change":
      return [detail("model", e.text)];
    case "thinking_change":
      return [detail("level", e.text)];
    default:
      return [];
  }
}

export function entryView(session: string, id: string): W.EntryView {
  const tale = taleOf(session);
  const e = tale.find(id);
  const ix = tale.entries.indexOf(e);
  const summary = e.kind === "compaction" || e.kind === "branch_summary";
  return {
    id: e.id,
    ix,
    line: ix + 1,
    offset: ix * 2_113,
    bytes: e.text.length + 240,
    kind: e.kind,
    role: e.role,
    timestamp: e.time,
    parent_id: e.parent,
    children_ids: tale.childrenOf(e.id).map((c) => c.id),
    label: e.label ?? null,
    model: e.role === "assistant" ? tale.told.model : null,
    model_before: null,
    stop_reason: e.role === "assistant" ? (e.tool ? "toolUse" : "stop") : null,
    estimated: e.tokens,
    counted: Math.round(e.tokens * 0.92),
    usage:
      e.role === "assistant"
        ? {
            input: 812,
            output: e.tokens,
            cache_read: tale.contextTokens(e.id) - 812,
            cache_write: 1_204,
            total: tale.contextTokens(e.id) + e.tokens,
            cost_usd: 0.0213,
            cost_computed: false,
          }
        : null,
    usage_share: null,
    is_error: e.isError,
    aborted: false,
    undone: false,
    queued: null,
    recovered: false,
    rejected: false,
    subagents: [],
    file: tale.fileOf(e),
    sidechain: e.sidechain ?? false,
    links: e.link ? [e.link] : [],
    messages:
      e.role || summary
        ? [
            {
              role: e.role ?? "user",
              native_role: e.role ?? e.kind,
              tool_name: e.role === "tool" ? (e.tool ?? null) : null,
              answers: null,
              sent: true,
              blocks: blocks(tale, e),
            },
          ]
        : [],
    details: details(tale, e),
  };
}

export function raw(request: W.RawRequest, json: boolean): W.TextPage {
  const e = taleOf(request.session).find(request.entry);
  const text = json
    ? JSON.stringify(
        {
          type: e.kind,
          id: e.id,
          parentId: e.parent,
          timestamp: new Date(e.time).toISOString(),
          message: { role: e.role, content: [{ type: "text", text: e.text }] },
        },
        null,
        2,
      )
    : e.text;
  return {
    text: text.slice(request.offset, request.offset + request.limit),
    offset: request.offset,
    total: text.length,
  };
}
