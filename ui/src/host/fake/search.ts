//! Made-up answers of searches.

import type * as W from "../../wire/wire";
import { findHit, searchHit } from "./hit";
import { fits } from "./rows";
import { courier, taleOf } from "./tree";

/** Nothing to change in a search. */
export const NOT_WIDER: W.WiderSearch = { changes: [], absent: [] };

/** The words without one of which something is found; `found` counts what has all of some. */
function wider(words: string[], found: (words: string[]) => number): W.WiderSearch {
  const changes = words.flatMap((piece, n): W.SearchChange[] => {
    const rest = words.filter((_, other) => other !== n);
    const total = found(rest);
    if (rest.length === 0 || total === 0) return [];
    return [{ piece, instead: null, query: rest.join(" "), total }];
  });
  return { changes, absent: [] };
}

/** The same of sessions. */
export const widerSearch = (words: string[], rows: W.SessionRow[]): W.WiderSearch =>
  wider(words, (some) => rows.filter((row) => some.every((word) => fits(row, word))).length);

/** The entries with all of some words. */
const withWords = (words: string[]): typeof courier.entries =>
  courier.entries.filter((e) => words.every((w) => e.text.toLowerCase().includes(w)));

export const SEARCH_FILTERS: W.SearchFilter[] = [
  { write: '"', meaning: "exact phrase", example: '"date parser"' },
  { write: "tool:", meaning: "calls and results of a tool", example: "tool:bash" },
  { write: "has:compaction", meaning: "sessions with a compaction", example: "has:compaction" },
];

const BY: Record<W.SessionSort, (row: W.SessionRow) => number> = {
  updated: (row) => row.updated_at ?? 0,
  relevance: (row) => row.updated_at ?? 0,
  created: (row) => row.created_at ?? 0,
  size: (row) => row.bytes,
  entries: (row) => row.entries,
  cost: (row) => row.cost_usd ?? -1,
  compactions: (row) => row.compactions,
  errors: (row) => row.errors,
  rejections: (row) => row.rejections,
  context: (row) => row.peak_context ?? -1,
  title: () => 0,
};

export function sorted(rows: W.SessionRow[], sort: W.SessionSort): W.SessionRow[] {
  if (sort === "title") return [...rows].sort((a, b) => a.title.localeCompare(b.title));
  return [...rows].sort((a, b) => BY[sort](b) - BY[sort](a));
}

export function projectCounts(rows: W.SessionRow[]): W.ProjectCount[] {
  const counts = new Map<string, W.ProjectCount>();
  for (const { project, project_root: root } of rows) {
    const known = counts.get(project) ?? { project, root, label: project, sessions: 0 };
    known.sessions += 1;
    counts.set(project, known);
  }
  return [...counts.values()];
}

function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word && !word.includes(":"));
}

export function searchHits(request: W.SearchRequest, rows: W.SessionRow[]): W.SearchPage {
  const words = wordsOf(request.query);
  const session = rows[0];
  const none = {
    hits: [],
    marks: [],
    marks_total: 0,
    named: [],
    note: null,
    more: false,
    total: null,
    nothing_asked: !/(^|\s)(note|label):\S/.test(request.query),
    only_filters: words.length === 0 && /(^|\s)-?[a-z]+:\S/.test(request.query),
    ignored: [],
    not_understood: [],
    together: 0,
    wider: NOT_WIDER,
    elapsed_ms: 1,
  };
  if (words.length === 0 || !session) return none;
  const hits = withWords(words).map((e): W.SearchHit => {
    const at = e.text.toLowerCase().indexOf(words[0]!);
    const from = Math.max(0, at - 40);
    return searchHit({
      session: session.id,
      shown_id: session.shown_id,
      title: session.title,
      project: session.project,
      entry_id: e.id,
      ix: courier.entries.indexOf(e),
      line: courier.entries.indexOf(e),
      kind: e.kind,
      role: e.role,
      timestamp: e.time,
      tokens: request.sort === "size" ? Math.ceil(e.text.length / 4) : null,
      snippet: e.text.slice(from, at + 90).replace(/\n/g, " "),
      ranges: [{ start: at - from, end: at - from + words[0]!.length }],
      prompt: e.role === "user" ? null : "Where do the messages go?",
    });
  });
  return {
    ...none,
    nothing_asked: false,
    only_filters: false,
    wider: hits.length > 0 ? NOT_WIDER : wider(words, (some) => withWords(some).length),
    hits: hits.slice(request.offset, request.offset + (request.limit ?? 50)),
    elapsed_ms: 3,
  };
}

export function countView(request: W.CountRequest, rows: W.SessionRow[]): W.CountView {
  const { hits } = searchHits(
    {
      query: request.query,
      offset: 0,
      limit: 1000,
      sort: "newest",
      embeddings: null,
      grouped: false,
    },
    rows,
  );
  const counts = new Map<string, W.SearchHit[]>();
  for (const hit of hits) {
    const name = request.by === "project" ? hit.project : (hit.role ?? hit.kind);
    counts.set(name, [...(counts.get(name) ?? []), hit]);
  }
  const named = [...counts].sort(([, a], [, b]) => b.length - a.length);
  return {
    by: request.by,
    rows: named.map(([name, own]) => ({
      name,
      count: own.length,
      sessions: 1,
      query: `${request.query} ${request.by}:${name}`,
      newest: {
        session: own[0]!.session,
        shown_id: own[0]!.shown_id,
        title: own[0]!.title,
        entry_id: own[0]!.entry_id,
        timestamp: own[0]!.timestamp,
      },
    })),
    names: named.length,
    hits: hits.length,
    without: 0,
    counts_calls: false,
    nothing_asked: false,
    ignored: [],
    not_understood: [],
    elapsed_ms: 1,
  };
}

export function findView(request: W.FindRequest): W.FindView {
  const { entries } = taleOf(request.session);
  const words = wordsOf(request.query);
  const compactions = entries.filter((e) => e.kind === "compaction");
  const compaction = request.compaction ?? compactions.at(-1)?.id ?? null;
  const boundary = entries.findIndex((e) => e.id === compaction);
  const found = entries.flatMap((e, ix) => {
    if (words.length === 0 || !words.every((w) => e.text.toLowerCase().includes(w))) return [];
    const at = e.text.toLowerCase().indexOf(words[0]!);
    const from = Math.max(0, at - 40);
    const hit = findHit({
      entry_id: e.id,
      kind: e.kind,
      role: e.role,
      timestamp: e.time,
      snippet: e.text.slice(from, at + 120).replace(/\n/g, " "),
      ranges: [{ start: at - from, end: at - from + words[0]!.length }],
    });
    return [{ ix, hit }];
  });
  const isSummary = ({ hit }: { hit: W.FindHit }): boolean =>
    hit.kind === "compaction" || hit.kind === "branch_summary";
  const column = (own: { hit: W.FindHit }[]): W.FindColumn => ({
    total: own.length,
    hits: own.map(({ hit }) => hit),
  });
  const said = found.filter((own) => !isSummary(own));
  return {
    session: request.session,
    compaction,
    before: column(said.filter(({ ix }) => boundary < 0 || ix < boundary)),
    summaries: column(found.filter(isSummary)),
    after: column(said.filter(({ ix }) => boundary >= 0 && ix > boundary)),
    ignored: [],
    not_understood: [],
    wider: NOT_WIDER,
  };
}
