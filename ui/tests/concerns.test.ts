import { describe, expect, test } from "vitest";
import {
  askedOf,
  grouped,
  lostByNeed,
  settledOf,
  stillOf,
} from "../src/lib/inspector/summary/concerns";
import type { FactView } from "../src/wire/wire";

const fact = (more: Partial<FactView> = {}): FactView => ({
  id: `${more.kind ?? "symbol"}-${more.status ?? "dropped"}-${more.weight ?? 1}`,
  kind: "symbol",
  text: "send_again",
  entry_ids: ["e1"],
  status: "dropped",
  evidence: [],
  needed_later: [],
  missed: false,
  count: 1,
  weight: 1,
  in_kept_tail: false,
  concern: "rest",
  first_item: 0,
  file_role: null,
  task: null,
  generation: 0,
  answers: null,
  missing: [],
  difference: null,
  minor: false,
  may_be_told: false,
  may_be_told_at: null,
  in_another_language: false,
  ...more,
});

describe("the three questions of a ledger", () => {
  const facts = [
    fact({ kind: "number", weight: 9 }),
    fact({ kind: "decision", concern: "risk" }),
    fact({ kind: "user_request", weight: 2, concern: "own" }),
    fact({ kind: "user_request", status: "verbatim" }),
    fact({ kind: "path", file_role: "read", needed_later: ["e9"], concern: "missed" }),
    fact({ kind: "constraint", found_by: "model", concern: "model" }),
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

  test("hold lost requests of an earlier summary beside those of the span", () => {
    const carried = { kind: "user_request", concern: "rest", generation: 1 } as const;
    const lost = fact({ ...carried, id: "lost" });
    const others = [
      fact({ ...carried, id: "kept", status: "verbatim" }),
      fact({ ...carried, id: "tail", in_kept_tail: true }),
      fact({ concern: "rest", generation: 1, id: "symbol" }),
    ];
    const groups = grouped([lost, ...others], { kinds: new Set(), fates: new Set() });
    expect(groups.map((group) => [group.concern, group.facts.length])).toEqual([
      ["own", 1],
      ["rest", 3],
    ]);
    expect(groups[0]!.facts).toEqual([lost]);
  });

  test("give way to one list where a filter asks for some facts", () => {
    const groups = grouped(facts, { kinds: new Set(), fates: new Set(["verbatim"]) });
    expect(groups).toEqual([{ concern: null, facts: [facts[3]] }]);
  });
});

test("settled are requests that are dropped and answer no question", () => {
  const request = (more: Partial<FactView>) => fact({ kind: "user_request", ...more });
  const settled = request({ id: "settled" });
  const others = [
    request({ concern: "own" }),
    request({ status: "verbatim" }),
    request({ in_kept_tail: true }),
    request({ generation: 1 }),
    fact({ kind: "path" }),
  ];
  expect(settledOf([settled, ...others])).toEqual([settled]);
});

test("of lost facts only those that answer a question may still matter", () => {
  const request = (more: Partial<FactView>) => fact({ kind: "user_request", ...more });
  const needed = [
    request({ id: "own", concern: "own" }),
    request({ id: "carried", generation: 1 }),
    fact({ id: "missed", concern: "missed" }),
    fact({ id: "risk", concern: "risk", kind: "decision" }),
  ];
  const others = [
    request({ id: "settled" }),
    request({ id: "told", generation: 1, may_be_told: true }),
    fact({ id: "model", concern: "model" }),
    fact({ id: "error", kind: "error" }),
  ];
  const kept = [
    request({ id: "kept", status: "verbatim" }),
    fact({ id: "tail", in_kept_tail: true }),
  ];
  const lost = lostByNeed([...others, ...kept, ...needed]);
  const ids = (list: readonly FactView[]) => list.map((own) => own.id).sort();
  expect(ids(lost.needed)).toEqual(ids(needed));
  expect(ids(lost.others)).toEqual(ids(others));
});

test("what the user asked for is still there, lost or settled", () => {
  const request = (more: Partial<FactView>) => fact({ kind: "user_request", ...more });
  const still = [
    request({ id: "kept", status: "verbatim" }),
    request({ id: "tail", in_kept_tail: true }),
    request({ id: "partly", status: "partial" }),
  ];
  const own = request({ id: "own", concern: "own" });
  const settled = request({ id: "settled" });
  const none = [
    request({ generation: 1 }),
    request({ found_by: "model", concern: "model" }),
    request({ id: "missed", concern: "missed" }),
    fact({ kind: "path" }),
  ];
  const facts = [...still, own, settled, ...none];
  expect(askedOf(facts)).toHaveLength(5);
  expect(stillOf(facts)).toEqual(still);
  expect(settledOf(facts)).toEqual([settled]);
});
