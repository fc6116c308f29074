import { describe, expect, test } from "vitest";
import { STAGE_KINDS, STRATEGIES } from "../src/host/fake/strategies";
import {
  fit,
  nameOf,
  pack,
  unpack,
  type Drafted,
  type DraftedPreset,
} from "../src/lib/state/drafted";
import { Cutting } from "../src/lib/state/cut.svelte";
import type { PlanDraft } from "../src/lib/state/plan.svelte";
import type { CutPoint, PlanView } from "../src/wire/wire";

const preset = (strategy: string, more: Partial<DraftedPreset> = {}): DraftedPreset => ({
  strategy,
  set: {},
  kinds: {},
  steps: null,
  cut: null,
  instructions: "",
  replace: false,
  runsOn: null,
  repeats: 1,
  ...more,
});
const draft = (presets: DraftedPreset[], more: Partial<Drafted> = {}): Drafted => ({
  presets,
  edited: 0,
  taken: null,
  ...more,
});

const WHOLE = draft(
  [
    preset("pi", {
      set: { "select.keep_recent_tokens": 9_000, "summarize.method.include_thinking": true },
      cut: "a1",
      instructions: "Keep amounts.\n\tAnd ünïcödé + / = & #.",
      replace: true,
      runsOn: { provider: "anthropic", model: "own" },
      repeats: 3,
    }),
    preset("gemini-cli", {
      kinds: { select: "last_messages" },
      set: { "select.count": 4, "prompts.acknowledgement": "Verstanden – „ja“ 👍" },
    }),
    preset("gemini-cli", {
      steps: [
        { kind: "cap_tool_results", set: { max_chars: 500 } },
        { kind: "clear_thinking", set: {} },
      ],
    }),
    preset("gemini-cli", { steps: [], set: { "reduce.0.tools": [] } }),
  ],
  {
    edited: 2,
    taken: "own",
  },
);

describe("a draft in the address", () => {
  test.each([
    WHOLE,
    draft([preset("pi")]),
    draft([preset("pi"), preset("extract")], { edited: 1 }),
  ])("comes back as it was", (drafted) => {
    expect(unpack(pack(drafted))).toEqual(drafted);
  });
  test("is made of letters that an address leaves alone, and short for what is usual", () => {
    const text = pack(WHOLE);
    expect(new URLSearchParams({ plan: text }).toString()).toBe(`plan=${text}`);
    expect(pack(draft([preset("pi"), preset("gemini-cli")])).length).toBeLessThan(50);
  });
  test.each([
    "",
    "1",
    "2eyJjIjpbWyJwaSJdXX0",
    "1!!!",
    "1e30",
    pack(WHOLE).slice(0, -7),
    `1${btoa('{"c":[]}')}`,
    `1${btoa('{"c":[[7]]}')}`,
    `1${btoa("[1]")}`,
    `1${btoa("\xff\xfe")}`,
  ])("of another kind is none: %s", (text) => {
    expect(unpack(text)).toBeNull();
  });
  test("keeps what it understands of a strange one", () => {
    expect(
      unpack(
        `1${btoa(JSON.stringify({ c: [["pi", { s: { a: {}, b: 2, c: [1] }, k: 7, r: [3, ["x"]], c: 5 }], 4], e: 9, i: 1, x: 2, t: [] }))}`,
      ),
    ).toEqual(draft([preset("pi", { set: { b: 2 }, steps: [{ kind: "x", set: {} }] })]));
  });
  test("of an older address has its instructions in every row", () => {
    const text = `1${btoa(JSON.stringify({ c: [["pi"], ["extract"]], i: "Keep ports.", x: 1 }))}`;
    const shared = { instructions: "Keep ports.", replace: true };
    expect(unpack(text)).toEqual(draft([preset("pi", shared), preset("extract", shared)]));
  });
  test("names of long texts differ when the texts do", () => {
    expect(nameOf("a")).toBe(nameOf("a"));
    expect(new Set(["", "a", "b", "ab", "ba"].map(nameOf)).size).toBe(5);
  });
});

describe("a draft for the presets at hand", () => {
  const fitted = (drafted: Drafted) => fit(drafted, STRATEGIES, STAGE_KINDS);

  test("stays whole when all is there", () => {
    const { drafted, dropped } = fitted({
      ...WHOLE,
      presets: WHOLE.presets.map((one) => ({
        ...one,
        set: one.strategy === "pi" ? one.set : { ...one.set },
      })),
    });
    expect(dropped).toEqual([]);
    expect(drafted).toEqual(WHOLE);
  });
  test("loses presets, kinds, steps and values that are not, and says which", () => {
    const { drafted, dropped } = fitted(
      draft(
        [
          preset("gone"),
          preset("pi", {
            set: {
              "select.unheard_of": 1,
              "select.keep_recent_tokens": "many",
              "summarize.method.max_output_tokens": "reserve",
            },
            kinds: { select: "unheard_of" },
          }),
          preset("gemini-cli", {
            kinds: { select: "last_messages" },
            set: { "select.keep_share": 0.5 },
            steps: [
              { kind: "unheard_of", set: {} },
              { kind: "cap_tool_results", set: { max_chars: 9, other: 1 } },
            ],
          }),
        ],
        { edited: 2 },
      ),
    );
    expect(dropped).toEqual([
      "the strategy gone",
      "the kind unheard_of of pi",
      "select.unheard_of of pi",
      "select.keep_recent_tokens of pi",
      "select.keep_share of gemini-cli",
      "the step unheard_of of gemini-cli",
      "cap_tool_results.other of gemini-cli",
    ]);
    expect(drafted).toEqual(
      draft(
        [
          preset("pi", { set: { "summarize.method.max_output_tokens": "reserve" } }),
          preset("gemini-cli", {
            kinds: { select: "last_messages" },
            steps: [{ kind: "cap_tool_results", set: { max_chars: 9 } }],
          }),
        ],
        { edited: 1 },
      ),
    );
  });
  test("is none when no preset is left", () => {
    expect(fitted(draft([preset("gone")])).drafted).toBeNull();
  });
});

describe("the cut's handle", () => {
  const points = [10, 20].map((position) => ({
    entry_id: `e${position}`,
    position,
    tokens: 500,
    starts_turn: true,
  }));
  const cutting = (bands: { fate: string; first: number; last: number }[]) => {
    const cut = new Cutting({ current: { kinds: {}, cut: null } } as unknown as PlanDraft);
    cut.points = points as unknown as CutPoint[];
    // The provider counts twice what the entries are estimated at.
    const shares = [{ fate: "kept", items: 11, tokens: 1_000 }];
    const sizes = { before: 2_300, after: 1_300, unseen: 300 };
    cut.plan = { bands, first_kept_id: null, shares, sizes } as unknown as PlanView;
    return cut;
  };

  test("says how much stays, and that it is only what is behind it where more does", () => {
    const tail = { fate: "kept", first: 20, last: 30 };
    const whole = cutting([{ fate: "summarized", first: 0, last: 19 }, tail]);
    expect([whole.says, whole.spoken]).toEqual([
      "keeps 1.0k",
      "cut point before entry 21, keeps 1,000 tokens, at a turn boundary",
    ]);
    const pairs = cutting([
      { fate: "kept", first: 0, last: 3 },
      { fate: "summarized", first: 4, last: 19 },
      tail,
    ]);
    expect([pairs.says, pairs.spoken]).toEqual([
      "keeps 1.0k after it",
      "cut point before entry 21, keeps 1,000 tokens after it, at a turn boundary",
    ]);
  });
});
