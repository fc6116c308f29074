import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import {
  aboutPolicy,
  fireMarks,
  fireText,
  isHollow,
  lineText,
  ownNote,
  shapeOf,
} from "../../src/lib/tree/policies";
import { all, find, openWindow, press, screen, waitFor } from "../open";
import type { PolicyFire } from "../../src/wire/wire";

const fire = (position: number): PolicyFire => ({
  entry_id: `e${position}`,
  line: position,
  position,
  check: "between_tools",
  forced: false,
  tokens_before: 245_000,
  tokens_after: 38_000,
  lost_tokens: 207_000,
  summarized: 31,
  kept: 4,
});

async function choose(name: string): Promise<void> {
  if (all("policies-panel").length === 0) await fireEvent.click(await find("policies-button"));
  const row = await find("policy-row", { "data-policy": name });
  await fireEvent.click(row.querySelector("input")!);
}

describe("policies on the timeline", () => {
  test("are listed with their line, and nothing is asked before", async () => {
    const { host } = await openWindow("#s=s1");
    await fireEvent.click(await find("policies-button"));
    const row = await find("policy-row", { "data-policy": "codex" });
    expect(row.textContent).toContain("57.6k");
    expect((await find("policy-row", { "data-policy": "pi" })).textContent).toContain(
      "this session's agent",
    );
    expect((await find("policy-row", { "data-policy": "continue" })).textContent).toContain(
      "only when the user asks",
    );
    const asked = host.calls.filter((call) => call.command === "policy");
    expect(asked.map((call) => call.params)).toEqual([
      expect.objectContaining({ totals_only: true, policies: [] }),
    ]);
    await press("Escape", screen.getByTestId("policies-panel"));
    expect(all("policies-panel")).toEqual([]);
  });

  test("say what they count, and which of them the session's agent has", () => {
    const row = { source: "One 1.0", preset: "one", threshold_messages: null };
    expect(aboutPolicy({ ...row, counting: "last_request" })).toBe(
      "One 1.0. Counts the size that the provider reported for the last request, without its reply. Strategy: one.",
    );
    expect(aboutPolicy({ ...row, counting: "estimate", threshold_messages: 80 })).toBe(
      "One 1.0. Strategy: one.",
    );
    expect(ownNote({ name: "one", agent: "one", is_own: true })).toBe(" · this session's agent");
    expect(ownNote({ name: "one-micro", agent: "one", is_own: true })).toBe(
      " · another rule of this session's agent",
    );
    expect(ownNote({ name: "two", agent: "two", is_own: false })).toBe("");
  });

  test("a chosen one has a lane with marks that say what would have been lost", async () => {
    const { app } = await openWindow("#s=s1");
    await choose("gemini-cli");
    const mark = await find("policy-mark");
    expect(mark.getAttribute("aria-label")).toMatch(
      /^gemini-cli would have compacted here: [\d.]+k → 11.0k tokens, \d+ entries summarized, about [\d.]+k tokens removed from the context/,
    );
    await fireEvent.click(mark);
    await waitFor(() => expect(app.place.entry).toBe(mark.dataset.entry));
    await choose("continue");
    await waitFor(() =>
      expect(all("policy-key").map((key) => key.dataset.policy)).toEqual([
        "gemini-cli",
        "continue",
      ]),
    );
    expect(all("policy-key")[1]!.textContent).toContain("off");
    expect(all("policy-lane").map((lane) => lane.dataset.policy)).toEqual(["gemini-cli"]);
    expect(app.place.policies).toEqual(["gemini-cli", "continue"]);
    await fireEvent.click(await find("policies-none"));
    await waitFor(() => expect(all("policy-lanes")).toEqual([]));
  });

  test("the choice is part of the address, which the next start opens", async () => {
    const { app, host } = await openWindow("#s=s1");
    await choose("coder");
    await waitFor(
      () =>
        expect(
          host.calls.some(
            (call) =>
              call.command === "settings_set" &&
              JSON.stringify(call.params).includes("policies=coder"),
          ),
        ).toBe(true),
      { timeout: 5_000 },
    );
    expect(app.place.policies).toEqual(["coder"]);
  });

  test("the choice belongs to one session", async () => {
    const { app } = await openWindow("#s=s1&policies=coder");
    await find("policy-lanes");
    app.go({ session: "s2" });
    await waitFor(() => expect(all("policy-lanes")).toEqual([]));
    expect(app.place.policies).toEqual([]);
  });
});

describe("marks", () => {
  test("that lie too close become one", () => {
    const marks = fireMarks([fire(0), fire(1), fire(50), fire(99)], 100, 200);
    expect(marks.map((mark) => [mark.fire.position, mark.more])).toEqual([
      [0, 1],
      [50, 0],
      [99, 0],
    ]);
  });
  test("say what they are", () => {
    expect(fireText("codex", fire(1))).toBe(
      "codex would have compacted here: 245k → 38.0k tokens, 31 entries summarized, about 207k tokens removed from the context",
    );
    expect(shapeOf(0)).not.toBe(shapeOf(1));
    expect(shapeOf(5)).toBe(shapeOf(0));
    // Ten can be told apart.
    expect(new Set(Array.from({ length: 10 }, (_, n) => `${shapeOf(n)} ${isHollow(n)}`)).size).toBe(
      10,
    );
  });
  test("a line says whether it must be passed", () => {
    const course = {
      threshold_tokens: 183_616,
      threshold_messages: null,
      inclusive: false,
    } as Parameters<typeof lineText>[0];
    expect(lineText(course)).toBe("above 184k");
    expect(lineText({ ...course, threshold_tokens: 167_000, inclusive: true })).toBe("167k");
    expect(lineText({ ...course, threshold_tokens: null, threshold_messages: 240 })).toBe(
      "above 240 messages",
    );
    expect(lineText({ ...course, threshold_tokens: 0, inclusive: true })).toBe("any size");
  });
});
