//! The lab: sets of cuts, and experiments from their description to their table.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import type { LabRequest } from "../../src/wire/wire";
import { absent, figure, meanOf, reasonsOf } from "../../src/lib/lab/figures";
import { all, find, openWindow, press, waitFor, within, type Opened } from "../open";

const compaction = entries.findLast((e) => e.kind === "compaction")!.id;
const sent = <T>(host: Opened["host"], command: string): T[] =>
  host.calls.filter((c) => c.command === command).map((c) => c.params as T);
const type = (element: HTMLElement, value: string): Promise<boolean> =>
  fireEvent.input(element, { target: { value } });

describe("sets of cuts", () => {
  test("are made from the session search", async () => {
    const { host } = await openWindow("", { emptyLab: true });
    await type(await find("search"), "has:compaction");
    await fireEvent.click(await find("use-as-cuts"));
    expect(await find("no-sets")).toBeTruthy();
    expect(((await find("set-query")) as HTMLInputElement).value).toBe("has:compaction");
    await type(await find("set-limit"), "3");
    await fireEvent.click(await find("set-find"));
    await waitFor(() => expect(all("cut-row")).toHaveLength(3));
    expect(((await find("set-save")) as HTMLButtonElement).disabled).toBe(true);
    await type(await find("set-name"), "three");
    await fireEvent.click(await find("set-save"));
    await find("set-card", { "data-name": "three" });
    expect(sent(host, "cut_set_save")).toEqual([
      { name: "three", query: "has:compaction", limit: 3, cuts: [] },
    ]);
  });

  test("get an entry from the menu of its row", async () => {
    const { app, host } = await openWindow(`#s=s1&e=${compaction}`);
    const row = await find("outline-row", { "aria-selected": "true" });
    await fireEvent.contextMenu(row);
    await fireEvent.click(await find("row-add-cut"));
    await type(await find("add-cut-name"), "retry queue");
    await waitFor(() => expect(all("add-cut-known")[0]!.textContent).toContain("4 cuts"));
    await fireEvent.click(await find("add-cut-save"));
    await waitFor(() => expect(app.overlay).toBeNull());
    expect(sent(host, "cut_set_add")).toEqual([
      { name: "retry queue", cuts: [{ session: "s1", entry: compaction, to: null }] },
    ]);
  });

  test("say which cuts changed, lose one, and are deleted unless that is undone", async () => {
    const { app, host } = await openWindow("#lab=sets");
    await fireEvent.click(await find("set-toggle"));
    await find("cut-row", { "data-changed": "true" });
    expect(all("cut-changed")).toHaveLength(1);
    await fireEvent.click(all("cut-remove")[0]!);
    await waitFor(() => expect(all("cut-row")).toHaveLength(3));
    await fireEvent.click(await find("set-delete"));
    await waitFor(() => expect(all("set-card")).toHaveLength(0));
    await fireEvent.click(await find("toast-action"));
    await find("set-card");
    expect(sent(host, "cut_set_delete")).toEqual([]);
    await fireEvent.click(await find("set-delete"));
    await find("toast-action");
    app.toasts.dismiss(app.toasts.list.find((toast) => toast.action !== undefined)!.id);
    await find("no-sets");
    expect(sent(host, "cut_set_delete")).toEqual([{ name: "retry queue" }]);
  });
});

describe("an experiment", () => {
  async function described(): Promise<Opened> {
    const opened = await openWindow("#lab=new", { labPace: 5 });
    await type(await find("lab-name"), "mine");
    await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
    await type(await find("model"), "claude-haiku-4-5");
    await fireEvent.change(await find("repeats"), { target: { value: "2", valueAsNumber: 2 } });
    await fireEvent.click(await find("row-add"));
    await type(await find("instructions"), "At most ten lines.");
    return opened;
  }

  test("starts only with a price, which a change takes away", async () => {
    const { host } = await described();
    const start = (await find("lab-start")) as HTMLButtonElement;
    expect(start.disabled).toBe(true);
    await fireEvent.click(await find("lab-price-button"));
    await find("lab-price");
    expect(all("price-row")).toHaveLength(2);
    const [request] = sent<LabRequest>(host, "lab_plan");
    expect(request!.parts!.rows.map((row) => [row.repeats, row.instructions])).toEqual([
      [2, null],
      [2, "At most ten lines."],
    ]);
    expect(new Set(request!.parts!.rows.map((row) => row.name)).size).toBe(2);
    await waitFor(() => expect(start.disabled).toBe(false));
    await type(await find("instructions"), "At most five lines.");
    await waitFor(() => expect(all("lab-price")).toHaveLength(0));
    expect(start.disabled).toBe(true);
    expect(sent(host, "lab_run")).toEqual([]);
  });

  test("is not started without a name", async () => {
    await described();
    await type(await find("lab-name"), " ");
    expect((await find("lab-blocked")).textContent).toContain("name");
    expect(((await find("lab-price-button")) as HTMLButtonElement).disabled).toBe(true);
  });

  test("tells its progress, is cancelled and continued", async () => {
    const { app, host } = await described();
    await fireEvent.click(await find("lab-price-button"));
    await find("lab-price");
    await fireEvent.click(await find("lab-start"));
    await find("experiment", { "data-state": "running" });
    await find("lab-cell", { "data-state": "done" });
    await fireEvent.click(await find("lab-cancel"));
    await find("experiment", { "data-state": "stopped" });
    const id = app.place.lab;
    expect(sent(host, "cancel")).toEqual([{ stream: id }]);
    await fireEvent.click(await find("lab-continue"));
    await find("experiment", { "data-state": "complete" });
    expect(sent<LabRequest>(host, "lab_run")[1]).toMatchObject({ lab: id, retry_failed: false });
    expect(all("lab-cell").every((cell) => cell.dataset.state === "done")).toBe(true);
    await waitFor(() => expect(all("lab-row")).toHaveLength(2));
  });

  test("that was cut off says what was lost, and runs failed cells again", async () => {
    const { host } = await openWindow("#lab=2ab0c0ffee15", { labPace: 0 });
    await find("experiment", { "data-state": "stopped" });
    expect((await find("lab-status")).textContent).toContain("16 runs, 8 done, 1 failed, 7 left");
    expect((await find("lab-failed")).textContent).toBe("1 failed: 529: overloaded");
    expect((await find("lab-lost")).textContent).toContain("Sent, reply lost:");
    expect(all("lab-cell-lost")).toHaveLength(1);
    await fireEvent.click(await find("lab-retry"));
    await find("experiment", { "data-state": "complete" });
    expect(sent<LabRequest>(host, "lab_run")).toMatchObject([
      { lab: "2ab0c0ffee15", retry_failed: true },
    ]);
  });

  test("shows each row with its interval, by the figure that is chosen", async () => {
    await openWindow("#lab=1ab0c0ffee15");
    await find("experiment", { "data-state": "complete" });
    await find("lab-interval", { "data-finding": "worse" });
    expect((await find("lab-verdict", { "data-met": "false" })).textContent).toContain("Missed");
    await fireEvent.change(await find("lab-metric"), { target: { value: "summary_tokens" } });
    await find("lab-interval", { "data-finding": "better" });
    await fireEvent.change(await find("lab-metric"), { target: { value: "retention.path" } });
    await find("lab-interval", { "data-finding": "open" });
    await fireEvent.click(await find("lab-replay"));
    expect((await find("lab-replayed")).textContent).toMatch(
      /^16 summaries made again from the stored replies, 16\s+byte for byte the same\.$/,
    );
  });

  test("leads from a cell to its ledger and back", async () => {
    const { app } = await openWindow("#lab=1ab0c0ffee15");
    const cell = await find("lab-cell", { "data-state": "done" });
    await fireEvent.click(cell);
    await find("summary-tab");
    expect(app.place).toMatchObject({ session: "s1", tab: "summary", lab: null });
    expect(app.place.ledger).toMatch(/^r/);
    app.go({ lab: "1ab0c0ffee15" });
    await find("experiment");
  });

  test("takes the rows of Re-run over without a cut that was moved by hand", async () => {
    const { app } = await openWindow(`#s=s1&e=${compaction}&tab=rerun`);
    await type(await find("instructions"), "Keep ports.");
    app.draft.current.cut = entries[3]!.id;
    app.go({ lab: "new" });
    await fireEvent.click(await find("lab-take-rows"));
    await waitFor(() =>
      expect((all("instructions")[0] as HTMLTextAreaElement).value).toBe("Keep ports."),
    );
    expect(app.lab.draft.current.cut).toBeNull();
    expect(app.draft.current.cut).toBe(entries[3]!.id);
  });
});

describe("the words of a result", () => {
  test("a list of experiments counts what is done, failed and left", async () => {
    await openWindow("#lab=experiments");
    await waitFor(() => expect(all("experiment-cells")).toHaveLength(2));
    expect(all("experiment-cells").map((own) => own.textContent)).toEqual([
      "8 done, 1 failed, 7 left",
      "16 done",
    ]);
  });

  test("a mean of some cuts names them", () => {
    const spread = { cuts: 6, mean: 0.87, deviation: 0, repeat_deviation: null };
    expect(meanOf(figure("needed_later"), spread, 15)).toBe("87 % (6 of 15 cuts)");
    expect(meanOf(figure("needed_later"), { ...spread, cuts: 15 }, 15)).toBe("87 %");
  });

  test("a cell without a value says why", () => {
    expect(absent(figure("needed_later"))).toBe("nothing needed later");
    expect(absent(figure("retention.constraint"))).toBe("no constraints");
    expect(absent(figure("contradicted"))).toBe("not measured");
  });

  test("the reasons of failed cells are counted", () => {
    const failed = (error: string | null): { state: "failed"; error: string | null } => ({
      state: "failed",
      error,
    });
    expect(
      reasonsOf([failed("a"), failed("b"), failed("b"), { state: "done", error: null }]),
    ).toEqual([
      { text: "b", cells: 2 },
      { text: "a", cells: 1 },
    ]);
  });
});

test("Escape leaves an experiment for the list, then the lab; a field is left first", async () => {
  const { app } = await openWindow("#s=s1&lab=1ab0c0ffee15");
  await find("experiment");
  await press("Escape", document.activeElement!);
  await waitFor(() => expect(app.place.lab).toBe("experiments"));
  await waitFor(() => expect(all("experiment-row")).toHaveLength(2));
  app.go({ lab: "sets" });
  const field = await find("set-query");
  field.focus();
  await press("Escape", field);
  await waitFor(() => expect(document.activeElement).toBe(all("lab")[0]));
  expect(app.place.lab).toBe("sets");
  await press("Escape", document.activeElement!);
  await waitFor(() => expect(app.place.lab).toBeNull());
  await find("sessions-pane");
});

test("the lab without anything says what it is for", async () => {
  await openWindow("#lab=experiments", { emptyLab: true });
  const none = await find("no-experiments");
  // Without a set of cuts the first step is one, and no button leads past it.
  await waitFor(() => expect(within(none).queryByTestId("first-experiment")).toBeNull());
  await fireEvent.click(await within(none).findByTestId("first-set"));
  await find("set-form");
  await fireEvent.click(await find("lab-new"));
  await find("needs-set");
});
