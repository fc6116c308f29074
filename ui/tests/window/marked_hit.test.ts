//! The words of a search in the entry that its hit opens.

import { fireEvent } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { all, find, openWindow, waitFor } from "../open";

const painted = new Map<string, Set<Range>>();
const words = (): string[] => [...(painted.get("found") ?? [])].map((range) => range.toString());

beforeEach(() => {
  painted.clear();
  vi.stubGlobal(
    "Highlight",
    class extends Set<Range> {
      constructor(...ranges: Range[]) {
        super(ranges);
      }
    },
  );
  Object.assign(CSS, { highlights: painted });
});
afterEach(() => {
  vi.unstubAllGlobals();
  delete (CSS as { highlights?: unknown }).highlights;
});

test("a hit that is opened shows its words marked, until another search or entry", async () => {
  const { app } = await openWindow("#q=queue");
  await fireEvent.click(await find("search-hit"));
  await waitFor(() => expect(words()[0]?.toLowerCase()).toBe("queue"));
  const [first] = all("search-hit");
  expect((await find("entry-tab")).dataset.entry).toBe(first!.dataset.entry);
  expect(document.querySelector("[data-testid=entry-tab] mark")).toBeNull();
  // Another entry of the tree is no hit, and the same one is again.
  const other = all("outline-row").find((row) => row.dataset.entry !== app.place.entry)!;
  await fireEvent.click(other);
  await waitFor(() => expect(words()).toEqual([]));
  await fireEvent.click(first!);
  await waitFor(() => expect(words().length).toBeGreaterThan(0));
  app.go({ query: "port" });
  await waitFor(() => expect(words()).toEqual([]));
});

test("the search in a session marks its own words", async () => {
  const { app } = await openWindow("#s=s1&q=port&find=queue");
  await fireEvent.click(await find("find-hit"));
  await waitFor(() => expect(words()[0]?.toLowerCase()).toBe("queue"));
  app.go({ find: null });
  await waitFor(() => expect(words()).toEqual([]));
});

test("the part of a long text that is not shown is read for the match", async () => {
  await openWindow("#q=queue", {
    changed: {
      entry: (view) => ({
        ...view,
        messages: view.messages.map((message) => ({
          ...message,
          blocks: [
            {
              type: "plain",
              text: "The beginning.",
              spans: [],
              styles: [],
              cut: true,
              total_chars: 9e4,
            },
          ],
        })),
      }),
    },
  });
  await fireEvent.click(await find("search-hit"));
  await find("text-pages");
  await waitFor(() => expect(words()[0]?.toLowerCase()).toBe("queue"));
});
