//! The figures of an experiment: their names, their order, and how they are written. Pure.

import type { FactKind, LabCellView, LabDifference, LabSpread, LabView } from "../../wire/wire";
import { count, dollars, duration, percent, short } from "../text/format";
import { byHurt } from "../ui/kinds";
import { SCORE_PARTS } from "../inspector/runs/compare";
import { TERMS } from "../ui/terms";

/** What a figure counts in. */
type Unit = "share" | "count" | "tokens" | "dollars" | "time";

export interface Figure {
  key: string;
  name: string;
  meaning: string;
  unit: Unit;
  /** True where more is better. */
  more: boolean;
}

const KINDS: Record<FactKind, string> = {
  user_request: "requests",
  constraint: "constraints",
  decision: "decisions",
  finding: "findings",
  error: "errors",
  todo: "to-dos",
  path: "paths",
  command: "commands",
  symbol: "symbols",
  number: "numbers",
};

const NEEDED: Figure = {
  key: "needed_later",
  name: TERMS.neededHeld.name,
  meaning:
    "Of the facts that the session used again after the cut, the share that the next request still holds.",
  unit: "share",
  more: true,
};

const OVERALL: Figure = {
  key: "score",
  name: TERMS.overall.name,
  meaning: TERMS.overall.meaning,
  unit: "share",
  more: true,
};

const counted = (key: string, name: string, meaning: string): Figure => ({
  key,
  name,
  meaning,
  unit: "count",
  more: false,
});

/** Figures besides the shares of facts, in the order in which they are offered. */
const OTHERS: readonly Figure[] = [
  counted("changed", TERMS.changed.name, "Facts that the summary has with another meaning."),
  counted("introduced", TERMS.introduced.name, TERMS.introduced.meaning),
  counted("contradicted", TERMS.contradicted.name, "Sentences that the source contradicts."),
  counted("stale", "Out of date", "Sentences that were true and changed later in the span."),
  counted(
    "without_source",
    TERMS.unsupported.name,
    "Sentences that nothing in the source supports.",
  ),
  {
    key: "summary_tokens",
    name: TERMS.size.name,
    meaning: "Size of the summary.",
    unit: "tokens",
    more: false,
  },
  {
    key: "next_tokens",
    name: TERMS.next.name,
    meaning: "Size of the whole next request: the summary with everything that is kept.",
    unit: "tokens",
    more: false,
  },
  counted("calls", TERMS.calls.name, "Requests of a run."),
  { key: "cost_usd", name: "Cost", meaning: "Cost of a run.", unit: "dollars", more: false },
  { key: "elapsed_ms", name: "Time", meaning: "How long a run takes.", unit: "time", more: false },
];

const isKind = (kind: string): kind is FactKind => kind in KINDS;

/** A figure by its name on the wire. */
export function figure(key: string): Figure {
  if (key === OVERALL.key) return OVERALL;
  if (key === NEEDED.key) return NEEDED;
  const part = SCORE_PARTS.find((own) => own.key === key);
  if (part !== undefined)
    return { key, name: part.name, meaning: part.hint ?? "", unit: "share", more: true };
  const kind = /^retention\.(.+)$/.exec(key)?.[1];
  if (kind !== undefined)
    return {
      key,
      name: `Facts retained: ${isKind(kind) ? KINDS[kind] : kind}`,
      meaning: "Share of these facts that the next request holds; partly kept ones count half.",
      unit: "share",
      more: true,
    };
  return OTHERS.find((own) => own.key === key) ?? counted(key, key, "");
}

/** The figures that an experiment has, the overall score with its parts first. */
export function figuresOf(lab: LabView): Figure[] {
  const keys = [...new Set(lab.rows.flatMap((row) => Object.keys(row.figures)))];
  const rank = (key: string): number => {
    if (key === OVERALL.key) return -3;
    if (key.startsWith("score.")) return -2;
    if (key === NEEDED.key) return 0;
    const kind = key.replace("retention.", "");
    if (key.startsWith("retention.")) return isKind(kind) ? 1 : 2;
    return 3 + OTHERS.findIndex((own) => own.key === key);
  };
  const kindOf = (key: string): FactKind => key.replace("retention.", "") as FactKind;
  return keys
    .sort((a, b) => {
      const apart = rank(a) - rank(b);
      return apart !== 0 || rank(a) !== 1 ? apart : byHurt(kindOf(a), kindOf(b));
    })
    .map(figure);
}

/** A value of a figure. */
export function written(of: Figure, value: number): string {
  switch (of.unit) {
    case "share":
      return percent(value);
    case "tokens":
      return short(value);
    case "dollars":
      return dollars(value);
    case "time":
      return duration(value);
    case "count":
      return Number.isInteger(value) ? String(value) : value.toFixed(1);
  }
}

/** A spread or another size without a sign; of shares in points of a percent. */
export function size(of: Figure, value: number): string {
  if (of.unit !== "share") return written(of, value);
  return `${(value * 100).toFixed(1)} pts`;
}

/** A difference, with its sign. */
export function signed(of: Figure, value: number): string {
  const sign = value < 0 ? "−" : value > 0 ? "+" : "±";
  return `${sign}${size(of, Math.abs(value))}`;
}

export type Finding = "better" | "worse" | "open" | "few";

/** What the interval of a difference says: an interval that holds zero leaves it open. */
export function finding(of: Figure, own: LabDifference): Finding {
  if (own.low === null || own.high === null) return "few";
  if (own.low <= 0 && own.high >= 0) return "open";
  return own.low > 0 === of.more ? "better" : "worse";
}

export const FINDINGS: Record<Finding, { name: string; meaning: string }> = {
  better: { name: "better", meaning: "The 95 % interval is on the better side of zero." },
  worse: { name: "worse", meaning: "The 95 % interval is on the worse side of zero." },
  open: {
    name: "no clear difference",
    meaning: "The 95 % interval holds zero: chance may explain the difference.",
  },
  few: { name: "too few cuts", meaning: "An interval needs at least three cuts." },
};

/** A mean, with the number of cuts behind it where some have no value: `87 % (6 of 15 cuts)`. */
export function meanOf(of: Figure, spread: LabSpread, cuts: number): string {
  const mean = written(of, spread.mean);
  return spread.cuts < cuts ? `${mean} (${spread.cuts} of ${count(cuts, "cut")})` : mean;
}

/** Why a cell that is done has no value of a figure. */
export function absent(of: Figure): string {
  if (of.key === NEEDED.key) return "nothing needed later";
  const kind = /^retention\.(.+)$/.exec(of.key)?.[1];
  if (kind !== undefined) return `no ${isKind(kind) ? KINDS[kind] : kind}`;
  return "not measured";
}

/** Why cells failed, the most frequent reason first. */
export interface Reason {
  text: string;
  cells: number;
}

export function reasonsOf(cells: readonly Pick<LabCellView, "state" | "error">[]): Reason[] {
  const found = new Map<string, number>();
  for (const cell of cells) {
    if (cell.state !== "failed") continue;
    const text = cell.error ?? "no reason was recorded";
    found.set(text, (found.get(text) ?? 0) + 1);
  }
  return [...found]
    .map(([text, cells]) => ({ text, cells }))
    .sort((a, b) => b.cells - a.cells || a.text.localeCompare(b.text));
}
