//! The signs of the outline that its legend names.

import type { OutlineRow } from "../../wire/wire";
import type { GlyphName } from "../ui/glyphs";
import { look } from "../ui/kinds";

/** A sign and its name. */
export interface Sign {
  glyph: GlyphName;
  name: string;
}

/** The signs of the rows that no word stands beside; those of the others are named in the row. */
const SIGNS: readonly Sign[] = [
  { glyph: "user", name: "user" },
  { glyph: "assistant", name: "assistant" },
  { glyph: "tool", name: "call" },
  { glyph: "result", name: "result" },
  { glyph: "failed", name: "failed" },
  { glyph: "thinking", name: "thinking" },
  { glyph: "todo", name: "to-do list" },
  { glyph: "system", name: "added by the agent" },
];

/** Signs that few sessions have: named only where a loaded row has one. */
const RARE: readonly Sign[] = [
  { glyph: "stop", name: "stopped by the user" },
  { glyph: "command", name: "user command" },
  { glyph: "custom", name: "record" },
  { glyph: "opaque", name: "unknown record" },
];

/** The rare signs that rows have. */
export function rareSigns(rows: readonly OutlineRow[]): GlyphName[] {
  const own = new Set(rows.map((row) => look({ ...row, record: row.preview }).glyph));
  return RARE.map((sign) => sign.glyph).filter((glyph) => own.has(glyph));
}

/** What the legend names, given the rare signs of the rows loaded so far. */
export function signsOf(rare: ReadonlySet<GlyphName>): readonly Sign[] {
  return [...SIGNS, ...RARE.filter((sign) => rare.has(sign.glyph))];
}
