import { expect, it } from "vitest";
import { dearest, turnWords } from "../src/lib/tree/turns";

it("says what a prompt cost and how long its turn took", () => {
  const turn = { cost_usd: 3.93, cost_computed: false, duration_ms: 750_000, costs_most: true };
  expect(turnWords(turn)).toEqual({
    text: "$3.93 · 12 min 30 s",
    title:
      "The turn cost $3.93 and took 12 min 30 s, waiting included, up to the next prompt. No other turn of the session cost more.",
  });
});

it("marks a computed cost and leaves out what is unknown", () => {
  const computed = { cost_usd: 1.5, cost_computed: true, duration_ms: null, costs_most: false };
  expect(turnWords(computed).text).toBe("≈ $1.50");
  const unknown = { cost_usd: null, cost_computed: false, duration_ms: null, costs_most: false };
  expect(turnWords(unknown)).toEqual({
    text: "",
    title: "The cost is unknown, up to the next prompt.",
  });
});

it("lists the prompts that cost most, and none where only one has a cost", () => {
  const turn = (entry_id: string, cost_usd: number | null) => ({
    entry_id,
    line: null,
    timestamp: null,
    preview: entry_id,
    cost_usd,
    cost_computed: false,
    duration_ms: null,
    costs_most: false,
  });
  const turns = [turn("a", 1), turn("b", null), turn("c", 4), turn("d", 2), turn("e", 3)];
  expect(dearest(turns).map((own) => own.entry_id)).toEqual(["c", "e", "d"]);
  expect(dearest([turn("a", 1), turn("b", null)])).toEqual([]);
});
