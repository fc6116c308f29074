import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { courier } from "../../src/host/fake/tree";
import OutlineLine from "../../src/lib/tree/OutlineLine.svelte";
import type { OutlineRow } from "../../src/wire/wire";
import { all, find, openWindow, waitFor } from "../open";

test("the legend begins with what no word in a row names", async () => {
  await openWindow("#s=s1");
  const outline = await find("outline");
  const signs = outline.closest(".holder")!.querySelector(".signs")!;
  expect(signs.firstElementChild!.textContent).toBe("active path");
});

/** The first row of a session, drawn alone with something else in it. */
function drawn(own: Partial<OutlineRow>): HTMLElement {
  const [row] = courier.outline({
    session: "s1",
    filter: "all",
    folded: [],
    unfolded: [],
    around: null,
    offset: 0,
    limit: 1,
  }).rows;
  const { container } = render(OutlineLine, {
    row: { ...row!, ...own },
    ...{ i: 0, total: 1, selected: false, hasMenu: false, spanBegins: false },
    ...{ span: undefined, cleared: undefined, trigger: undefined, note: undefined },
    ...{
      leaf: "hidden",
      ownFrom: row!.entry_id,
      folder: null,
      seconds: false,
      labels: [],
      now: 0,
      before: null,
    },
    ...{ onstand: () => {}, onopen: () => {}, onfold: () => {} },
  });
  return container;
}

test.each([
  [13_300, 16_800, "context grew 13.3k → 16.8k"],
  [24_400, 13_300, "context 24.4k → 13.3k"],
])("a compaction from %i to %i tokens says %s", (before, after, said) => {
  const told = { before_is_estimate: false, after_is_forecast: false, summary: 900 };
  const sizes = { before, after, ...told };
  const change = drawn({ kind: "compaction", sizes }).querySelector(".change")!;
  expect(change.textContent).toBe(said);
});

test("the chip for a leaf that the filter hides leaves the row its text", () => {
  const container = drawn({ is_active_leaf: true });
  const chip = container.querySelector<HTMLElement>(".leaf")!;
  expect(chip.textContent).toBe("active leaf below");
  // The first prompt that the session it was forked from does not have is marked.
  expect(container.querySelector("[data-testid=row-parts]")).not.toBeNull();
  expect(chip.title).toContain("which the filter hides");
});

test("the times of rows have seconds where a minute is shared", async () => {
  await openWindow("#s=s1", {
    changed: {
      outline: (page) => ({
        ...page,
        rows: page.rows.map((row, n) => ({
          ...row,
          timestamp: new Date(2026, 10, 22, 5, 56, n).getTime(),
        })),
      }),
    },
  });
  const [row] = await waitFor(() => {
    const rows = all("outline-row");
    expect(rows.length).toBeGreaterThan(0);
    return rows;
  });
  expect(row!.querySelector("time")!.textContent).toMatch(/05:5\d:\d\d$/);
});
