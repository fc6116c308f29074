//! How made-up sessions are told: entry by entry, each hanging on the one before.

import type * as W from "../../wire/wire";

export interface FakeEntry {
  id: string;
  parent: string | null;
  kind: W.RecordKind;
  role: W.Role | null;
  time: number;
  text: string;
  thinking?: string;
  tool?: string;
  headline?: string;
  label?: string;
  isError: boolean;
  tokens: number;
  /** For a compaction: the first kept entry. */
  kept?: string;
  /** For a compaction: what started it. */
  trigger?: W.Trigger;
  /** Part of a subagent's conversation that the session holds. */
  sidechain?: boolean;
  /** The subagent's session that hangs on it. */
  link?: W.SessionLinkView;
}

/** A whole story: its entries, where its agent would resume, and what belongs to it. */
export interface Told {
  entries: FakeEntry[];
  leaf: string;
  model: string;
  links: W.SessionLinkView[];
  /** The first prompt that other sessions with the same beginning do not have. */
  own_from?: string;
  /** The first prompt that a later file of the thread goes on without. */
  taken_back_from?: string;
  /** Its files and the first entry of each, where there are several. */
  files: { path: string; first: string }[];
  /** The agent's own categories; null stands for whatever is left. */
  own: [string, number | null][];
}

/** 2026-11-20 09:12 UTC: the story's first minute. */
export const STORY_START_MS = Date.UTC(2026, 10, 20, 9, 12);

export class Teller {
  entries: FakeEntry[] = [];
  private at: string | null = null;
  private clock = STORY_START_MS;

  /** Ids begin here, so that no two stories share one. */
  constructor(private readonly firstId: number) {}

  add(entry: Partial<FakeEntry> & { kind: W.RecordKind; text: string }, tokens?: number): string {
    const n = this.entries.length;
    const id = (this.firstId + n * 7919).toString(16).slice(-8);
    this.clock += 9_000 + ((n * 37) % 50) * 1_000;
    this.entries.push({
      role: null,
      isError: false,
      ...entry,
      id,
      parent: this.at,
      time: this.clock,
      tokens: tokens ?? Math.ceil(entry.text.length / 4),
    });
    this.at = id;
    return id;
  }
  user(text: string): string {
    return this.add({ kind: "message", role: "user", text });
  }
  say(text: string, thinking?: string): string {
    return this.add(
      { kind: "message", role: "assistant", text, thinking },
      Math.ceil((text.length + (thinking?.length ?? 0)) / 4),
    );
  }
  call(tool: string, headline: string, result: string, weight: number, isError = false): string {
    this.add(
      { kind: "message", role: "assistant", tool, headline, text: "" },
      60 + headline.length,
    );
    return this.add({ kind: "tool_result", role: "tool", tool, text: result, isError }, weight);
  }
  goTo(id: string): void {
    this.at = id;
  }
  link(id: string, link: W.SessionLinkView): void {
    const entry = this.entries.find((e) => e.id === id);
    if (entry) entry.link = link;
  }
  label(id: string, label: string): void {
    const entry = this.entries.find((e) => e.id === id);
    if (entry) entry.label = label;
  }
}
