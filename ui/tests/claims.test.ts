import { expect, test } from "vitest";
import {
  byRules,
  claimSums,
  countsOf,
  factSums,
  isShown,
  lostByModel,
  ofRules,
} from "../src/lib/inspector/claims/claims";
import type { ClaimVerdict, ClaimView, FactView, FactVerdict } from "../src/wire/wire";

const claim = (verdict: ClaimVerdict, model: ClaimVerdict | null = null): ClaimView => ({
  start: 0,
  end: 1,
  text: "It works.",
  verdict,
  entry_ids: [],
  reason: "",
  ...(model === null
    ? {}
    : {
        by_model: { verdict: model, differs: model !== verdict, statements: [] },
      }),
});

const fact = (status: FactView["status"], in_kept_tail: boolean, model?: FactVerdict): FactView =>
  ({
    status,
    in_kept_tail,
    ...(model === undefined ? {} : { by_model: { verdict: model, differs: false } }),
  }) as unknown as FactView;

test("a claim is shown that rules or the model do not support", () => {
  const claims = [
    claim("supported"),
    claim("stale"),
    claim("supported", "contradicted"),
    claim("unchecked", "supported"),
    claim("without_source", "supported"),
  ];
  expect(claims.map((own) => isShown(own, "wrong"))).toEqual([false, true, true, false, true]);
  expect(countsOf(claims)).toEqual({ wrong: 3, differ: 3, all: 5 });
});

test("the counts of rules do not change with the verdicts of a model", () => {
  const rules = byRules([claim("supported"), claim("stale")]);
  expect(rules).toBe("2 sentences: 1 supported, 1 stale");
  expect(byRules([claim("supported", "stale"), claim("stale", "supported")])).toBe(rules);
});

test("sums of a model say what was not checked, and no share of nothing", () => {
  const claims = {
    supported: 3,
    contradicted: 0,
    stale: 1,
    without_source: 0,
    unchecked: 2,
    differ: 0,
    precision: 0.75,
  };
  expect(claimSums(claims)).toBe("75 % of 4 statements supported; 1 stale, 2 not checked");
  expect(claimSums({ ...claims, precision: null })).toBe("No statement was checked");
  const facts = { kept: 1, partly: 0, changed: 0, dropped: 0, unchecked: 0, differ: 0, recall: 1 };
  expect(factSums(facts)).toBe("100 % of 1 fact kept");
  expect(factSums({ ...facts, recall: null })).toBe("No fact was checked");
});

test("a fact in the kept tail is held by rules, as the model is asked", () => {
  expect(ofRules(fact("dropped", true)).name).toBe("In the kept tail");
  expect(ofRules(fact("verbatim", true)).name).toBe("Verbatim");
  expect(ofRules(fact("dropped", false)).name).toBe("Dropped");
  const facts = [
    fact("dropped", false),
    fact("dropped", true, "kept"),
    fact("verbatim", false, "dropped"),
  ];
  expect(lostByModel(facts)).toEqual([facts[2]]);
});
