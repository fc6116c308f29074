//! How the cells of a chain look. Pure.

import type { ChainCellView, ChainFact } from "../../../wire/wire";
import { count, exact } from "../../text/format";
import { fate, type Look } from "../../ui/kinds";

export interface ShownCell {
  /** Null before the fact is said, and after its loss. */
  look: Look | null;
  /** What happened, for the pointer and for readers of the screen. */
  meaning: string;
  said: boolean;
  /** True after the loss of the fact. */
  gone: boolean;
  /** Entries that needed the lost fact. */
  needed: readonly string[];
}

/** Of a fact that the summary dropped and the kept tail has. */
export const IN_TAIL: Look = { glyph: "checkpoint", color: "ink-3", name: "In the kept tail" };

const NOTHING: ShownCell = {
  look: null,
  meaning: "",
  said: false,
  gone: false,
  needed: [],
};

/**
 * How many facts of the first span the context behind a compaction still has. The share is one of numbers, so
 * the number follows from it.
 */
export function stillThere(share: number, born: number): string {
  const there = Math.round(share * born);
  return `Of ${count(born, "fact")} of the first span, ${exact(there)} ${there === 1 ? "is" : "are"} still in the context, in the summary or the kept tail. Partly kept and changed ones count in full.`;
}

/** One cell for each compaction. */
export function cellsOf(fact: ChainFact, columns: number): ShownCell[] {
  return Array.from({ length: columns }, (_, at) => {
    if (at < fact.born) return { ...NOTHING, meaning: "Not said yet" };
    const cell = fact.cells[at - fact.born];
    return cell
      ? shown(cell, at === fact.born)
      : { ...NOTHING, meaning: "Lost before", gone: true };
  });
}

function shown(cell: ChainCellView, isFirst: boolean): ShownCell {
  const inTail = cell.in_kept_tail && cell.status === "dropped";
  const look: Look = inTail ? IN_TAIL : fate(cell.status);
  const said = isFirst
    ? "First said before this compaction. "
    : cell.said
      ? "Said again before this compaction. "
      : "";
  const needed =
    cell.needed_later.length > 0
      ? ` Needed ${cell.needed_later.length === 1 ? "once" : `${cell.needed_later.length} times`} later.`
      : "";
  return {
    look,
    meaning: `${said}${look.name}.${needed}`,
    said: cell.said,
    gone: false,
    needed: cell.needed_later,
  };
}
