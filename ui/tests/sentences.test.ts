import { expect, test } from "vitest";
import { allLost, nextEdit } from "../src/lib/inspector/summary/sentences";
import type { ReorientationFigures } from "../src/wire/wire";

const told = (calls: number, looks: number, usual: number | null): string =>
  nextEdit({ calls, looks, usual } as ReorientationFigures);

test.each([
  [0, 0, null, "The next edit was its first call"],
  [1, 0, null, "The next edit came after 1 call"],
  [1, 1, null, "The next edit came after 1 call, which only looks"],
  [7, 0, null, "The next edit came after 7 calls, none of which only looks"],
  [7, 1, null, "The next edit came after 7 calls, 1 of which only looks"],
  [7, 3, null, "The next edit came after 7 calls, 3 of which only look"],
  [7, 7, null, "The next edit came after 7 calls, all of which only look"],
  [
    0,
    0,
    1,
    "The next edit was its first call; before the compaction there was usually 1 call between two edits",
  ],
  [
    0,
    0,
    0,
    "The next edit was its first call; before the compaction there was usually no call between two edits",
  ],
  [
    0,
    0,
    4,
    "The next edit was its first call; before the compaction there were usually 4 calls between two edits",
  ],
])("an edit after %i calls, %i of which look, usually %s", (calls, looks, usual, words) => {
  expect(told(calls, looks, usual)).toBe(words);
});

test("requests that are all lost are not counted against none", () => {
  expect(allLost(1)).toBe("1 request or constraint of the user is lost or changed");
  expect(allLost(3)).toBe("All 3 requests and constraints of the user are lost or changed");
});
