//! The search in the open session.

import { fireEvent } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { findHit } from "../../src/host/fake/hit";
import { find, openWindow, press, waitFor, within } from "../open";

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

test("a column says its order and leads to its end, and a prompt above hits is said once", async () => {
  const hits = [
    findHit({ entry_id: "u1", snippet: "the queue" }),
    ...["e1", "e2", "e3"].map((entry_id, n) =>
      findHit({
        entry_id,
        role: "assistant",
        snippet: "queue",
        prompt: n < 2 ? "fix the queue" : "why?",
      }),
    ),
  ];
  await openWindow("#s=s1&find=queue", {
    changed: {
      find: (view) => ({
        ...view,
        before: { total: 4, hits },
        after: { total: 1, hits: hits.slice(0, 1) },
      }),
    },
  });
  const before = await find("find-before");
  await waitFor(() => expect(within(before).getAllByTestId("find-hit")).toHaveLength(4));
  expect(before.textContent).toContain("oldest first");
  expect(
    within(before)
      .getAllByTestId("find-prompt")
      .map((own) => own.textContent),
  ).toEqual(["after prompt: fix the queue", "after prompt: why?"]);
  const scrolled = vi.spyOn(before, "scrollTo");
  await fireEvent.click(within(before).getByTestId("find-end"));
  expect(scrolled).toHaveBeenCalledWith({ top: before.scrollHeight });
  expect(document.activeElement).toBe(within(before).getAllByTestId("find-hit")[3]);
  // One hit has no order.
  expect(within(await find("find-after")).queryByTestId("find-end")).toBeNull();
});
