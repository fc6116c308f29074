//! Choosing, ordering and marking the facts of a ledger. Pure.

import type { FactMark, FactView, IntroducedView, LedgerView } from "../../../wire/wire";
import { FACT_KINDS } from "../../ui/kinds";

export interface FactFilter {
  /** Kinds shown; all when empty. */
  kinds: ReadonlySet<string>;
  /** Fates shown; all when empty. */
  fates: ReadonlySet<string>;
}

export function fits(fact: FactView, filter: FactFilter): boolean {
  return (
    (filter.kinds.size === 0 || filter.kinds.has(fact.kind)) &&
    (filter.fates.size === 0 || filter.fates.has(fact.status))
  );
}

/** True for what the summary lost, wholly or in part, and the agent needed again. */
export function isMissed(fact: FactView): boolean {
  return fact.needed_later.length > 0 && (fact.status === "dropped" || fact.status === "partial");
}

/** How bad a fate is: dropped and needed again first, kept last. */
function weightOf(fact: FactView): number {
  const fate = { dropped: 3, partial: 2, mentioned: 1, verbatim: 0 }[fact.status] ?? 0;
  return (isMissed(fact) ? 1_000 : 0) + fate * 100 + fact.weight;
}

/** The facts that fit, those needed later first, then the worst fates, then the weightiest. */
export function ordered(facts: readonly FactView[], filter: FactFilter): FactView[] {
  return facts
    .filter((f) => fits(f, filter))
    .sort((a, b) => weightOf(b) - weightOf(a) || a.first_item - b.first_item);
}

/** Kinds that occur, in the order in which their loss hurts. */
export function kindsOf(facts: readonly FactView[]): string[] {
  const there = new Set(facts.map((f) => f.kind));
  return [...FACT_KINDS.filter((k) => there.delete(k)), ...there];
}

/** A mark on the summary's side. `fact_id` is `intro:N` for what the summary adds. */
export function summaryMarks(ledger: LedgerView): FactMark[] {
  const evidence = ledger.facts.flatMap((fact) =>
    fact.evidence.map((range) => ({ ...range, fact_id: fact.id, status: fact.status })),
  );
  const introduced = ledger.introduced.map((item: IntroducedView, n) => ({
    start: item.start,
    end: item.end,
    fact_id: `intro:${n}`,
    status: "introduced",
  }));
  return [...evidence, ...introduced].sort((a, b) => a.start - b.start || a.end - b.end);
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
