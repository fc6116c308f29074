//! The header of a session: its panels and the way to its branches.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { branchesOf } from "../../src/host/fake/branches";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor } from "../open";

test("Escape closes the palette first and then the panel below it", async () => {
  await openWindow("#s=s1");
  await fireEvent.click(await find("cost-chip"));
  await find("spending");
  await press("k", document.body, { ctrlKey: true });
  await press("Escape", await find("palette-input"));
  await waitFor(() => expect(all("palette")).toHaveLength(0));
  expect(all("spending")).toHaveLength(1);
  await press("Escape");
  await waitFor(() => expect(all("spending")).toHaveLength(0));
});

test("the number of branches lists the entries at which they part, with links to them", async () => {
  const { app } = await openWindow("#s=s1&tab=context");
  const { fork_ids: forks, branches } = branchesOf("s1");
  await waitFor(async () =>
    expect((await find("branches-chip")).textContent).toContain(`${branches.length + 1} branches`),
  );
  await fireEvent.click(await find("branches-chip"));
  const fork = forks[0]!;
  const place = await find("branch-place", { "data-entry": fork });
  const own = 1 + branches.filter((one) => one.from_id === fork).length;
  await waitFor(() =>
    expect(place.textContent).toContain(entries.find((e) => e.id === fork)!.text.slice(0, 20)),
  );
  expect(place.textContent).toContain(`${own} branches`);
  // The branches that leave there are named, and their names lead to their first entries.
  const leaving = branches.filter((one) => one.from_id === fork);
  for (const branch of leaving) {
    const named = await find("branch-of-place", { "data-entry": branch.first_id });
    expect(named.textContent).toContain(branch.name.slice(0, 20));
  }
  const first = await find("branch-of-place", { "data-entry": leaving[0]!.first_id });
  await fireEvent.click(first.querySelector("button")!);
  expect(app.place.entry).toBe(leaving[0]!.first_id);
  await fireEvent.click(place.querySelector("[data-testid=entry-link]")!);
  expect(app.place.entry).toBe(fork);
  // The list stays, and the tab is the one that was chosen.
  expect(all("branch-places")).toHaveLength(1);
  expect(app.place.tab).toBe("context");
});

test("a tab that the list of branches opened does not stay for another session", async () => {
  const { app } = await openWindow("#s=s1&tab=context");
  await fireEvent.click(await find("branches-chip"));
  await fireEvent.click(await find("branch-places-all"));
  expect(app.place.tab).toBe("navigate");
  app.go({ session: "s4" });
  expect(app.place.tab).toBe("context");
  expect(app.pane).toBe("tree");
  // A tab that was chosen stays.
  app.visit("navigate");
  app.go({ tab: "runs" });
  app.go({ session: "s1" });
  expect(app.place.tab).toBe("runs");
});

test("with branches the export is named for readers, also where only its sign is shown", async () => {
  await openWindow("#s=s1");
  await find("branches-chip");
  const button = (await find("session-header")).querySelector("[data-testid=export]")!;
  expect(button.getAttribute("aria-label")).toBe("Export");
});

test("leaves that are no branches are not counted as branches", async () => {
  await openWindow("#s=s1", { changed: { branches: (all) => ({ ...all, branches: [] }) } });
  await find("cost-chip");
  await waitFor(() => expect(all("branches-chip")).toHaveLength(0));
});
