import { describe, expect, test } from "vitest";
import { STRATEGIES } from "../src/host/fake/strategies";
import { paramLabel, parseParam, shownValue, unitOf } from "../src/lib/inspector/rerun/params";
import { families, needs } from "../src/lib/inspector/rerun/presets";
import { byStage, changes } from "../src/lib/inspector/rerun/stages";
import type { ParamInfo, StrategyInfo } from "../src/wire/wire";

const param = (kind: string, more: Partial<ParamInfo> = {}): ParamInfo => ({ name: "p", stage: "select", kind, words: [], default: null, unit: null, description: "", ...more });
const preset = (name: string): StrategyInfo => ({ name, description: "", source: "", needs: "model", params: [] });

describe("what people type", () => {
  test.each<[string, ParamInfo, string, unknown]>([
    ["a number with spaces", param("integer"), " 20 000 ", 20_000],
    ["thousands", param("integer"), "1.5k", 1_500],
    ["thousands that binary fractions miss", param("integer"), "2.3k", 2_300],
    ["nothing", param("integer", { default: 5 }), "", null],
    ["the default itself", param("integer", { default: 20_000 }), "20k", null],
    ["a word instead of a number", param("integer_or_word", { words: ["model", "none"] }), "model", "model"],
    ["a number instead of a word", param("integer_or_word", { words: ["model"], default: "model" }), "800", 800],
    ["a fraction", param("number", { default: 0.3 }), ".25", 0.25],
    ["a word", param("word", { words: ["turn", "message"], default: "turn" }), "message", "message"],
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
    ["below zero", param("integer"), "-3"],
    ["a fraction of a token", param("integer"), "2.5"],
    ["a word", param("integer"), "many"],
    ["another word", param("integer_or_word", { words: ["model"] }), "many"],
    ["a word that is none of them", param("word", { words: ["turn"], default: "turn" }), "message"],
    ["two points", param("number"), "0.3.1"],
    ["a share above the whole", param("number", { unit: "share, 0 to 1" }), "1.2"],
  ])("%s is refused with a reason", (_what, info, text) => {
    const read = parseParam(info, text);
    expect(read).toHaveProperty("error");
    expect((read as { error: string }).error).toMatch(/\.$/);
  });
});

test("names, units and values are told in words", () => {
  expect(paramLabel("assemble.next.2.max_user_tokens")).toBe("Max user tokens, part 3");
  expect(paramLabel("keep_share")).toBe("Keep share");
  expect(unitOf({ name: "keep_recent_tokens", unit: "tokens" })).toBeNull();
  expect(unitOf({ name: "max_chars", unit: "UTF-16 units" })).toBe("UTF-16 units");
  expect([shownValue(null, "integer"), shownValue(true, "boolean"), shownValue([], "texts"), shownValue(["a", "b"], "texts"), shownValue("", "text"), shownValue("A:\n b", "text"), shownValue("in_order", "word")]).toEqual([
    "not set", "on", "none", "a, b", "empty", "“A: b”", "in order",
  ]);
});

describe("the stages", () => {
  const gemini = STRATEGIES.find((s) => s.name === "gemini-cli")!;
  test("are always four; the first of select and the well-known ones stay in sight", () => {
    const stages = byStage(gemini.params);
    expect(stages.map((s) => s.name)).toEqual(["select", "reduce", "summarize", "assemble"]);
    expect(stages.map((s) => s.pinned.map((p) => p.name))).toEqual([["keep_share"], [], ["reserve_tokens"], []]);
    expect(byStage([]).every((s) => s.pinned.length + s.folded.length === 0)).toBe(true);
  });
  test("lose no parameter, and prompts belong to the summary", () => {
    const params = [...gemini.params, param("text", { name: "odd", stage: "not known" })];
    const stages = byStage(params);
    expect(stages.flatMap((s) => [...s.pinned, ...s.folded]).map((p) => p.name).sort()).toEqual(params.map((p) => p.name).sort());
    expect(stages[2]!.folded.map((p) => p.name)).toEqual(expect.arrayContaining(["prompts.acknowledgement", "odd"]));
  });
  test("tell in one line what differs", () => {
    expect(changes(gemini.params, {})).toBeNull();
    expect(changes(gemini.params, { self_check: false, tools: ["bash"], other: 1 })).toBe("Tools bash, Self check off");
  });
});

test("presets are grouped by the name before the hyphen, lone ones last", () => {
  const groups = families(["pi", "aider", "pi-0.87", "claude-code-notes", "gemini-cli", "claude-code-micro", "roo-truncate", "roo"].map(preset));
  expect(groups.map((g) => [g.title, g.presets.map((p) => p.name)])).toEqual([
    ["pi", ["pi", "pi-0.87"]],
    ["claude-code", ["claude-code-notes", "claude-code-micro"]],
    ["roo", ["roo-truncate", "roo"]],
    ["Others", ["aider", "gemini-cli"]],
  ]);
  expect(families([])).toEqual([]);
  expect(needs(preset("pi")).sentence).toContain("offline summarizer");
  expect(needs({ ...preset("x"), needs: "nothing" }).short).toBe("no model");
});
