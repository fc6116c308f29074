//! Made-up presets: enough families, stages and kinds of parameters for the form.

import type * as W from "../../wire/wire";
import { capital, words } from "../../lib/text/format";

type Param = Partial<W.ParamInfo> & { name: string; description: string };

/** Where a preset has what belongs to a stage. */
const FOLDERS: Record<W.Stage, string> = {
  select: "select",
  reduce: "reduce.0",
  summarize: "summarize.method",
  assemble: "assemble",
  prompts: "prompts",
};
const of = (stage: W.Stage, kind: W.ParamKind, param: Param): W.ParamInfo => ({
  stage,
  kind,
  words: [],
  default: null,
  unit: null,
  path: `${FOLDERS[stage]}.${param.name.split(".").at(-1)}`,
  label: capital(words(param.name.split(".").at(-1) ?? param.name)),
  ...param,
});
const integer = (stage: W.Stage, param: Param): W.ParamInfo =>
  of(stage, "integer", { min: 0, ...param });
const boolean = (stage: W.Stage, param: Param): W.ParamInfo => of(stage, "boolean", param);
const word = (stage: W.Stage, param: Param): W.ParamInfo => of(stage, "word", param);

const keepRecent = integer("select", {
  name: "keep_recent_tokens",
  default: 20_000,
  unit: "tokens",
  description: "How much of the newest context stays as it is.",
});
const toolResults = integer("summarize", {
  name: "tool_result_max_chars",
  default: 2_000,
  unit: "characters",
  description: "Where a tool result is cut in what the model reads.",
});
const thinking = boolean("summarize", {
  name: "include_thinking",
  default: false,
  description: "Whether the model's reasoning is among what is summarized.",
});
const reserve = integer("summarize", {
  name: "reserve_tokens",
  default: 16_384,
  unit: "tokens",
  description: "Room for the summary and the reply.",
});
const limit = of("summarize", "integer_or_word", {
  name: "max_output_tokens",
  words: ["model", "reserve"],
  default: "model",
  unit: "tokens",
  description: "Most tokens a summary may have, or the rule that tells.",
});
const files = boolean("assemble", {
  name: "append_files",
  default: true,
  description: "Whether the lists of files follow the summary.",
});

/** A preset like another one but for some defaults. */
const like = (
  params: readonly W.ParamInfo[],
  defaults: Record<string, W.ParamInfo["default"]>,
): W.ParamInfo[] =>
  params.map((p) => (p.name in defaults ? { ...p, default: defaults[p.name]! } : p));

const prompt = of("prompts", "text", {
  name: "prompts.first",
  default:
    "<conversation>\n{{conversation}}\n</conversation>\n\n{{#request}}Write a structured checkpoint of the conversation above.{{/request}}",
  description: "the prompt for a first summary",
});
const PI = [keepRecent, limit, thinking, toolResults, reserve, files, prompt];
const NEXT = ["system", "summary", "kept"];
const PI_STAGES: W.StageNames = {
  select: "keep_recent",
  reduce: [],
  summarize: "single",
  next: NEXT,
};

const LEFT_BUDGET = of("select", "integer_or_word", {
  name: "budget_tokens",
  words: ["window"],
  default: "window",
  unit: "tokens",
  description: "How much is summarized, the newest first.",
});

const BUILT_IN: Omit<W.StrategyInfo, "path" | "error">[] = [
  {
    name: "pi",
    description:
      "keeps the newest 20,000 tokens; summarizes everything before as a structured checkpoint",
    source: "pi 1.5",
    needs: "model",
    params: PI,
    stages: PI_STAGES,
  },
  {
    name: "pi-0.87",
    description: "the same as an older pi did it: reasoning included, output limited",
    source: "pi 0.87",
    needs: "model",
    params: like(PI, { include_thinking: true, max_output_tokens: "reserve" }),
    stages: PI_STAGES,
  },
  {
    name: "pi-branch",
    description:
      "summarizes the branch left behind as a structured checkpoint, as far as it fits the context window",
    source: "pi 1.5",
    needs: "model",
    stages: {
      select: "left_behind",
      reduce: [],
      summarize: "single",
      next: ["system", "kept", "summary"],
    },
    params: [LEFT_BUDGET, limit, reserve, files],
  },
  {
    name: "gemini-cli",
    description: "summarizes the older 70 % as a state snapshot, checked by a second call",
    source: "Gemini CLI 0.61",
    needs: "model",
    assumed: ["A plan of the user is not in a session and is left out."],
    stages: {
      select: "keep_share",
      reduce: ["clear_tool_results"],
      summarize: "single",
      next: ["system", "summary", "text", "kept"],
    },
    params: [
      of("select", "number", {
        name: "keep_share",
        default: 0.3,
        description: "The share of the context that stays.",
      }),
      word("select", {
        name: "cut_at",
        words: ["turn", "message"],
        default: "turn",
        description: "Where the cut may fall.",
      }),
      of("reduce", "texts", {
        name: "tools",
        default: ["read_file", "grep"],
        description: "Tools whose results are cleared before.",
      }),
      of("reduce", "text", {
        name: "placeholder",
        default: "[cleared]",
        description: "What stands in place of a cleared result.",
      }),
      boolean("summarize", {
        name: "self_check",
        default: true,
        description: "Whether a second call looks over the first reply.",
      }),
      of("summarize", "text", {
        name: "transcript.user",
        default: "USER: ",
        description: "What stands before a message of the user.",
      }),
      reserve,
      files,
      of("prompts", "text", {
        name: "prompts.acknowledgement",
        default: "Understood.",
        description: "The reply after the snapshot.",
      }),
    ],
  },
  {
    name: "extract",
    description: "Take the weightiest sentences, files and commands as they stand; no model.",
    source: "Palimpsest",
    needs: "nothing",
    stages: { select: "keep_recent", reduce: [], summarize: "single", next: NEXT },
    params: [
      integer("select", {
        name: "budget_tokens",
        default: 2_000,
        unit: "tokens",
        description: "Size of the summary.",
      }),
      boolean("summarize", {
        name: "keep_errors",
        default: true,
        description: "Keep the last words of failed tools.",
      }),
    ],
  },
  {
    name: "reflect",
    description: "a model draws insights, each with the entries it rests on",
    source: "Generative Agents",
    needs: "model_only",
    stages: { select: "keep_recent", reduce: [], summarize: "single", next: NEXT },
    params: [keepRecent],
  },
];

export const STRATEGIES: W.StrategyInfo[] = BUILT_IN.map((preset) => ({
  ...preset,
  path: null,
  error: null,
}));

const kind = (
  stage: W.StagePlace,
  name: string,
  meaning: string,
  params: Param[] = [],
): W.StageKindInfo => ({
  stage,
  kind: name,
  meaning,
  params: params.map((p) => ({
    ...of(stage.split(".")[0] as W.Stage, "integer", p),
    path: `${stage}.${p.name}`,
  })),
});

/** Some kinds of each stage. */
export const STAGE_KINDS: W.StageKindInfo[] = [
  kind("select", "keep_recent", "keeps the newest tokens, as whole turns or part of one", [
    { name: "keep_recent_tokens", default: 20_000, unit: "tokens", description: "How much stays." },
  ]),
  kind("select", "keep_share", "keeps the newest share of the context", [
    { name: "keep_share", default: 0.3, description: "The share that stays." },
  ]),
  kind("select", "last_messages", "keeps the last messages", [
    { name: "count", default: 10, description: "How many messages stay." },
  ]),
  kind("select", "cut_at", "summarizes everything before an entry"),
  kind("select", "entries", "named entries are summarized", [
    { name: "ids", kind: "texts", default: [], description: "Entries that are summarized." },
  ]),
  kind("select", "from_entry", "summarizes one side of an entry", [
    { name: "entry_id", kind: "text", default: "", description: "The entry." },
    {
      name: "direction",
      kind: "word",
      words: ["from", "up_to"],
      default: "from",
      description: "Which side.",
    },
  ]),
  kind(
    "select",
    "left_behind",
    "for branches: summarizes the newest entries that fit; keeps nothing",
    [{ ...LEFT_BUDGET, kind: "integer_or_word" }],
  ),
  kind("select", "everything", "summarizes everything but what its settings keep"),
  kind("reduce", "clear_tool_results", "replaces old tool results with a placeholder", [
    { name: "keep", default: 3, description: "How many of the newest stay." },
  ]),
  kind("reduce", "cap_tool_results", "truncates long tool results", [
    { name: "max_chars", default: 2_000, unit: "characters", description: "Where they are cut." },
  ]),
  kind("reduce", "clear_thinking", "clears the reasoning of earlier turns"),
  kind("summarize.method", "single", "one call, one more for a split turn"),
  kind("summarize.method", "slices", "one call per segment", [
    { name: "slice_tokens", default: 8_000, unit: "tokens", description: "Size of a segment." },
  ]),
  kind("assemble.next", "system", "the system prompt and everything else that is always sent"),
  kind("assemble.next", "summary", "the summary"),
  kind("assemble.next", "kept", "the items that stay"),
];
