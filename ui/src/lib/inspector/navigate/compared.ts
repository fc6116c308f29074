//! Which branches are compared, what is asked for them, and what each of them did. Pure.

import type {
  BranchCompareView,
  BranchesView,
  BranchSide,
  DiffRow,
  LeftEntry,
  SessionBranch,
} from "../../../wire/wire";

/** So many branches are read beside each other; more would have no room for their words. */
export const MOST_SIDES = 4;

/**
 * All branches beside each other, or two: the last entry of each, null for the active path, whose last
 * entry moves while the session grows.
 */
export type Compared = "all" | readonly [left: string | null, right: string | null];

/** The other branches and the active path. */
export function sidesOf(list: BranchesView): number {
  return list.branches.length + (list.active === null ? 0 : 1);
}

/** True where one view has room for all branches, and two of them would not be all. */
export function showsAll(list: BranchesView): boolean {
  return sidesOf(list) > 2 && sidesOf(list) <= MOST_SIDES;
}

/** Two branches to ask for; the active path where `right` is absent. */
export interface Pair {
  left: string;
  right?: string;
}

/** What is asked: two branches as chosen, or each branch with the active path. */
export function pairsOf(
  list: Pick<BranchesView, "branches" | "leaf_id">,
  compared: Compared,
): Pair[] {
  if (compared === "all") return list.branches.map((branch) => ({ left: branch.tip_id }));
  const left = compared[0] ?? list.leaf_id;
  if (left === null) return [];
  return [compared[1] === null ? { left } : { left, right: compared[1] }];
}

/** The choice with one side replaced; a branch chosen for both sides takes the other's place. */
export function choose(
  [left, right]: readonly [string | null, string | null],
  side: "left" | "right",
  tip: string | null,
): Compared {
  if (side === "left") return [tip, tip === right ? left : right];
  return [tip === left ? right : left, tip];
}

/** One branch of a comparison. */
export interface Column {
  side: BranchSide;
  /** The last entry of the branch that it parted from. */
  against: string;
  /** The entry where they part; null without a common entry. */
  parting: string | null;
}

/**
 * The branches of the answers. The active path is in each answer about all branches; it is shown from
 * where the first of them leaves it.
 */
export function columnsOf(answers: readonly BranchCompareView[]): Column[] {
  const of = (view: BranchCompareView, from: "left" | "right"): Column => ({
    side: view[from],
    against: view[from === "left" ? "right" : "left"].tip_id,
    parting: view.common_ancestor_id,
  });
  const [first, ...rest] = answers;
  if (!first) return [];
  const widest = rest.reduce(
    (most, view) => (view.right.entries > most.right.entries ? view : most),
    first,
  );
  return [...answers.map((view) => of(view, "left")), of(widest, "right")];
}

/** The branch with this last entry; the active one where its last entry has moved. */
export function branchOf(list: BranchesView, tip: string): SessionBranch | null {
  return list.branches.find((branch) => branch.tip_id === tip) ?? list.active;
}

/** The prompts among the entries of a branch. */
export function promptsOf(entries: readonly LeftEntry[]): LeftEntry[] {
  return entries.filter((entry) => entry.kind === "message" && entry.role === "user");
}

/** Failed results of other tools than the shell, whose failures stand at its commands. */
export function otherFailures(side: BranchSide, entries: readonly LeftEntry[]): LeftEntry[] {
  const ran = new Set(side.commands.map((command) => command.entry_id));
  const shells = new Set(entries.filter((e) => ran.has(e.entry_id)).flatMap((e) => e.tools));
  return entries.filter(
    (entry) =>
      entry.is_error && entry.role === "tool" && !entry.tools.some((tool) => shells.has(tool)),
  );
}

/**
 * True where one of two texts has at least half of its characters in the other as well: with fewer, the
 * marks of a difference stand between words that mean nothing.
 */
export function alike(rows: readonly DiffRow[]): boolean {
  return (["left", "right"] as const).some((side) => {
    let whole = 0;
    let shared = 0;
    for (const row of rows) {
      const length = row[side]?.text.length ?? 0;
      whole += length;
      if (row.kind === "equal") shared += length;
      // Lines without marked words on either side have no word in common.
      const marks = [...(row.left?.ranges ?? []), ...(row.right?.ranges ?? [])].length;
      const own = row[side]?.ranges ?? [];
      if (row.kind === "replace" && marks > 0)
        shared += own.reduce((left, range) => left - (range.end - range.start), length);
    }
    return whole > 0 && shared * 2 >= whole;
  });
}
