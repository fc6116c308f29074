import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { all, find, openWindow, press, waitFor } from "../open";

test("a full stop or comma behind a link stays in the line of the link", async () => {
  await openWindow("#s=s1&tab=summary", {
    changed: {
      ledger: (view) => ({ ...view, concerns: { ...view.concerns, said: 6, own: 3 } }),
    },
  });
  const words = await find("first-words");
  // The names of the statuses look as the texts are marked.
  expect((await find("fate-partial")).querySelector(".fated.partial")).not.toBeNull();
  expect((await find("ledger-summary")).querySelector("mark.fated")).not.toBeNull();
  expect(words.querySelectorAll("button").length).toBeGreaterThan(1);
  const loose = [...words.childNodes].filter(
    (node) => node.nodeType === Node.TEXT_NODE && /^\s*[.,;]/.test(node.textContent ?? ""),
  );
  expect(loose).toEqual([]);
  // Two figures that look alike: the sentence says how it differs from the other one.
  expect(words.querySelector("abbr")!.title).toContain("counts only constraints");
});

describe("the session folders", () => {
  test("are refused as long as they are no full path, and say what they bring", async () => {
    const { app, host } = await openWindow();
    await app.prefs.change({ roots: ["/nowhere"] });
    await fireEvent.click(await find("open-settings"));
    const row = await find("root-row");
    await waitFor(() => expect(row.textContent).toContain("no session of a known agent"));
    const input = await find("root-input");
    await fireEvent.input(input, { target: { value: "relative/folder" } });
    expect((await find("root-flaw")).textContent).toContain("full path");
    expect(input.getAttribute("aria-invalid")).toBe("true");
    await fireEvent.submit(input.closest("form")!);
    expect(host.calls.some((call) => call.command === "index")).toBe(false);
    await fireEvent.input(input, { target: { value: "/home/ada/.pi" } });
    expect(all("root-flaw")).toHaveLength(0);
    await fireEvent.submit(input.closest("form")!);
    await waitFor(() => expect(all("root-row")).toHaveLength(2));
    await waitFor(() => expect(all("root-row")[1]!.textContent).toMatch(/\d+ sessions?/));
  });
});

test("Escape closes the settings after a button in them was pressed", async () => {
  await openWindow();
  await fireEvent.click(await find("open-settings"));
  const button = await find("look-local");
  button.focus();
  await fireEvent.click(button);
  await find("local-servers");
  await press("Escape", document.activeElement ?? document.body);
  await waitFor(() => expect(all("settings")).toHaveLength(0));
});

test("the row of a recorded compaction has the figures of its ledger", async () => {
  await openWindow("#s=s1&tab=runs");
  const row = await find("baseline-row");
  await waitFor(() => expect(row.textContent).toMatch(/\d+ %/));
  expect(row.querySelector("abbr")!.title).toContain("stored in the session");
});

describe("what is empty says what it is", () => {
  test("a tab without a session", async () => {
    const { app } = await openWindow("#tab=runs");
    expect((await find("inspector-empty")).textContent).toContain("summaries of this session");
    app.go({ tab: "navigate" });
    await waitFor(() =>
      expect(all("inspector-empty")[0]!.textContent).toContain("at another entry"),
    );
  });

  test("a tree whose filter fits no entry", async () => {
    // No entry of this session has a label.
    const { app } = await openWindow("#s=s10&show=labeled_only");
    const empty = await find("outline-empty");
    expect(empty.textContent).toContain("Labels only");
    await fireEvent.click(empty.querySelector("button")!);
    await find("outline-row");
    expect(app.place.filter).toBe("default");
  });
});
