//! The four stages of a strategy, and which parameters belong where.

import type { ParamInfo } from "../../../wire/wire";
import { paramLabel, shownValue, type ParamValue } from "./params";

export interface Stage {
  name: "select" | "reduce" | "summarize" | "assemble";
  title: string;
  meaning: string;
}

export const STAGES: readonly Stage[] = [
  { name: "select", title: "Select", meaning: "what stays as it is, and what goes" },
  { name: "reduce", title: "Reduce", meaning: "what is cleared or cut without a summary" },
  { name: "summarize", title: "Summarize", meaning: "how the summary is written" },
  { name: "assemble", title: "Assemble", meaning: "what the next context is put together from" },
];

/** Parameters that are set so often that they are never folded away. */
const WELL_KNOWN = ["keep_recent_tokens", "reserve_tokens"];

export interface StageParams extends Stage {
  /** Always in sight. */
  pinned: ParamInfo[];
  folded: ParamInfo[];
}

/** The parameters by stage; prompts belong to the summary, and so does what we do not know. */
export function byStage(params: readonly ParamInfo[]): StageParams[] {
  const known = new Set<string>(STAGES.map((stage) => stage.name));
  return STAGES.map((stage) => {
    const own = params.filter((p) => (known.has(p.stage) ? p.stage : "summarize") === stage.name);
    const pinned = own.filter((p, n) => WELL_KNOWN.includes(p.name.split(".").at(-1)!) || (n === 0 && stage.name === "select"));
    return { ...stage, pinned, folded: own.filter((p) => !pinned.includes(p)) };
  });
}

/** What differs from the preset, in one line: `Include thinking on, Max chars 500`; null when nothing does. */
export function changes(params: readonly ParamInfo[], set: Readonly<Record<string, ParamValue>>): string | null {
  const changed = params.filter((p) => set[p.name] !== undefined);
  return changed.length === 0 ? null : changed.map((p) => `${paramLabel(p.name)} ${shownValue(set[p.name]!, p.kind)}`).join(", ");
}
