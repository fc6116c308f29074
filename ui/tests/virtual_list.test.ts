//! A list that gets lower keeps the row it was scrolled to whole.

import { render } from "@testing-library/svelte";
import { createRawSnippet } from "svelte";
import { expect, test, vi } from "vitest";
import VirtualList from "../src/lib/ui/VirtualList.svelte";

test("a row that is cut off when the list gets lower is shown whole again", () => {
  const heard: (() => void)[] = [];
  class Observer {
    constructor(heardBy: (entries: ResizeObserverEntry[]) => void) {
      heard.push(() => heardBy([]));
    }
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal("ResizeObserver", Observer);
  const ROW = 20;
  const { component, container } = render(VirtualList, {
    count: 100,
    estimate: () => ROW,
    row: createRawSnippet(() => ({ render: () => "<p>row</p>" })),
  });
  const list = container.querySelector<HTMLElement>(".virtual")!;
  component.scrollTo(99, "center");
  expect(list.scrollTop).toBe(100 * ROW - list.clientHeight);
  // The header above the list got a line more.
  const lower = list.clientHeight - 15;
  Object.defineProperties(list, {
    clientHeight: { value: lower },
    offsetHeight: { value: lower },
  });
  for (const hear of heard) hear();
  expect(list.scrollTop + lower).toBeGreaterThanOrEqual(100 * ROW);
  vi.unstubAllGlobals();
});
