//! A made-up session of Claude Code: a subagent's conversation inside, another one beside it,
//! a second file, cleared tool results, a checkpoint and a list of things to do.

import type * as W from "../../wire/wire";
import { Teller, type Told } from "./teller";

export const HARBOUR_FILES = [
  "/home/ada/.claude/projects/-home-ada-code-tidewatch/5d0c7a52.jsonl",
  "/home/ada/.claude/projects/-home-ada-code-tidewatch/8e41b0f3.jsonl",
] as const;

const SUMMARY = `## Goal
Show the tide tables of the harbour office as a chart.

## Progress
### Done
- [x] Parser for the tables in \`src/tables/parse.ts\`.

### In Progress
- [ ] Labels overlap on narrow screens.

## Next Steps
1. Measure the labels before drawing them.`;

export function tellHarbour(): Told {
  const t = new Teller(0x5b10d000);
  const first = t.user(
    "Show the tide tables as a chart. Labels must not overlap on narrow screens.",
  );
  t.add({ kind: "custom", text: "checkpoint of 3 files" }, 0);
  t.say("I will look at the tables first.");
  t.call(
    "Read",
    "src/tables/parse.ts",
    "export function parse(page: string): Table[] {\n  return page.split(/\\n{2,}/).map(table);\n}",
    5_200,
  );
  t.call("Read", "src/chart/labels.ts", "export const MARGIN = 4;\n".repeat(40), 8_400);
  const task = t.add(
    {
      kind: "message",
      role: "assistant",
      tool: "Task",
      headline: "Find every place that draws a label",
      text: "",
    },
    80,
  );
  t.add({
    kind: "message",
    role: "user",
    text: "Find every place that draws a label and name the file and line.",
    sidechain: true,
  });
  t.add(
    {
      kind: "message",
      role: "assistant",
      tool: "Grep",
      headline: "drawLabel",
      text: "",
      sidechain: true,
    },
    60,
  );
  t.add(
    {
      kind: "tool_result",
      role: "tool",
      tool: "Grep",
      text: "src/chart/axis.ts:41\nsrc/chart/labels.ts:12",
      sidechain: true,
    },
    310,
  );
  t.add({
    kind: "message",
    role: "assistant",
    text: "Labels are drawn in two places: the axis and the marks.",
    sidechain: true,
  });
  t.goTo(task);
  t.add(
    {
      kind: "tool_result",
      role: "tool",
      tool: "Task",
      text: "Labels are drawn in two places: the axis and the marks.",
    },
    420,
  );
  t.add({ kind: "custom", text: "3 to do, 2 open" }, 0);
  t.call("Bash", "npm test", "3 passed, 1 failed: labels keep 4 pixels apart", 6_900, true);
  t.add({ kind: "clearing", text: "3 tool results cleared" }, 0);
  const kept = t.say(
    "The axis and the marks measure their labels apart from each other; they have to share one list.",
  );
  t.call("Edit", "src/chart/labels.ts", "Replaced 14 lines.", 1_400);
  t.add({ kind: "compaction", text: SUMMARY, kept, trigger: "auto" });
  const second = t.user("Go on with the labels.");
  const started = t.add(
    {
      kind: "message",
      role: "assistant",
      tool: "Task",
      headline: "Check the chart on four widths",
      text: "",
    },
    90,
  );
  t.add(
    {
      kind: "tool_result",
      role: "tool",
      tool: "Task",
      text: "No label overlaps at 320, 480, 768 and 1280 pixels.",
    },
    380,
  );
  const beside: W.SessionLinkView = {
    kind: "subagent",
    reversed: false,
    name: null,
    native_id: "agent-a41f09",
    session: "s10",
    entry_id: started,
    other_entry_id: null,
    label: "Check the chart on four widths",
  };
  t.link(started, beside);
  t.call("Bash", "npm test", "4 passed", 2_100);
  t.add({
    kind: "compaction",
    text: SUMMARY.replace("- [ ] Labels overlap", "- [x] Labels no longer overlap"),
    kept: second,
    trigger: "manual",
  });
  const leaf = t.say("Labels share one list now and keep 4 pixels apart; all 4 tests pass.");
  return {
    entries: t.entries,
    leaf,
    model: "claude-opus-4-5",
    links: [
      {
        kind: "forked_from",
        reversed: false,
        name: null,
        native_id: "2b7790aa-51f2-4c0e-9a77-0d3c91e1a6f4",
        session: "s4",
        entry_id: null,
        other_entry_id: null,
        label: null,
      },
      beside,
      {
        kind: "subagent",
        reversed: false,
        name: null,
        native_id: "agent-b8810c",
        session: null,
        entry_id: kept,
        other_entry_id: null,
        label: "Explore",
      },
    ],
    files: [
      { path: HARBOUR_FILES[0], first },
      { path: HARBOUR_FILES[1], first: second },
    ],
    own: [
      ["System prompt", 1_040],
      ["System tools", 2_460],
      ["Custom agents", 370],
      ["Messages", null],
    ],
  };
}

/** What the subagent beside the session did. */
export function tellErrand(): Told {
  const t = new Teller(0x77c2e000);
  t.user("Check the chart on four widths: 320, 480, 768 and 1280 pixels.");
  t.call("Bash", "node scripts/widths.mjs", "320 ok\n480 ok\n768 ok\n1280 ok", 340);
  const leaf = t.say("No label overlaps at 320, 480, 768 and 1280 pixels.");
  return {
    entries: t.entries,
    leaf,
    model: "claude-haiku-4-5",
    files: [],
    own: [],
    links: [
      {
        kind: "subagent_of",
        reversed: false,
        name: null,
        native_id: "5d0c7a52-9d1e-4b1c-8a55-6f1f1d0be3a7",
        session: "s9",
        entry_id: null,
        other_entry_id: null,
        label: null,
      },
    ],
  };
}
