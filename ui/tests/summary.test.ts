import { describe, expect, test } from "vitest";
import { folded } from "../src/lib/diff/fold";
import { largestTools, parts } from "../src/lib/inspector/context/categories";
import { cellsOf, stillThere } from "../src/lib/inspector/summary/chain";
import { partsHeight } from "../src/lib/inspector/summary/fold";
import { nearestCompaction } from "../src/lib/inspector/summary/nearest";
import {
  countedBy,
  emptySections,
  fits,
  ordered,
  retainedWords,
  type Standing,
  stepOf,
  toldOtherwise,
  unmatchedWords,
} from "../src/lib/inspector/summary/facts";
import type {
  Category,
  ChainFact,
  DiffRow,
  FactView,
  SummaryNode,
  Timeline,
} from "../src/wire/wire";

test("equal lines are folded and come back", () => {
  const row = (kind: DiffRow["kind"], n: number): DiffRow => ({
    kind,
    left: { number: n, text: "", ranges: [] },
    right: null,
  });
  const rows = [
    ...Array.from({ length: 10 }, (_, n) => row("equal", n)),
    row("delete", 10),
    ...Array.from({ length: 20 }, (_, n) => row("equal", n)),
    row("insert", 31),
  ];
  const shut = folded(rows, new Set());
  expect(shut.filter((s) => s.type === "fold")).toEqual([
    { type: "fold", from: 0, to: 7 },
    { type: "fold", from: 14, to: 28 },
  ]);
  expect(shut.filter((s) => s.type === "row")).toHaveLength(3 + 1 + 3 + 3 + 1);
  expect(folded(rows, new Set([0, 14])).filter((s) => s.type === "row")).toHaveLength(rows.length);
});

test("the gauge keeps its order and loses no category", () => {
  const list = parts({ tool_results: 5, user: 2, not_recorded: 3, images: 0 });
  expect(list.map((p) => p.key)).toEqual(["not_recorded", "user", "tool_results"]);
  expect(list[0]!.hatched).toBe(true);
  const all: Record<Category, number> = {
    assistant_text: 1,
    images: 1,
    injected: 1,
    not_recorded: 1,
    given_again: 1,
    summaries: 1,
    system: 1,
    thinking: 1,
    tool_calls: 1,
    tool_results: 1,
    user: 1,
  };
  expect(parts(all).map((p) => p.key)).toHaveLength(Object.keys(all).length);
});

test("tools with few tokens stand in one line, and none is lost", () => {
  const tokens = (n: number) =>
    Object.fromEntries([...Array(n).keys()].map((i) => [`t${i}`, i + 1]));
  expect(largestTools({ a: 2, b: 0, c: 9 })).toEqual([
    ["c", 9],
    ["a", 2],
  ]);
  expect(largestTools(tokens(8))).toHaveLength(8);
  const ten = largestTools(tokens(10));
  expect(ten.slice(6)).toEqual([
    ["t3", 4],
    ["3 other tools", 6],
  ]);
});

test("only sections that hold nothing at all are empty", () => {
  const section = (start: number, level: number, empty: boolean) => ({
    title: "",
    level,
    start,
    empty,
  });
  const list = [
    section(0, 2, true),
    section(9, 3, false),
    section(20, 3, true),
    section(30, 2, true),
  ];
  expect([...emptySections(list)]).toEqual([20, 30]);
});

test("what was missed comes before what was kept, however often that is used again", () => {
  const fact: FactView = {
    id: "",
    kind: "path",
    text: "",
    entry_ids: [],
    status: "verbatim",
    evidence: [],
    needed_later: ["e"],
    missed: false,
    count: 1,
    weight: 9,
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
  };
  const dropped: FactView = { ...fact, id: "d", status: "dropped", missed: true, weight: 1 };
  const all = { kinds: new Set<never>(), fates: new Set<never>() };
  expect(ordered([fact, dropped], all)[0]).toBe(dropped);
  // What the user asked for comes before what was needed, unless an earlier summary lost it already.
  const own: FactView = { ...dropped, id: "o", concern: "own", needed_later: [], missed: false };
  const older: FactView = { ...own, id: "p", concern: "rest" };
  const order = ordered([fact, older, dropped, own], all).map((each) => each.id);
  expect(order).toEqual(["o", "d", "p", ""]);
});

test("each fact stands under one chip, and the counted ones under their status", () => {
  const fact = (more: Partial<FactView>): FactView =>
    ({
      kind: "path",
      status: "dropped",
      weight: 1,
      minor: false,
      needed_later: [],
      ...more,
    }) as FactView;
  const facts = [
    fact({}),
    fact({ minor: true }),
    fact({ minor: true, status: "verbatim" }),
    fact({ status: "verbatim" }),
    fact({ found_by: "model" }),
  ];
  const counts = countedBy(facts);
  expect(counts).toMatchObject({ dropped: 1, verbatim: 1, minor: 2, model: 1 });
  expect(Object.values(counts).reduce((sum, own) => sum + own, 0)).toBe(facts.length);
  const shown = (standing: Standing): FactView[] =>
    facts.filter((own) => fits(own, { kinds: new Set(), fates: new Set([standing]) }));
  expect(shown("dropped")).toEqual([facts[0]]);
  expect(shown("minor")).toEqual([facts[1], facts[2]]);
});

test("a cell before a fact is said and one after its loss differ", () => {
  const cells = cellsOf(
    { born: 1, cells: [{ status: "dropped", needed_later: [] }] } as unknown as ChainFact,
    3,
  );
  expect(cells.map((cell) => [cell.meaning, cell.gone])).toEqual([
    ["Not said yet", false],
    ["First said before this compaction. Dropped.", false],
    ["Lost before", true],
  ]);
});

test("a cell of a chain names what needed the lost fact", () => {
  const shown = (needed_later: string[]) =>
    cellsOf(
      {
        born: 0,
        cells: [{ status: "dropped", in_kept_tail: false, said: false, needed_later }],
      } as unknown as ChainFact,
      1,
    )[0];
  expect(shown(["e9"])?.meaning).toContain("Needed once later.");
  expect(shown(["e9"])?.needed).toEqual(["e9"]);
  expect(shown([])?.meaning).not.toContain("Needed");
});

describe("the compaction an entry belongs to", () => {
  const summary = (entry_id: string, on_active_path = true): SummaryNode =>
    ({ entry_id, kind: "compaction", on_active_path }) as SummaryNode;
  const path = (...passed: string[]): Timeline =>
    ({ marks: passed.map((entry_id) => ({ entry_id, kind: "compaction" })) }) as Timeline;
  const all = [summary("c1"), summary("c2"), summary("aside", false)];
  test("is itself, the last one before it, or the first after it", () => {
    expect(nearestCompaction(all, "c1", path("c1"))).toBe("c1");
    expect(nearestCompaction(all, "late", path("c1", "c2"))).toBe("c2");
    expect(nearestCompaction(all, "between", path("c1"))).toBe("c1");
    expect(nearestCompaction(all, "early", path())).toBe("c1");
  });
  test("is the newest on the active path until its path is known", () => {
    expect(nearestCompaction(all, "early", undefined)).toBe("c2");
    expect(nearestCompaction([], "early", undefined)).toBeNull();
  });
});

test("of how many facts the share retained is, in sentences", () => {
  const counted = { facts: 119, kept: 61, half: 3, weight: 0, kept_weight: 0 };
  expect(retainedWords(counted, 0.49, 371)).toEqual({
    kept: "61 of 119 facts are kept",
    rest: ", and 3 in part or changed: 53 %, or 49 % weighted by importance. 371 minor facts are not counted.",
  });
  expect(retainedWords({ ...counted, kept: 1, half: 0 }, 0.02, 0)).toEqual({
    kept: "1 of 119 facts is kept",
    rest: ": 1 %, or 2 % weighted by importance.",
  });
});

test("a dropped fact names the line that may tell it", () => {
  const summary = "# Goal\n- keep the dimensions\n";
  const told = (
    may_be_told: boolean,
    at: { start: number; end: number } | null,
    in_another_language = false,
  ): string[] =>
    toldOtherwise({ may_be_told, may_be_told_at: at, in_another_language }, summary).map(
      ({ text, title }) => [text, title].join("; "),
    );
  expect(told(false, null)).toEqual([]);
  expect(told(true, { start: 7, end: 28 })).toEqual([
    "may be told in other words; In the summary: - keep the dimensions",
  ]);
  expect(told(true, null)).toEqual([
    "its outcome is told; The summary has at least half of the facts that came of this request.",
  ]);
  expect(told(true, null, true)).toEqual([
    "the summary is in another language; Words in different scripts cannot be compared, so this fact may be in the summary.",
  ]);
});

test("a fact without words in the summary says so, and why that may be", () => {
  const words = (in_kept_tail: boolean, may_be_told: boolean) =>
    unmatchedWords({ in_kept_tail, may_be_told });
  expect(words(false, false)).toBe("No match in the summary.");
  expect(words(true, false)).toContain("The kept tail has it.");
  expect(words(false, true)).toContain("told in other words.");
  expect(unmatchedWords(undefined)).toBeNull();
});

test("arrows and letters lead through a list of facts", () => {
  expect(["ArrowDown", "j", "ArrowUp", "k", "Enter"].map(stepOf)).toEqual([1, 1, -1, -1, 0]);
});

test("the facts take the pane below the filters, up to what they want", () => {
  expect(partsHeight(690, 62)).toBe(628);
  expect(partsHeight(960, 36)).toBe(560);
  // Before it is measured, and in a low window, they have room for one fact beside its source.
  expect(partsHeight(0, 0)).toBe(340);
});

test("a share of the first facts is said as a number", () => {
  expect(stillThere(47 / 64, 64)).toMatch(/^Of 64 facts of the first span, 47 are still in/);
  expect(stillThere(1 / 3, 3)).toContain(" 1 is still in");
});
