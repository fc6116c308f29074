import { describe, expect, test } from "vitest";
import { STAGE_KINDS, STRATEGIES } from "../src/host/fake/strategies";
import { grouped, parseParam, shownValue, unitOf } from "../src/lib/inspector/rerun/params";
import { best } from "../src/lib/inspector/rerun/best";
import { families, found, needs } from "../src/lib/inspector/rerun/presets";
import {
  callGroups,
  callNumbers,
  clearedBy,
  onFailure,
  promptPieces,
  stretches,
  waves,
} from "../src/lib/inspector/rerun/sums";
import { changes, saidOf, stagesOf, stepsOf } from "../src/lib/inspector/rerun/stages";
import type * as W from "../src/wire/wire";
import type { ParamInfo, StrategyInfo } from "../src/wire/wire";

const param = (kind: ParamInfo["kind"], more: Partial<ParamInfo> = {}): ParamInfo => ({
  name: "p",
  label: "P",
  path: `select.${more.name ?? "p"}`,
  stage: "select",
  kind,
  words: [],
  default: null,
  unit: null,
  description: "",
  ...more,
});
const preset = (name: string): StrategyInfo => ({
  name,
  description: "",
  source: "",
  needs: "model",
  params: [],
  stages: { select: "keep_recent", reduce: [], summarize: "single", next: [] },
  path: null,
  error: null,
});

describe("what people type", () => {
  test.each<[string, ParamInfo, string, unknown]>([
    ["a number with spaces", param("integer"), " 20 000 ", 20_000],
    ["thousands", param("integer"), "1.5k", 1_500],
    ["thousands that binary fractions miss", param("integer"), "2.3k", 2_300],
    ["nothing", param("integer", { default: 5 }), "", null],
    ["the default itself", param("integer", { default: 20_000 }), "20k", null],
    [
      "a word instead of a number",
      param("integer_or_word", { words: ["model", "none"] }),
      "model",
      "model",
    ],
    [
      "a number instead of a word",
      param("integer_or_word", { words: ["model"], default: "model" }),
      "800",
      800,
    ],
    ["a fraction", param("number", { default: 0.3 }), ".25", 0.25],
    [
      "a word",
      param("word", { words: ["turn", "message"], default: "turn" }),
      "message",
      "message",
    ],
    ["text with the space at its end", param("text", { default: "A: " }), "USER: ", "USER: "],
    ["text that was emptied", param("text", { default: "A: " }), "", ""],
    ["no text where there was none", param("text"), "", null],
    ["one per line", param("texts", { default: ["read"] }), "read\n\n grep \n", ["read", "grep"]],
    ["an emptied list", param("texts", { default: ["read"] }), "", []],
    ["the list as it was", param("texts", { default: ["read"] }), "read\n", null],
    ["no list where there was none", param("texts"), " \n", null],
  ])("%s", (_what, info, text, value) => {
    expect(parseParam(info, text)).toEqual({ value });
  });

  test.each<[string, ParamInfo, string]>([
    ["below zero", param("integer", { min: 0 }), "-3"],
    ["a fraction of a token", param("integer"), "2.5"],
    ["a word", param("integer"), "many"],
    ["another word", param("integer_or_word", { words: ["model"] }), "many"],
    ["a word that is none of them", param("word", { words: ["turn"], default: "turn" }), "message"],
    ["two points", param("number"), "0.3.1"],
    ["a share above the whole", param("number", { min: 0, max: 1 }), "1.2"],
    ["less than one", param("integer", { min: 1 }), "0"],
    [
      "a number too small beside words",
      param("integer_or_word", { words: ["model"], min: 1 }),
      "0",
    ],
  ])("%s is refused with a reason", (_what, info, text) => {
    const read = parseParam(info, text);
    expect(read).toHaveProperty("error");
    expect((read as { error: string }).error).toMatch(/\.$/);
  });
});

test("names, units and values are told in words", () => {
  expect(unitOf({ label: "Kept tail", unit: "tokens" })).toBe("tokens");
  expect(unitOf({ label: "Reply length", unit: "UTF-16 units" })).toBe("UTF-16 units");
  expect(unitOf({ label: "Overlap tokens", unit: "tokens", min: 0 })).toBeNull();
  expect(unitOf({ label: "Maximum tokens", unit: "tokens", min: 1 })).toBe("1 or more");
  expect(unitOf({ label: "Share kept", unit: "share", min: 0, max: 1 })).toBe("0 to 1");
  expect([
    shownValue(null, "integer"),
    shownValue(true, "boolean"),
    shownValue([], "texts"),
    shownValue(["a", "b"], "texts"),
    shownValue("", "text"),
    shownValue("A:\n b", "text"),
    shownValue("in_order", "word"),
    shownValue(20_000, "integer"),
  ]).toEqual(["not set", "on", "none", "a, b", "empty", "“A: b”", "in order", "20,000"]);
  expect(unitOf({ label: "Wait", unit: null, min: 1, max: 86_400 })).toBe("1 to 86,400");
  expect(grouped("at most 1048576 tokens in v1.20000, not 12")).toBe(
    "at most 1,048,576 tokens in v1.20000, not 12",
  );
  expect(
    parseParam({ kind: "integer", words: [], default: 20_000, min: 0 }, "99900000000000000000"),
  ).toEqual({ error: "Enter a smaller number." });
});

describe("the stages", () => {
  const gemini = STRATEGIES.find((s) => s.name === "gemini-cli")!;
  const untouched = { kinds: {}, steps: null, set: {} };
  test("are always four; the first of select and the well-known ones stay in sight", () => {
    const stages = stagesOf(gemini, untouched, STAGE_KINDS);
    expect(stages.map((s) => s.name)).toEqual(["select", "reduce", "summarize", "assemble"]);
    expect(stages.map((s) => s.pinned.map((p) => p.name))).toEqual([
      ["keep_share"],
      [],
      ["reserve_tokens"],
      [],
    ]);
    expect(
      stagesOf(preset("bare"), untouched, []).every((s) => s.pinned.length + s.folded.length === 0),
    ).toBe(true);
  });
  test("lose no parameter, and prompts belong to the summary", () => {
    const info = {
      ...gemini,
      params: [...gemini.params, param("text", { name: "odd", stage: "prompts" })],
    };
    const stages = stagesOf(info, untouched, STAGE_KINDS);
    const shown = stages.flatMap((s) => [
      ...s.pinned,
      ...s.folded,
      ...(s.steps ?? []).flatMap((step) => step.params),
    ]);
    expect(shown.map((p) => p.path).sort()).toEqual(info.params.map((p) => p.path).sort());
    expect(stages[2]!.folded.map((p) => p.name)).toEqual(
      expect.arrayContaining(["prompts.acknowledgement", "odd"]),
    );
  });
  test("say what they are made of, and take another kind's parameters with its defaults", () => {
    const own = stagesOf(gemini, untouched, STAGE_KINDS);
    expect(own.map((s) => s.inWords)).toEqual([
      "",
      "Clear tool results",
      "",
      "System, summary, text, kept",
    ]);
    const other = stagesOf(gemini, { kinds: { select: "last_messages" }, steps: [] }, STAGE_KINDS);
    expect([other[0]!.kind, other[0]!.switched, other[0]!.pinned.map((p) => p.path)]).toEqual([
      "last_messages",
      true,
      ["select.count"],
    ]);
    expect([other[1]!.inWords, other[1]!.switched]).toEqual(["Nothing", true]);
  });
  test("hand their steps over with the preset's values and what was set", () => {
    const stage = stagesOf(gemini, untouched, STAGE_KINDS)[1]!;
    expect(stepsOf(stage, { steps: null, set: { "reduce.0.placeholder": "-" } })).toEqual([
      { kind: "clear_tool_results", set: { tools: ["read_file", "grep"], placeholder: "-" } },
    ]);
  });
  test("say that the last round stays, where a strategy that keeps nothing keeps it", () => {
    const stage = { meaning: "summarizes everything; keeps nothing" };
    const round = (own: string): ParamInfo =>
      ({
        name: "last_round",
        path: "select.last_round",
        label: "Last round",
        kind: "word",
        words: ["summarize", "keep", "keep_once_per_turn"],
        default: own,
      }) as unknown as ParamInfo;
    expect(saidOf(stage, [round("summarize")], {})).toBe(stage.meaning);
    expect(saidOf(stage, [round("keep")], {})).toBe(
      "Newest reply: keep; everything before it is summarized",
    );
    expect(saidOf(stage, [round("keep_once_per_turn")], {})).toMatch(
      /^Newest reply: keep once per turn;/,
    );
    expect(saidOf(stage, [round("keep")], { "select.last_round": "summarize" })).toBe(
      "Last round summarize",
    );
  });
  test("tell in one line what differs", () => {
    expect(changes(gemini.params, {})).toBeNull();
    expect(
      changes(gemini.params, {
        "summarize.method.self_check": false,
        "reduce.0.tools": ["bash"],
        other: 1,
      }),
    ).toBe("Tools bash, Self check off");
  });
});

test("presets are grouped by the name before the hyphen, lone ones last", () => {
  const groups = families(
    [
      "pi",
      "aider",
      "pi-0.87",
      "claude-code-notes",
      "gemini-cli",
      "claude-code-micro",
      "roo-truncate",
      "roo",
    ].map(preset),
  );
  expect(groups.map((g) => [g.title, g.presets.map((p) => p.name)])).toEqual([
    ["pi", ["pi", "pi-0.87"]],
    ["claude-code", ["claude-code-notes", "claude-code-micro"]],
    ["roo", ["roo-truncate", "roo"]],
    ["Other", ["aider", "gemini-cli"]],
  ]);
  expect(families([])).toEqual([]);
  expect(needs(preset("pi")).sentence).toContain("offline summarizer");
  expect(needs({ ...preset("x"), needs: "nothing" }).short).toBe("no model");
});

describe("sums over calls", () => {
  const call = (...after: number[]): { after: number[] } => ({ after });
  test("calls go in waves, each as early as what it waits for allows", () => {
    expect(waves([call(), call(), call(0, 1), call(), call(2)])).toEqual([[0, 1, 3], [2], [4]]);
    expect(waves([])).toEqual([]);
    const chained = [call(), call(0), call(0, 1), call(2), call(2), call(3, 4)];
    expect(callGroups(chained).map((group) => [group.chain, group.calls])).toEqual([
      [true, [0, 1, 2]],
      [false, [3, 4]],
      [true, [5]],
    ]);
    expect(callGroups([])).toEqual([]);
  });
  test("are named as people count", () => {
    expect([[0], [0, 1], [2, 0, 1], [0, 2, 3]].map(callNumbers)).toEqual([
      "1",
      "1 and 2",
      "1 to 3",
      "1, 3 and 4",
    ]);
  });
  test("replies have their places in a prompt", () => {
    const prompt = "Put A and B together.";
    const slots = [
      { start: 10, end: 11, call: 1 },
      { start: 4, end: 5, call: 0 },
    ];
    expect(promptPieces({ prompt, slots })).toEqual([
      { text: "Put " },
      { reply: 0 },
      { text: " and " },
      { reply: 1 },
      { text: " together." },
    ]);
  });
  test("what is done when a call fails is told in sentences", () => {
    const retry = (
      attempt: number,
      left_out: number,
      max_chars: number | null,
    ): W.CallRetryView => ({ attempt, left_out, max_chars, input_tokens: 1_200 });
    // No shares: estimates are the unit of the plan.
    const plan = { shares: [], sizes: { before: 0, after: 0, unseen: 0 } };
    const told = (retries: W.CallRetryView[], most_smaller: number, attempts: number): string[] =>
      onFailure({ retries, most_smaller, attempts }, plan);
    expect(told([retry(1, 1, null), retry(2, 0, 800)], 2, 3)).toEqual([
      "Without 1 message: 1.2k input tokens.",
      "Messages truncated to 800 characters: 1.2k input tokens.",
      "At most 2 further requests if the call does not fit, fewer where the provider states its limit.",
      "At most 3 attempts if the call fails or its reply is refused.",
    ]);
    expect(told([], 0, 1)).toEqual([]);
  });
  test("what is cleared is summed by step", () => {
    const one = (by: string, before: number, entry: string | null): W.ClearedView => ({
      by,
      tokens_before: before,
      tokens_after: 1,
      entry_id: entry,
      position: null,
    });
    expect(clearedBy([one("a", 10, "x"), one("b", 5, null), one("a", 7, "y")])).toEqual([
      { by: "a", entries: ["x", "y"], items: 2, before: 17, after: 2 },
      { by: "b", entries: [], items: 1, before: 5, after: 1 },
    ]);
  });
});

test("the best is marked only where there is something to win", () => {
  const figure = { key: "k", name: "k", value: (n: number | null) => n, show: String };
  expect([...best(figure, [3, 1, null, 1])]).toEqual([1]);
  // What is shown as equal is equal.
  expect([...best({ ...figure, show: (n) => n.toFixed(0) }, [1.2, 0.9, 3])]).toEqual([1.2, 0.9]);
  expect(best({ ...figure, show: (n) => n.toFixed(0) }, [1.2, 0.9]).size).toBe(0);
  expect([...best({ ...figure, more: true }, [3, 1])]).toEqual([3]);
  expect(
    best(figure, [2, 2]).size +
      best(figure, [2, null]).size +
      best({ ...figure, neutral: true }, [1, 2]).size,
  ).toBe(0);
});

test("presets are found by every word of their description", () => {
  const names = (typed: string): string[] => found(STRATEGIES, typed).map((s) => s.name);
  expect(names("snapshot second")).toEqual(["gemini-cli"]);
  expect(names("  NO model ")).toEqual(["extract"]);
  expect(names("nothing of the kind")).toEqual([]);
});

describe("a long prompt", () => {
  const text = Array.from({ length: 3_000 }, (_, n) => `line ${n} of it`).join("\n");
  test("is shown in stretches of whole lines that make it up", () => {
    const parts = stretches(text, 1_000);
    expect(parts.join("")).toBe(text);
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.slice(0, -1).every((part) => part.endsWith("\n") && part.length < 1_100)).toBe(
      true,
    );
  });
  test.each(["", "short", "x".repeat(5_000), `${"y".repeat(3_000)}\n`])(
    "stays whole where it has no lines to part at",
    (one) => {
      expect(stretches(one, 1_000).join("")).toBe(one);
      expect(stretches(one, 1_000).length).toBeLessThan(2);
    },
  );
});
