//! Choosing, ordering and marking the facts of a ledger. Pure.

import type {
  CountedFacts,
  FactKind,
  FactMark,
  FactView,
  Fate,
  IntroducedView,
  LedgerView,
} from "../../../wire/wire";
import { count, exact, percent } from "../../text/format";
import { byHurt, type FateOrNew } from "../../ui/kinds";

/** Under which chip a fact stands: only facts that the share retained counts stand under their status. */
export type Standing = Fate | "minor" | "model";

export function standingOf(fact: FactView): Standing {
  if (fact.found_by === "model") return "model";
  return fact.minor ? "minor" : fact.status;
}

/** How many facts stand under each chip; together they are all facts. */
export function countedBy(facts: readonly FactView[]): Record<Standing, number> {
  const counts = {
    dropped: 0,
    changed: 0,
    partial: 0,
    mentioned: 0,
    verbatim: 0,
    minor: 0,
    model: 0,
  };
  for (const fact of facts) counts[standingOf(fact)] += 1;
  return counts;
}

/** The two chips of facts that no share counts. */
export const UNCOUNTED = {
  minor: {
    name: "Minor",
    meaning:
      "Only seen or said in passing. The share of facts retained does not count them, whatever their status.",
  },
  model: {
    name: "By a model",
    meaning: "Found only by a model. The share of facts retained does not count these facts.",
  },
} as const;

export interface FactFilter {
  /** Kinds shown; all when empty. */
  kinds: ReadonlySet<FactKind>;
  /** Statuses shown; all when empty. */
  fates: ReadonlySet<Standing>;
  /** Only these facts; absent for all. */
  only?: { name: string; ids: ReadonlySet<string> };
  /** No fact, but what the summary adds to its source. */
  introduced?: true;
}

export const NO_FILTER: FactFilter = { kinds: new Set(), fates: new Set() };

/** True where a filter leaves out facts. */
export const isFiltered = (filter: FactFilter): boolean =>
  filter.kinds.size > 0 ||
  filter.fates.size > 0 ||
  filter.only !== undefined ||
  filter.introduced === true;

export function fits(fact: FactView, filter: FactFilter): boolean {
  return (
    filter.introduced !== true &&
    (filter.kinds.size === 0 || filter.kinds.has(fact.kind)) &&
    (filter.fates.size === 0 || filter.fates.has(standingOf(fact))) &&
    (filter.only === undefined || filter.only.ids.has(fact.id))
  );
}

/** Statuses of facts that the context does not have as they were. */
export const LOSES: ReadonlySet<Fate> = new Set<Fate>(["dropped", "partial", "changed"]);

/** The facts that the context no longer has as they were, the minor ones too, the worst first. */
export function lostOf(facts: readonly FactView[]): FactView[] {
  const lost = facts.filter((fact) => LOSES.has(fact.status) && !fact.in_kept_tail);
  return ordered(lost, NO_FILTER);
}

const BAD: Record<Fate, number> = { dropped: 4, changed: 3, partial: 2, mentioned: 1, verbatim: 0 };

/** How bad a fate is: the user's own losses first, then what was needed again, kept last. */
function weightOf(fact: FactView): number {
  const first = (fact.concern === "own" ? 2_000 : 0) + (fact.missed ? 1_000 : 0);
  return first + BAD[fact.status] * 100 + fact.weight;
}

/**
 * The facts that fit: what the user asked for and is lost, then what was needed later, then the worst
 * fates, then the weightiest.
 */
export function ordered(facts: readonly FactView[], filter: FactFilter): FactView[] {
  return facts
    .filter((f) => fits(f, filter))
    .sort((a, b) => weightOf(b) - weightOf(a) || a.first_item - b.first_item);
}

/** Kinds that occur, in the order in which their loss hurts. */
export function kindsOf(facts: readonly FactView[]): FactKind[] {
  return [...new Set(facts.map((f) => f.kind))].sort(byHurt);
}

/** A marked range on either side. `fact_id` is `intro:N` for what the summary adds. */
export interface Mark extends Omit<FactMark, "status"> {
  status: FateOrNew;
}

/** The marks on the summary's side. */
export function summaryMarks(ledger: LedgerView): Mark[] {
  const evidence = ledger.facts.flatMap((fact) =>
    fact.evidence.map((range): Mark => ({ ...range, fact_id: fact.id, status: fact.status })),
  );
  const introduced = ledger.introduced.map((item: IntroducedView, n): Mark => ({
    start: item.start,
    end: item.end,
    fact_id: `intro:${n}`,
    status: "introduced",
  }));
  return [...evidence, ...introduced].sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * The text of a fact without the signs of Markdown around it: bold, code, the marks of a heading or
 * an item, and the colon of a heading.
 */
export function plain(text: string): string {
  return text
    .replace(/^\s*(?:#{1,6}|[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?/, "")
    .replace(/(\*\*|__)(?=\S)(.+?)\1/g, "$2")
    .replace(/\*\*/g, "")
    .replace(/(?<![\w`])`([^`]+)`(?![\w`])/g, "$1")
    .replace(/(?<=\p{L}):\s*$/u, "");
}

/** Which way a key leads in a list of facts; 0 for other keys. */
export function stepOf(key: string): -1 | 0 | 1 {
  if (key === "ArrowDown" || key === "j") return 1;
  return key === "ArrowUp" || key === "k" ? -1 : 0;
}

/** Which ledger an address names: `entry:ID`, a run, or nothing. */
export function ledgerAsk(
  session: string,
  of: string | null,
): { session: string; compaction: string | null; run: string | null; summary: null; at: null } {
  const entry = of?.startsWith("entry:") ? of.slice("entry:".length) : null;
  return { session, compaction: entry, run: entry === null ? of : null, summary: null, at: null };
}

/**
 * Where sections with nothing in them start. A heading that only has deeper headings below it holds
 * what they hold.
 */
export function emptySections(sections: LedgerView["sections"]): Set<number> {
  const empty = sections.filter(
    (section, n) => section.empty && (sections[n + 1]?.level ?? 0) <= section.level,
  );
  return new Set(empty.map((section) => section.start));
}

/** How many facts the summary keeps: what the chips below can be checked by, and the share by weight beside it. */
export function retainedWords(
  { facts, kept, half }: CountedFacts,
  retention: number,
  minor: number,
): { kept: string; rest: string } {
  const part = half === 0 ? "" : `, and ${exact(half)} in part or changed`;
  const share = percent((kept + half / 2) / facts);
  return {
    kept: `${exact(kept)} of ${count(facts, "fact")} ${kept === 1 ? "is" : "are"} kept`,
    rest: [
      `${part}: ${share}, or ${percent(retention)} weighted by importance.`,
      minor === 0
        ? ""
        : ` ${count(minor, "minor fact")} ${minor === 1 ? "is" : "are"} not counted.`,
    ].join(""),
  };
}

/** That a chosen fact has no words in the summary; null for a fact that the ledger does not have. */
export function unmatchedWords(
  fact: Pick<FactView, "in_kept_tail" | "may_be_told"> | undefined,
): string | null {
  if (fact === undefined) return null;
  if (fact.in_kept_tail) return "No match in the summary. The kept tail has it.";
  return fact.may_be_told
    ? "No match in the summary. It may be told in other words."
    : "No match in the summary.";
}

/** Most characters of the summary that a tooltip shows. */
const TITLE = 300;

/** The beginning of a text, cut between characters. */
function firstCharacters(text: string): string {
  const characters = [...text];
  return characters.length <= TITLE ? text : `${characters.slice(0, TITLE).join("")}…`;
}

/** That a dropped fact may be told otherwise, with the words of the summary. */
export function toldOtherwise(
  fact: Pick<FactView, "may_be_told" | "may_be_told_at" | "in_another_language">,
  summary: string,
): { text: string; title: string }[] {
  if (!fact.may_be_told) return [];
  const at = fact.may_be_told_at;
  if (fact.in_another_language) {
    return [
      {
        text: "the summary is in another language",
        title: "Words in different scripts cannot be compared, so this fact may be in the summary.",
      },
    ];
  }
  return at === null
    ? [
        {
          text: "its outcome is told",
          title: "The summary has at least half of the facts that came of this request.",
        },
      ]
    : [
        {
          text: "may be told in other words",
          title: `In the summary: ${firstCharacters(summary.slice(at.start, at.end).trim())}`,
        },
      ];
}
