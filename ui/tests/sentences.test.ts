import { expect, test } from "vitest";
import { allLost, nextEdit } from "../src/lib/inspector/summary/sentences";
import { besideFacts } from "../src/lib/inspector/summary/reading";
import type { ReorientationFigures } from "../src/wire/wire";

const told = (calls: number, looks: number, usual: number | null): string =>
  nextEdit({ calls, looks, usual } as ReorientationFigures);

test.each([
  [0, 0, null, "After the compaction, the agent's first call edited a file."],
  [1, 0, null, "After the compaction, the agent made 1 call before it edited a file."],
  [
    1,
    1,
    null,
    "After the compaction, the agent made 1 call before it edited a file: it read, searched or listed.",
  ],
  [7, 0, null, "After the compaction, the agent made 7 calls before it edited a file."],
  [
    7,
    1,
    null,
    "After the compaction, the agent made 7 calls before it edited a file: 1 of them read, searched or listed.",
  ],
  [
    7,
    7,
    null,
    "After the compaction, the agent made 7 calls before it edited a file: all of them read, searched or listed.",
  ],
  [
    0,
    0,
    1,
    "After the compaction, the agent's first call edited a file. Before it, usually 1 call came between two edits.",
  ],
  [
    0,
    0,
    0,
    "After the compaction, the agent's first call edited a file. Before it, usually no call came between two edits.",
  ],
  [
    0,
    0,
    4,
    "After the compaction, the agent's first call edited a file. Before it, usually 4 calls came between two edits.",
  ],
])("an edit after %i calls, %i of which look, usually %s", (calls, looks, usual, words) => {
  expect(told(calls, looks, usual)).toBe(words);
});

test("requests that are all lost are not counted against none", () => {
  expect(allLost(1)).toBe("1 request or constraint of the user is lost or changed");
  expect(allLost(3)).toBe("All 3 requests and constraints of the user are lost or changed");
});

test("a figure that looks like one beside the facts says how it differs", () => {
  expect(besideFacts({ figure: "constraint-recall" })).toContain("Counts constraints alone");
  expect(besideFacts({ figure: "overall" })).toContain("“Facts retained” is one of its parts.");
  expect(besideFacts({ figure: "compression" })).toBe("");
});
