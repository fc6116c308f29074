//! The session list as flat lines: a heading per project, then its sessions.

import type {
  CountBy,
  CountRequest,
  CountRow,
  CountView,
  MarkHit,
  NamedHit,
  ProjectCount,
  SearchHit,
  SearchRequest,
  SessionRow,
  SessionSort,
  SessionsRequest,
} from "../../wire/wire";

import {
  bytes,
  capital,
  costMeaning,
  costText,
  count,
  exact,
  minutesShared,
  short,
  stamp,
  when,
} from "../text/format";
import { largestWords } from "../text/sizes";

export type Line =
  | { type: "hidden"; count: number }
  | { type: "all"; count: number }
  | {
      type: "project";
      /** What tells it from the others: its folder, else its name. */
      project: string;
      name: string;
      root: string | null;
      count: number;
      folded: boolean;
      sample: boolean;
    }
  | { type: "worktree"; project: string; worktree: string; count: number }
  | { type: "session"; row: SessionRow; flat: boolean }
  | { type: "more" }
  | { type: "named-head" }
  | { type: "named"; hit: NamedHit }
  | { type: "marks"; title: string }
  | { type: "mark"; hit: MarkHit }
  | { type: "hits"; title: string; order: string; count: number }
  | {
      type: "count";
      row: CountRow;
      /** Share of the most frequent name, from 0 to 1. */
      share: number;
    }
  | {
      type: "hit-session";
      session: string;
      title: string;
      project: string;
      agent: string;
      count: number;
      /** True where more hits of it may be on the next page. */
      more: boolean;
    }
  | {
      type: "hit";
      hit: SearchHit;
      prompt: string | null;
      /** The title of its session, where no heading says it. */
      title: string | null;
      /** True where its day is another than that of the hit above. */
      dated: boolean;
      /** True where hits of its session were written in the same minute. */
      seconds: boolean;
    };

type HitLine = Extract<Line, { type: "hit" }>;

/** Heights in CSS pixels, in step with the components' styles. */
const LINE_HEIGHTS: Record<Line["type"], number> = {
  hidden: 34,
  all: 34,
  project: 30,
  worktree: 24,
  session: 46,
  "named-head": 34,
  named: 44,
  marks: 34,
  mark: 44,
  hits: 52,
  count: 44,
  "hit-session": 44,
  hit: 44,
  more: 34,
};

/**
 * Sessions under their projects, worktrees of a project under it; projects in the order of their
 * first session, samples last. Projects are named by `projects`.
 */
export function sessionLines(
  rows: readonly SessionRow[],
  folded: readonly string[],
  projects: readonly ProjectCount[] = [],
): Line[] {
  const groups = grouped(rows, (row) =>
    row.sample ? "Samples" : (row.project_root ?? row.project),
  );
  const sorted = [...groups].sort((a, b) => Number(a[1][0]!.sample) - Number(b[1][0]!.sample));
  return sorted.flatMap(([project, list]): Line[] => {
    const first = list[0]!;
    const isFolded = folded.includes(project);
    const known = projects.find(
      (p) => p.root === first.project_root && p.project === first.project,
    );
    const head: Line = {
      type: "project",
      project,
      name: first.sample ? "Samples" : known?.label || first.project,
      root: first.sample ? null : first.project_root,
      count: list.length,
      folded: isFolded,
      sample: first.sample,
    };
    if (isFolded) return [head];
    const trees = grouped(list, (row) => (row.sample ? "" : (row.worktree ?? "")));
    // What was done in the repository itself comes before its worktrees.
    const ordered = [...trees].sort(([a], [b]) => Number(a !== "") - Number(b !== ""));
    return [
      head,
      ...ordered.flatMap(([worktree, own]): Line[] => [
        ...(worktree === ""
          ? []
          : [{ type: "worktree", project, worktree, count: own.length } as const]),
        ...own.map((row): Line => ({ type: "session", row, flat: false })),
      ]),
    ];
  });
}

/** Sessions one after the other, for an order that projects would break. */
export function flatLines(rows: readonly SessionRow[]): Line[] {
  return rows.map((row): Line => ({ type: "session", row, flat: true }));
}

/** So many sessions stand above the hits of a search. */
const ABOVE_HITS = 3;
/** A list this much longer is shown whole: the line that unfolds it would take as much room. */
const ABOVE_HITS_SLACK = 1;

/** The first sessions of a list and a line that shows all, so that the hits below are in sight. */
export function foldedLines(lines: readonly Line[]): Line[] {
  const at = lines.flatMap((line, n) => (line.type === "session" ? [n] : []));
  if (at.length <= ABOVE_HITS + ABOVE_HITS_SLACK) return [...lines];
  return [...lines.slice(0, at[ABOVE_HITS - 1]! + 1), { type: "all", count: at.length }];
}

function grouped<T>(list: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(key(one));
    if (group) group.push(one);
    else groups.set(key(one), [one]);
  }
  return groups;
}

/** What has the id that was typed. Sessions of that id stand in the list. */
export function namedLines(hits: readonly NamedHit[]): Line[] {
  const own = hits.filter((hit) => hit.kind !== "session");
  if (own.length === 0) return [];
  return [{ type: "named-head" }, ...own.map((hit): Line => ({ type: "named", hit }))];
}

/** What a list of named things is called. */
export function namedTitle(hits: readonly NamedHit[]): string {
  return hits.some((hit) => hit.kind === "taken_back")
    ? "Turns taken back by editing an earlier one"
    : "Found by its id";
}

/** Notes and labels that have the words, newest first. */
export function markLines(hits: readonly MarkHit[], total: number): Line[] {
  if (hits.length === 0) return [];
  const title = `Notes and labels: ${total}`;
  return [{ type: "marks", title }, ...hits.map((hit): Line => ({ type: "mark", hit }))];
}

/** What the heading says of the order of hits. */
function orderWords(sort: Order, together: boolean): string {
  if (together)
    return `In each session words in a row first, then ${orderWords(sort, false).toLowerCase()}`;
  if (sort === "meaning") return "Nearest in meaning first";
  if (sort === "oldest") return "Oldest first";
  if (sort === "relevance") return "Best session first, its oldest entry first";
  return sort === "size" ? "Largest entry first" : "Newest first";
}

/** A hit behind another one of the same list. */
function hitLine(hit: SearchHit, before: SearchHit | undefined, own: Partial<HitLine>): HitLine {
  return {
    type: "hit",
    hit,
    prompt: null,
    title: null,
    dated: hit.timestamp !== null && dayOf(hit) !== (before ? dayOf(before) : null),
    seconds: false,
    ...own,
  };
}

/** How many entries were found, and how many of them are listed where not all are. */
function numberWords(
  listed: number,
  more: boolean,
  total: number | null,
): { found: string; listed: string } {
  if (!more) return { found: exact(listed), listed: "" };
  return total === null
    ? { found: `more than ${exact(listed)}`, listed: `, ${exact(listed)} listed` }
    : { found: exact(total), listed: `, ${exact(listed)} listed` };
}

/**
 * Hits under their sessions. They come oldest first within a session, and are shown as sorted. By
 * size each stands alone, so that the numbers fall.
 */
export function hitLines(
  hits: readonly SearchHit[],
  more: boolean,
  sort: Order,
  total: number | null = null,
  together = 0,
): Line[] {
  if (hits.length === 0) return [];
  const bySession = [...grouped(hits, (hit) => hit.session).values()].map((list) => {
    const sorted = isOfHits(sort) ? list : list.toReversed();
    return sorted.toSorted((a, b) => Number(b.first) - Number(a.first));
  });
  const { found, listed } = numberWords(hits.length, more, total);
  const unit = found === "1" ? "entry" : "entries";
  // Filters alone choose entries by what they are; no text was looked for.
  const title = hits.some((hit) => hit.ranges.length > 0)
    ? `Found in the text: ${found} ${unit}${listed}`
    : `Entries found: ${found}${listed}`;
  const last = hits.at(-1)?.session;
  const end: Line[] = more ? [{ type: "more" }] : [];
  if (sort === "size")
    return [
      { type: "hits", title, order: orderWords(sort, false), count: hits.length },
      ...hits
        .toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0))
        .map((hit) => hitLine(hit, undefined, { title: hit.title || "Untitled" })),
      ...end,
    ];
  return [
    { type: "hits", title, order: orderWords(sort, together > 0), count: hits.length },
    ...bySession.flatMap((list): Line[] => {
      const seconds = minutesShared(list.map((hit) => hit.timestamp));
      return [
        {
          type: "hit-session",
          session: list[0]!.session,
          title: list[0]!.title,
          project: list[0]!.project,
          agent: list[0]!.agent,
          count: list.length,
          more: more && list[0]!.session === last,
        },
        ...list.map((hit, n) => {
          const before = list[n - 1];
          // Said once for the hits that answer it.
          const prompt = before?.prompt === hit.prompt ? null : hit.prompt;
          return hitLine(hit, before, { prompt, seconds });
        }),
      ];
    }),
    ...end,
  ];
}

/** What hits can be counted by. */
export const COUNTS: Record<CountBy, { name: string; one: string }> = {
  tool: { name: "by tool", one: "tool" },
  command: { name: "by command", one: "command" },
  project: { name: "by project", one: "project" },
  agent: { name: "by agent", one: "agent" },
};

/** How hits are listed: each alone, or counted by what they are of. */
export const COUNT_CHOICES: readonly (readonly [key: CountBy | "", name: string])[] = [
  ["", "one by one"],
  ...(Object.keys(COUNTS) as CountBy[]).map((by) => [by, `counted ${COUNTS[by].name}`] as const),
];

/** The question for counted hits; null without a query or where hits are listed. */
export function countAsk(query: string, by: CountBy | null): CountRequest | null {
  if (by === null || query.trim() === "") return null;
  return { query: query.trim(), by, limit: 100 };
}

/** Hits counted by what they are of, the most frequent first. */
export function countLines(view: CountView): Line[] {
  const { rows, names, hits, without, by } = view;
  const { one } = COUNTS[by];
  const unit = view.counts_calls ? "calls" : "hits";
  const left = names > rows.length ? `, first ${exact(rows.length)} of ${exact(names)}` : "";
  const bare = without > 0 ? `, ${exact(without)} without a ${one}` : "";
  const most = rows[0]?.count ?? 1;
  return [
    {
      type: "hits",
      title: `Counted in ${exact(hits)} ${hits === 1 ? "entry" : "entries"}: ${unit} ${COUNTS[by].name}`,
      order: `Most frequent first${left}${bare}`,
      count: rows.length,
    },
    ...rows.map((row): Line => ({ type: "count", row, share: row.count / most })),
  ];
}

/** What the foot of the list says of a search, and what it means. */
export function foundWords(
  matching: number,
  inside:
    | {
        hits: readonly SearchHit[];
        named?: readonly NamedHit[];
        more: boolean;
        total: number | null;
      }
    | undefined,
): { text: string; meaning: string } {
  const beside = inside?.named?.filter((hit) => hit.kind === "taken_back").length ?? 0;
  const sessions = matching + beside;
  const listed = {
    text: count(sessions, "session"),
    meaning: "Sessions whose title and data match the search.",
  };
  if (inside === undefined || (inside.hits.length === 0 && sessions > 0)) return listed;
  const within = new Set(inside.hits.map((hit) => hit.session)).size;
  const { found, listed: shown } = numberWords(inside.hits.length, inside.more, inside.total);
  const entries = `${found} ${found === "1" ? "entry" : "entries"} found`;
  // The sessions of entries that are not listed yet are unknown.
  const of = count(within, "session");
  const texts =
    within === 0
      ? "No session and no entry"
      : shown === ""
        ? `${entries} in ${of}`
        : `${entries}${shown}, from ${of}`;
  return {
    text: sessions > 0 ? `${listed.text} by title and data; by text ${texts}` : capital(texts),
    meaning: [
      sessions > 0 ? `${listed.text} whose title and data match.` : "",
      shown === ""
        ? `${entries} whose text matches, in ${of}.`
        : `${entries} whose text matches. The first ${exact(inside.hits.length)} are listed; they are from ${of}. The end of the list shows more.`,
    ]
      .filter(Boolean)
      .join(" "),
  };
}

/** The last part of a path without its ending; of several sessions in a file, the id. */
function stemOf(path: string): string {
  const name = path.split(/[/\\#]/).findLast((part) => part !== "") ?? path;
  return name.replace(/\.(jsonl?|zst|gz|db|sqlite3?|md)(\.zst|\.gz)?$/, "");
}

/**
 * What tells sessions apart that look the same in the list, by id: their time where it differs,
 * else a part of the name of their file. `seen` is what a reader sees of a session.
 */
export function tellApart(
  rows: readonly SessionRow[],
  seen: (row: SessionRow) => string,
  time: (row: SessionRow) => string,
): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  for (const group of grouped(rows, seen).values()) {
    if (group.length < 2) continue;
    const stems = group.map((row) => stemOf(row.path));
    const cuts: ((stem: string) => string)[] = [
      (stem) => (stem.length <= 12 ? stem : `${stem.slice(0, 8)}…`),
      (stem) => (stem.length <= 12 ? stem : `…${stem.slice(-8)}`),
      (stem) => stem,
    ];
    const names = [group.map(time), ...cuts.map((cut) => stems.map(cut))].find(
      (list) => new Set(list).size === list.length,
    );
    group.forEach((row, n) => told.set(row.id, names?.[n] ?? row.shown_id));
  }
  return told;
}

const dayOf = ({ timestamp }: SearchHit): string | null =>
  timestamp === null ? null : new Date(timestamp).toDateString();

/** A line for the day of a hit and the prompt that it answers. */
const ABOUT_HEIGHT = 18;

export function lineHeight(line: Line | undefined): number {
  if (!line) return LINE_HEIGHTS.session;
  const more =
    line.type === "hit" && (line.prompt !== null || line.title !== null || line.dated)
      ? ABOUT_HEIGHT
      : 0;
  return LINE_HEIGHTS[line.type] + more;
}

export function lineKey(line: Line): string {
  switch (line.type) {
    case "project":
      return `p ${line.project}`;
    case "worktree":
      return `w ${line.project} ${line.worktree}`;
    case "session":
      return `s ${line.row.id}`;
    case "named-head":
    case "marks":
    case "hits":
    case "more":
    case "hidden":
    case "all":
      return line.type;
    case "hit-session":
      return `hs ${line.session}`;
    case "named":
      return `n ${line.hit.kind} ${line.hit.id}`;
    case "count":
      return `c ${line.row.name}`;
    case "mark":
      return `m ${line.hit.kind} ${line.hit.session} ${line.hit.entry_id} ${line.hit.occurrence} ${line.hit.snippet}`;
    case "hit":
      return `h ${line.hit.session} ${line.hit.entry_id}`;
  }
}

/** What a session cost; null where that is unknown. */
export function costOf(row: SessionRow): { text: string; meaning: string } | null {
  if (row.cost_usd === null) return null;
  const known = costMeaning(row.cost_computed, row.cost_partial);
  return {
    text: costText(row.cost_usd, row.cost_computed, row.cost_partial).replace(/^([≈>]) /, "$1"),
    meaning: `${known}: $${row.cost_usd.toFixed(4)}${isForked(row) ? ". It shares entries with another session; its header says whether their cost is included." : ""}`,
  };
}

/** What the warnings of a session are: nothing in it failed because of them. */
export const warningWords = (warnings: number): string =>
  `${count(warnings, "warning")}: what could not be read as expected in the session's files. The header of the session lists them.`;

/** True where the first entries of a session are those of another one, which has a cost of its own. */
const isForked = (row: SessionRow): boolean =>
  row.parent_kind === "forked_from" ||
  row.parent_kind === "shares_beginning" ||
  (row.parent_kind === null && row.parent !== null);

/** What a list is sorted or filtered by, where the row does not say it anyway, as it says compactions. */
export function sortedBy(
  row: SessionRow,
  sort: Order,
  now: number,
): { text: string; meaning: string } | null {
  switch (sort) {
    case "size":
      return { text: bytes(row.bytes), meaning: "Size of the file" };
    case "errors":
      return {
        text: count(row.errors, "error"),
        meaning: "Failed tools and requests",
      };
    case "rejections":
      return {
        text: `${exact(row.rejections)} rejected`,
        meaning: "Calls that you rejected",
      };
    case "context":
      return row.peak_context === null
        ? null
        : {
            text: `${short(row.peak_context)} tokens`,
            meaning: largestWords(row.peak_context),
          };
    case "cost":
      return costOf(row);
    case "created":
      return row.created_at === null
        ? null
        : { text: `begun ${when(row.created_at, now)}`, meaning: stamp(row.created_at) };
    default:
      return null;
  }
}

/** The order of the list and of hits. Meaning and age order only hits, as relevance does. */
export type Order = SessionSort | "meaning" | "oldest";

/** The question behind the session list. Sessions of subagents stay out unless they are asked for. */
export function sessionsAsk(query: string, sort: Order = "updated"): SessionsRequest {
  return {
    query: query.trim(),
    agent: null,
    // What is found best in the text comes below the list.
    sort: isOfHits(sort) ? "updated" : sort,
    offset: 0,
    limit: null,
    hide_subagents: true,
  };
}

/** So many hits are asked for at first, and so many more each time. */
export const HITS = { first: 60, more: 120 } as const;

/** The question for entries; null without a query. */
export function searchAsk(
  query: string,
  sort: Order,
  limit: number = HITS.first,
): SearchRequest | null {
  if (query.trim() === "") return null;
  return {
    query: query.trim(),
    offset: 0,
    limit,
    sort: isOfHits(sort) || sort === "size" ? sort : "newest",
    embeddings: null,
    // By size each hit stands alone.
    grouped: sort !== "size",
    changes: false,
  };
}

/** Asks what to change in a search that finds nothing or little: that takes longer than its hits. */
export function changesAsk(query: string, sort: Order): SearchRequest | null {
  const ask = searchAsk(query, sort, 1);
  return ask && { ...ask, grouped: false, changes: true };
}

/** True for an order that only hits have. */
export function isOfHits(sort: Order): sort is "relevance" | "meaning" | "oldest" {
  return sort === "relevance" || sort === "meaning" || sort === "oldest";
}
