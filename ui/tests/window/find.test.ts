//! The search in the open session.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { find, openWindow, press, waitFor } from "../open";

test("a window that opens with the search in a session does not give it the keyboard", async () => {
  await openWindow("#s=s1&find=queue");
  const field = await find("find-input");
  await find("find-before");
  expect(document.activeElement).not.toBe(field);
  await press("/");
  await waitFor(async () => expect(document.activeElement).toBe(await find("search")));
  // Who asks for it gets it, also where it was closed before.
  await press("f", document.body, { ctrlKey: true });
  expect(document.activeElement).toBe(field);
  await fireEvent.click(await find("find-close"));
  await press("f", document.body, { ctrlKey: true });
  await waitFor(async () => expect(document.activeElement).toBe(await find("find-input")));
});
