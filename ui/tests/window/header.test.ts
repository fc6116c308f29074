//! The header of a session: its panels and the way to its branches.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
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

test("the number of branches opens their list", async () => {
  const { app } = await openWindow("#s=s1");
  await fireEvent.click(await find("branches-chip"));
  expect(app.place.tab).toBe("navigate");
});
