//! Saved prompts: versions used and saved where a prompt is written, and taken over from agents.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { all, find, openWindow, waitFor } from "../open";

const value = (element: HTMLElement): string => (element as HTMLTextAreaElement).value;

describe("where a prompt is written", () => {
  test("a saved version is used and recognised, and a changed one is saved as the next", async () => {
    const { host } = await openWindow("#s=s1&tab=rerun");
    const field = await find("instructions");
    const choose = await find("saved-instructions-choose");
    await fireEvent.change(choose, { target: { value: "ports@1" } });
    expect(value(field)).toBe("Name every port that is used.");
    await waitFor(() => expect(all("saved-instructions-save")).toHaveLength(0));
    await fireEvent.input(field, { target: { value: "Name every port and host." } });
    await fireEvent.click(await find("saved-instructions-save"));
    await waitFor(async () =>
      expect(document.activeElement).toBe(await find("saved-instructions-name")),
    );
    expect(value(await find("saved-instructions-name"))).toBe("ports");
    await fireEvent.click(await find("saved-instructions-confirm"));
    await waitFor(() => expect(value(all("saved-instructions-choose")[0]!)).toBe("ports@2"));
    const saved = host.calls.find((call) => call.command === "prompt_save")!;
    expect(saved.params).toEqual({
      name: "ports",
      text: "Name every port and host.",
      place: "instructions",
      strategy: null,
    });
  });

  test("what is refused says why, beside the field", async () => {
    const refusal = {
      code: "bad_request" as const,
      message: "'' cannot name a prompt",
      hint: null,
    };
    await openWindow("#s=s1&tab=rerun", { failing: { prompt_save: refusal } });
    await fireEvent.input(await find("instructions"), { target: { value: "Say more." } });
    await fireEvent.click(await find("saved-instructions-save"));
    await fireEvent.click(await find("saved-instructions-confirm"));
    expect((await find("saved-instructions-refused")).textContent).toContain(
      "cannot name a prompt",
    );
    expect(all("saved-instructions-name")).toHaveLength(1);
  });
});

describe("the settings", () => {
  test("agents' settings are shown first and taken over when asked", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    await fireEvent.click(await find("import-look"));
    const found = await find("import-found", { "data-taken": "false" });
    expect(found.textContent).toContain("Hand over with every port and path.");
    expect(found.textContent).toContain("it is not JSON");
    await fireEvent.click(await find("import-take"));
    await find("import-found", { "data-taken": "true" });
    await find("prompt-row", { "data-name": "codex compact_prompt (user)" });
    const asked = host.calls
      .filter((call) => call.command === "prompts_import")
      .map((call) => (call.params as { dry_run: boolean }).dry_run);
    expect(asked).toEqual([true, false]);
  });

  test("say that no prompt is saved, and how to save one", async () => {
    const { app } = await openWindow("", { changed: { prompts: () => [] } });
    app.overlay = "settings";
    const note = await find("no-prompts");
    expect(note.textContent).toContain("No saved prompts yet.");
    expect(note.textContent).toContain("Re-run");
  });

  test("a prompt goes only after a second click", async () => {
    const { app, host } = await openWindow();
    app.overlay = "settings";
    const row = await find("prompt-row", { "data-name": "terse" });
    expect(row.textContent).toContain("2 versions");
    await fireEvent.click(row.querySelector("[data-testid=prompt-delete]")!);
    expect(host.calls.some((call) => call.command === "prompt_delete")).toBe(false);
    await fireEvent.click(await find("prompt-delete-really"));
    await waitFor(() =>
      expect(all("prompt-row").some((r) => r.dataset.name === "terse")).toBe(false),
    );
  });
});
