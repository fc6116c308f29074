//! The way to the comparison of branches, and what Switch branch marks in the tree.

import { fireEvent } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";
import { entries, taleOf } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor } from "../open";

const { leaf } = taleOf("s1");
const early = entries.filter((e) => e.role === "assistant")[1]!;
const scrolled = vi.fn();
beforeEach(() => {
  scrolled.mockClear();
  Element.prototype.scrollIntoView = function (this: Element) {
    scrolled(this.getAttribute("data-testid"));
  };
});

test("the branches come before the plan to continue at another entry", async () => {
  await openWindow(`#s=s1&e=${early.id}&tab=navigate`);
  const list = await find("branches");
  const plan = await find("left-behind");
  expect(list.compareDocumentPosition(plan)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  // They are compact: the rest is asked for.
  expect(all("branch").length).toBeLessThanOrEqual(4);
  expect(scrolled).not.toHaveBeenCalled();
});

test("who wants to compare branches is led to them, also from the result of a run", async () => {
  const { app } = await openWindow(`#s=s1&e=${early.id}&tab=navigate`);
  await find("plan", { "data-kind": "branch_summary" });
  await fireEvent.click(await find("run-button"));
  await find("run-result", { "data-status": "done" });
  expect(all("branches")).toHaveLength(0);
  await fireEvent.click(await find("branches-chip"));
  await fireEvent.click(await find("branch-places-all"));
  await find("branches");
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("branches"));
  expect(document.activeElement).toBe(all("branch-compare")[0]);
  // The palette leads there as well, from any tab.
  app.go({ tab: "entry" });
  scrolled.mockClear();
  await press("k", document.body, { ctrlKey: true });
  await fireEvent.input(await find("palette-input"), { target: { value: "compare branch" } });
  await waitFor(() => expect(all("palette-line")[0]?.textContent).toContain("Compare a branch"));
  await press("Enter", await find("palette-input"));
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("branches"));
});

test("the tree is marked only while a target entry is chosen", async () => {
  const { app } = await openWindow(`#s=s1&e=${early.id}&tab=navigate`);
  await find("plan", { "data-kind": "branch_summary" });
  await waitFor(() => expect(app.spans.size).toBeGreaterThan(0));
  app.go({ session: "s3" });
  await find("no-target");
  await waitFor(() => expect(app.spans.size).toBe(0));
  app.go({ session: "s1", entry: leaf });
  await find("no-target");
  expect(app.spans.size).toBe(0);
  app.go({ entry: early.id });
  await waitFor(() => expect(app.spans.size).toBeGreaterThan(0));
});
