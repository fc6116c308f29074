import { expect, test } from "vitest";
import { forksOf, stepped, wanted } from "../src/lib/inspector/navigate/branches";
import {
  alike,
  choose,
  columnsOf,
  pairsOf,
  showsAll,
} from "../src/lib/inspector/navigate/compared";
import type { BranchCompareView, BranchesView, DiffRow, SessionBranch } from "../src/wire/wire";

const branch = (
  tip: string,
  name: string,
  kind: SessionBranch["kind"] = "branch",
): SessionBranch => ({
  kind,
  name,
  from_id: null,
  first_id: tip,
  tip_id: tip,
  entries: 1,
  prompts: 1,
  tokens: 1,
  updated_at: null,
  summary_ids: [],
});

test("the key steps through all branches and the active leaf", () => {
  const list = [branch("a", "one"), branch("b", "two")];
  expect(stepped(list, "leaf", "leaf", 1)).toBe("a");
  expect(stepped(list, "leaf", "a", 1)).toBe("b");
  expect(stepped(list, "leaf", "b", 1)).toBe("leaf");
  expect(stepped(list, "leaf", "leaf", -1)).toBe("b");
  expect(stepped(list, null, "elsewhere", 1)).toBe("a");
  expect(stepped(list, null, null, -1)).toBe("b");
  expect(stepped([], "leaf", "leaf", 1)).toBeNull();
});

test("branches are filtered by kind and words", () => {
  const root = branch("r", "Another Root", "root");
  expect(wanted(root, { kind: "all", words: " root " })).toBe(true);
  expect(wanted(root, { kind: "branch", words: "" })).toBe(false);
  expect(wanted(root, { kind: "root", words: "port" })).toBe(false);
});

test("a fork is explained where the branches are listed", () => {
  expect(forksOf(0)).toBe("");
  expect(forksOf(1)).toBe("The session has 1 fork, an entry with several next entries. ");
  expect(forksOf(2)).toBe("The session has 2 forks, entries with several next entries. ");
});

const listed = (branches: SessionBranch[], active: SessionBranch | null): BranchesView => ({
  branches,
  active,
  fork_ids: [],
  leaf_id: active?.tip_id ?? null,
});

test("all branches are compared where one view has room for them", () => {
  const [a, b, c, d, leaf] = [..."abcd"].map((tip) => branch(tip, tip)).concat(branch("z", "z"));
  expect(showsAll(listed([a!], leaf!))).toBe(false);
  expect(showsAll(listed([a!, b!], leaf!))).toBe(true);
  expect(showsAll(listed([a!, b!, c!], leaf!))).toBe(true);
  expect(showsAll(listed([a!, b!, c!, d!], leaf!))).toBe(false);
});

test("each branch is asked for with the active path, two as chosen", () => {
  const list = listed([branch("a", "one"), branch("b", "two")], branch("leaf", "three"));
  expect(pairsOf(list, "all")).toEqual([{ left: "a" }, { left: "b" }]);
  expect(pairsOf(list, ["b", "a"])).toEqual([{ left: "b", right: "a" }]);
  expect(pairsOf(list, ["b", null])).toEqual([{ left: "b" }]);
  expect(pairsOf(list, [null, "a"])).toEqual([{ left: "leaf", right: "a" }]);
  expect(choose(["a", null], "right", "b")).toEqual(["a", "b"]);
  expect(choose(["a", null], "left", null)).toEqual([null, "a"]);
  expect(choose(["a", "b"], "right", "a")).toEqual(["b", "a"]);
});

test("the active path is shown from where the first branch leaves it", () => {
  const view = (left: string, parting: string, entries: number): BranchCompareView =>
    ({
      common_ancestor_id: parting,
      left: { tip_id: left, entries: 1 },
      right: { tip_id: "leaf", entries },
      rows: [],
    }) as unknown as BranchCompareView;
  const columns = columnsOf([view("a", "late", 2), view("b", "early", 9)]);
  expect(columns.map((own) => [own.side.tip_id, own.parting, own.against])).toEqual([
    ["a", "late", "leaf"],
    ["b", "early", "leaf"],
    ["leaf", "early", "b"],
  ]);
});

test("texts that share less than half are not shown as a difference", () => {
  const row = (kind: DiffRow["kind"], text: string, marked = 0): DiffRow => {
    const ranges = marked > 0 ? [{ start: 0, end: marked }] : [];
    const line = { number: 1, text, ranges };
    return { kind, left: line, right: line };
  };
  expect(alike([])).toBe(false);
  expect(alike([row("replace", "one")])).toBe(false);
  expect(alike([row("replace", "one and two", 8)])).toBe(false);
  expect(alike([row("replace", "one and two", 3)])).toBe(true);
  expect(alike([row("equal", "same"), row("replace", "another line")])).toBe(false);
  expect(alike([row("equal", "a line that both have"), row("replace", "another")])).toBe(true);
  // One text is the beginning of the other.
  expect(
    alike([row("equal", "same"), { ...row("insert", "and much more behind it"), left: null }]),
  ).toBe(true);
});
