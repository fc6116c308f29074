//! The signs that stand in the rows of sessions, with their names. Pure.

import type { LinkKind, SessionRow } from "../../wire/wire";
import type { GlyphName } from "../ui/glyphs";
import { kinLook, SAME_SESSION } from "../ui/kinds";

export interface Sign {
  glyph: GlyphName;
  /** CSS variable without the dashes. */
  color: string;
  name: string;
  /** What it is, where its name does not say it. */
  meaning?: string;
}

const COUNTED: readonly (Sign & { has: (row: SessionRow) => boolean })[] = [
  {
    glyph: "compaction",
    color: "compaction",
    name: "compactions",
    has: (row) => row.compactions > 0,
  },
  {
    glyph: "pennant",
    color: "warning",
    name: "unusual compactions (see the Summary tab)",
    has: (row) => row.flags.length > 0,
  },
  {
    glyph: "bridge",
    color: "bridge",
    name: "branch summaries",
    has: (row) => row.branch_summaries > 0,
  },
  { glyph: "note", color: "label", name: "your notes", has: (row) => row.notes > 0 },
  { glyph: "flag", color: "label", name: "your labels", has: (row) => row.labels.length > 0 },
  {
    glyph: "warning",
    color: "warning",
    name: "parse warnings",
    meaning:
      "What could not be read as expected in the session's files. A call that failed is no warning.",
    has: (row) => row.warnings > 0,
  },
  {
    glyph: "copy",
    color: "ink-2",
    name: "also in another file",
    meaning: SAME_SESSION,
    has: (row) => row.copy !== null,
  },
  {
    glyph: "pencil",
    color: "ink-2",
    name: "written by Palimpsest",
    has: (row) => row.written,
  },
];

/** The signs that some row has, each once: first the counted ones, then the relations to others. */
export function signsOf(rows: readonly SessionRow[]): Sign[] {
  const counted = COUNTED.filter(({ has }) => rows.some(has));
  const kinds = new Set<LinkKind>();
  for (const row of rows) {
    if (row.parent_kind !== null) kinds.add(row.parent_kind);
    // pi's header names the session only.
    else if (row.parent !== null) kinds.add("forked_from");
  }
  const kin = [...kinds].map((kind): Sign => {
    const { glyph, name } = kinLook(kind);
    return { glyph, color: "ink-2", name: name.toLowerCase() };
  });
  return [...counted.map(({ has: _, ...sign }) => sign), ...kin];
}
