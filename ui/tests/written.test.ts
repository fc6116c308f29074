//! The words of what is written for an agent.

import { expect, test } from "vitest";
import { storedName } from "../src/lib/inspector/summary/nearest";
import {
  changeName,
  containsWords,
  folderOf,
  lostWords,
  putBackSum,
  tickedWords,
} from "../src/lib/inspector/write/words";
import type { FactView, SummaryNode, WritePlanView } from "../src/wire/wire";

test("a stored summary is named, and called edited only with another text", () => {
  expect(changeName("edited_summary", "compaction 2")).toBe("Summary of compaction 2");
  expect(changeName("edited_summary", "compaction 2", true)).toBe("Edited summary of compaction 2");
  expect(changeName("edited_summary")).toBe("Stored summary");
  expect(changeName("history", "compaction 2")).toBe("Context without a new summary");
});

test("a stored summary has its number among those of its kind", () => {
  const summaries = [
    { entry_id: "a", kind: "compaction" },
    { entry_id: "b", kind: "branch_summary" },
    { entry_id: "c", kind: "compaction" },
  ] as SummaryNode[];
  expect(storedName(summaries, "entry:c")).toBe("compaction 2");
  expect(storedName(summaries, "entry:b")).toBe("branch summary 1");
  expect(storedName(summaries, "run-1")).toBeUndefined();
});

test("the folder of a file is named on any system", () => {
  expect(folderOf("/home/ada/s1.jsonl")).toBe("/home/ada");
  expect(folderOf("C:\\ada\\s1.jsonl")).toBe("C:\\ada");
});

test("the sums of lost facts add up", () => {
  expect(putBackSum(56, 151, 1_735, 2_000)).toBe("56 of 151 facts fit: 1,735 of 2,000 tokens");
  expect(putBackSum(3, 3, 90, 2_000)).toBe("3 facts: 90 of 2,000 tokens");
  const lost = [
    { status: "dropped", minor: false },
    { status: "dropped", minor: true },
    { status: "changed", minor: false },
  ] as FactView[];
  expect(lostWords(lost)).toBe("3 facts are lost: 1 dropped, 1 changed, 1 minor.");
  expect(tickedWords(0)).toContain("none is ticked");
  expect(tickedWords(1)).toBe("1 may still matter and is ticked.");
  expect(tickedWords(4)).toBe("4 may still matter and are ticked.");
});

test("what a new session holds is said before it is written", () => {
  const plan = (tokens_before: number, tokens_after: number) =>
    ({ tokens_before, tokens_after, context: [{}, {}] }) as WritePlanView;
  expect(containsWords("edited", plan(67_800, 67_800))).toBe(
    "The agent gets 67.8k tokens in 2 items: the summary, then what follows it in the session. " +
      "This is the context as it is now: edit the text to change it.",
  );
  expect(containsWords("undone", plan(67_800, 140_000))).toBe(
    "The agent gets 140k tokens in 2 items: the context just before the compaction; " +
      "what came after the compaction is left out.",
  );
});
