import { expect, test } from "vitest";
import {
  carriedKept,
  carriedWords,
  nextEdit,
  noNeed,
  riskWords,
  ownWords,
  saidWords,
  settledWords,
  unasked,
} from "../src/lib/inspector/summary/sentences";
import { besideFacts } from "../src/lib/inspector/summary/reading";
import { inWords, namedWords, neededWords } from "../src/lib/inspector/summary/costs";
import type {
  Again,
  CostView,
  FactView,
  LedgerTotals,
  ReorientationFigures,
} from "../src/wire/wire";

const told = (calls: number, looks: number, usual: number | null, prompts = 0): string =>
  nextEdit({ calls, looks, usual, prompts } as ReorientationFigures);

test("an edit after several prompts says so: the calls may be for other tasks", () => {
  expect(told(46, 0, null, 5)).toBe(
    "After the summary, the agent made 46 calls before it edited a file. The user sent 5 prompts meanwhile.",
  );
  expect(told(46, 0, null, 0)).not.toContain("prompt");
  // A new prompt asks for other work: what was usual before says nothing of it.
  expect(told(46, 0, 3, 1)).toBe(
    "After the summary, the agent made 46 calls before it edited a file. The user sent a new prompt meanwhile.",
  );
});

test.each([
  [0, 0, null, "The agent's first call after the summary edited a file."],
  [1, 0, null, "After the summary, the agent made 1 call before it edited a file."],
  [
    1,
    1,
    null,
    "After the summary, the agent made 1 call before it edited a file, to read, search or list.",
  ],
  [7, 0, null, "After the summary, the agent made 7 calls before it edited a file."],
  [
    7,
    1,
    null,
    "After the summary, the agent made 7 calls before it edited a file, 1 of them to read, search or list.",
  ],
  [
    7,
    7,
    null,
    "After the summary, the agent made 7 calls before it edited a file, all to read, search or list.",
  ],
  [
    0,
    0,
    1,
    "The agent's first call after the summary edited a file. Before the summary, it usually made 1 call between two edits.",
  ],
  [
    0,
    0,
    0,
    "The agent's first call after the summary edited a file. Before the summary, one edit usually followed the other directly.",
  ],
  [
    0,
    0,
    4,
    "The agent's first call after the summary edited a file. Before the summary, it usually made 4 calls between two edits.",
  ],
])("an edit after %i calls, %i of which look, usually %s", (calls, looks, usual, words) => {
  expect(told(calls, looks, usual)).toBe(words);
});

test("a figure that looks like one beside the facts says how it differs", () => {
  expect(besideFacts({ figure: "constraint-recall" })).toContain("Counts constraints alone");
  expect(besideFacts({ figure: "overall" })).toContain("“Facts retained” is one of its parts.");
  expect(besideFacts({ figure: "compression" })).toBe("");
});

test("says what of the user's words is meant", () => {
  expect(saidWords(1, false)).toBe("request or constraint found in the user's messages");
  expect(saidWords(18, true)).toBe("new requests and constraints found in the user's messages");
});

test("says what else is dropped, so that the numbers add up", () => {
  const words = (told: boolean[], afterOthers: boolean) =>
    Object.values(
      settledWords(
        told.map((may_be_told) => ({ may_be_told })),
        afterOthers,
      ),
    ).join("");
  expect(words([false], false)).toBe("the one that is dropped looks settled.");
  expect(words([true], false)).toBe("the one that is dropped may be told in other words.");
  expect(words([true, false], false)).toBe(
    "the 2 that are dropped look settled or told in other words.",
  );
  expect(words([false], true)).toBe("1 more is dropped, but looks settled.");
  expect(words([true, true], true)).toBe("2 more are dropped, but may be told in other words.");
});

test("says what became of the user's requests and constraints", () => {
  const fact = (status: string, concern = "own") => ({ status, concern }) as FactView;
  expect(ownWords([fact("dropped"), fact("dropped"), fact("changed", "rest")])).toBe(
    "2 are dropped",
  );
  expect(ownWords([fact("dropped"), fact("changed"), fact("partial")])).toBe(
    "1 is dropped, 1 is partly kept, 1 is changed",
  );
  expect(ownWords([fact("changed")])).toBe("1 is changed");
});

test("says whether the summarized entries have requests at all", () => {
  expect(unasked("whole", 0)).toBe(
    "The summarized entries hold no request or constraint of the user.",
  );
  expect(unasked("none", 0)).toBe("Not measured: the summarized entries are not in the file.");
});

test("says that messages of the user stay in the context", () => {
  expect(unasked("whole", 1)).toMatch(/One message of the user stays in the context as it is\.$/);
  expect(unasked("whole", 3)).toMatch(/3 messages of the user stay in the context as they are\.$/);
});

test("names what came back by its kind", () => {
  const facts = [
    { id: "f1", kind: "finding" },
    { id: "f2", kind: "decision" },
    { id: "f3", kind: "finding" },
    { id: "f4", kind: "path" },
  ] as FactView[];
  const cost = (how: Again, ...fact_ids: string[]) => ({ how, fact_ids }) as CostView;
  expect(inWords(cost("told", "f1"), facts)).toBe("1 finding that came up again");
  expect(inWords(cost("told", "f1", "f2", "f3"), facts)).toBe(
    "3 findings and decisions that came up again",
  );
  expect(inWords(cost("read", "f4"), facts)).toBe("1 file read");
});

test("counts what may still matter by kind", () => {
  const fact = (kind: string, concern = "risk") => ({ kind, concern }) as FactView;
  expect(riskWords([fact("path"), fact("decision"), fact("path"), fact("error", "rest")])).toBe(
    "1 decision and 2 edited files",
  );
  expect(riskWords([fact("todo")])).toBe("1 open task");
});

test("says how many requests of the previous summary are dropped", () => {
  const words = (lost: number, all: number) => Object.values(carriedWords(lost, all)).join(" ");
  expect(words(5, 6)).toBe(
    "5 of 6 requests and constraints from the previous summary are dropped.",
  );
  expect(words(1, 6)).toBe("1 of 6 requests and constraints from the previous summary is dropped.");
  expect(words(1, 1)).toBe("The one request or constraint from the previous summary is dropped.");
  expect(carriedKept(1)).toBe(
    "The one request or constraint from the previous summary is still there.",
  );
  expect(carriedKept(4)).toBe(
    "All 4 requests and constraints from the previous summary are still there.",
  );
});

test("says how many dropped facts were needed", () => {
  expect(neededWords(1)).toBe("1 dropped fact was needed later");
  expect(neededWords(3)).toBe("3 dropped facts were needed later");
  const { link, rest } = namedWords(1);
  expect(`${link} ${rest}`).toBe("1 file that the summary names was read again");
  expect(namedWords(2).rest).toBe("were read again");
});

test("says that no need was found only where it was looked for", () => {
  const said = (
    later_entries: number,
    retention: number | null = 1,
    followed = false,
    incomplete: number | null = null,
  ): string =>
    noNeed(
      {
        later_entries,
        incomplete,
        span_tokens: 900,
        totals: { retention } as LedgerTotals,
      },
      followed,
    );
  expect(said(0)).toBe("Not measured: no entry follows the summary.");
  expect(said(40, null, false, 150_000)).toBe("Not measured: the source is incomplete.");
  expect(said(40, null)).toBe("Not measured: the summarized entries are not in the file.");
  expect(said(1)).toBe("No dropped fact was needed again in the 1 message after the summary.");
  expect(said(40, 1, true)).toBe(
    "No dropped fact was needed again in the 40 messages after the summary, up to the next compaction.",
  );
});
