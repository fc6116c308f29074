import { describe, expect, test } from "vitest";
import { curve, markNear, namedLines, nearest, placeName, scale } from "../src/lib/tree/timeline";
import { look } from "../src/lib/ui/kinds";
import { LEFT_DEFAULT, widths } from "../src/lib/ui/panes";
import { courier, harbour } from "../src/host/fake/tree";
import { fileName, rowText, shownText } from "../src/lib/tree/rowtext";

describe("the timeline", () => {
  const line = courier.timeline(null);
  const to = scale(line, 400, 80);
  test("stays inside its box", () => {
    for (const point of line.points) {
      expect(to.x(point.position)).toBeGreaterThanOrEqual(0);
      expect(to.x(point.position)).toBeLessThanOrEqual(400);
      expect(to.y(point.tokens)).toBeGreaterThanOrEqual(0);
      expect(to.y(point.tokens)).toBeLessThanOrEqual(80);
    }
    expect(curve(line.points, to).startsWith("M0.0")).toBe(true);
  });
  test("a window far above the curve does not press it flat", () => {
    expect(scale({ ...line, window: 10_000_000, threshold: 9_000_000 }, 400, 80).top).toBeLessThan(
      line.max * 2,
    );
  });
  test("finds the nearest point", () => {
    const points = [0, 10, 20].map((position) => ({
      position,
      entry_id: "",
      tokens: 0,
      reported: false,
    }));
    expect([-5, 4, 6, 14, 99].map((at) => nearest(points, at))).toEqual([0, 0, 1, 1, 2]);
  });
});

test("panes fit any window and keep their least widths", () => {
  for (const width of [900, 1280, 1920, 3840]) {
    const panes = widths(width, 5_000, 0.99);
    expect(panes.left + panes.right + 2).toBeLessThanOrEqual(width - 278);
    expect(panes.right).toBeGreaterThanOrEqual(320);
  }
});

test("the list is wider in a wide window until the user chooses", () => {
  // A small window takes its room from the list, so that the tree is not cut off.
  expect(widths(900, LEFT_DEFAULT, 0.52).left).toBe(224);
  expect(widths(1100, LEFT_DEFAULT, 0.52).left).toBeLessThan(LEFT_DEFAULT);
  expect(widths(1280, LEFT_DEFAULT, 0.5).left).toBe(LEFT_DEFAULT);
  expect(widths(1920, LEFT_DEFAULT, 0.5).left).toBeGreaterThan(LEFT_DEFAULT);
  expect(widths(3840, LEFT_DEFAULT, 0.5).left).toBe(372);
  expect(widths(1920, 300, 0.5).left).toBe(300);
});

describe("a row of the outline", () => {
  const row = harbour.outline({
    session: "s9",
    filter: "all",
    folded: [],
    unfolded: [],
    offset: 0,
    limit: 1,
    around: null,
  }).rows[0]!;
  test("tells a summary by what it says, not by its headings", () => {
    expect(
      rowText({
        ...row,
        kind: "compaction",
        preview: "## Goal Stop the loss. ## Progress ### Done",
      }),
    ).toEqual({ name: "Compaction", text: "Stop the loss. Progress Done" });
  });
  test("tells a refused call as the user's decision, and what waits as queued", () => {
    const refused = {
      ...row,
      kind: "tool_result" as const,
      role: "tool" as const,
      tools: ["Bash"],
    };
    expect(rowText({ ...refused, rejected: true, preview: "use the other file" })).toEqual({
      name: "Rejected",
      text: "use the other file",
    });
    expect(look({ ...refused, rejected: true, is_error: false }).name).toBe("Rejected");
    const queued = {
      ...row,
      kind: "custom" as const,
      preview: "queue-operation: enqueue and then",
    };
    expect(rowText(queued)).toEqual({ name: "Queued message", text: "and then" });
    for (const [told, words] of [
      [{ fate: "sent", entry_id: "u2" }, "sent as entry u2"],
      [{ fate: "passed", entry_id: null }, "sent with the next result"],
      [{ fate: "taken_back", entry_id: null }, "taken back"],
      [{ fate: "never_sent", entry_id: null }, "never sent"],
    ] as const)
      expect(rowText({ ...queued, queued: told })).toEqual({
        name: `Queued message, ${words}`,
        text: "and then",
      });
  });
  test("a reply that the user stopped is no failure", () => {
    const stopped = { ...row, kind: "message" as const, role: "assistant" as const };
    expect(look({ ...stopped, aborted: true, is_error: false })).toEqual({
      glyph: "stop",
      color: "user",
      name: "Stopped by the user",
    });
    expect(look({ ...stopped, is_error: true }).name).toBe("Failed message");
  });
  test("shows paths by the folder of the session, and tells a lone path", () => {
    const call = { ...row, kind: "message" as const, role: "assistant" as const, tools: ["Read"] };
    const cwd = "/Users/alex/cli/.worktrees/3";
    const path = `${cwd}/cmd/entire/cli/status.go`;
    expect(shownText(call, path, cwd)).toEqual({
      text: "cmd/entire/cli/status.go",
      path: true,
      whole: path,
    });
    expect(shownText(call, `git -C ${cwd} add ${path}`, `${cwd}/`).text).toBe(
      "git -C …/.worktrees/3 add cmd/entire/cli/status.go",
    );
    expect(shownText(call, "/Users/alex/cli/.worktrees/30/a/b.go", cwd).text).toBe("…/a/b.go");
    const result = { ...call, kind: "tool_result" as const, role: "tool" as const };
    expect(shownText(result, `GET /api/v1/items/0 in ${path}`, cwd).text).toBe(
      "GET /api/v1/items/0 in cmd/entire/cli/status.go",
    );
    expect(shownText(call, "https://example.org/a/b", null).path).toBe(false);
    const said = { ...call, tools: [], role: "user" as const };
    expect(shownText(said, `see ${path}`, cwd)).toEqual({
      text: `see ${path}`,
      path: false,
      whole: undefined,
    });
  });
  test("does not name a tool twice", () => {
    expect(rowText({ ...row, kind: "message", tools: ["Read"], preview: "Read src/a.rs" })).toEqual(
      { name: "Read", text: "src/a.rs" },
    );
    expect(rowText({ ...row, kind: "message", tools: ["exec"], preview: "exec: ls" })).toEqual({
      name: "exec",
      text: "ls",
    });
    expect(rowText({ ...row, kind: "message", tools: ["Read"], preview: "Reading on" }).text).toBe(
      "Reading on",
    );
  });
});

test("file names are the last part of a path of either system", () => {
  expect(fileName("/a/b/c.jsonl")).toBe("c.jsonl");
  expect(fileName("C:\\a\\c.jsonl")).toBe("c.jsonl");
  expect(fileName("c.jsonl")).toBe("c.jsonl");
});

describe("a name over the curve", () => {
  const line = (at: number): { from: number; to: number } => ({ from: at - 1, to: at + 1 });
  const NAMES = ["context window 200k", "window 200k"];
  const place = (lines: number[], end: "left" | "right" = "right"): ReturnType<typeof placeName> =>
    placeName(400, NAMES, lines.map(line), end);
  test("stands at its end where nothing is there", () => {
    expect(place([])).toMatchObject({ name: NAMES[0], to: 394 });
    expect(place([], "left")).toMatchObject({ name: NAMES[0], from: 6 });
  });
  test("moves beside a line that would cross it", () => {
    expect(place([350])!.to).toBeLessThan(349);
    expect(place([60, 390], "left")!.from).toBeGreaterThan(61);
    const { from, to } = place([120, 380, 250])!;
    expect([120, 250, 380].some((at) => at > from && at < to)).toBe(false);
  });
  test("is short where the whole has no room, and left to the legend without any", () => {
    expect(place([80, 160, 240, 300])).toMatchObject({ name: NAMES[1], to: 394 });
    expect(place(Array.from({ length: 16 }, (_, n) => n * 25))).toBeNull();
  });
  test("stands above the curve, clear of the signs and of the other name", () => {
    const timeline = {
      ...courier.timeline(null),
      window: 200_000,
      threshold: 180_000,
      max: 190_000,
    };
    const names = namedLines(timeline, scale(timeline, 400, 84), 400);
    expect(names.map((own) => own.kind)).toEqual(["threshold", "window"]);
    const signs = timeline.marks.map((mark) => scale(timeline, 400, 84).x(mark.position));
    for (const { at } of names)
      expect(signs.some((x) => at !== null && x > at.from - 5 && x < at.to + 5)).toBe(false);
    const [first, second] = names.map((own) => own.at!);
    expect(first!.to).toBeLessThan(second!.from);
  });
});

test("a press on or near a sign above the curve means its compaction, elsewhere the place", () => {
  const timeline = courier.timeline(null);
  const to = scale(timeline, 400, 84);
  const [mark] = timeline.marks;
  const x = to.x(mark!.position);
  expect(markNear(timeline.marks, to, x + 7, 5)).toBe(mark!.entry_id);
  expect(markNear(timeline.marks, to, x - 2, 60)).toBe(mark!.entry_id);
  expect(markNear([mark!], to, x + 12, 5)).toBeNull();
  expect(markNear([mark!], to, x + 7, 60)).toBeNull();
});
