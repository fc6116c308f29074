//! The entry filter that an opened hit needs, and how long it stays.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, waitFor } from "../open";

const hidden = entries.find((e) => e.kind === "message" && e.role === "assistant")!;

test("a window that opens with the filter of a hit gives it up with another session", async () => {
  const { app } = await openWindow(`#s=s1&e=${hidden.id}&show=all&was=labeled_only`);
  await find("outline-row", { "data-entry": hidden.id });
  app.go({ session: "s2" });
  expect([app.place.filter, app.place.was]).toEqual(["labeled_only", null]);
});

test("going back to a hit does not keep its filter for later sessions", async () => {
  const { app } = await openWindow("#s=s1&show=labeled_only");
  await find("tree-pane");
  app.seek("s1", hidden.id);
  await waitFor(() => expect(app.place.filter).toBe("all"));
  expect(all("toast")[0]!.textContent).toContain("until you open another session");
  app.go({ session: "s2" });
  window.history.back();
  await waitFor(() => expect(app.place.filter).toBe("all"));
  app.go({ session: "s2" });
  expect(app.place.filter).toBe("labeled_only");
  // A filter that is chosen stays.
  window.history.back();
  await waitFor(() => expect(app.place.session).toBe("s1"));
  await fireEvent.change(await find("filter"), { target: { value: "no_tools" } });
  app.go({ session: "s2" });
  expect(app.place.filter).toBe("no_tools");
});
