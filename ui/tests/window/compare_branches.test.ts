//! The way to the comparison of branches, and what Switch branch marks in the tree.

import { fireEvent } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";
import { approaches, entries, taleOf } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, within } from "../open";

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
  await waitFor(() => expect(all("palette-line")[0]?.textContent).toContain("Compare branches"));
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

/** The rows of a comparison: what each column says. */
async function row(id: string, name: string): Promise<string[]> {
  const own = await find(id, { "data-name": name });
  return within(own)
    .getAllByRole("cell")
    .map((cell) => cell.textContent.replace(/\s+/g, " ").trim());
}

test("one click shows what each of three branches did", async () => {
  const { app } = await openWindow("#s=s7&tab=navigate");
  const button = await find("branches-compare");
  expect(button.textContent).toBe("Compare all 3 branches");
  await fireEvent.click(button);
  await find("branch-compared", { "data-columns": "3" });
  await waitFor(() => expect(all("branch-entry").length).toBeGreaterThan(3));
  // Each is named by its first prompt, with its id and its label beside it.
  const [regex, strip, active] = all("branch-head");
  expect(regex!.textContent).toContain("Try a regular expression for the tokenizer.");
  expect(regex!.textContent).toContain("too lossy");
  expect(within(regex!).getByTestId("entry-link").dataset.entry).toBe(regex!.dataset.tip);
  expect(strip!.textContent).not.toContain("too lossy");
  expect(active!.textContent).toContain("active path");
  expect(active!.dataset.tip).toBe(approaches.leaf);
  expect(await row("branch-list", "Prompts")).toEqual([
    "Try a regular expression for the tokenizer.",
    "Try to strip the punctuation instead, and say what it costs.",
    "Leave the tokenizer. Write tests for what it does today.Do a last check.",
  ]);
  const answers = within(await find("branch-answers")).getAllByRole("cell");
  expect(answers.map((cell) => cell.textContent.trim())).toEqual([
    "The expression loses words with a hyphen. I would not keep it.",
    "Words with a hyphen stay whole, and it needs no new crate.",
    "All tests pass.",
  ]);
  // A failure that a pipe hides is marked at its command, one of another tool is listed.
  expect(await row("branch-figure", "Failed results")).toEqual(["2", "0", "1"]);
  expect(all("branch-command").map((own) => own.dataset.failed)).toEqual(["true", "false", "true"]);
  const [other] = await row("branch-list", "Failed results of other tools");
  expect(other).toBe("edit: No text fits what should be replaced.");
  // A line leads to its entry, and the comparison stays.
  const command = all("branch-command")[1]!;
  expect(command.title).toContain("cargo test -p ledger tokens");
  await fireEvent.click(command);
  expect(taleOf("s7").find(app.place.entry).headline).toBe("cargo test -p ledger tokens");
  await find("branch-compared", { "data-columns": "3" });
});

test("any two branches are compared, each side chosen", async () => {
  await openWindow("#s=s7&tab=navigate");
  const [first, second] = within(await find("branches")).getAllByTestId("branch");
  await fireEvent.click(within(second!).getByTestId("branch-compare"));
  const tips = (): (string | undefined)[] => all("branch-head").map((head) => head.dataset.tip);
  const [a, b] = [first!.dataset.tip!, second!.dataset.tip!];
  await waitFor(() => expect(tips()).toEqual([b, approaches.leaf]));
  await fireEvent.change(await find("branch-right"), { target: { value: a } });
  await waitFor(() => expect(tips()).toEqual([b, a]));
  // The same branch on both sides swaps them.
  await fireEvent.change(await find("branch-left"), { target: { value: a } });
  await waitFor(() => expect(tips()).toEqual([a, b]));
  await fireEvent.change(await find("branch-left"), { target: { value: "active path" } });
  await waitFor(() => expect(tips()).toEqual([approaches.leaf, b]));
  await fireEvent.change(await find("branch-left"), { target: { value: "all" } });
  await waitFor(() => expect(tips()).toEqual([a, b, approaches.leaf]));
  expect(all("branch-right")).toHaveLength(0);
});

test("what is left behind counts failed results as the comparison does", async () => {
  const { app } = await openWindow("#s=s7&tab=navigate");
  const [first] = within(await find("branches")).getAllByTestId("branch");
  app.go({ from: first!.dataset.tip! });
  await waitFor(() => expect(all("left-failed")[0]?.textContent).toContain("Failed results 2"));
  expect((await find("left-behind")).textContent).toContain("Tool result 2");
});
