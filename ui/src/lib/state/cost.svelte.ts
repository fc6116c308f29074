//! The question that comes before a run that may cost more than the limit of the settings.

import type { PlanView } from "../../wire/wire";

/** What would be run, and what it may cost. */
export interface Costly {
  /** What is run, in a few words. */
  what: string;
  /** Null where a price is unknown. */
  estimate: number | null;
  /** With every attempt and every fallback; null where a price is unknown. */
  most: number | null;
  /** True where a price that the user entered was used. */
  userPrices: boolean;
  calls: number;
  /** Requests with every attempt and every smaller call; null where that is not known. */
  requests: number | null;
}

/** Null unless all are known. */
const total = (costs: readonly (number | null)[]): number | null =>
  costs.reduce<number | null>(
    (sum, cost) => (sum === null || cost === null ? null : sum + cost),
    0,
  );

/** What several plans may cost, each run so many times. */
export function costly(what: string, list: readonly { plan: PlanView; times: number }[]): Costly {
  const each = (of: (plan: PlanView) => number | null): number | null =>
    total(
      list.map(({ plan, times }) => {
        const own = of(plan);
        return own === null ? null : times * own;
      }),
    );
  const sum = (of: (call: PlanView["calls"][number]) => number): number =>
    list.reduce(
      (n, { plan, times }) => n + times * plan.calls.reduce((m, call) => m + of(call), 0),
      0,
    );
  return {
    what,
    estimate: each((plan) => plan.estimated_cost_usd),
    most: each((plan) => plan.most_cost_usd),
    userPrices: list.some(({ plan }) => plan.user_prices),
    calls: sum(() => 1),
    requests: sum((call) => Math.max(1, call.attempts) + call.most_smaller),
  };
}

export class CostGate {
  /** What the dialog asks about. */
  asked = $state.raw<Costly | null>(null);
  private answer: ((agreed: boolean) => void) | null = null;

  constructor(private readonly limit: () => number | null) {}

  get limitUsd(): number | null {
    return this.limit();
  }

  /**
   * Asks where the limit is exceeded. `above` is for the request; null where the user said no.
   */
  async pass(what: Costly): Promise<{ above: boolean } | null> {
    const limit = this.limit();
    if (limit === null || (what.most !== null && what.most <= limit)) return { above: false };
    this.settle(false);
    this.asked = what;
    const agreed = await new Promise<boolean>((done) => (this.answer = done));
    return agreed ? { above: true } : null;
  }
  settle(agreed: boolean): void {
    this.asked = null;
    const answer = this.answer;
    this.answer = null;
    answer?.(agreed);
  }
}
