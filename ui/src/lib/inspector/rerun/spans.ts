//! What a plan does with the context, with names and looks. The looks are classes of
//! `styles/spans.css`, so that tree, timeline and plan show the same.

export interface SpanLook {
  /** The fate on the wire. */
  fate: string;
  key: "system" | "carried" | "summarized" | "prefix" | "dropped" | "kept";
  name: string;
}

/** In the order of the context. */
export const SPANS: readonly SpanLook[] = [
  { fate: "system", key: "system", name: "system prompt and tools" },
  { fate: "carried", key: "carried", name: "previous summary" },
  { fate: "summarized", key: "summarized", name: "summarized" },
  { fate: "turn_prefix", key: "prefix", name: "turn prefix" },
  { fate: "dropped", key: "dropped", name: "dropped" },
  { fate: "kept", key: "kept", name: "kept" },
];

export const spanOf = (fate: string): SpanLook | undefined =>
  SPANS.find((span) => span.fate === fate);
