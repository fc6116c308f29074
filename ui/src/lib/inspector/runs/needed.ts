//! What a row says of facts that were needed later. Pure.

import type { LedgerTotals } from "../../../wire/wire";

/**
 * Dropped facts that were needed later; null where no entry follows that could need one, and where none is
 * known of a source that is incomplete.
 */
export const neededOf = (
  totals: Pick<LedgerTotals, "needed_later" | "nothing_after" | "retention">,
): number | null =>
  totals.nothing_after || (totals.retention === null && totals.needed_later === 0)
    ? null
    : totals.needed_later;
/** Why a column says nothing of what was needed later. */
export const NOTHING_AFTER = "Not measured: no entry follows the summarized entries";
/** Why totals say nothing of it; undefined where they do. */
export const whyNotNeeded = (totals: Parameters<typeof neededOf>[0]): string | undefined =>
  neededOf(totals) !== null
    ? undefined
    : totals.nothing_after
      ? NOTHING_AFTER
      : "Not measured: the source is incomplete";
