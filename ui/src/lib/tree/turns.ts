import type { TurnView } from "../../wire/wire";
import { dollars, duration } from "../text/format";

/** What a prompt cost and how long its turn took: `$3.93 · 12 min`, and the same in a sentence. */
export function turnWords(turn: TurnView): { text: string; title: string } {
  const sign = turn.cost_computed ? "≈" : "";
  const cost = turn.cost_usd === null ? null : `${sign}${dollars(turn.cost_usd)}`;
  const took = turn.duration_ms === null ? null : duration(turn.duration_ms);
  const text = [cost, took].filter((part) => part !== null).join(" · ");
  const priced = cost === null ? "The cost is unknown" : `The turn cost ${cost}`;
  const timed = took === null ? "" : ` and took ${took}, waiting included`;
  const most = turn.costs_most ? " No other turn of the session cost more." : "";
  return { text, title: `${priced}${timed}, up to the next prompt.${most}` };
}
