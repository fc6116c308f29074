//! The list of runs: grouped by cut, filtered, sorted. Pure.

import type { RunRow, SummaryNode } from "../../../wire/wire";
import { capital, words } from "../../text/format";

/** What the list is sorted by, within each group. */
export type RunSort = "newest" | "score" | "retained" | "needed" | "tokens" | "cost";
export const SORTS: Record<RunSort, string> = {
  newest: "Newest run first",
  score: "Best overall score",
  retained: "Most retained",
  needed: "Fewest needed later",
  tokens: "Fewest tokens",
  cost: "Cheapest",
};

/** The runs of one cut, with the summary of the session that stands there. */
export interface RunGroup {
  key: string;
  title: string;
  node: SummaryNode | null;
  /** Its number among the summaries of its kind, from 1. */
  number: number;
  /** The entry that runs were planned at, where no summary stands. */
  at: string | null;
  rows: RunRow[];
}

/** Everything of a run that a filter looks at. */
const textOf = (row: RunRow): string =>
  [
    row.name,
    row.note,
    row.strategy,
    row.provider,
    row.model,
    row.instructions,
    row.status,
    row.error,
    row.run_id,
    ...row.differs.map((own) => `${own.label} ${own.value}`),
  ]
    .filter(Boolean)
    .join(" ")
    .toLowerCase();

/** The runs with every word typed. */
export function fitting(rows: readonly RunRow[], typed: string): RunRow[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => wanted.every((word) => textOf(row).includes(word)));
}

/** Least first; a run without the figure comes last. */
const least = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;
const ORDERS: Record<RunSort, (row: RunRow) => number> = {
  newest: (row) => -row.started_at,
  score: (row) => (row.score === undefined ? Number.POSITIVE_INFINITY : -row.score.score),
  retained: (row) => (row.retention === null ? Number.POSITIVE_INFINITY : -row.retention),
  needed: (row) => least(row.needed_later),
  tokens: (row) => (row.status === "done" ? row.summary_tokens : Number.POSITIVE_INFINITY),
  cost: (row) => least(row.usage.cost_usd),
};

/** The groups of a session: first its summaries in their order, then other entries. */
export function grouped(
  rows: readonly RunRow[],
  summaries: readonly SummaryNode[],
  sort: RunSort,
): RunGroup[] {
  const order = ORDERS[sort];
  const sorted = [...rows].sort((a, b) => order(a) - order(b) || b.started_at - a.started_at);
  const ofSummaries = summaries.map((node): RunGroup => {
    const same = summaries.filter((other) => other.kind === node.kind);
    const number = same.indexOf(node) + 1;
    return {
      key: node.entry_id,
      title: `${capital(words(node.kind))} ${number}`,
      node,
      number,
      at: null,
      rows: sorted.filter((row) => row.again === node.entry_id),
    };
  });
  const known = new Set(summaries.map((node) => node.entry_id));
  const others = new Map<string, RunRow[]>();
  for (const row of sorted) {
    if (row.again !== undefined && known.has(row.again)) continue;
    const key = `${row.kind} ${row.at ?? ""}`;
    others.set(key, [...(others.get(key) ?? []), row]);
  }
  const elsewhere = [...others].map(([key, own]): RunGroup => {
    const { kind, at } = own[0]!;
    const what = kind === "branch_summary" ? "Branch summary runs" : "Runs";
    return {
      key,
      title: at === null ? `${what} of the whole session` : `${what} at entry`,
      node: null,
      number: 0,
      at,
      rows: own,
    };
  });
  return [...ofSummaries, ...elsewhere];
}

/** What was summarized: the summary that was made again, or the entry planned at. */
const cutOf = (row: RunRow): string => row.again ?? `${row.kind} ${row.at ?? ""}`;
/** Said beside the name, or above the group. */
const SAID = ["strategy", "provider", "model", "cut"];

/**
 * What tells a run from the others of its strategy and cut. Another strategy has other settings
 * altogether: what differs from it tells nothing about the run.
 */
export function differencesOf(row: RunRow, rows: readonly RunRow[]): RunRow["differs"] {
  const others = rows.filter(
    (own) =>
      own.run_id !== row.run_id && own.strategy === row.strategy && cutOf(own) === cutOf(row),
  );
  return row.differs.filter(
    ({ key, value }) =>
      !SAID.includes(key) &&
      others.some((own) => own.differs.find((theirs) => theirs.key === key)?.value !== value),
  );
}

/** Differences shown in a row before the others are asked for. */
const SHOWN = 3;

/** The differences of a row that are shown, and how many are not. */
export function chipsOf(
  differences: RunRow["differs"],
  unfolded: boolean,
): { shown: RunRow["differs"]; more: number } {
  const all = unfolded || differences.length <= SHOWN;
  return all
    ? { shown: differences, more: 0 }
    : { shown: differences.slice(0, SHOWN), more: differences.length - SHOWN };
}
