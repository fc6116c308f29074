import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { all, find, openWindow, waitFor } from "../open";

describe("a summary that is edited", () => {
  test("takes up a fact, and the list follows", async () => {
    const { host } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("edit-this"));
    const lost = await find("lost-fact");
    const id = lost.dataset.fact!;
    await fireEvent.click(lost.querySelector('[data-testid="insert-fact"]')!);
    await waitFor(() =>
      expect(all("lost-fact").some((line) => line.dataset.fact === id)).toBe(false),
    );
    expect(host.calls.some((c) => c.command === "summary_draft")).toBe(true);
    await fireEvent.click(await find("edit-keep"));
    await waitFor(() => expect(host.calls.some((c) => c.command === "summary_keep")).toBe(true));
  });

  test("lends its lost facts to the instructions of the next run", async () => {
    const { app } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("edit-this"));
    await fireEvent.click(await find("choose-fact"));
    await fireEvent.click(await find("instruct-facts"));
    await waitFor(() => expect(app.place.tab).toBe("rerun"));
    expect(app.draft.instructions).toMatch(/^The summary must contain these facts:\n- /);
  });
});

describe("all compactions together", () => {
  test("show the life of a fact", async () => {
    await openWindow("#s=s1&tab=summary&of=chain");
    await fireEvent.click((await find("chain-fact")).querySelector("button")!);
    expect((await find("chain-life")).textContent).toMatch(/Compaction \d/);
  });
});

describe("an export", () => {
  test("asks for what is chosen", async () => {
    const { host } = await openWindow("#s=s1&tab=summary");
    await find("ledger-totals");
    await fireEvent.click(all("export").at(-1)!);
    await fireEvent.click(await find("export-html"));
    await fireEvent.click(await find("export-mask"));
    await fireEvent.click(await find("export-copy"));
    await waitFor(() => {
      const asked = host.calls.find((c) => c.command === "export");
      expect(asked?.params).toMatchObject({ what: "ledger", form: "html", mask: true });
    });
  });
});
