//! How each kind of entry looks and is called.

import type { GlyphName } from "./glyphs";

export interface Look {
  glyph: GlyphName;
  /** CSS variable without the dashes. */
  color: string;
  name: string;
}

interface Known {
  kind: string;
  role: string | null;
  is_error?: boolean;
  tools?: readonly string[];
  /** A custom record's type, or the first words by which the backend tells of it. */
  record?: string;
}

/** Records that agents keep beside the conversation. */
function customLook(record: string): Look {
  if (/^(file-history-snapshot|checkpoint)\b/.test(record))
    return { glyph: "checkpoint", color: "ink-3", name: "Checkpoint" };
  if (/^(todos?\b|\d+ to do\b)/.test(record))
    return { glyph: "todo", color: "ink-3", name: "To-do list" };
  return { glyph: "custom", color: "ink-3", name: "Record" };
}

export function look(entry: Known): Look {
  switch (entry.kind) {
    case "compaction":
      return { glyph: "compaction", color: "compaction", name: "Compaction" };
    case "branch_summary":
      return { glyph: "bridge", color: "bridge", name: "Branch summary" };
    case "clearing":
      return { glyph: "clearing", color: "clearing", name: "Cleared" };
    case "custom":
      return customLook(entry.record ?? "");
    case "custom_message":
      return { glyph: "system", color: "system", name: "Added by the agent" };
    case "user_shell":
      return { glyph: "command", color: "user", name: "User command" };
    case "label":
      return { glyph: "flag", color: "label", name: "Label" };
    case "model_change":
      return { glyph: "model", color: "ink-3", name: "Model change" };
    case "thinking_change":
      return { glyph: "model", color: "ink-3", name: "Thinking level" };
    case "session_info":
      return { glyph: "info", color: "ink-3", name: "Session info" };
    case "opaque":
      return { glyph: "opaque", color: "ink-3", name: "Unknown record" };
  }
  if (entry.is_error)
    return {
      glyph: "error",
      color: "error",
      name: entry.role === "tool" ? "Failed tool" : "Failed message",
    };
  switch (entry.role) {
    case "user":
      return { glyph: "user", color: "user", name: "User" };
    case "assistant":
      return entry.tools && entry.tools.length > 0
        ? { glyph: "tool", color: "tool", name: "Tool call" }
        : { glyph: "assistant", color: "assistant", name: "Assistant" };
    case "tool":
      return { glyph: "result", color: "tool", name: "Tool result" };
    case "system":
      return { glyph: "system", color: "system", name: "System" };
  }
  return { glyph: "custom", color: "ink-3", name: entry.kind.replaceAll("_", " ") };
}

/** What another session is to this one. */
const LINKS: Record<string, { glyph: GlyphName; name: string }> = {
  forked_from: { glyph: "branch", name: "Forked from" },
  subagent_of: { glyph: "subagent", name: "Subagent of" },
  subagent: { glyph: "subagent", name: "Subagent" },
  continues: { glyph: "continues", name: "Continues" },
  shares_beginning: { glyph: "branch", name: "Shares its beginning with" },
};
export function linkLook(kind: string): { glyph: GlyphName; name: string } {
  return LINKS[kind] ?? { glyph: "outside", name: kind.replaceAll("_", " ") };
}

/** What a session is, by what the session it hangs on is to it. */
export function kinLook(parentKind: string): { glyph: GlyphName; name: string } {
  const names: Record<string, string> = {
    forked_from: "Fork of another session",
    subagent_of: "Subagent session",
    continues: "Continues another session",
  };
  return {
    glyph: linkLook(parentKind).glyph,
    name: names[parentKind] ?? parentKind.replaceAll("_", " "),
  };
}

export interface Fate {
  glyph: GlyphName;
  color: string;
  name: string;
  meaning: string;
}

export const FATES: Record<string, Fate> = {
  verbatim: {
    glyph: "check",
    color: "kept",
    name: "Kept",
    meaning: "Verbatim in the summary.",
  },
  mentioned: {
    glyph: "minus",
    color: "mentioned",
    name: "Mentioned",
    meaning: "In the summary in different words.",
  },
  partial: {
    glyph: "tilde",
    color: "partial",
    name: "Partly kept",
    meaning: "Partly in the summary.",
  },
  dropped: {
    glyph: "close",
    color: "dropped",
    name: "Dropped",
    meaning: "Not in the summary.",
  },
  introduced: {
    glyph: "plus",
    color: "introduced",
    name: "Introduced",
    meaning: "In the summary, but not in the source.",
  },
};

export function fate(status: string): Fate {
  return FATES[status] ?? { glyph: "custom", color: "ink-3", name: status, meaning: "" };
}

/** Order of the kinds of facts: what hurts most when it is lost comes first. */
export const FACT_KINDS = [
  "user_request",
  "constraint",
  "decision",
  "error",
  "todo",
  "path",
  "command",
  "symbol",
  "number",
];
