//! The curve of the context size: its caption and its signs.

import { fireEvent } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { find, openWindow, waitFor } from "../open";

/** A layout of 400 pixels, which jsdom does not have. */
function wide(): void {
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue({
    ...{ left: 0, top: 0, right: 400, bottom: 84, width: 400, height: 84, x: 0, y: 0 },
    toJSON: () => ({}),
  });
}

test("the pointer over the curve changes no caption outside it but the place", async () => {
  wide();
  await openWindow("#s=s1");
  const value = await find("timeline-value");
  const plot = await find("timeline-plot");
  await waitFor(() => expect(value.textContent).toMatch(/^\d+ of \d+$/));
  await fireEvent.pointerMove(plot, { clientX: 40, clientY: 50 });
  expect((await find("timeline-size")).textContent).toMatch(/tokens$/);
  expect(value.textContent).toMatch(/^\d+ of \d+$/);
  expect(value.dataset.widest!.length).toBeGreaterThanOrEqual(value.textContent.length);
});

test("a press on a sign selects its compaction, also one that the filter hides", async () => {
  wide();
  const { app } = await openWindow("#s=s1&show=user_only");
  const mark = await find("timeline-mark");
  const x = Number(mark.querySelector("line")!.getAttribute("x1"));
  await fireEvent.pointerDown(await find("timeline-plot"), { clientX: x + 4, clientY: 6 });
  expect(app.place.entry).toBe(mark.dataset.entry);
  await find("outline-row", { "data-entry": mark.dataset.entry! });
  expect(app.place.filter).toBe("all");
});
