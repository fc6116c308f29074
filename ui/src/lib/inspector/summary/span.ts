import type { LedgerView } from "../../../wire/wire";
import { exact, tokens } from "../../text/format";

type Sized = Pick<LedgerView, "span_size" | "span_tokens">;

/** Tokens of the summarized span: its share of what the provider reported, else the estimate. */
export const spanSize = (ledger: Sized): number => ledger.span_size ?? ledger.span_tokens;

/** On what the size of the span rests. */
export const spanTitle = (ledger: Sized): string =>
  ledger.span_size === undefined
    ? `${tokens(ledger.span_tokens)}, estimated: the provider reported no size`
    : `${tokens(ledger.span_size)}, its share of what the provider reported; ${exact(ledger.span_tokens)} by the agent's estimate`;
