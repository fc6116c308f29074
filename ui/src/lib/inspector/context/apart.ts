//! How two contexts differ in size beside the items that only one of them has. Pure.

import type { ContextRows, ContextSide } from "../../../wire/wire";
import { exact, short } from "../../text/format";

/** Smaller differences, in tokens and as a share of the larger context, come from the estimate of the items. */
const LEAST_TOKENS = 1000;
const LEAST_SHARE = 0.05;

/**
 * What a provider counted more or less at one of the entries than the items explain: the system prompt and
 * the tools may have changed between the two requests. Nothing where the items explain the difference.
 */
export function beyondItems(
  before: ContextSide,
  after: ContextSide,
  items: Pick<ContextRows, "removed_tokens" | "added_tokens">,
): { text: string; exact: string } | undefined {
  const rest = after.tokens - before.tokens - (items.added_tokens - items.removed_tokens);
  const least = Math.max(LEAST_TOKENS, LEAST_SHARE * Math.max(before.tokens, after.tokens));
  if (Math.abs(rest) <= least) return undefined;
  const size = Math.abs(rest);
  return {
    text: `The other ${short(size)} tokens by which the sizes differ are in no item. The provider counted them in one of the two requests: the system prompt or the tools changed, or the items are larger than estimated.`,
    exact: `${exact(size)} tokens`,
  };
}
