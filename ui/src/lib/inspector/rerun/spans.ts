//! What a plan does with the context, with names and looks. The looks are classes of
//! `styles/spans.css`, so that tree, timeline and plan show the same.

import type { ItemFate } from "../../../wire/wire";

export interface SpanLook {
  /** The fate on the wire. */
  fate: ItemFate;
  key: "system" | "carried" | "summarized" | "prefix" | "dropped" | "kept";
  name: string;
  /** What it is, in one sentence. */
  meaning: string;
}

/** In the order of the context. */
const LOOKS: Record<ItemFate, Omit<SpanLook, "fate">> = {
  system: {
    key: "system",
    name: "system messages in the file",
    meaning:
      "System messages and tool definitions that the session file contains. They stay in every request.",
  },
  carried: {
    key: "carried",
    name: "previous summary",
    meaning:
      "The summary of the compaction before. The new summary updates it. Like all sizes of a plan, its size is in the agent's own count, which may differ from the size in the Summary tab.",
  },
  summarized: {
    key: "summarized",
    name: "summarized",
    meaning:
      "The summary replaces these messages. The plan lists messages of the user that the strategy keeps beside the summary.",
  },
  turn_prefix: {
    key: "prefix",
    name: "start of a split turn",
    meaning:
      "The cut point splits a turn (a prompt with what followed it). This is the part before the cut point, the turn prefix. It gets a summary of its own; the rest of the turn is kept.",
  },
  dropped: {
    key: "dropped",
    name: "dropped",
    meaning: "These messages leave the context and are not summarized.",
  },
  kept: { key: "kept", name: "kept", meaning: "These messages stay in the context verbatim." },
};

export const spanOf = (fate: ItemFate): SpanLook => ({ fate, ...LOOKS[fate] });
export const SPANS: readonly SpanLook[] = (Object.keys(LOOKS) as ItemFate[]).map(spanOf);
