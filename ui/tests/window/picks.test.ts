import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries, leaf } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, within, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;
const row = (entry: string): Promise<HTMLElement> => find("outline-row", { "data-entry": entry });
async function open(): Promise<Opened> {
  const opened = await openWindow(`#s=s1&e=${leaf}&tab=rerun`);
  await find("plan", { "data-fresh": "true" });
  return opened;
}
/** An entry on screen other than the one stood on, on the way to it. */
async function shown(app: Opened["app"], nth: number): Promise<string> {
  await waitFor(() => expect(app.cut.points.length).toBeGreaterThan(2));
  const rows = all("outline-row").map((one) => one.dataset.entry!);
  return rows
    .filter((entry) => entry !== leaf && app.cut.points.some((point) => point.entry_id === entry))
    .at(-nth)!;
}
async function choose(entry: string, item: string): Promise<void> {
  await fireEvent.contextMenu(await row(entry), { clientX: 40, clientY: 60 });
  await fireEvent.click(within(await find("row-menu")).getByTestId(item));
  await waitFor(() => expect(all("row-menu")).toHaveLength(0));
}

describe("an entry of the outline", () => {
  test("is where the summary begins or ends, and the place planned at stays", async () => {
    const { app, host } = await open();
    const entry = await shown(app, 2);
    await choose(entry, "row-from");
    expect(app.draft.current.settings()).toEqual({
      "select.kind": "from_entry",
      "select.entry_id": entry,
      "select.direction": "from",
    });
    expect(app.place.entry).toBe(leaf);
    await waitFor(() =>
      expect(
        (host.calls.findLast((call) => call.command === "plan")!.params as { set: object }).set,
      ).toEqual(app.draft.current.settings()),
    );
    await choose(entry, "row-up-to");
    expect(app.draft.current.settings()).toMatchObject({ "select.direction": "up_to" });
    expect(((await find("kind-select")) as HTMLSelectElement).value).toBe("from_entry");
  });

  test("is marked while its menu is open, with the mouse and with the keyboard", async () => {
    await open();
    const marked = (): (string | undefined)[] =>
      all("outline-row")
        .filter((one) => one.dataset.menu === "true")
        .map((one) => one.dataset.entry);
    const other = all("outline-row").find((one) => one.dataset.entry !== leaf)!.dataset.entry!;
    await fireEvent.contextMenu(await row(other), { clientX: 40, clientY: 60 });
    expect(marked()).toEqual([other]);
    await press("Escape", document.activeElement!);
    await waitFor(() => expect(marked()).toEqual([]));
    // The menu key opens it for the selected row.
    await fireEvent.contextMenu(await find("outline"));
    expect(marked()).toEqual([leaf]);
  });

  test("is marked and unmarked, with the menu and with a key; the select stage counts", async () => {
    const { app } = await open();
    const [first, second] = [await shown(app, 1), await shown(app, 3)];
    await choose(first, "row-mark");
    await choose(second, "row-mark");
    expect(app.draft.current.settings()).toEqual({
      "select.kind": "entries",
      "select.ids": [first, second],
    });
    expect((await find("pick-note")).textContent).toContain("2 entries are marked");
    await fireEvent.contextMenu(await row(first));
    expect(within(await find("row-menu")).getByTestId("row-mark").textContent).toContain("Unmark");
    await press("Escape", document.activeElement!);
    await waitFor(() => expect(all("row-menu")).toHaveLength(0));
    await fireEvent.click(await row(first));
    await press("m");
    expect(app.draft.current.marked).toEqual([second]);
    await fireEvent.click(await find("unmark-all"));
    expect(app.draft.current.marked).toEqual([]);
    expect((await find("pick-note")).textContent).toContain("No entry is marked");
  });

  test("stood on is meant with the way to the leaf by the command", async () => {
    const { app } = await open();
    const entry = await shown(app, 2);
    await fireEvent.click(await row(entry));
    await waitFor(() => expect(app.place.entry).toBe(entry));
    await press("k", document.body, { ctrlKey: true });
    await fireEvent.input(await find("palette-input"), {
      target: { value: "summarize from here" },
    });
    await press("Enter", await find("palette-input"));
    await waitFor(() =>
      expect(app.draft.current.settings()).toMatchObject({
        "select.kind": "from_entry",
        "select.entry_id": entry,
      }),
    );
    expect(app.place.entry).toBe(leaf);
  });

  test("has a menu for the keyboard: opened at the row, walked, closed back to the outline", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=entry`);
    await row(newest.id);
    const outline = await find("outline");
    outline.focus();
    await fireEvent.contextMenu(outline);
    const menu = await find("row-menu");
    expect(document.activeElement).toBe(within(menu).getByTestId("row-from"));
    await press("ArrowUp", document.activeElement!);
    expect(document.activeElement).toBe(within(menu).getByTestId("row-go-on"));
    await press("Escape", document.activeElement!);
    await waitFor(() => expect(all("row-menu")).toHaveLength(0));
    expect(document.activeElement).toBe(outline);
  });
});
