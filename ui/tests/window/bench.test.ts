//! Runs in their list and side by side, runs found again, and the panel of prompts.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { FakeOptions } from "../../src/host/fake";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, waitFor, within, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;
const RERUN = `#s=s1&e=${newest.id}&tab=rerun`;
const sent = (host: Opened["host"], command: string): unknown[] =>
  host.calls.filter((c) => c.command === command).map((c) => c.params);

describe("the list of runs", () => {
  test("has the runs of a summary below it, filtered and sorted", async () => {
    await openWindow("#s=s1&tab=runs");
    await find("run-row");
    const rows = [...all("runs-tab")[0]!.querySelectorAll<HTMLElement>("[data-testid$=-row]")];
    const own = rows.findIndex((row) => row.dataset.entry === newest.id);
    expect(rows[own + 1]!.dataset.testid).toBe("run-row");
    const count = all("run-row").length;
    await fireEvent.input(await find("runs-filter"), { target: { value: "extract" } });
    await waitFor(() => expect(all("run-row")).toHaveLength(1));
    await fireEvent.input(await find("runs-filter"), { target: { value: "" } });
    await waitFor(() => expect(all("run-row")).toHaveLength(count));
  });

  test("gives a run a name and a note", async () => {
    const { host } = await openWindow("#s=s1&tab=runs");
    const row = await find("run-row", { "data-status": "done" });
    const id = row.dataset.run!;
    await fireEvent.click(within(row).getByTestId("note-run"));
    await fireEvent.input(await find("run-note-name"), { target: { value: "shorter" } });
    await fireEvent.input(await find("run-note-text"), { target: { value: "lost the ports" } });
    await fireEvent.click(await find("run-note-save"));
    await waitFor(() =>
      expect(sent(host, "run_note")).toEqual([
        { run: id, name: "shorter", note: "lost the ports" },
      ]),
    );
    await waitFor(() =>
      expect(all("run-row").find((one) => one.dataset.run === id)!.textContent).toContain(
        "shorter",
      ),
    );
    expect((await find("run-note")).textContent).toBe("lost the ports");
  });

  test("takes a deletion back, and deletes only when the offer has passed", async () => {
    const { app, host } = await openWindow("#s=s1&tab=runs");
    const row = await find("run-row", { "data-status": "failed" });
    const id = row.dataset.run!;
    const listed = (): boolean => all("run-row").some((one) => one.dataset.run === id);
    await fireEvent.click(within(row).getByTestId("delete-run"));
    await waitFor(() => expect(listed()).toBe(false));
    await fireEvent.click(await find("toast-action"));
    await waitFor(() => expect(listed()).toBe(true));
    expect(sent(host, "run_delete")).toEqual([]);
    await fireEvent.click(
      within(all("run-row").find((one) => one.dataset.run === id)!).getByTestId("delete-run"),
    );
    await find("toast-action");
    app.toasts.dismiss(app.toasts.list.find((toast) => toast.action !== undefined)!.id);
    await waitFor(() => expect(sent(host, "run_delete")).toEqual([{ run: id }]));
  });
});

describe("runs under way", () => {
  const running = (): NonNullable<FakeOptions["running"]> => [
    {
      stream: "ui-before",
      kind: "compaction",
      session: "s1",
      at: newest.parent,
      strategy: "pi",
      provider: "anthropic",
      model: "claude-haiku-4-5",
      instructions: null,
      calls: 1,
      started_at: Date.now() - 60_000,
      heard_at: Date.now() - 40_000,
      texts: [{ call: 0, purpose: "history", text: "## Goal\nStop the" }],
      failures: ["429: too many requests"],
    },
  ];

  test("are found again after a reload, with their text, and end as they would have", async () => {
    const { host } = await openWindow(RERUN, { running: running() });
    const run = await find("run-result", { "data-status": "running" });
    expect(run.textContent).toContain("Stop the");
    host.emit({
      type: "run_delta",
      stream: "ui-before",
      call: 0,
      purpose: "history",
      text: " queue from losing messages.",
    });
    await waitFor(() => expect(run.textContent).toContain("Stop the queue from losing"));
    const runs = (await host.rpc("runs", { session: "s1" })).filter((row) => row.status === "done");
    host.emit({
      type: "run_finished",
      stream: "ui-before",
      run_id: runs[0]!.run_id,
      status: "done",
    });
    const done = await find("run-result", { "data-status": "done" });
    expect(done.dataset.run).toBe(runs[0]!.run_id);
    expect((await find("run-failures")).textContent).toContain("1 failed attempt at anthropic");
  });

  test("say for how long a stream is silent", async () => {
    const [one] = running();
    const two = [one!, { ...one!, stream: "ui-other", heard_at: Date.now() }];
    await openWindow(RERUN, { running: two });
    await find("side-runs");
    expect(all("run-silent")).toHaveLength(1);
    expect(all("run-silent")[0]!.textContent).toMatch(/^silent for 4\d/);
  });
});

describe("runs that fail", () => {
  const failing: FakeOptions["failing"] = {
    compact: {
      code: "provider",
      message: `The server answered 500: ${"<html>".repeat(60)}`,
      hint: null,
    },
  };

  test("for one reason say it once, in one line, and are made again one by one", async () => {
    const { app, host } = await openWindow(RERUN, { failing });
    await find("plan", { "data-fresh": "true" });
    app.draft.tick("gemini-cli");
    app.draft.tick("extract");
    await waitFor(() => expect(all("run-button")[0]!.textContent).toContain("Run 3"));
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
    await fireEvent.click(await find("run-button"));
    await waitFor(() =>
      expect(all("side-row").map((row) => row.dataset.status)).toEqual(Array(3).fill("failed")),
    );
    expect(all("error-note")).toHaveLength(1);
    const note = all("error-note")[0]!;
    expect(note.textContent).toContain("pi, gemini-cli, extract: failed on offline");
    expect(note.querySelector("details")!.open).toBe(false);
    delete failing!.compact;
    await fireEvent.click(all("run-again")[1]!);
    await waitFor(() =>
      expect(all("side-row").map((row) => row.dataset.status)).toEqual([
        "failed",
        "done",
        "failed",
      ]),
    );
    expect(sent(host, "compact")).toHaveLength(4);
  });
});

describe("a comparison", () => {
  test("has the results first, and many settings behind one row", async () => {
    const id = "6ab0c1d2-0000-4000-8000-00000000000a";
    const settings = Array.from({ length: 42 }, (_, n) => ({
      key: n === 0 ? "cut" : `select.p${n}`,
      label: `Setting ${n}`,
      values: [id, null],
      texts: [],
    }));
    const sides = entries.filter((e) => e.kind === "compaction").map((e) => `entry:${e.id}`);
    await openWindow(`#s=s1&tab=runs&compare=${sides.slice(-2).join("~")}`, {
      changed: { compare_all: (view) => ({ ...view, settings }) },
    });
    const fold = (await find("compare-settings-fold")) as HTMLDetailsElement;
    expect(fold.open).toBe(false);
    expect(fold.querySelector("summary")!.textContent).toBe("42 settings differ");
    const results = await find("compare-totals");
    expect(results.compareDocumentPosition(fold)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const cells = all("setting-value");
    expect(cells[0]!.textContent).toBe("6ab0c1d2");
    expect(within(cells[0]!).getByTestId("entry-link").dataset.entry).toBe(id);
    expect(cells[1]!.textContent).toBe("–");
  });

  test("says what the runs differ in, prompts word by word", async () => {
    const { app } = await openWindow(RERUN);
    await find("plan", { "data-fresh": "true" });
    app.draft.tick("extract");
    app.draft.candidates[0]!.instructions = "Keep ports.";
    app.draft.candidates[1]!.instructions = "Keep ports and paths.";
    await waitFor(() => expect(all("run-button")[0]!.textContent).toContain("Run 2"));
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
    await fireEvent.click(await find("run-button"));
    await waitFor(() => expect(all("compare-done")[0]?.textContent).toContain("Compare 2"));
    await fireEvent.click(await find("compare-own"));
    await find("compare-settings");
    expect(((await find("compare-settings-fold")) as HTMLDetailsElement).open).toBe(true);
    expect(all("compare-setting").map((row) => row.dataset.key)).toEqual([
      "strategy",
      "prompts.instructions",
    ]);
    await fireEvent.click(await find("setting-texts"));
    await waitFor(() =>
      expect(all("text-diff-line").map((line) => line.dataset.kind)).toEqual(["removed", "added"]),
    );
    expect(all("compare-figure").map((row) => row.dataset.figure)[0]).toBe("score");
    expect(all("compare-figure").map((row) => row.dataset.figure)).toContain("next");
    await fireEvent.click(await find("compare-kinds"));
    await waitFor(() =>
      expect(all("compare-figure").map((row) => row.dataset.figure)).toContain("path"),
    );
    await fireEvent.click(all("compare-evidence")[0]!);
    await waitFor(() => expect(app.place.tab).toBe("summary"));
  });
});

describe("the panel of prompts", () => {
  test("edits a prompt beside its versions, with what came of them", async () => {
    const { app, host } = await openWindow(RERUN);
    await find("plan", { "data-fresh": "true" });
    await fireEvent.click(await find("part-prompts"));
    await find("prompt-panel");
    await fireEvent.click(await find("prompt-tab", { "data-place": "first" }));
    const version = await find("prompt-version", { "data-version": "terse@2" });
    expect(version.textContent).toContain("3 runs, 1 failed, retained 81 % on average");
    await fireEvent.click(within(version).getByTestId("version-use"));
    expect(app.draft.current.set["prompts.first"]).toBe(
      "You write short summaries with every path in full.",
    );
    const older = await find("prompt-version", { "data-version": "terse@1" });
    await fireEvent.click(within(older).getByTestId("version-diff"));
    await waitFor(() => expect(all("text-diff")).toHaveLength(1));
    await fireEvent.click(all("prompt-rename")[0]!);
    await fireEvent.input(await find("prompt-rename-name"), { target: { value: "short" } });
    await fireEvent.keyDown(await find("prompt-rename-name"), { key: "Enter" });
    await find("prompt-version", { "data-version": "short@2" });
    expect(sent(host, "prompt_rename")).toEqual([{ name: "terse", to: "short" }]);
    await fireEvent.click(await find("prompt-reset"));
    expect(app.draft.current.set).toEqual({});
  });
});

describe("custom strategies", () => {
  test("say the naming rule, and the row stays on the one that was saved", async () => {
    const { app, host } = await openWindow(RERUN);
    await find("plan", { "data-fresh": "true" });
    app.draft.current.param("select.keep_recent_tokens", 9_000);
    await fireEvent.click(await find("preset-save"));
    const field = (await find("preset-name")) as HTMLInputElement;
    expect(field.value).toBe("my-pi");
    expect(document.getElementById("preset-rule")!.textContent).toContain("Letters, digits");
    await fireEvent.click(await find("preset-save-confirm"));
    await waitFor(() => expect(app.draft.strategy).toBe("my-pi"));
    expect(sent(host, "preset_save")).toHaveLength(1);
    app.draft.current.param("select.keep_recent_tokens", 8_000);
    await fireEvent.click(await find("preset-save-over"));
    await waitFor(() =>
      expect(sent(host, "preset_save").at(-1)).toMatchObject({ name: "my-pi", replace: true }),
    );
    await fireEvent.click(await find("preset-rename"));
    await fireEvent.input(await find("preset-name"), { target: { value: "better" } });
    await fireEvent.click(await find("preset-save-confirm"));
    await waitFor(() => expect(app.draft.strategy).toBe("better"));
    await fireEvent.click(await find("preset-delete"));
    await fireEvent.click(await find("preset-delete-really"));
    await waitFor(() => expect(app.draft.strategy).not.toBe("better"));
  });
});

describe("a provider", () => {
  test("is tested, and lists its models", async () => {
    const { app } = await openWindow();
    app.openSettings("providers");
    await fireEvent.click(await find("provider-test"));
    await waitFor(() =>
      expect(all("provider-tested")[0]!.textContent).toContain(
        "2 models claude-haiku-4-5, claude-sonnet-4-5",
      ),
    );
  });
});
