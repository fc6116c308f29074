//! The session list as flat lines: a heading per project, then its sessions.

import type { MarkHit, SearchHit, SessionRow, SessionsRequest } from "../../wire/wire";

export type Line =
  | { type: "hidden"; count: number }
  | { type: "project"; project: string; count: number; folded: boolean; sample: boolean }
  | { type: "session"; row: SessionRow }
  | { type: "marks"; title: string }
  | { type: "mark"; hit: MarkHit }
  | { type: "hits"; title: string; count: number }
  | { type: "hit-session"; session: string; title: string; project: string; count: number }
  | { type: "hit"; hit: SearchHit };

/** Heights in CSS pixels, in step with the components' styles. */
export const LINE_HEIGHTS: Record<Line["type"], number> = {
  hidden: 34,
  project: 30,
  session: 46,
  marks: 34,
  mark: 44,
  hits: 34,
  "hit-session": 26,
  hit: 44,
};

/** Sessions under their projects; projects in the order of their newest session, samples last. */
export function sessionLines(rows: readonly SessionRow[], folded: readonly string[]): Line[] {
  const groups = new Map<string, SessionRow[]>();
  for (const row of rows) {
    const name = row.sample ? "Samples" : row.project;
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  const sorted = [...groups].sort((a, b) => Number(a[1][0]!.sample) - Number(b[1][0]!.sample));
  return sorted.flatMap(([project, list]): Line[] => {
    const isFolded = folded.includes(project);
    const head: Line = {
      type: "project",
      project,
      count: list.length,
      folded: isFolded,
      sample: list[0]!.sample,
    };
    return isFolded ? [head] : [head, ...list.map((row): Line => ({ type: "session", row }))];
  });
}

/** Notes and labels that have the words, newest first. */
export function markLines(hits: readonly MarkHit[], total: number): Line[] {
  if (hits.length === 0) return [];
  const title = `In your notes and labels: ${total}`;
  return [{ type: "marks", title }, ...hits.map((hit): Line => ({ type: "mark", hit }))];
}

/** Hits under their sessions, in the order of the best hit of each. */
export function hitLines(hits: readonly SearchHit[], more: boolean): Line[] {
  if (hits.length === 0) return [];
  const bySession = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const list = bySession.get(hit.session);
    if (list) list.push(hit);
    else bySession.set(hit.session, [hit]);
  }
  const title = `In the text: ${hits.length}${more ? "+" : ""} ${hits.length === 1 ? "entry" : "entries"}`;
  return [
    { type: "hits", title, count: hits.length },
    ...[...bySession.values()].flatMap((list): Line[] => [
      {
        type: "hit-session",
        session: list[0]!.session,
        title: list[0]!.title,
        project: list[0]!.project,
        count: list.length,
      },
      ...list.map((hit): Line => ({ type: "hit", hit })),
    ]),
  ];
}

export function lineKey(line: Line): string {
  switch (line.type) {
    case "project":
      return `p ${line.project}`;
    case "session":
      return `s ${line.row.id}`;
    case "marks":
    case "hits":
    case "hidden":
      return line.type;
    case "hit-session":
      return `hs ${line.session}`;
    case "mark":
      return `m ${line.hit.kind} ${line.hit.session} ${line.hit.entry_id} ${line.hit.occurrence} ${line.hit.snippet}`;
    case "hit":
      return `h ${line.hit.session} ${line.hit.entry_id}`;
  }
}

/** True when the query has words of its own, not only filters: then texts are searched too. */
export function hasWords(query: string): boolean {
  return query.split(/\s+/).some((word) => word !== "" && !/^-?\w+:/.test(word));
}

/** True when the query finds something in texts, notes or labels, not only sessions. */
export function looksInside(query: string): boolean {
  return hasWords(query) || /(^|\s)(note|label):\S/.test(query);
}

/** True when the query says itself which sessions it wants by what they are. */
export function saysIs(query: string): boolean {
  return query.split(/\s+/).some((word) => /^-?is:/.test(word));
}

/** The question behind the session list. Sessions of subagents stay out unless they are asked for. */
export function sessionsAsk(query: string): SessionsRequest {
  const words = query.trim();
  return {
    query: saysIs(words) ? words : `${words} -is:subagent`.trim(),
    agent: null,
    sort: "updated",
    offset: 0,
    limit: null,
  };
}

/** The question how many sessions of subagents stay out; null where none do. */
export function hiddenAsk(query: string): SessionsRequest | null {
  return saysIs(query) ? null : { ...sessionsAsk(`${query.trim()} is:subagent`), limit: 0 };
}
