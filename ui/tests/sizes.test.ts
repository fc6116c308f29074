import { describe, expect, test } from "vitest";
import { missing, modelsOf, versionOf } from "../src/lib/inspector/rerun/choices";
import {
  nextOf,
  ownEstimate,
  scaledTo,
  sharesOf,
  timesEstimates,
} from "../src/lib/inspector/rerun/sums";
import type { PlanView, ProviderRow } from "../src/wire/wire";

/** A plan of a context that the provider counts far higher than its entries are estimated. */
const plan = {
  sizes: { before: 157_925, after: 91_562, unseen: 42_385 },
  shares: [
    { fate: "carried", items: 1, tokens: 2_418 },
    { fate: "summarized", items: 103, tokens: 23_926 },
    { fate: "turn_prefix", items: 30, tokens: 6_629 },
    { fate: "kept", items: 16, tokens: 19_991 },
  ],
  next: [{ tokens: 2_552 }, { tokens: 19_991 }],
  estimated_tokens_after: 22_543,
  calls: [{ worker: "model" }],
} as unknown as PlanView;
const sum = (parts: readonly { tokens: number }[]): number =>
  parts.reduce((n, part) => n + part.tokens, 0);

describe("the sizes of a plan", () => {
  test("are in one unit: the parts add up to the totals", () => {
    expect(sum(sharesOf(plan)) + plan.sizes.unseen).toBe(plan.sizes.before);
    expect(sum(nextOf(plan)) + plan.sizes.unseen).toBe(plan.sizes.after);
  });

  test("add up also where rounding would lose a token", () => {
    const parts = [{ tokens: 1 }, { tokens: 1 }, { tokens: 1 }];
    expect(sum(scaledTo(parts, 100))).toBe(100);
    expect(scaledTo([{ tokens: 0 }], 100)).toEqual([{ tokens: 0 }]);
  });

  test("tell the strategy's own estimate only where it is another", () => {
    expect(ownEstimate(plan)).toEqual({ before: 52_964, after: 22_543, kept: 19_991 });
    const same = { ...plan, sizes: { before: 52_964, after: 22_543, unseen: 0 } };
    expect(ownEstimate(same)).toBeNull();
  });

  test("say how many times the outline's estimates they are, where it is another unit", () => {
    expect(timesEstimates(plan)).toBe("2.2");
    const close = { ...plan, sizes: { before: 53_500, after: 22_543, unseen: 0 } };
    expect(timesEstimates(close)).toBeNull();
  });
});

describe("who runs a plan", () => {
  const openai = {
    name: "openai",
    kind: "openai",
    key_state: "stored",
    models: ["gpt-4-turbo", "gpt-4.1-mini", "gpt-5.6-luna", "gpt-6.1-sol", "gpt-6-luna", "o3"],
    custom: false,
  } as unknown as ProviderRow;

  test("is offered the newest model first, and the user's own order as it is", () => {
    expect(modelsOf(openai, [])[0]).toBe("gpt-6.1-sol");
    expect(modelsOf({ ...openai, custom: true }, [])[0]).toBe("gpt-4-turbo");
  });

  test.each([
    ["claude-opus-5-5", 5.05],
    ["claude-opus-4-5-20251101", 4.05],
    ["mistral-large-2512", 0],
    ["llama-3.3-70b", 3.03],
    ["o3", 3],
  ])("version of %s", (id, version) => {
    expect(versionOf(id)).toBe(version);
  });

  test("must have a key and a model before the plan can run", () => {
    const keyless = { ...openai, key_state: "missing" } as ProviderRow;
    expect(missing(keyless, "gpt-6-luna", [plan])).toBe("key");
    expect(missing(openai, " ", [plan])).toBe("model");
    expect(missing(openai, "gpt-6-luna", [plan])).toBeNull();
  });

  test("needs nothing for a plan without calls", () => {
    const keyless = { ...openai, key_state: "missing" } as ProviderRow;
    expect(missing(keyless, null, [{ ...plan, calls: [] }])).toBeNull();
  });
});
