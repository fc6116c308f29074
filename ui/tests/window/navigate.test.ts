import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { parse, format, NOWHERE } from "../../src/lib/state/place";
import { all, find, openWindow, press, waitFor, within } from "../open";

const leaf = (await import("../../src/host/fake/tree")).taleOf("s1").leaf;
const early = entries.filter((e) => e.role === "assistant")[1]!;
const prompt = entries.filter((e) => e.role === "user" && e.kind === "message")[1]!;

async function openTab(hash: string): Promise<Awaited<ReturnType<typeof openWindow>>> {
  const opened = await openWindow(hash);
  await find("navigate-tab");
  return opened;
}

test("what would be left behind is listed and marked in the tree", async () => {
  const { app } = await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  const list = await find("left-behind");
  expect(Number(list.dataset.count)).toBeGreaterThan(10);
  await find("plan", { "data-kind": "branch_summary" });
  await waitFor(() => expect([...app.spans.values()]).toContain("summarized"));
  // Results of tools are skipped, and said to be.
  const results = within(list)
    .getAllByTestId("left-entry")
    .map((row) => row.dataset.fate);
  expect(results).toContain("summarized");
  await fireEvent.click(await find("take-none"));
  await waitFor(() => expect(all("plan")).toHaveLength(0));
  expect(new Set(app.spans.values())).toEqual(new Set(["dropped"]));
  expect(all("run-button")).toHaveLength(0);
  await find("nothing-taken");
  const report = await axe.run(await find("navigate-tab"), {
    rules: { "color-contrast": { enabled: false } },
  });
  expect(report.violations.map((v) => v.id)).toEqual([]);
});

test("both ends can be changed, and a prompt is written anew", async () => {
  const { app } = await openTab(`#s=s1&e=${prompt.id}&tab=navigate`);
  expect((await find("written-again")).textContent).toContain(prompt.text.slice(0, 20));
  await fireEvent.click(await find("turn-round"));
  await waitFor(() => expect([app.place.from, app.place.entry]).toEqual([prompt.id, leaf]));
  // From an entry on the way nothing is left behind.
  await find("nothing-left");
  await fireEvent.click(await find("leave-leaf"));
  await waitFor(() => expect(app.place.from).toBe(null));
  const place = {
    ...NOWHERE,
    session: "s1",
    entry: leaf,
    tab: "navigate" as const,
    from: prompt.id,
  };
  expect(parse(format(place))).toEqual(place);
});

test("own instructions reach the prompt; the run ends in a ledger", async () => {
  const { app } = await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  await find("plan", { "data-kind": "branch_summary" });
  await fireEvent.click(await find("take-own"));
  await fireEvent.input(await find("instructions"), { target: { value: "Only the ports." } });
  // The offline summarizer reads no prompt, so none can be replaced.
  await find("instructions-unused");
  expect(all("instructions-replace")).toHaveLength(0);
  await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
  await fireEvent.click(await find("instructions-replace"));
  await find("plan", { "data-fresh": "true" });
  await fireEvent.click(await find("show-prompt"));
  await waitFor(async () =>
    expect((await find("prompt-text")).textContent).toMatch(/^Only the ports\./),
  );
  const run = (await find("run-button")) as HTMLButtonElement;
  await waitFor(() => expect(run.disabled).toBe(false));
  await fireEvent.click(run);
  await find("run-result", { "data-status": "done" });
  expect((await find("result-heading")).textContent).toMatch(/^Result of the run: \S+, anthropic/);
  expect(app.leaving.runner.runs[0]!.result!.kind).toBe("branch_summary");
  // The other tab has its own runs.
  expect(app.runner.runs).toHaveLength(0);
  await fireEvent.click(await find("open-ledger"));
  await find("summary-tab");
});

test("another preset chooses as branches do", async () => {
  const { app } = await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  await find("stages");
  await fireEvent.click(await find("strategy"));
  const row = await find("strategy-option", { "data-strategy": "gemini-cli" });
  await fireEvent.click(within(row).getByTestId("strategy-choose"));
  await find("stage-select", { "data-kind": "left_behind" });
  expect(app.leaving.draft.current.settings()).toEqual({ "select.kind": "left_behind" });
});

/** Writes a new session by the button of a box, with its confirmation. */
async function write(box: HTMLElement = document.body): Promise<void> {
  await fireEvent.click(await within(box).findByTestId("write-new"));
  await fireEvent.click(await within(box).findByTestId("write-confirm"));
}

test("a session is written without a summary, listed and taken back", async () => {
  const { host } = await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  await fireEvent.click(await find("take-none"));
  await fireEvent.click(await find("write-new"));
  // Nothing is written before the folder of the new file was shown.
  expect((await find("write-folder")).textContent).toBe("/home/ada/sessions");
  expect(host.calls.some((call) => call.command === "write")).toBe(false);
  await fireEvent.click(await find("write-cancel"));
  expect(all("write-plan")).toHaveLength(0);
  await write();
  const line = await find("written-line", { "data-standing": "as_written" });
  // It is shown once: beside its button.
  expect(all("written-line")).toHaveLength(1);
  expect(within(line).getByTestId("resume-command").textContent).toContain("pi --session");
  const asked = host.calls.findLast((call) => call.command === "write");
  expect(asked?.params).toMatchObject({
    append: false,
    from: { kind: "navigation", to: early.id },
  });
  // An addition is confirmed first, with the name of the file.
  await fireEvent.click(await find("write-append"));
  expect((await find("append-dialog")).textContent).toContain(".jsonl");
  await fireEvent.click(await find("append-confirm"));
  await waitFor(() =>
    expect(host.calls.findLast((call) => call.command === "write")?.params).toMatchObject({
      append: true,
    }),
  );
  await find("written-list");
  await fireEvent.click(all("undo-written")[0]!);
  await waitFor(() => expect(host.calls.at(-1)?.command).not.toBe("write"));
  expect(host.calls.some((call) => call.command === "written_undo")).toBe(true);
});

test("the summary of a run is edited and written", async () => {
  const { host } = await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  await find("plan", { "data-kind": "branch_summary" });
  await fireEvent.click(await find("run-button"));
  await find("run-result", { "data-status": "done" });
  await fireEvent.click(await find("edit-summary"));
  await fireEvent.input(await find("summary-text"), { target: { value: "My own words." } });
  await write();
  await find("written-line");
  const asked = host.calls.findLast((call) => call.command === "write");
  expect(asked?.params).toMatchObject({ from: { kind: "run", text: "My own words." } });
});

test("both contexts are shown item by item, with the files left behind", async () => {
  await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  const before = await find("context-before");
  const after = await find("context-after");
  expect(Number(before.dataset.tokens)).toBeGreaterThan(Number(after.dataset.tokens));
  await fireEvent.click(await find("contexts-items"));
  const sides = within(await find("context-rows"))
    .getAllByTestId("context-row")
    .map((row) => row.dataset.side);
  expect(sides[0]).toBe("both");
  expect(sides).toContain("before");
  expect((await find("left-files")).textContent).toContain("src/courier.ts");
});

test("branches are listed, stepped through and compared", async () => {
  const { app } = await openTab(`#s=s1&e=${leaf}&tab=navigate`);
  const list = await find("branches");
  const first = within(list).getAllByTestId("branch")[0]!;
  await press("b");
  await waitFor(() => expect(app.place.entry).toBe(first.dataset.tip));
  await press("B");
  await waitFor(() => expect(app.place.entry).toBe(leaf));
  await fireEvent.click(within(await find("branches")).getAllByTestId("branch-compare")[0]!);
  const compared = await find("branch-compared");
  await waitFor(() =>
    expect(within(compared).getAllByTestId("branch-figure").length).toBeGreaterThan(5),
  );
  await fireEvent.click(await find("branch-back"));
  await find("navigate-tab");
});

test("the contexts before and after a write are compared", async () => {
  await openTab(`#s=s1&e=${early.id}&tab=navigate`);
  await fireEvent.click(await find("take-none"));
  await write();
  const line = await find("written-line");
  await fireEvent.click(within(line).getByTestId("compare-written"));
  await waitFor(() => within(line).getByTestId("context-after"));
});

test("what a summary lost is put back as a message", async () => {
  const { host } = await openWindow(`#s=s1&e=${leaf}&tab=summary`);
  await fireEvent.click(await find("put-back"));
  const dialog = await find("put-back-dialog");
  const text = (await find("put-back-text")) as HTMLTextAreaElement;
  await waitFor(() => expect(text.value).toContain(">"));
  const facts = within(dialog).getAllByTestId("put-back-fact");
  const boxes = within(dialog).getAllByRole("checkbox") as HTMLInputElement[];
  const ticked = () => boxes.filter((box) => box.checked).length;
  const needed = ticked();
  expect(within(dialog).getByTestId("put-back-about").textContent).toContain(
    `${needed} may still matter and are ticked.`,
  );
  expect(needed).toBeLessThan(facts.length);
  await fireEvent.click(within(dialog).getByTestId("put-back-all"));
  expect(ticked()).toBe(facts.length);
  await fireEvent.click(within(dialog).getByTestId("put-back-needed"));
  expect(ticked()).toBe(needed);
  await waitFor(() => expect(text.value).toContain(">"));
  const whole = text.value;
  await fireEvent.click(within(facts[0]!).getByRole("checkbox"));
  await waitFor(() => expect(text.value.length).toBeLessThan(whole.length));
  await write(dialog);
  await waitFor(() =>
    expect(host.calls.findLast((call) => call.command === "write")?.params).toMatchObject({
      from: { kind: "message", text: text.value },
    }),
  );
});

test("a summary of the session is edited with its ledger, and a compaction undone", async () => {
  const { host } = await openWindow(`#s=s1&e=${leaf}&tab=summary`);
  await fireEvent.click(await find("write-open"));
  await fireEvent.click(await find("edit-summary"));
  await fireEvent.input(await find("summary-text"), { target: { value: "My own words." } });
  const counted = await find("edited-ledger", { "data-fresh": "true" });
  await waitFor(() => expect(Number(counted.dataset.lost)).toBeGreaterThan(0));
  await fireEvent.click(all("write-insert")[0]!);
  await waitFor(async () =>
    expect(((await find("summary-text")) as HTMLTextAreaElement).value).not.toBe("My own words."),
  );
  await write(await find("write-undone"));
  await waitFor(() =>
    expect(host.calls.findLast((call) => call.command === "write")?.params).toMatchObject({
      from: { kind: "undone" },
    }),
  );
});

test("a stored summary is written under its own name, edited or not", async () => {
  await openWindow(`#s=s1&e=${leaf}&tab=summary`);
  await fireEvent.click(await find("write-open"));
  const box = within(await find("write-summary")).getAllByTestId("write-box")[0]!;
  await write(box);
  const name = async () => (await within(box).findByTestId("written-name")).textContent;
  expect(await name()).toMatch(/^Summary of compaction \d$/);
  await fireEvent.click(within(box).getByTestId("edit-summary"));
  await fireEvent.input(await find("summary-text"), { target: { value: "My own words." } });
  await write(box);
  await waitFor(async () => expect(await name()).toMatch(/^Edited summary of compaction \d$/));
});
