//! What a plan does with the context, with names and looks. The looks are classes of
//! `styles/spans.css`, so that tree, timeline and plan show the same.

import type { ItemFate } from "../../../wire/wire";

export interface SpanLook {
  /** The fate on the wire. */
  fate: ItemFate;
  key: "system" | "carried" | "summarized" | "prefix" | "dropped" | "kept";
  name: string;
}

/** In the order of the context. */
const LOOKS: Record<ItemFate, Omit<SpanLook, "fate">> = {
  system: { key: "system", name: "system prompt and tools" },
  carried: { key: "carried", name: "previous summary" },
  summarized: { key: "summarized", name: "summarized" },
  turn_prefix: { key: "prefix", name: "turn prefix" },
  dropped: { key: "dropped", name: "dropped" },
  kept: { key: "kept", name: "kept" },
};

export const spanOf = (fate: ItemFate): SpanLook => ({ fate, ...LOOKS[fate] });
export const SPANS: readonly SpanLook[] = (Object.keys(LOOKS) as ItemFate[]).map(spanOf);
