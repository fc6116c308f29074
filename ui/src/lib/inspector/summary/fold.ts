//! How high the facts and their texts are below the sentences of the first screen. Pure.

/** With less, a fact has no room beside its source. */
const LEAST = 340;
/** In a tall pane the sentences leave about as much. */
const TALL = 850;
const WANTED = 560;

/**
 * The least height of the facts with their texts, in pixels. In a low pane they take all of it below the
 * filters, and the tab is scrolled to them.
 */
export function partsHeight(pane: number, filters: number): number {
  const wanted = pane < TALL ? pane - filters : WANTED;
  return Math.max(LEAST, wanted);
}
