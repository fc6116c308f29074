//! Cuts in a list. Pure.

import type { CutView } from "../../wire/wire";
import { count } from "../text/format";

/** For each cut its place among those of its session, from 1; null where it is the only one. */
export function placesOf(cuts: readonly Pick<CutView, "session">[]): (number | null)[] {
  return cuts.map(({ session }, n) => {
    const own = cuts.filter((cut) => cut.session === session).length;
    return own < 2 ? null : cuts.slice(0, n + 1).filter((cut) => cut.session === session).length;
  });
}

/** How many cuts a query gave. At the limit there may be more, which nobody has counted. */
export function foundWords(found: number, limit: number): string {
  return found < limit
    ? `${count(found, "cut")} found`
    : `${count(found, "cut")} found, which is the limit: the query may have more`;
}
