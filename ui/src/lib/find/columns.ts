//! How the columns of the search in a session share its width. Pure.

/** An empty column has its heading and "No hits": no more. */
const EMPTY = "90px";

/** The columns of a grid: those with hits share what empty ones leave. */
export function columnWidths(totals: readonly number[]): string {
  const none = totals.every((total) => total === 0);
  return totals.map((total) => (total > 0 || none ? "minmax(0, 1fr)" : EMPTY)).join(" ");
}
