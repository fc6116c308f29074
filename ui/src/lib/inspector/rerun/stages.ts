//! The four stages of a preset as they are shown and edited. Pure.

import type * as W from "../../../wire/wire";
import type { LentPromptView, ParamInfo, StageKindInfo, StrategyInfo } from "../../../wire/wire";
import type { Candidate, Step } from "../../state/candidate.svelte";
import { capital, words } from "../../text/format";
import { same, shownValue, type ParamValue } from "./params";

export interface Stage {
  name: Exclude<W.Stage, "prompts">;
  title: string;
  meaning: string;
  /** Where settings switch its kind; null where it has none of its own. */
  at: Extract<W.StagePlace, "select" | "summarize.method"> | null;
}

export const STAGES: readonly Stage[] = [
  {
    name: "select",
    title: "Select",
    meaning: "which entries are kept, summarized or dropped",
    at: "select",
  },
  {
    name: "reduce",
    title: "Reduce",
    meaning: "what is cleared or truncated without a model",
    at: null,
  },
  {
    name: "summarize",
    title: "Summarize",
    meaning: "how the summary is written",
    at: "summarize.method",
  },
  {
    name: "assemble",
    title: "Assemble",
    meaning: "what the next context consists of",
    at: null,
  },
];

/** Kinds whose name in settings says too little. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  single: "One call",
  keep_recent: "Keep recent tokens",
};

/** A kind of a stage, as people read it. */
export const kindName = (kind: string): string => KIND_NAMES[kind] ?? capital(words(kind));

/** Parameters that are set so often that they are never folded away. */
const WELL_KNOWN = ["keep_recent_tokens", "reserve_tokens"];

/** A reduce step with its parameters as fields. */
export interface StepView {
  kind: string;
  params: ParamInfo[];
}

export interface StageView extends Stage {
  /** The kind it is of now; empty where it has none of its own. */
  kind: string;
  /** The preset's own kind. */
  own: string;
  switched: boolean;
  /** What the stage is made of, in a few words. */
  inWords: string;
  /** Always in sight. */
  pinned: ParamInfo[];
  folded: ParamInfo[];
  /** The steps of the reduce stage; null for the other stages. */
  steps: StepView[] | null;
  /** All parameters, those of steps by their places in the stage. */
  all: ParamInfo[];
  /** The presets that lend prompts, by the prompts' paths. */
  lenders: Readonly<Record<string, string>>;
}

type Edited = Pick<Candidate, "kinds" | "steps"> & Partial<Pick<Candidate, "lent" | "set">>;

/** The stages of `info` as `candidate` has changed them. */
export function stagesOf(
  info: StrategyInfo,
  candidate: Edited,
  kinds: readonly StageKindInfo[],
): StageView[] {
  return STAGES.map((stage) => {
    const own =
      stage.at === null ? "" : stage.at === "select" ? info.stages.select : info.stages.summarize;
    const kind = stage.at === null ? "" : (candidate.kinds[stage.at] ?? own);
    const switched = kind !== own || (stage.name === "reduce" && candidate.steps !== null);
    // Prompts belong to the summary.
    let params = info.params.filter(
      (p) => (p.stage === "prompts" ? "summarize" : p.stage) === stage.name,
    );
    if (kind !== own) {
      const inside = `${stage.at}.`;
      const other = kinds.find((one) => one.stage === stage.at && one.kind === kind);
      params = [...(other?.params ?? []), ...params.filter((p) => !p.path.startsWith(inside))];
    }
    const steps = stage.name === "reduce" ? stepViews(info, candidate, kinds) : null;
    const lent = stage.name === "summarize" ? (candidate.lent ?? []) : [];
    if (stage.name === "summarize") params = withLent(params, lent, candidate.set ?? {});
    const lenders = Object.fromEntries(lent.map((own) => [own.param.path, own.from]));
    const pinned = steps
      ? []
      : params.filter(
          (p, n) =>
            WELL_KNOWN.includes(p.path.split(".").at(-1)!) || (n === 0 && stage.name === "select"),
        );
    const meaning = kinds.find((one) => one.stage === stage.at && one.kind === kind)?.meaning;
    return {
      ...stage,
      meaning: meaning ?? stage.meaning,
      kind,
      own,
      switched,
      inWords: inWords(stage, info, steps),
      pinned,
      folded: steps ? [] : params.filter((p) => !pinned.includes(p)),
      steps,
      all: steps
        ? steps.flatMap((step, n) =>
            step.params.map((p) => ({ ...p, path: `reduce.${n}.${p.path.split(".").at(-1)!}` })),
          )
        : params,
      lenders,
    };
  });
}

/** Prompts that are lent stand in the place of the preset's own; one that was written and that nobody lends (any more) can be taken back. */
function withLent(
  params: readonly ParamInfo[],
  lent: readonly LentPromptView[],
  set: Readonly<Record<string, ParamValue>>,
): ParamInfo[] {
  const all = [
    ...params.filter((p) => !lent.some((own) => own.param.path === p.path)),
    ...lent.map((own) => own.param),
  ];
  const orphans = Object.keys(set).filter(
    (path) => path.startsWith("prompts.") && !all.some((p) => p.path === path),
  );
  return [
    ...all,
    ...orphans.map((path): ParamInfo => ({
      name: path,
      path,
      label: capital(words(path.replace("prompts.", ""))),
      stage: "prompts",
      kind: "text",
      words: [],
      default: null,
      unit: null,
      description: "No stage uses this prompt with the current settings.",
    })),
  ];
}

function inWords(stage: Stage, info: StrategyInfo, steps: readonly StepView[] | null): string {
  if (steps)
    return steps.length === 0
      ? "Nothing"
      : capital(steps.map((step) => words(step.kind)).join(", then "));
  return stage.name === "assemble" ? capital(info.stages.next.map(words).join(", ")) : "";
}

function stepViews(
  info: StrategyInfo,
  candidate: Edited,
  kinds: readonly StageKindInfo[],
): StepView[] {
  if (candidate.steps !== null)
    return candidate.steps.map((step) => ({
      kind: step.kind,
      params: kinds.find((one) => one.stage === "reduce" && one.kind === step.kind)?.params ?? [],
    }));
  return info.stages.reduce.map((kind, n) => ({
    kind,
    params: info.params
      .filter((p) => p.path.startsWith(`reduce.${n}.`))
      .map((p) => ({ ...p, name: p.path.split(".").at(-1)! })),
  }));
}

/** The steps as a list that can be edited: those of the preset with what was set. */
export function stepsOf(
  stage: StageView,
  candidate: Pick<Candidate, "steps" | "set">,
): readonly Step[] {
  if (candidate.steps !== null) return candidate.steps;
  return (stage.steps ?? []).map((step) => ({
    kind: step.kind,
    set: Object.fromEntries(
      step.params.flatMap((p) => {
        const value = candidate.set[p.path] ?? (p.default as ParamValue | null);
        return value === null ? [] : [[p.name, value] as const];
      }),
    ),
  }));
}

/** What differs from the preset, in one line: `Include thinking on, Max chars 500`; null when nothing does. */
export function changes(
  params: readonly ParamInfo[],
  set: Readonly<Record<string, ParamValue>>,
): string | null {
  const changed = params.filter((p) => set[p.path] !== undefined && !same(set[p.path]!, p.default));
  return changed.length === 0
    ? null
    : changed.map((p) => `${p.label} ${shownValue(set[p.path]!, p.kind)}`).join(", ");
}

/** `Newest reply: keep` where the newest reply stays whatever else is summarized; null elsewhere. */
export function keptRound(
  params: readonly ParamInfo[],
  set: Readonly<Record<string, ParamValue>>,
): string | null {
  const param = params.find((own) => own.path.split(".").at(-1) === "last_round");
  const value = param && (set[param.path] ?? param.default);
  if (typeof value !== "string" || value === "summarize") return null;
  return `Newest reply: ${words(value)}`;
}

/** What a stage does, in one line: what was changed, or what its kind means. */
export function saidOf(
  stage: Pick<StageView, "meaning">,
  params: readonly ParamInfo[],
  set: Readonly<Record<string, ParamValue>>,
): string {
  const changed = changes(params, set);
  const round = keptRound(params, set);
  if (round === null) return changed ?? stage.meaning;
  // The kind's own words would say that nothing is kept.
  return changed === null
    ? `${round}; everything before it is summarized`
    : `${round}. Changed: ${changed}`;
}

/** Everything a candidate changes of its preset, in one line; empty when nothing. */
export function changesOf(
  info: StrategyInfo | undefined,
  candidate: Candidate,
  kinds: readonly StageKindInfo[],
): string {
  if (!info) return "";
  const parts: string[] = [];
  if (candidate.cut !== null) parts.push("manual cut point");
  for (const stage of stagesOf(info, candidate, kinds)) {
    if (stage.switched)
      parts.push(stage.steps ? `reduce: ${stage.inWords.toLowerCase()}` : words(stage.kind));
    const changed = changes(
      [
        ...stage.pinned,
        ...stage.folded,
        ...(candidate.steps === null ? (stage.steps ?? []).flatMap((step) => step.params) : []),
      ],
      candidate.set,
    );
    if (changed !== null) parts.push(changed);
  }
  return parts.join(", ");
}
