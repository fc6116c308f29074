import { describe, expect, test } from "vitest";
import {
  foldedLines,
  foundWords,
  hitLines,
  markLines,
  sessionLines,
} from "../src/lib/sessions/lines";
import { shortPaths } from "../src/lib/text/ranges";
import { searchHit } from "../src/host/fake/hit";
import { sessionRows } from "../src/host/fake/rows";
import type { MarkHit, SearchHit } from "../src/wire/wire";

describe("what a search found", () => {
  const hit = (session: string, entry_id: string): SearchHit => searchHit({ session, entry_id });
  const hits = [hit("a", "1"), hit("a", "2"), hit("b", "3")];

  test("is said with the sessions in which the entries are", () => {
    expect(foundWords(0, { hits: hits.slice(0, 2), more: false, total: 2 }).text).toBe(
      "2 entries found in 1 session",
    );
    expect(foundWords(1, { hits, more: true, total: null }).text).toBe(
      "1 session by title and data; by text more than 3 entries found, 3 listed, from 2 sessions",
    );
    expect(foundWords(0, { hits, more: true, total: 1234 }).text).toBe(
      "1,234 entries found, 3 listed, from 2 sessions",
    );
    expect(foundWords(4, undefined).text).toBe("4 sessions");
    expect(foundWords(0, { hits: [], more: false, total: 0 }).text).toBe("No session and no entry");
  });
  test("ends with a line for more, and the last session counts so far", () => {
    const lines = hitLines(hits, true, "updated");
    expect(lines.at(-1)).toEqual({ type: "more" });
    expect(lines.filter((line) => line.type === "hit-session").map((line) => line.more)).toEqual([
      false,
      true,
    ]);
    expect(hitLines(hits, false, "updated").at(-1)!.type).toBe("hit");
    const [first] = hitLines(hits, true, "updated", 70);
    expect(first).toMatchObject({ title: "Entries found: 70, 3 listed" });
  });
  test("has the words in a row first within a session", () => {
    const first = [hits[0]!, { ...hits[1]!, entry_id: "0", first: true }, hits[1]!];
    const shown = hitLines(first, false, "updated", 3, 1);
    const ids = shown.map((line) => (line.type === "hit" ? line.hit.entry_id : ""));
    expect(ids.filter(Boolean)).toEqual(["0", "2", "1"]);
  });
  test("by filters alone is not called text", () => {
    const marked = { ...hits[0]!, snippet: "the queue", ranges: [{ start: 4, end: 9 }] };
    expect(hitLines(hits, false, "updated")[0]).toMatchObject({
      title: "Entries found: 3",
    });
    expect(hitLines([marked], false, "updated")[0]).toMatchObject({
      title: "Found in the text: 1 entry",
    });
  });
  test("in notes and labels may be the agent's", () => {
    const mark = { kind: "label", by_agent: true } as MarkHit;
    expect(markLines([mark], 1)[0]).toMatchObject({ title: "Notes and labels: 1" });
  });
  test("has the newest first within a session, unless the order is that of the answer", () => {
    const shown = (sort: Parameters<typeof hitLines>[2]): string[] =>
      hitLines(hits, false, sort).flatMap((line) =>
        line.type === "hits" ? [line.order] : line.type === "hit" ? [line.hit.entry_id] : [],
      );
    expect(shown("updated")).toEqual(["Newest first", "2", "1", "3"]);
    expect(shown("cost")).toEqual(["Newest first", "2", "1", "3"]);
    expect(shown("relevance")).toEqual([
      "Best session first, its oldest entry first",
      "1",
      "2",
      "3",
    ]);
  });
  test("has the first three sessions above the hits, and a line for all", () => {
    const [one] = sessionRows();
    const list = (n: number): ReturnType<typeof sessionLines> =>
      sessionLines(
        Array.from({ length: n }, (_, at) => ({ ...one!, id: `${at}` })),
        [],
      );
    expect(foldedLines(list(4))).toEqual(list(4));
    const folded = foldedLines(list(77));
    expect(folded.filter((line) => line.type === "session")).toHaveLength(3);
    expect(folded[0]).toMatchObject({ type: "project", count: 77 });
    expect(folded.at(-1)).toEqual({ type: "all", count: 77 });
  });
  test("has long paths cut where a filter found it", () => {
    expect(
      shortPaths("Edit /home/ada/courier/src/queue.ts see https://a.b/c/d/e and src/a/b.ts"),
    ).toBe("Edit …/src/queue.ts see https://a.b/c/d/e and src/a/b.ts");
  });
});
