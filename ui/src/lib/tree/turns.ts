import type { TurnRow, TurnView } from "../../wire/wire";
import { dollars, duration } from "../text/format";

/** What a prompt cost and how long its turn took: `$3.93 · 12 min`, and the same in a sentence. */
export function turnWords(turn: TurnView): { text: string; title: string } {
  const sign = turn.cost_computed ? "≈ " : "";
  const cost = turn.cost_usd === null ? null : `${sign}${dollars(turn.cost_usd)}`;
  const took = turn.duration_ms === null ? null : duration(turn.duration_ms);
  const text = [cost, took].filter((part) => part !== null).join(" · ");
  const priced = cost === null ? "The cost is unknown" : `The turn cost ${cost}`;
  const timed = took === null ? "" : ` and took ${took}, waiting included`;
  const most = turn.costs_most ? " No other turn of the session cost more." : "";
  return { text, title: `${priced}${timed}, up to the next prompt.${most}` };
}

/** Prompts listed by their cost. */
const MOST_LISTED = 3;

/** The prompts that cost most, dearest first; none where fewer than two have a cost. */
export function dearest(turns: readonly TurnRow[]): TurnRow[] {
  const paid = turns.filter((turn) => (turn.cost_usd ?? 0) > 0);
  if (paid.length < 2) return [];
  return paid.sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)).slice(0, MOST_LISTED);
}
