import { expect, test } from "vitest";
import { forksOf, stepped, wanted } from "../src/lib/inspector/navigate/branches";
import type { SessionBranch } from "../src/wire/wire";

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
  expect(forksOf(1)).toBe("They part at 1 fork: an entry that several entries follow. ");
  expect(forksOf(2)).toBe("They part at 2 forks: entries that several entries follow. ");
});
