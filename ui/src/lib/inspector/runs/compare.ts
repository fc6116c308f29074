//! What a comparison shows: its columns, repeats of one row, and the figures. Pure.

import type {
  CompareAllView,
  ComparedSummary,
  FactKind,
  HeldCounts,
  OverallScore,
  ScorePart,
} from "../../../wire/wire";
import {
  allOf,
  capital,
  count,
  dollars,
  duration,
  exact,
  percent,
  short,
  tokens,
  words,
} from "../../text/format";
import { TERMS } from "../../ui/terms";
import type { Figure } from "../rerun/best";

export type Compared = Figure<ComparedSummary>;

const share = (counts: HeldCounts | undefined): number | null => counts?.share ?? null;

const PARTS: Record<ScorePart, { name: string; hint: string }> = {
  state: {
    name: "State at the end",
    hint: "Does the next request hold what the session was about last? Share of the words that are new at the end of the span, weighted by how often they come up there, that the next request holds.",
  },
  facts: {
    name: "Facts in the next request",
    hint: "Share of the facts of the span, by weight, that the next request holds: in the summary or in the kept tail. Partly kept and changed ones count half.",
  },
  own_words: {
    name: "Copying factor",
    hint: "100 % where no passage is copied, 50 % where copied passages have 500 words. A passage is eight words or more in the same order as in the span.",
  },
  correctness: {
    name: "Correctness factor",
    hint: "100 % minus 5 points for each wrong statement, at least 50 %. Wrong are sentences that are contradicted or out of date, facts with another meaning, and names or figures that are not in the source.",
  },
};

/** The parts of the overall score, each a figure. */
export const SCORE_PARTS: readonly Compared[] = (Object.keys(PARTS) as ScorePart[]).map((part) => ({
  key: `score.${part}`,
  ...PARTS[part],
  value: (side) => side.score.overall?.parts[part] ?? null,
  show: percent,
  more: true,
}));

/** The parts of an overall score, one on a line. */
export function scoreWords(score: OverallScore): string {
  const parts = (Object.keys(PARTS) as ScorePart[]).flatMap((part) => {
    const value = score.parts[part];
    return value === undefined ? [] : [`${PARTS[part].name}: ${percent(value)}`];
  });
  const how =
    "The score is the mean of the first two. The copying factor lowers what the summary adds to the kept tail, the correctness factor the whole.";
  return [`Overall score: ${percent(score.score)}`, ...parts, how].join("\n");
}

/** What no source has can be counted only where the source is whole: where a share retained was measured. */
const ofSource = (side: ComparedSummary, value: number | undefined): number | null =>
  side.totals.retention === null ? null : (value ?? null);

/** The figures of a comparison, the overall score with its parts first. */
export const FIGURES: readonly Compared[] = [
  {
    key: "score",
    name: TERMS.overall.name,
    hint: TERMS.overall.meaning,
    value: (side) => side.score.overall?.score ?? null,
    show: percent,
    more: true,
  },
  ...SCORE_PARTS,
  {
    key: "retained",
    name: TERMS.weighted.name,
    hint: TERMS.weighted.meaning,
    value: (side) => side.totals.retention,
    show: percent,
    more: true,
  },
  {
    key: "dropped",
    name: TERMS.needed.name,
    hint: TERMS.needed.meaning,
    value: (side) => side.totals.needed_later,
    show: exact,
  },
  {
    key: "needed",
    name: TERMS.neededHeld.name,
    hint: TERMS.neededHeld.meaning,
    value: (side) => share(side.score.needed_later),
    show: percent,
    more: true,
  },
  {
    key: "changed",
    name: TERMS.changed.name,
    hint: TERMS.changed.meaning,
    value: (side) => side.score.changed,
    show: exact,
  },
  {
    key: "introduced",
    name: TERMS.introduced.name,
    hint: TERMS.introduced.meaning,
    value: (side) => ofSource(side, side.score.introduced),
    show: exact,
  },
  {
    key: "contradicted",
    name: TERMS.contradicted.name,
    hint: TERMS.contradicted.meaning,
    value: (side) => side.score.claims?.contradicted ?? null,
    show: exact,
  },
  {
    key: "unsupported",
    name: TERMS.unsupported.name,
    hint: TERMS.unsupported.meaning,
    value: (side) => ofSource(side, side.score.claims?.without_source),
    show: exact,
  },
  {
    key: "model-supported",
    name: TERMS.modelSupported.name,
    hint: TERMS.modelSupported.meaning,
    value: (side) => side.judged_claims?.claims.precision ?? null,
    show: percent,
    more: true,
  },
  {
    key: "model-kept",
    name: TERMS.modelKept.name,
    hint: TERMS.modelKept.meaning,
    value: (side) => side.judged_claims?.facts.recall ?? null,
    show: percent,
    more: true,
  },
  {
    key: "summary",
    name: TERMS.estimated.name,
    hint: TERMS.estimated.meaning,
    value: (side) => side.score.summary_tokens,
    show: short,
    exact: tokens,
  },
  {
    key: "next",
    name: TERMS.next.name,
    hint: TERMS.next.meaning,
    value: (side) => side.score.next_tokens,
    show: short,
    exact: tokens,
  },
  {
    key: "calls",
    name: TERMS.calls.name,
    hint: TERMS.calls.meaning,
    // What the offline summarizer writes counts as a call of the run, and asks no model.
    value: (side) => (side.run?.provider === "offline" ? 0 : side.score.calls),
    show: exact,
  },
  {
    key: "cost",
    name: TERMS.cost.name,
    hint: TERMS.cost.meaning,
    value: (side) => side.score.cost_usd,
    show: dollars,
  },
  {
    key: "time",
    name: TERMS.time.name,
    hint: TERMS.time.meaning,
    value: (side) => side.score.elapsed_ms,
    show: duration,
  },
];

/** The kinds of facts that the sides have, each as a figure: the share still held. */
export function byKind(sides: readonly ComparedSummary[]): Compared[] {
  const kinds = new Set(sides.flatMap((side) => Object.keys(side.score.by_kind) as FactKind[]));
  return [...kinds].map((kind) => ({
    key: kind,
    name: capital(words(kind)),
    value: (side) => share(side.score.by_kind[kind]),
    show: percent,
    more: true,
  }));
}

/** `12 of 14`: the facts behind a share; null where the figure is none. */
export function behind(figure: Compared, side: ComparedSummary): string | null {
  const counts =
    figure.key === "needed" ? side.score.needed_later : side.score.by_kind[figure.key as FactKind];
  if (counts === undefined) return null;
  const held = counts.in_summary + counts.in_tail;
  const half = counts.partial + counts.changed;
  return `${exact(held)} of ${exact(counts.facts)}${half > 0 ? `, ${exact(half)} in part` : ""}`;
}

/** Several runs with the same settings, by their places among the sides. */
export interface Repeats {
  name: string;
  sides: readonly number[];
}

/** The runs that differ in no setting, where there are several of a kind. */
export function repeatsOf(view: Pick<CompareAllView, "sides" | "settings">): Repeats[] {
  const groups = new Map<string, number[]>();
  for (const [n, side] of view.sides.entries()) {
    if (side.run === null) continue;
    const key = JSON.stringify([side.cut, ...view.settings.map((own) => own.values[n] ?? null)]);
    groups.set(key, [...(groups.get(key) ?? []), n]);
  }
  return [...groups.values()]
    .filter((sides) => sides.length > 1)
    .map((sides) => ({ name: `Columns ${sides.map((n) => n + 1).join(", ")}`, sides }));
}

/** Mean and spread of a figure over repeats: `82 % (79 % to 86 %)`; null where none has a value. */
export function spread(figure: Compared, sides: readonly ComparedSummary[]): string | null {
  const values = sides.flatMap((side) => {
    const value = figure.value(side);
    return value === null ? [] : [value];
  });
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const least = figure.show(Math.min(...values));
  const most = figure.show(Math.max(...values));
  // Means of counts are no whole numbers.
  const shown = figure.show === exact ? mean.toFixed(1) : figure.show(mean);
  return least === most ? shown : `${shown} (${least} to ${most})`;
}

/** True where facts are compared: within a context, so it takes one that two summaries cut. */
export function hasFacts(view: Pick<CompareAllView, "cuts">): boolean {
  return view.cuts.some((cut) => cut.sides.length > 1);
}

/** What the comparison of the facts found, in a sentence. */
export function outcomeOf(
  view: Pick<CompareAllView, "cuts" | "sides" | "facts" | "same_fate">,
): string {
  if (!hasFacts(view))
    return "The facts are not compared, because the summaries have different contexts.";
  const same = view.same_fate;
  const different = view.facts.length;
  const where = view.sides.length > 2 ? "all summaries" : "both summaries";
  if (same + different === 0) return "The summarized spans contain no facts.";
  if (different === 0)
    return same === 1
      ? `The only fact has the same status in ${where}.`
      : `${allOf(same)} facts have the same status in ${where}.`;
  const equal =
    same === 0
      ? "No fact has the same status."
      : `${count(same, "other fact")} ${same === 1 ? "has" : "have"} the same status in ${where}.`;
  return `${count(different, "fact")} ${different === 1 ? "differs" : "differ"} in status. ${equal}`;
}

/** Names of columns: those that several columns have are numbered. */
export function numbered(names: readonly string[]): string[] {
  return names.map((name, n) => {
    const equal = names.filter((own) => own === name).length;
    const before = names.slice(0, n).filter((own) => own === name).length;
    return equal > 1 ? `${name} (${before + 1})` : name;
  });
}
