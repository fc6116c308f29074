import axe from "axe-core";
import { expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { find, openWindow } from "../open";

const compaction = entries.findLast((e) => e.kind === "compaction")!.id;

/** Colours need a layout engine; the palette's contrast has a test of its own. */
async function violations(): Promise<string[]> {
  const result = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    resultTypes: ["violations"],
  });
  return result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`);
}

const SCREENS: [string, string, string][] = [
  ["no session", "", "session-row"],
  ["entry", `#s=s1&e=${compaction}`, "entry-tab"],
  ["context", "#s=s1&tab=context", "context-item"],
  ["a session of another agent", "#s=s9&show=all", "session-link"],
  ["the agent's own breakdown", "#s=s9&tab=context", "gauge-own"],
  ["summary", `#s=s1&e=${compaction}&tab=summary`, "source-item"],
  ["re-run", `#s=s1&e=${compaction}&tab=rerun`, "offline-prompts"],
  ["runs", "#s=s1&tab=runs", "run-row"],
  ["experiments", "#lab=experiments", "experiment-row"],
  ["sets of cuts", "#lab=sets", "set-card"],
  ["a new experiment", "#lab=new", "rerun-form"],
  ["an experiment", "#lab=1ab0c0ffee15", "lab-cell"],
  ["an experiment that was cut off", "#lab=2ab0c0ffee15", "lab-cell-lost"],
];
test.each(SCREENS)("%s can be read by everybody", async (_name, hash, ready) => {
  await openWindow(hash);
  await find(ready);
  // Joined, so that a failure names the rule and the element.
  expect((await violations()).join("\n")).toBe("");
});
