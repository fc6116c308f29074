import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, within } from "../open";

const entry = entries.find((e) => e.role === "user")!;
const here = `#s=s1&e=${entry.id}`;
const text = async (id: string): Promise<string> => (await find(id)).textContent?.trim() ?? "";

async function writeNote(words: string): Promise<void> {
  await press("n");
  await fireEvent.input(await find("note-field"), { target: { value: words } });
  await fireEvent.click(await find("note-save"));
  await waitFor(() => expect(all("note-text")[0]?.textContent).toBe(words));
}
async function addLabel(words: string): Promise<void> {
  await press("l");
  await fireEvent.input(await find("label-field"), { target: { value: words } });
  await fireEvent.click(await find("label-save"));
  await find("user-label", { "data-label": words });
}

describe("a star", () => {
  test("is set with a key, shown in both places, and filters the list", async () => {
    await openWindow("#s=s1");
    expect((await find("star")).getAttribute("aria-pressed")).toBe("false");
    expect(all("filter-starred")).toHaveLength(0);
    await press("s");
    await find("star", { "aria-pressed": "true" });
    await find("row-star", { "data-on": "true" });
    const row = await find("session-row", { "data-session": "s1" });
    expect(within(row).getByText("starred")).toBeTruthy();
    await fireEvent.click(await find("filter-starred"));
    await waitFor(() => expect(all("session-row").map((r) => r.dataset.session)).toEqual(["s1"]));
    await fireEvent.click(await find("filter-starred", { "aria-pressed": "true" }));
    await waitFor(() => expect(all("session-row").length).toBeGreaterThan(1));
  });

  test("is set on a row of the list, with the pointer and with the key", async () => {
    const { host } = await openWindow();
    const list = await find("session-list");
    await find("session-row", { "data-session": "s2" });
    const sent = (): unknown[] =>
      host.calls.filter((c) => c.command === "star").map((c) => c.params);
    await press("j", list);
    await press("j", list);
    await press("s", list);
    await waitFor(() => expect(sent()).toHaveLength(1));
    await fireEvent.click(all("row-star")[1]!);
    await waitFor(() => expect(sent()).toHaveLength(2));
  });
});

describe("a note", () => {
  test("is written on the entry, shown in the outline, edited, deleted and taken back", async () => {
    await openWindow(here);
    await writeNote("The real cause");
    const mark = await find("row-note");
    expect(mark.closest("[data-entry]")?.getAttribute("data-entry")).toBe(entry.id);
    expect(mark.title).toBe("The real cause");
    await press("n");
    const field = (await find("note-field")) as HTMLTextAreaElement;
    expect(field.value).toBe("The real cause");
    await fireEvent.input(field, { target: { value: "Another cause" } });
    await press("Enter", field, { ctrlKey: true });
    await waitFor(async () => expect(await text("note-text")).toBe("Another cause"));
    await fireEvent.click(await find("note-delete"));
    await waitFor(() => expect(all("note")).toHaveLength(0));
    expect(all("row-note")).toHaveLength(0);
    await fireEvent.click(await find("toast-action"));
    await waitFor(async () => expect(await text("note-text")).toBe("Another cause"));
  });

  test("is not lost when Escape leaves the field, and not saved", async () => {
    await openWindow(here);
    await writeNote("kept");
    await press("n");
    await fireEvent.input(await find("note-field"), { target: { value: "thrown away" } });
    await press("Escape", await find("note-field"));
    expect(await text("note-text")).toBe("kept");
  });

  test("is found by its words, and opens its entry", async () => {
    const { app } = await openWindow(here);
    await writeNote("flaky deadline");
    app.go({ session: "s2", entry: null, query: "deadline" });
    const hit = await find("mark-hit", { "data-kind": "note" });
    expect(hit.querySelector("mark")?.textContent).toBe("deadline");
    await fireEvent.click(hit);
    await waitFor(() => expect([app.place.session, app.place.entry]).toEqual(["s1", entry.id]));
    app.go({ query: "note:flaky" });
    await find("mark-hit", { "data-kind": "note" });
    await waitFor(() => expect(all("session-row").map((r) => r.dataset.session)).toEqual(["s1"]));
  });

  test("can be on the session, and all are listed", async () => {
    await openWindow(here);
    await writeNote("on the entry");
    await press("g");
    await press("n");
    const list = await find("marks");
    await fireEvent.click(within(list).getByTestId("note-add-session"));
    await fireEvent.input(within(list).getByTestId("note-field"), {
      target: { value: "on all of it" },
    });
    await fireEvent.click(within(list).getByTestId("note-save"));
    await waitFor(() =>
      expect(within(list).getByTestId("note-text").textContent).toBe("on all of it"),
    );
    expect(within(list).getByTestId("marked-entry").dataset.entry).toBe(entry.id);
    await find("row-notes");
  });
});

describe("a label", () => {
  test("is added, shown on the row, offered again and removed", async () => {
    const { host } = await openWindow(here);
    await addLabel("needs review");
    const onRow = await find("row-label");
    expect(onRow.closest("[data-entry]")?.getAttribute("data-entry")).toBe(entry.id);
    const sent = host.calls.find((call) => call.command === "label_set")!.params;
    expect(sent).toMatchObject({ entry: entry.id, ix: entries.indexOf(entry), on: true });
    await press("g");
    await press("n");
    await fireEvent.click(await find("label-add-session"));
    await waitFor(() =>
      expect(document.querySelector("datalist option")?.getAttribute("value")).toBe("needs review"),
    );
    await fireEvent.click(all("label-remove")[0]!);
    await waitFor(() => expect(all("row-label")).toHaveLength(0));
    await press("u");
    await find("row-label");
  });
});

test("a screen with marks can be read by everybody", async () => {
  await openWindow(here);
  await find("star");
  await press("s");
  await writeNote("a note");
  await addLabel("a label");
  await press("g");
  await press("n");
  await find("marks");
  await find("filter-starred");
  const result = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    resultTypes: ["violations"],
  });
  expect(result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
});
