//! What a row of the list says, whatever the list is sorted or filtered by.

import { fireEvent, render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { searchHit } from "../../src/host/fake/hit";
import HitLine from "../../src/lib/sessions/HitLine.svelte";
import { hitLines, searchAsk } from "../../src/lib/sessions/lines";
import type { SessionsRequest } from "../../src/wire/wire";
import { all, find, openWindow, waitFor, within } from "../open";

test.each(["has:compaction", "compactions:>1"])(
  "the sign of compactions stays where the list is filtered by %s",
  async (query) => {
    await openWindow("", {
      changed: { sessions: (page) => ({ ...page, asked: ["compactions"] }) },
    });
    const before = await waitFor(() => {
      const signs = all("row-compactions").length;
      expect(signs).toBeGreaterThan(0);
      return signs;
    });
    await fireEvent.input(await find("search"), { target: { value: query } });
    await waitFor(() => expect(all("row-compactions").length).toBeGreaterThan(0));
    expect(all("row-compactions").length).toBeLessThanOrEqual(before);
    // Its number is said once.
    expect(all("row-sorted")).toHaveLength(0);
  },
);

test("a session says which prompt its continuation does not have", async () => {
  await openWindow("", {
    changed: {
      sessions: (page) => ({
        ...page,
        sessions: page.sessions.map((row, n) =>
          n === 0 ? { ...row, taken_back: "Three TOOL" } : row,
        ),
      }),
    },
  });
  const shown = await find("row-taken-back");
  expect(shown.textContent).toBe("continued without “Three TOOL”");
  expect(all("row-taken-back")).toHaveLength(1);
  const row = shown.closest<HTMLElement>("[data-testid=session-row]")!;
  expect(row.title).toContain("continued without “Three TOOL”");
});

test("the largest hits come one by one with falling numbers, each with its session and tool", () => {
  const hits = [16_206, 6_318, 13_865].map((tokens, n) =>
    searchHit({ session: n === 1 ? "b" : "a", entry_id: `e${n}`, tokens, title: `Title ${n}` }),
  );
  const lines = hitLines(hits, false, "size");
  expect(lines.map((line) => (line.type === "hit" ? line.hit.tokens : line.type))).toEqual([
    "hits",
    16_206,
    13_865,
    6_318,
  ]);
  expect(lines.flatMap((line) => (line.type === "hit" ? [line.title] : []))).toEqual([
    "Title 0",
    "Title 2",
    "Title 1",
  ]);
  // They are asked for in that order, and not by session.
  expect(searchAsk("queue", "size")).toMatchObject({ sort: "size", grouped: false });
  const hit = searchHit({ role: "tool", tools: ["bash"], tokens: 12, snippet: "Exit code 2" });
  const line = { id: "x", prompt: null, dated: false, chosen: false, now: 0, onopen: () => {} };
  render(HitLine, { ...line, hit, of: "Courier, 14:05" });
  expect(all("search-hit")[0]!.textContent.replace(/\s+/g, " ")).toContain(
    "in: Courier, 14:05 12 tokens bash Exit code 2",
  );
});

test("sessions above the largest hits show no other sizes and keep their order", async () => {
  const { host } = await openWindow("#q=queue");
  await fireEvent.change(await find("sort"), { target: { value: "size" } });
  await find("hit-session");
  expect(all("row-sorted")).toHaveLength(0);
  const asked = host.calls.flatMap(({ command, params }) => {
    const { query, sort } = params as SessionsRequest;
    return command === "sessions" && query === "queue" ? [sort] : [];
  });
  expect(new Set(asked)).toEqual(new Set(["updated"]));
  const sizes = all("hit-size").map((own) => Number.parseInt(own.textContent.replace(",", ""), 10));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  const names = (): string[] =>
    [...within(document.body).getByTestId("sort").querySelectorAll("option")].map(
      (own) => own.textContent,
    );
  expect(names()).toContain("Largest hit");
  // Filters of sessions alone have no hits: the order is that of files.
  await fireEvent.input(await find("search"), { target: { value: "agent:pi" } });
  await waitFor(() => expect(all("row-sorted")[0]?.textContent).toMatch(/B$/));
  expect(names()).toContain("Largest file");
});
