import type { LedgerView } from "../../../wire/wire";
import { exact, tokens } from "../../text/format";

type Sized = Pick<LedgerView, "span_size" | "span_tokens">;
type Summary = Pick<LedgerView, "summary_size" | "summary_tokens">;

/** Tokens of the summarized span: its share of what the provider reported, else the estimate. */
export const spanSize = (ledger: Sized): number => ledger.span_size ?? ledger.span_tokens;

/** On what the size of the span rests. */
export const spanTitle = (ledger: Sized): string =>
  ledger.span_size === undefined
    ? `${tokens(ledger.span_tokens)}, estimated: the provider reported no size`
    : `${tokens(ledger.span_size)}, its share of what the provider reported; ${exact(ledger.span_tokens)} by the agent's estimate`;

/** Tokens of the summary: its share of what the provider reported, else the estimate. */
export const summarySize = (ledger: Summary): number =>
  ledger.summary_size ?? ledger.summary_tokens;

/** On what the size of the summary rests. The figures of a summary use estimates for both sizes. */
export const summaryTitle = (ledger: Summary): string =>
  ledger.summary_size === undefined
    ? `${tokens(ledger.summary_tokens)}, estimated`
    : `${tokens(ledger.summary_size)}, its share of what the provider reported; ${exact(ledger.summary_tokens)} by the estimate that the figures use`;
