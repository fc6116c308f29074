//! What is drafted in Re-run or Switch branch as text for the address. Pure.
//!
//! The text is a version and, in base64 as addresses take it, JSON:
//! `{c: [[preset, {s: set, k: kinds, r: steps, c: cut, i: instructions, x: replace, p: provider,
//! m: model, n: repeats}]], e: edited, t: taken along}`, where what is as usual is left out. In older
//! addresses `i` and `x` stand outside and hold for all presets.

import type { ParamKind, StageKindInfo, StrategyInfo } from "../../wire/wire";
import type { ParamValue } from "../inspector/rerun/params";

export interface DraftedStep {
  kind: string;
  set: Readonly<Record<string, ParamValue>>;
}

export interface DraftedPreset {
  strategy: string;
  set: Readonly<Record<string, ParamValue>>;
  kinds: Readonly<Record<string, string>>;
  steps: readonly DraftedStep[] | null;
  cut: string | null;
  instructions: string;
  /** True: the instructions replace the prompt. */
  replace: boolean;
  /** Who runs it; null where nobody was chosen. */
  runsOn: { provider: string; model: string | null } | null;
  repeats: number;
}

export interface Drafted {
  presets: readonly DraftedPreset[];
  /** The one that is shown, by its place in `presets`. */
  edited: number;
  /** What Switch branch takes along; null in Re-run. */
  taken: string | null;
}

const VERSION = "1";

/** The draft as text. */
export function pack(drafted: Drafted): string {
  const presets = drafted.presets.map((preset) => {
    const { strategy, set, kinds, steps, cut, instructions, replace, runsOn, repeats } = preset;
    const own = {
      ...(Object.keys(set).length > 0 ? { s: set } : {}),
      ...(Object.keys(kinds).length > 0 ? { k: kinds } : {}),
      ...(steps !== null ? { r: steps.map((step) => [step.kind, step.set]) } : {}),
      ...(cut !== null ? { c: cut } : {}),
      ...(instructions !== "" ? { i: instructions } : {}),
      ...(replace ? { x: 1 } : {}),
      ...(runsOn !== null ? { p: runsOn.provider } : {}),
      ...(runsOn !== null && runsOn.model !== null ? { m: runsOn.model } : {}),
      ...(repeats > 1 ? { n: repeats } : {}),
    };
    return Object.keys(own).length > 0 ? [strategy, own] : [strategy];
  });
  const all = {
    c: presets,
    ...(drafted.edited > 0 ? { e: drafted.edited } : {}),
    ...(drafted.taken !== null ? { t: drafted.taken } : {}),
  };
  return VERSION + encode(JSON.stringify(all));
}

/** The draft behind a text; null when it is none, or one of a version that is not known. */
export function unpack(text: string): Drafted | null {
  if (!text.startsWith(VERSION)) return null;
  let all: unknown;
  try {
    all = JSON.parse(decode(text.slice(VERSION.length)));
  } catch {
    return null;
  }
  if (!isRecord(all) || !Array.isArray(all["c"])) return null;
  // Of an older address, for all presets.
  const shared = { i: all["i"], x: all["x"] };
  const presets = all["c"].flatMap((one): DraftedPreset[] => {
    if (!Array.isArray(one) || typeof one[0] !== "string") return [];
    const own: Record<string, unknown> = { ...shared, ...(isRecord(one[1]) ? one[1] : {}) };
    const steps = Array.isArray(own["r"])
      ? own["r"].flatMap((step) =>
          Array.isArray(step) && typeof step[0] === "string"
            ? [{ kind: step[0], set: values(step[1]) }]
            : [],
        )
      : null;
    return [
      {
        strategy: one[0],
        set: values(own["s"]),
        kinds: words(own["k"]),
        steps,
        cut: textOf(own["c"]),
        instructions: textOf(own["i"]) ?? "",
        replace: own["x"] === 1,
        runsOn:
          typeof own["p"] === "string" ? { provider: own["p"], model: textOf(own["m"]) } : null,
        repeats: typeof own["n"] === "number" ? own["n"] : 1,
      },
    ];
  });
  if (presets.length === 0) return null;
  const edited = typeof all["e"] === "number" && all["e"] in presets ? all["e"] : 0;
  return {
    presets,
    edited,
    taken: textOf(all["t"]),
  };
}

/** The draft without what the presets at hand do not have, and what that was, in words. */
export function fit(
  drafted: Drafted,
  strategies: readonly StrategyInfo[],
  kinds: readonly StageKindInfo[],
): { drafted: Drafted | null; dropped: string[] } {
  const dropped: string[] = [];
  const kept: DraftedPreset[] = [];
  let edited = 0;
  for (const [at, preset] of drafted.presets.entries()) {
    const info = strategies.find((one) => one.name === preset.strategy && one.error === null);
    if (!info) {
      dropped.push(`the strategy ${preset.strategy}`);
      continue;
    }
    if (at === drafted.edited) edited = kept.length;
    kept.push(fitted(preset, info, kinds, dropped));
  }
  return { drafted: kept.length === 0 ? null : { ...drafted, presets: kept, edited }, dropped };
}

function fitted(
  preset: DraftedPreset,
  info: StrategyInfo,
  kinds: readonly StageKindInfo[],
  dropped: string[],
): DraftedPreset {
  const of = (what: string): string => `${what} of ${preset.strategy}`;
  const known = Object.fromEntries(
    Object.entries(preset.kinds).filter(
      ([stage, kind]) =>
        kinds.some((one) => one.stage === stage && one.kind === kind) ||
        !dropped.push(of(`the kind ${kind}`)),
    ),
  );
  const params = new Map(info.params.map((param) => [param.path, param]));
  for (const [stage, kind] of Object.entries(known)) {
    for (const path of [...params.keys()]) if (path.startsWith(`${stage}.`)) params.delete(path);
    for (const param of kinds.find((one) => one.stage === stage && one.kind === kind)!.params)
      params.set(param.path, param);
  }
  const set = Object.fromEntries(
    Object.entries(preset.set).filter(([path, value]) => {
      const param = params.get(path);
      return (
        (param !== undefined && suits(param.kind, param.words, value)) || !dropped.push(of(path))
      );
    }),
  );
  const steps =
    preset.steps?.flatMap((step): DraftedStep[] => {
      const kind = kinds.find((one) => one.stage === "reduce" && one.kind === step.kind);
      if (!kind) {
        dropped.push(of(`the step ${step.kind}`));
        return [];
      }
      const own = Object.entries(step.set).filter(([name, value]) => {
        const param = kind.params.find((one) => one.name === name);
        return (
          (param !== undefined && suits(param.kind, param.words, value)) ||
          !dropped.push(of(`${step.kind}.${name}`))
        );
      });
      return [{ kind: step.kind, set: Object.fromEntries(own) }];
    }) ?? null;
  return { ...preset, kinds: known, set, steps };
}

/** Whether a value is of a parameter's kind; whether it is within bounds is for the plan to say. */
function suits(kind: ParamKind, allowed: readonly string[], value: ParamValue): boolean {
  const word = typeof value === "string" && allowed.includes(value);
  const number = typeof value === "number";
  const fits: Record<ParamKind, boolean> = {
    boolean: typeof value === "boolean",
    word,
    text: typeof value === "string",
    texts: Array.isArray(value),
    integer: number || word,
    number: number || word,
    integer_or_word: number || word,
  };
  return fits[kind];
}

/** A short name for a text that is kept elsewhere (FNV-1a, 32 bits, and the length). */
export function nameOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(36) + text.length.toString(36);
}

function encode(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
function decode(text: string): string {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)),
  );
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function words(value: unknown): Record<string, string> {
  return isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((own): own is [string, string] => typeof own[1] === "string"),
      )
    : {};
}
function values(value: unknown): Record<string, ParamValue> {
  if (!isRecord(value)) return {};
  const isValue = (one: unknown): one is ParamValue =>
    ["number", "boolean", "string"].includes(typeof one) ||
    (Array.isArray(one) && one.every((text) => typeof text === "string"));
  return Object.fromEntries(
    Object.entries(value).filter((own): own is [string, ParamValue] => isValue(own[1])),
  );
}
