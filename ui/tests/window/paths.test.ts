//! Paths in little room: the name of the file stays in sight.

import { fireEvent, render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import PathText from "../../src/lib/text/PathText.svelte";
import type { BlockView } from "../../src/wire/wire";
import { all, find, openWindow, within } from "../open";

const LONG = "/home/ada/code/.worktrees/4/cmd/entire/cli/strategy.go";
const cuts = (): (string | undefined)[] => all("path-text").map((own) => own.dataset.cut);

test("a path is cut in front, any other text at its end; the pointer tells the whole", async () => {
  const { rerender } = render(PathText, { text: LONG });
  const [shown] = all("path-text");
  expect([shown!.textContent, shown!.title, cuts()[0]]).toEqual([LONG, LONG, "front"]);
  await rerender({ text: `go vet ${LONG}` });
  expect(cuts()).toEqual(["end"]);
  await rerender({ text: "/home/ada/my notes.md", file: true });
  expect(cuts()).toEqual(["front"]);
  await rerender({ text: "https://example.org/a/b", file: false });
  expect(cuts()).toEqual(["end"]);
});

test("the entry of a call and its result show the name of the file", async () => {
  const call: BlockView = {
    type: "tool_call",
    call_id: "c1",
    name: "Read",
    headline: LONG,
    arguments: "{}",
    result_id: null,
    outcome: "done",
    shape: { type: "other" },
  };
  const answers = { entry_id: "e1", headline: LONG };
  await openWindow("#s=s1", {
    changed: {
      entry: (view) => ({
        ...view,
        messages: view.messages.map((message) => ({ ...message, answers, blocks: [call] })),
      }),
    },
  });
  const tab = await find("entry-tab");
  const shown = within(tab).getAllByTestId("path-text");
  expect(shown.map((own) => [own.textContent, own.dataset.cut])).toEqual([
    [LONG, "front"],
    [LONG, "front"],
  ]);
});

test("the files of compared branches are cut in front, their commands wrap", async () => {
  const command = `go vet ${LONG}`;
  await openWindow("#s=s1&tab=navigate", {
    changed: {
      branch_compare: (view) => ({
        ...view,
        left: {
          ...view.left,
          files: { modified: [LONG], read: ["/home/ada/my notes.md"] },
          commands: [{ entry_id: "e1", command, failed: false }],
        },
      }),
    },
  });
  await fireEvent.click(await find("branch-compare"));
  for (const [name, path] of [
    ["Modified files", LONG],
    ["Files only read", "/home/ada/my notes.md"],
  ]) {
    const row = await find("branch-list", { "data-name": name! });
    const [left] = within(row).getAllByTestId("path-text");
    expect([left!.title, left!.dataset.cut]).toEqual([path, "front"]);
  }
  const [ran] = all("branch-command");
  expect(ran!.textContent).toBe(command);
  expect(ran!.title).toContain(command);
});
