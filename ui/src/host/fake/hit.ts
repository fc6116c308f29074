//! Made-up hits of searches, each with only what matters where it is used.

import type * as W from "../../wire/wire";

/** What a hit is unless something else is said: a message of the user without anything special. */
const FOUND: W.FindHit = {
  entry_id: "e1",
  kind: "message",
  role: "user",
  tools: [],
  is_error: false,
  aborted: false,
  rejected: false,
  in_subagent: false,
  subagent: null,
  thinking: false,
  record: null,
  change: null,
  call: null,
  queued: null,
  after_compaction: null,
  timestamp: null,
  on_active_path: true,
  snippet: "",
  ranges: [],
};

/** A hit in one session. */
export const findHit = (own: Partial<W.FindHit>): W.FindHit => ({ ...FOUND, ...own });

/** A hit in all sessions. */
export function searchHit(own: Partial<W.SearchHit>): W.SearchHit {
  const { on_active_path: _, ...found } = FOUND;
  return {
    ...found,
    first: false,
    plan: null,
    session: "s1",
    shown_id: own.session ?? "s1",
    also_in: [],
    title: "Courier",
    project: "courier",
    agent: "pi",
    ix: 0,
    line: 0,
    tokens: null,
    prompt: null,
    ...own,
  };
}
