//! Subagents in the header and on the entry that started them.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { BlockView, SubagentView } from "../../src/wire/wire";
import { sortedSubagents, subagentSorts } from "../../src/lib/tree/subagents";
import { all, find, openWindow, waitFor } from "../open";

const agent = (own: Partial<SubagentView>): SubagentView => ({
  agent_id: null,
  call_id: null,
  entry_id: "u1",
  result_id: null,
  kind: "dev",
  task: null,
  result: null,
  result_blocks: [],
  is_error: false,
  tokens: null,
  calls: null,
  duration_ms: null,
  cost_usd: null,
  cost_computed: true,
  session: null,
  first_entry: null,
  entries: 0,
  ...own,
});
const AGENTS = [
  agent({ task: "Write", duration_ms: 12_000, tokens: 900, cost_usd: 2 }),
  agent({ task: "Review", duration_ms: 7_375_000, tokens: 100, cost_usd: 1 }),
  agent({ task: "Fix", tokens: 1_000 }),
];
const tasks = (list: readonly SubagentView[]): string[] => list.map((own) => own.task!);

test("subagents are sorted by what is known of two of them, the unknown last", () => {
  expect(tasks(sortedSubagents(AGENTS, "started"))).toEqual(["Write", "Review", "Fix"]);
  expect(tasks(sortedSubagents(AGENTS, "duration"))).toEqual(["Review", "Write", "Fix"]);
  expect(tasks(sortedSubagents(AGENTS, "tokens"))).toEqual(["Fix", "Write", "Review"]);
  expect(tasks(sortedSubagents(AGENTS, "cost"))).toEqual(["Write", "Review", "Fix"]);
  expect(subagentSorts(AGENTS.slice(1))).toEqual(["started", "tokens"]);
});

test("the list in the header has durations and is sorted as chosen", async () => {
  await openWindow("#s=s1", { changed: { open: (view) => ({ ...view, subagents: AGENTS }) } });
  await fireEvent.click(await find("belongs-subagents"));
  const times = (): string[] => all("subagent-duration").map((own) => own.textContent);
  expect(times()).toEqual(["12.0 s", "2 h 3 min", ""]);
  await fireEvent.change(await find("subagents-sort"), { target: { value: "duration" } });
  await waitFor(() => expect(times()).toEqual(["2 h 3 min", "12.0 s", ""]));
});

test("the card of a subagent says first what it was asked, and says it once", async () => {
  const text = (words: string): SubagentView["result_blocks"] => [
    {
      type: "paragraph",
      spans: [
        { text: words, strong: false, emphasis: false, code: false, strike: false, href: null },
      ],
    },
  ];
  const call: BlockView = {
    type: "tool_call",
    call_id: "c1",
    name: "Task",
    headline: "",
    arguments: "{}",
    result_id: null,
    outcome: "done",
    shape: { type: "subagent", task: null, kind: "dev", prompt: text("Please count.") },
  };
  await openWindow("#s=s1", {
    changed: {
      entry: (view) => ({
        ...view,
        subagents: [agent({ call_id: "c1", result_blocks: text("Forty-two.") })],
        messages: view.messages.map((message) => ({ ...message, blocks: [call] })),
      }),
    },
  });
  expect((await find("subagent")).textContent).toMatch(/Please count\..*Forty-two\./s);
  expect(all("subagent-prompt")).toHaveLength(1);
});
