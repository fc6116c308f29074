//! A session whose file is deleted while it is open.

import { expect, test } from "vitest";
import type { FakeOptions } from "../../src/host/fake";
import { entries } from "../../src/host/fake/tree";
import type { WireError } from "../../src/wire/wire";
import { all, find, openWindow, waitFor } from "../open";

const GONE: WireError = {
  code: "not_found",
  message: "the session was deleted or moved since the session folders were read: /s/a.jsonl",
  hint: null,
  next: { kind: "rescan" },
};

test("an event of the server says so at once, and nothing is left to rescan", async () => {
  const failing: FakeOptions["failing"] = {};
  const { host } = await openWindow("#s=s1", { failing });
  await find("outline-row", { "aria-selected": "true" });
  Object.assign(failing, { open: GONE, outline: GONE, context: GONE, timeline: GONE });
  host.emit({ type: "session_changed", session: "s1", change: "removed", entries: 0 });
  const note = await find("session-stale");
  const text = note.textContent.replace(/\s+/g, " ");
  expect(text).toContain("The session file was deleted or moved.");
  expect(text).toContain("removed from the list");
  expect(text).toContain("shown as it was");
  expect(text).toContain("/s/a.jsonl");
  expect(all("rescan-gone")).toHaveLength(0);
  expect(note.querySelector("button")).toBeNull();
  expect(all("outline-row").length).toBeGreaterThan(0);
});

test("without an event the next entry that is selected says so, and a rescan is offered", async () => {
  const failing: FakeOptions["failing"] = {};
  const { app } = await openWindow("#s=s1", { failing });
  await find("outline-row", { "aria-selected": "true" });
  Object.assign(failing, { open: GONE, context: GONE });
  app.go({ entry: entries[1]!.id });
  const note = await find("session-stale");
  expect(note.textContent).not.toContain("removed from the list.");
  await waitFor(() => expect(all("rescan-gone")).toHaveLength(1));
});

test("a session that the index no longer has is named by its file, and read again when it is back", async () => {
  const failing: FakeOptions["failing"] = {};
  const { host } = await openWindow("#s=s1&t=summary", { failing });
  await find("outline-row", { "aria-selected": "true" });
  const gone: WireError = {
    code: "not_found",
    message: "there is no session 's1'",
    hint: null,
    next: { kind: "rescan" },
  };
  Object.assign(failing, { open: gone, outline: gone, timeline: gone, ledger: gone });
  host.emit({ type: "session_changed", session: "s1", change: "removed", entries: 0 });
  const note = await find("session-stale");
  expect(note.textContent).toContain("The session file was deleted or moved.");
  expect(note.textContent).not.toContain("no session");
  expect(note.textContent).toContain("When the file is back, it is read again.");
  for (const command of Object.keys(failing)) delete failing[command as keyof typeof failing];
  host.emit({ type: "session_changed", session: "s1", change: "new", entries: 5 });
  await waitFor(() => expect(all("session-stale")).toHaveLength(0));
});
