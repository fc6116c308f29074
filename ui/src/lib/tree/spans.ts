//! Where marks go that would lie on top of each other. Pure.

/** Marks nearer than this are drawn as one, in pixels. */
const APART = 5;

/** The places of marks, thinned so that they stay apart. */
export function ticks(places: readonly number[]): number[] {
  const kept: number[] = [];
  for (const x of [...places].sort((a, b) => a - b))
    if (kept.length === 0 || x - kept.at(-1)! >= APART) kept.push(Math.round(x * 10) / 10);
  return kept;
}
