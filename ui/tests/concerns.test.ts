import { describe, expect, test } from "vitest";
import { concernOf, grouped, tally } from "../src/lib/inspector/summary/concerns";
import type { FactView } from "../src/wire/wire";

const fact = (more: Partial<FactView> = {}): FactView => ({
  id: `${more.kind ?? "symbol"}-${more.status ?? "dropped"}-${more.weight ?? 1}`,
  kind: "symbol",
  text: "send_again",
  entry_ids: ["e1"],
  status: "dropped",
  evidence: [],
  needed_later: [],
  count: 1,
  weight: 1,
  in_kept_tail: false,
  first_item: 0,
  file_role: null,
  task: null,
  generation: 0,
  answers: null,
  missing: [],
  difference: null,
  ...more,
});

describe("the three questions of a ledger", () => {
  test.each<[string, Partial<FactView>]>([
    ["own", { kind: "user_request" }],
    ["own", { kind: "constraint", status: "changed" }],
    ["own", { kind: "user_request", needed_later: ["e9"] }],
    ["rest", { kind: "user_request", status: "mentioned" }],
    ["rest", { kind: "user_request", generation: 1 }],
    ["rest", { kind: "constraint", in_kept_tail: true }],
    ["missed", { kind: "symbol", needed_later: ["e9"] }],
    ["missed", { kind: "path", file_role: "read", needed_later: ["e9"] }],
    ["rest", { kind: "symbol", needed_later: ["e9"], in_kept_tail: true }],
    ["rest", { kind: "symbol", needed_later: ["e9"], status: "verbatim" }],
    ["risk", { kind: "decision" }],
    ["risk", { kind: "decision", found_by: "both" }],
    ["model", { kind: "decision", found_by: "model" }],
    ["model", { kind: "constraint", found_by: "model", needed_later: ["e9"] }],
    ["risk", { kind: "error" }],
    ["risk", { kind: "path", file_role: "edited" }],
    ["risk", { kind: "todo", task: "open" }],
    ["rest", { kind: "path", file_role: "read" }],
    ["rest", { kind: "todo", task: "closed" }],
    ["rest", { kind: "number" }],
  ])("%s: %j", (concern, more) => {
    expect(concernOf(fact(more))).toBe(concern);
  });

  const facts = [
    fact({ kind: "number", weight: 9 }),
    fact({ kind: "decision" }),
    fact({ kind: "user_request", weight: 2 }),
    fact({ kind: "user_request", status: "verbatim" }),
    fact({ kind: "path", file_role: "read", needed_later: ["e9"] }),
    fact({ kind: "constraint", found_by: "model" }),
  ];

  test("stand in their order, and each fact once", () => {
    const groups = grouped(facts, { kinds: new Set(), fates: new Set() });
    expect(groups.map((group) => group.concern)).toEqual([
      "own",
      "missed",
      "risk",
      "model",
      "rest",
    ]);
    expect(groups.flatMap((group) => group.facts)).toHaveLength(facts.length);
  });

  test("give way to one list where a filter asks for some facts", () => {
    const groups = grouped(facts, { kinds: new Set(), fates: new Set(["verbatim"]) });
    expect(groups).toEqual([{ concern: null, facts: [facts[3]] }]);
  });

  test("are counted, with all that the user asked for", () => {
    expect(tally(facts)).toEqual({ own: 1, missed: 1, risk: 1, model: 1, rest: 2, ownAll: 2 });
  });
});
