//! Words that the window makes of what the program says.

import { expect, test } from "vitest";
import { foundWords, placesOf } from "../src/lib/lab/cuts";
import { aboutOf, readingOf } from "../src/lib/inspector/summary/reading";
import { parts } from "../src/lib/inspector/context/categories";
import { foundWords as listedWords, namedTitle } from "../src/lib/sessions/lines";
import { signsOf } from "../src/lib/sessions/signs";
import type { FigureView, NamedHit, SessionRow } from "../src/wire/wire";

test("a figure has a sign for its direction", () => {
  expect(readingOf("More is better.").sign).toBe("↑ higher is better");
  expect(readingOf("Less is better.").sign).toBe("↓ lower is better");
  const none = "Neither more nor less is better. Compare only summaries of one span by it.";
  expect(readingOf(none)).toEqual({ sign: "neither higher nor lower is better", more: none });
});

test("cuts of one session are told apart by their place", () => {
  const cuts = ["a", "b", "a"].map((session) => ({ session }));
  expect(placesOf(cuts)).toEqual([1, null, 2]);
});

test("the legend leaves out what the rows have in words", () => {
  const row = {
    compactions: 2,
    flags: ["x"],
    branch_summaries: 0,
    notes: 0,
    labels: [],
    warnings: 0,
    written: false,
    parent: null,
    parent_kind: null,
    copy: null,
  } as unknown as SessionRow;
  expect(signsOf([{ ...row, copy: "other" } as SessionRow]).at(-1)).toMatchObject({
    glyph: "copy",
    name: "also in another file",
  });
  expect(signsOf([row]).map((sign) => sign.name)).toEqual([
    "compactions",
    "unusual compactions (see the Summary tab)",
  ]);
});

test("a closed figure says what it is about, the overall score what makes it", () => {
  const value = (name: string, text: string) => ({ name, text }) as FigureView["values"][number];
  const definition = "Mean of the shares.";
  const about = (...parts: [string, string][]): string =>
    aboutOf({
      figure: "overall",
      definition,
      values: [["Score", "30 %"] as const, ...parts].map(([name, text]) => value(name, text)),
    });
  const state: [string, string] = ["State at the end", "33 %"];
  const facts: [string, string] = ["Facts in the next request", "83 %"];
  const copying: [string, string] = ["Copying factor", "50 %"];
  expect(about(state, facts, copying, ["Correctness factor", "85 %"])).toBe(
    "Mean of State at the end 33 % and Facts in the next request 83 %, times Copying factor 50 %, times Correctness factor 85 %.",
  );
  expect(about(facts, copying)).toBe("Facts in the next request 83 %, times Copying factor 50 %.");
  expect(about(copying)).toBe("Copying factor 50 %.");
  expect(about()).toBe(definition);
  const values = [value("Score", "30 %")];
  expect(aboutOf({ figure: "rouge", definition, values })).toBe(definition);
});

test("only one part of a context is called the system prompt", () => {
  const names = (by: Record<string, number>) => parts(by).map((part) => part.name);
  expect(names({ system: 6 })).toEqual(["System prompt"]);
  expect(names({ system: 6, not_recorded: 10_500 })).toEqual([
    "System messages in the file",
    "System prompt and tools (not in the file)",
  ]);
});

test("cuts at the limit are not said to be all", () => {
  expect(foundWords(3, 20)).toBe("3 cuts found");
  expect(foundWords(20, 20)).toBe("20 cuts found, which is the limit: the query may have more");
});

test("a session that goes on without some turns is listed and counted as one", () => {
  const named = [{ kind: "taken_back" }] as NamedHit[];
  expect(namedTitle(named)).toBe("Turns taken back by editing an earlier one");
  expect(namedTitle([{ kind: "run" }] as NamedHit[])).toBe("Found by its id");
  expect(listedWords(0, { hits: [], named, more: false, total: 0 }).text).toBe("1 session");
});
