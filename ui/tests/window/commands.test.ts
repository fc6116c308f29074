//! What the palette lists, in which order, and where its commands lead.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { paletteLines } from "../../src/lib/commands/palette";
import type { SessionRow } from "../../src/wire/wire";
import { all, find, openWindow, press, waitFor } from "../open";

/** The titles that the palette shows for what is typed. */
async function listed(typed = ""): Promise<string[]> {
  if (all("palette").length === 0) await press("k", document.body, { ctrlKey: true });
  await fireEvent.input(await find("palette-input"), { target: { value: typed } });
  return all("palette-line").map((line) => line.querySelector("span")!.textContent ?? "");
}
/** Runs the command that the palette lists first. */
async function runFirst(typed: string, title: string): Promise<void> {
  expect((await listed(typed))[0]).toBe(title);
  await press("Enter", await find("palette-input"));
}

describe("the palette", () => {
  test("lists one line for all orders, which leads to them", async () => {
    await openWindow();
    const titles = await listed();
    expect(titles.filter((title) => title.startsWith("Sort sessions"))).toEqual([
      "Sort sessions by…",
    ]);
    await fireEvent.click(all("palette-line")[titles.indexOf("Sort sessions by…")]!);
    await waitFor(() =>
      expect((all("palette-input")[0] as HTMLInputElement | undefined)?.value).toBe(
        "Sort sessions ",
      ),
    );
    const orders = all("palette-line").map((line) => line.textContent ?? "");
    expect(orders.filter((title) => title.startsWith("Sort sessions: ")).length).toBeGreaterThan(8);
    expect(orders[0]).toContain("Sort sessions: ");
  });

  test("lists screens before steps in the tree, and none of a session while none is open", async () => {
    await openWindow();
    const closed = await listed();
    expect(closed).toContain("Lab: new experiment");
    expect(closed).toContain("Prompts: saved ones and those of installed agents");
    for (const title of ["Show the context", "Export the session…", "Show the cost by model"])
      expect(closed).not.toContain(title);
  });

  test("lists what an open session has", async () => {
    await openWindow("#s=s1");
    await find("outline-row");
    const open = await listed();
    const screens = [
      "Re-run the compaction with a strategy",
      "Show the runs and compare summaries",
      "Switch branch: summarize what is left behind",
      "Show the life of each fact over all compactions (chain)",
      "Write a new session from the summary…",
      "Show auto-compaction policies on the timeline",
      "Show the cost by model",
      "Export the session…",
    ];
    expect(open).toEqual(expect.arrayContaining(screens));
    const steps = open.indexOf("Next entry");
    for (const screen of screens) expect(open.indexOf(screen)).toBeLessThan(steps);
  });

  test("puts a command whose title has the words before sessions", async () => {
    const { app } = await openWindow("#s=s1");
    await find("outline-row");
    const row = { id: "x", title: "Export the cost policies", project: "lab" } as SessionRow;
    for (const typed of ["export", "cost", "policies", "lab"]) {
      const ids = paletteLines(app, [row], typed, false).map((line) => line.id);
      expect(ids.indexOf("session-x"), typed).toBe(ids.length - 2);
    }
    expect(paletteLines(app, [row], "cost", false)[0]!.id).toBe("cost");
  });

  test.each([
    ["auto-compaction", "Show auto-compaction policies on the timeline", "policies-panel"],
    ["cost by model", "Show the cost by model", "spending"],
    ["export", "Export the session…", "export-dialog"],
    ["branches part", "List the places where branches part", "branch-places"],
    ["chain", "Show the life of each fact over all compactions (chain)", "chain"],
    ["write a new session", "Write a new session from the summary…", "write-box"],
    ["new experiment", "Lab: new experiment", "new-experiment"],
    ["sets of cuts", "Lab: sets of cuts", "cut-sets"],
  ])("%s: %s", async (typed, title, opens) => {
    await openWindow("#s=s1");
    await find("outline-row");
    await runFirst(typed, title);
    await find(opens);
  });
});

describe("the settings", () => {
  test("keep the prompts at the top while the parts above still load, until the user acts", async () => {
    const grown: (() => void)[] = [];
    class Observer {
      constructor(private readonly grow: () => void) {}
      observe(element: Element): void {
        if (element.matches("[data-testid=settings] section")) grown.push(this.grow);
      }
      unobserve(): void {}
      disconnect(): void {
        grown.length = 0;
      }
    }
    vi.stubGlobal("ResizeObserver", Observer);
    const shown: string[] = [];
    Element.prototype.scrollIntoView = function (this: HTMLElement): void {
      if (this.dataset.part) shown.push(this.dataset.part);
    };
    try {
      await openWindow();
      await runFirst("prompt", "Prompts: saved ones and those of installed agents");
      await find("settings");
      expect(document.activeElement?.getAttribute("data-part")).toBe("prompts");
      expect(shown).toEqual(["prompts"]);
      grown[0]!();
      expect(shown).toEqual(["prompts", "prompts"]);
      await fireEvent.wheel(await find("theme-dark"));
      expect(grown).toEqual([]);
    } finally {
      vi.unstubAllGlobals();
      delete (Element.prototype as Partial<Element>).scrollIntoView;
    }
  });
});
