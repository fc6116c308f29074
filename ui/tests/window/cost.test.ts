//! The question before a run above the cost limit, prices of the user, prompts of installed agents,
//! labels of versions, and deleted experiments.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, type Opened } from "../open";

const compaction = entries.findLast((e) => e.kind === "compaction")!.id;
const sent = <T>(host: Opened["host"], command: string): T[] =>
  host.calls.filter((c) => c.command === command).map((c) => c.params as T);
const type = (element: HTMLElement, value: string): Promise<boolean> =>
  fireEvent.input(element, { target: { value } });
const limited = (limit: number | null) => ({
  roots: [],
  theme: "system" as const,
  ui: null,
  provider: "anthropic",
  model: "claude-haiku-4-5",
  embeddings: null,
  ask_above_usd: limit,
});
const ready = () =>
  waitFor(async () =>
    expect(
      ((await find("run-button")) as HTMLButtonElement).disabled,
      all("run-blocked")[0]?.textContent ?? "",
    ).toBe(false),
  );

describe("a cost limit", () => {
  test("asks before a run above it, and runs only what was agreed to", async () => {
    const { host } = await openWindow(`#s=s1&e=${compaction}&tab=rerun`, {
      settings: limited(0.01),
    });
    await ready();
    await fireEvent.click(await find("run-button"));
    expect((await find("cost-estimate")).textContent).toMatch(/\$0\.0\d/);
    await fireEvent.keyDown(window, { key: "Escape" });
    await waitFor(() => expect(all("cost-dialog")).toHaveLength(0));
    expect(sent(host, "compact")).toHaveLength(0);
    await fireEvent.click(await find("run-button"));
    await fireEvent.click(await find("cost-run-anyway"));
    await waitFor(() => expect(sent(host, "compact")).toHaveLength(1));
    expect(sent<{ above_limit?: boolean }>(host, "compact")[0]!.above_limit).toBe(true);
  });

  test("asks nothing below it", async () => {
    const { host } = await openWindow(`#s=s1&e=${compaction}&tab=rerun`, { settings: limited(5) });
    await ready();
    await fireEvent.click(await find("run-button"));
    await waitFor(() => expect(sent(host, "compact")).toHaveLength(1));
    expect(sent<{ above_limit?: boolean }>(host, "compact")[0]!.above_limit).toBeUndefined();
    expect(all("cost-dialog")).toHaveLength(0);
  });

  test("is set in the settings", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    const field = await find("cost-limit");
    await type(field, "0.5");
    await fireEvent.click(await find("cost-limit-save"));
    await waitFor(() => expect(app.prefs.settings?.ask_above_usd).toBe(0.5));
    expect(sent<{ roots: unknown }>(host, "settings_set").at(-1)!.roots).toBeNull();
  });
});

describe("prices", () => {
  test("are entered with the provider, and a half one is not saved", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    const row = await find("provider-row", { "data-provider": "anthropic" });
    await fireEvent.click(row.querySelector("[aria-label='Edit anthropic']")!);
    await fireEvent.click(await find("price-add"));
    await type(await find("price-model"), "my-model");
    await type(await find("price-input"), "0.25");
    expect((await find("provider-flaw")).textContent).toContain("output price");
    await type(await find("price-output"), "1");
    await waitFor(() => expect(all("provider-flaw")).toHaveLength(0));
    await fireEvent.submit(await find("provider-form"));
    await waitFor(() => expect(sent(host, "provider_save")).toHaveLength(1));
    expect(sent<{ prices: unknown }>(host, "provider_save")[0]!.prices).toEqual([
      { model: "my-model", input: 0.25, output: 1, cache_read: 0, cache_write: 0 },
    ]);
  });
});

describe("prompts of installed agents", () => {
  test("are searched for on request, imported one by one, else pasted", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    expect(sent(host, "prompts_find")).toHaveLength(0);
    await fireEvent.click(await find("installed-search"));
    await fireEvent.click(await find("installed-import"));
    await waitFor(() => expect(all("installed-import")).toHaveLength(0));
    expect(sent(host, "prompts_take")).toEqual([
      { folder: "/usr/lib/node_modules/pi-coding-agent", names: ["pi first (installed)"] },
    ]);
    expect(all("paste-slot")).toHaveLength(3);
    await fireEvent.click(all("paste-open")[1]!);
    await type(await find("paste-text"), "Write it all down.");
    await fireEvent.click(await find("paste-save"));
    await waitFor(() =>
      expect(sent<{ strategy: string }>(host, "prompt_save").at(-1)).toEqual({
        name: "codex request (pasted)",
        text: "Write it all down.",
        strategy: "codex",
        place: "request",
      }),
    );
  });

  test("a version gets a label", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    await fireEvent.click(
      (await find("prompt-row", { "data-name": "terse" })).querySelector("button")!,
    );
    await fireEvent.click(all("prompt-label")[0]!);
    const field = await find("prompt-label-text");
    await type(field, "baseline");
    await fireEvent.blur(field);
    await waitFor(() => expect(all("prompt-label")[0]!.textContent).toBe("baseline"));
    expect(sent(host, "prompt_label")).toEqual([{ name: "terse@2", label: "baseline" }]);
  });
});

describe("an experiment", () => {
  test("is deleted unless that is undone", async () => {
    const { app, host } = await openWindow("#lab=experiments");
    const before = await waitFor(() => {
      expect(all("experiment-row").length).toBeGreaterThan(0);
      return all("experiment-row").length;
    });
    await fireEvent.click(all("experiment-delete")[0]!);
    await waitFor(() => expect(all("experiment-row")).toHaveLength(before - 1));
    await fireEvent.click(await find("toast-action"));
    await waitFor(() => expect(all("experiment-row")).toHaveLength(before));
    expect(sent(host, "lab_delete")).toEqual([]);
    await fireEvent.click(all("experiment-delete")[0]!);
    app.toasts.list.forEach((toast) => app.toasts.dismiss(toast.id));
    await waitFor(() => expect(sent(host, "lab_delete")).toHaveLength(1));
  });
});

test("the cost by model goes away with Escape", async () => {
  await openWindow("#s=s1");
  await fireEvent.click(await find("cost-chip"));
  await find("spending");
  // Where a session's money went is one click away.
  await waitFor(() => expect(all("dear-prompt")).toHaveLength(3));
  await press("Escape", document.body);
  await waitFor(() => expect(all("spending")).toHaveLength(0));
});
