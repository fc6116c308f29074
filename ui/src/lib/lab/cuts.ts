//! Cuts in a list. Pure.

import type { CutView } from "../../wire/wire";

/** For each cut its place among those of its session, from 1; null where it is the only one. */
export function placesOf(cuts: readonly Pick<CutView, "session">[]): (number | null)[] {
  return cuts.map(({ session }, n) => {
    const own = cuts.filter((cut) => cut.session === session).length;
    return own < 2 ? null : cuts.slice(0, n + 1).filter((cut) => cut.session === session).length;
  });
}
