//! Why a row says nothing of facts that were needed later. Pure.

import type { LedgerTotals } from "../../../wire/wire";

/** Why a column says nothing of what was needed later. */
export const NOTHING_AFTER = "Not measured: no entry follows the summarized entries";
/** Why totals say nothing of it; undefined where they do. */
export const whyNotNeeded = (
  totals: Pick<LedgerTotals, "needed_later" | "nothing_after">,
): string | undefined =>
  totals.needed_later !== null
    ? undefined
    : totals.nothing_after
      ? NOTHING_AFTER
      : "Not measured: the source is incomplete";
