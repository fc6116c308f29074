import type { SessionView, TurnRow, TurnView } from "../../wire/wire";
import { costText, dollars, duration } from "../text/format";

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

/** What a fork's file has of the other session's cost. */
export interface Shared {
  /** Cost of the shared turns in US dollars; 0 where their usage is not in this file. */
  cost: number;
  computed: boolean;
}

/** The cost of the turns before the one at which a fork diverges; null where that is unknown. */
export function sharedCost(turns: readonly TurnRow[], ownFrom: string | null): Shared | null {
  const at = turns.findIndex((turn) => turn.entry_id === ownFrom);
  if (at < 0) return null;
  const before = turns.slice(0, at).filter((turn) => turn.cost_usd !== null);
  return {
    cost: before.reduce((sum, turn) => sum + (turn.cost_usd ?? 0), 0),
    computed: before.some((turn) => turn.cost_computed),
  };
}

/** Whether a session has its first entries from another one, whose cost stands beside its own. */
export const isFork = (view: Pick<SessionView, "links">): boolean =>
  view.links.some(
    (link) => !link.reversed && (link.kind === "forked_from" || link.kind === "shares_beginning"),
  );

/** Whether the cost of a fork has that of the entries which it shares. */
export function sharedWords(shared: Shared | null): string {
  if (shared === null)
    return "The entries shared with another session are included as far as this file contains their usage; they are in the cost of both sessions then.";
  if (shared.cost <= 0)
    return "The entries shared with the other session are not included: this file tells no cost for them.";
  return `Includes ${costText(shared.cost, shared.computed)} for the entries shared with the other session: they are in the cost of both sessions.`;
}

/** Prompts listed by their cost. */
const MOST_LISTED = 3;

/** The prompts that cost most, dearest first; none where fewer than two have a cost. */
export function dearest(turns: readonly TurnRow[]): TurnRow[] {
  const paid = turns.filter((turn) => (turn.cost_usd ?? 0) > 0);
  if (paid.length < 2) return [];
  return paid.sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)).slice(0, MOST_LISTED);
}
