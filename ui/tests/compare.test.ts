import { describe, expect, test } from "vitest";
import {
  FIGURES,
  hasFacts,
  numbered,
  outcomeOf,
  repeatsOf,
  SCORE_PARTS,
  spread,
} from "../src/lib/inspector/runs/compare";
import { NOTHING_AFTER, whyNotNeeded } from "../src/lib/inspector/runs/needed";
import { cellsOf, differWords, isOpen } from "../src/lib/inspector/runs/settings";
import { folded, promptName } from "../src/lib/inspector/rerun/folded";
import {
  chipsOf,
  differencesOf,
  fitting,
  grouped,
  type RunSort,
} from "../src/lib/inspector/runs/runs";
import { placeholdersIn } from "../src/lib/prompts/saved";
import { TERMS } from "../src/lib/ui/terms";
import type { CompareAllView, ComparedSummary, RunRow, SummaryNode } from "../src/wire/wire";

const side = (cut: number, cost: number | null): ComparedSummary =>
  ({ cut, run: {} as RunRow, score: { cost_usd: cost } }) as ComparedSummary;
const setting = (values: (string | null)[]) => ({
  key: "model",
  label: "Model",
  values,
  texts: [],
});
const cost = FIGURES.find((figure) => figure.key === "cost")!;

describe("repeats", () => {
  test("are the runs that differ in nothing", () => {
    const sides = [side(0, 1), side(0, 3), side(0, 2), side(0, 4)];
    const settings = [setting(["a", "a", "b", "a"])];
    expect(repeatsOf({ sides, settings }).map((own) => own.sides)).toEqual([[0, 1, 3]]);
    expect(repeatsOf({ sides, settings: [setting(["a", "b", "c", "d"])] })).toEqual([]);
  });
  test("are of one cut, and never a summary of the agent", () => {
    const own = { ...side(0, null), run: null };
    expect(repeatsOf({ sides: [side(0, 1), side(1, 1), own, own], settings: [] })).toEqual([]);
  });
  test("have a mean and a spread", () => {
    expect(spread(cost, [side(0, 1), side(0, 3), side(0, null)])).toBe("$2.00 ($1.00 to $3.00)");
    expect(spread(cost, [side(0, 2), side(0, 2)])).toBe("$2.00");
    expect(spread(cost, [side(0, null)])).toBeNull();
  });
});

test("what was needed later has no figure where it was not measured", () => {
  const dropped = FIGURES.find((figure) => figure.key === "dropped")!;
  const of = (totals: object): number | null => dropped.value({ totals } as ComparedSummary);
  expect(of({ needed_later: 0 })).toBe(0);
  expect(of({ needed_later: null, nothing_after: true })).toBeNull();
  expect(whyNotNeeded({ needed_later: 0 })).toBeUndefined();
  expect(whyNotNeeded({ needed_later: null, nothing_after: true })).toBe(NOTHING_AFTER);
  expect(whyNotNeeded({ needed_later: null })).toContain("incomplete");
});

test("what no source has is counted only where the source is whole", () => {
  const of = (key: string, retention: number | null): number | null => {
    const made = { totals: { retention }, score: { introduced: 2, claims: { without_source: 3 } } };
    return FIGURES.find((figure) => figure.key === key)!.value(made as ComparedSummary);
  };
  expect([of("introduced", 0.5), of("unsupported", 0.5)]).toEqual([2, 3]);
  expect([of("introduced", null), of("unsupported", null)]).toEqual([null, null]);
});

test("columns of one name are numbered", () => {
  expect(numbered(["pi", "codex", "pi"])).toEqual(["pi (1)", "codex", "pi (2)"]);
});

test("a comparison has the figures of the list of runs, by the same names", () => {
  const names = FIGURES.map((figure) => figure.name);
  expect(names[0]).toBe(TERMS.overall.name);
  for (const term of [TERMS.weighted, TERMS.needed, TERMS.neededHeld])
    expect(names).toContain(term.name);
});

test("parts of the overall score say what they take away in points", () => {
  const part = (key: string) => SCORE_PARTS.find((own) => own.key === `score.${key}`)!;
  expect(part("own_words").name).toBe("Copying factor");
  expect(part("correctness").hint).toContain(
    "100 % minus 5 points for each wrong statement, at least 50 %.",
  );
});

test("a run of the offline summarizer calls no model", () => {
  const calls = FIGURES.find((figure) => figure.key === "calls")!;
  const made = (provider: string): ComparedSummary =>
    ({ run: { provider } as RunRow, score: { calls: 1 } }) as ComparedSummary;
  expect(calls.value(made("offline"))).toBe(0);
  expect(calls.value(made("anthropic"))).toBe(1);
});

describe("the settings that differ", () => {
  const row = (key: string, values: (string | null)[]) => ({ key, label: key, values, texts: [] });
  const said = (key: string, values: (string | null)[]): string[] =>
    cellsOf(row(key, values)).map(({ pieces }) =>
      pieces.map((own) => ("entry" in own ? `<${own.entry}>` : own.text)).join(""),
    );
  const id = "6ab0c1d2-0000-4000-8000-00000000000a";

  test("are one closed row where there are many", () => {
    const many = Array.from({ length: 42 }, (_, n) => row(`p${n}`, ["a", "b"]));
    expect(differWords(many)).toBe("42 settings differ");
    expect(isOpen(many)).toBe(false);
    expect(differWords(many.slice(0, 1))).toBe("1 setting differs");
    expect(isOpen(many.slice(0, 2))).toBe(true);
  });
  test("say what a column does not have, and what is empty", () => {
    expect(said("spare", [null, "[]", "", "off"])).toEqual(["–", "empty", "empty", "off"]);
    expect(cellsOf(row("spare", [null, "[]"])).map((cell) => cell.look)).toEqual([
      "absent",
      "empty",
    ]);
  });
  test("have entries as links", () => {
    expect(said("cut", ["e12", "none", id])).toEqual(["<e12>", "none", `<${id}>`]);
    expect(said("spare", [`["${id}"]`])).toEqual([`["<${id}>"]`]);
  });
  test("name prompts in words, with the hash only where words are alike", () => {
    const [first, second] = ["of the strategy (6aba1234)", "of the strategy (77f01234)"];
    expect(said("prompts.first", [first!, "terse@2", "unsaved (0c0c0c0c)", null])).toEqual([
      "the strategy's prompt",
      "terse@2",
      "own prompt",
      "–",
    ]);
    expect(said("prompts.first", [first!, second!])).toEqual([
      "the strategy's prompt 6aba",
      "the strategy's prompt 77f0",
    ]);
    expect(cellsOf(row("prompts.first", [first!]))[0]!.title).toBe(first);
  });
});

describe("what the facts of a comparison say", () => {
  const view = (cuts: number[][], facts: number, same_fate: number): CompareAllView =>
    ({
      cuts: cuts.map((sides) => ({ sides })),
      sides: cuts.flat(),
      facts: Array.from({ length: facts }),
      same_fate,
    }) as unknown as CompareAllView;

  test("summaries of different contexts are not said to have no facts", () => {
    expect(hasFacts(view([[0], [1]], 0, 0))).toBe(false);
    expect(outcomeOf(view([[0], [1]], 0, 0))).toContain("different contexts");
  });
  test("within a context facts are counted", () => {
    expect(outcomeOf(view([[0, 1]], 0, 0))).toBe("The summarized spans contain no facts.");
    expect(outcomeOf(view([[0, 1]], 0, 2))).toBe(
      "The 2 facts have the same status in both summaries.",
    );
    expect(outcomeOf(view([[0, 1], [2]], 1, 1))).toBe(
      "1 fact differs in status. 1 other fact has the same status in all summaries.",
    );
  });
});

test("prompts of split turns are folded away where the plan splits none", () => {
  const prompts = ["first", "turn_prefix", "joined", "system"].map((name) => ({
    path: `prompts.${name}`,
  }));
  const names = (prefix: string[], set: Record<string, string>): string[] =>
    folded(prompts, { turn_prefix_ids: prefix }, set).map(promptName);
  expect(names([], {})).toEqual(["turn_prefix", "joined"]);
  expect(names(["e1"], {})).toEqual([]);
  expect(names([], { "prompts.joined": "Mine." })).toEqual(["turn_prefix"]);
  expect(folded(prompts, undefined, {})).toEqual([]);
});

test("placeholders are named in their order, sections once", () => {
  const known = [{ name: "conversation", meaning: "the messages" }];
  expect(placeholdersIn("{{#last}}a{{/last}} {{conversation}} {{conversation}}", known)).toEqual([
    { name: "last", meaning: "unknown placeholder" },
    { name: "conversation", meaning: "the messages" },
  ]);
});

describe("what a run differs in", () => {
  const run = (run_id: string, strategy: string, values: Record<string, string>): RunRow =>
    ({
      run_id,
      strategy,
      kind: "compaction",
      again: "c1",
      differs: Object.entries(values).map(([key, value]) => ({ key, label: key, value })),
    }) as unknown as RunRow;

  test("is said within its strategy and cut, and never twice", () => {
    const rows = [
      run("a", "pi", { strategy: "pi", model: "m", output: "model", keep: "20" }),
      run("b", "pi", { strategy: "pi", model: "n", output: "model", keep: "30" }),
      run("c", "codex", { strategy: "codex", model: "m", worker: "model" }),
      { ...run("d", "codex", { worker: "rules" }), again: "c2" },
    ];
    expect(rows.map((row) => differencesOf(row, rows).map((own) => own.key))).toEqual([
      ["keep"],
      ["keep"],
      [],
      [],
    ]);
  });

  test("is at most three values until all are asked for", () => {
    const { differs } = run("a", "pi", { a: "1", b: "2", c: "3", d: "4", e: "5" });
    expect(chipsOf(differs, false)).toMatchObject({ more: 2 });
    expect(chipsOf(differs, false).shown.map((own) => own.key)).toEqual(["a", "b", "c"]);
    expect(chipsOf(differs, true)).toEqual({ shown: differs, more: 0 });
  });
});

describe("the list of runs", () => {
  const row = (id: string, more: Partial<RunRow>): RunRow =>
    ({
      run_id: id,
      kind: "compaction",
      at: null,
      strategy: "pi",
      provider: "offline",
      model: null,
      status: "done",
      started_at: 0,
      retention: null,
      differs: [],
      usage: { cost_usd: null },
      ...more,
    }) as unknown as RunRow;
  const node = { entry_id: "c1", kind: "compaction" } as SummaryNode;

  test("is grouped by cut and sorted within each group", () => {
    const rows = [
      row("a", { again: "c1", started_at: 1, retention: 0.9 }),
      row("b", { again: "c1", started_at: 2, retention: 0.5 }),
      row("c", { at: "e7", started_at: 3 }),
      row("d", { again: "gone", at: "e7", started_at: 4 }),
    ];
    const shown = (sort: RunSort): [string, string[]][] =>
      grouped(rows, [node], sort).map((own) => [own.title, own.rows.map((one) => one.run_id)]);
    expect(shown("newest")).toEqual([
      ["Compaction 1", ["b", "a"]],
      ["Runs at entry", ["d", "c"]],
    ]);
    expect(shown("retained")[0]).toEqual(["Compaction 1", ["a", "b"]]);
  });
  test("is sorted by the overall score, runs without one last", () => {
    const scored = (id: string, score: number): RunRow =>
      row(id, { again: "c1", score: { score, parts: {} } });
    const rows = [row("old", { again: "c1" }), scored("low", 0.2), scored("high", 0.6)];
    const [group] = grouped(rows, [node], "score");
    expect(group?.rows.map((one) => one.run_id)).toEqual(["high", "low", "old"]);
  });
  test("is filtered by every word, also of names, notes and differing settings", () => {
    const rows = [
      row("a", { name: "Shorter", note: "lost the ports" }),
      row("b", { differs: [{ key: "k", label: "Recent tokens", value: "9000" }] }),
    ];
    const ids = (typed: string): string[] => fitting(rows, typed).map((one) => one.run_id);
    expect(ids("short PORTS")).toEqual(["a"]);
    expect(ids("recent 9000")).toEqual(["b"]);
    expect(ids("pi")).toEqual(["a", "b"]);
    expect(ids("short 9000")).toEqual([]);
  });
});
