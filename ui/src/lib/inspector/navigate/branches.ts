//! The list of branches: which are shown, and which comes next.

import type { SessionBranch } from "../../../wire/wire";

/** Where the branches part, as a sentence with a space behind it; empty without a fork. */
export function forksOf(forks: number): string {
  if (forks === 0) return "";
  return forks === 1
    ? "The session has 1 fork, an entry with several next entries. "
    : `The session has ${forks} forks, entries with several next entries. `;
}

export interface BranchFilter {
  kind: "all" | SessionBranch["kind"];
  words: string;
}

export function wanted(branch: SessionBranch, filter: BranchFilter): boolean {
  const words = filter.words.trim().toLowerCase();
  return (
    (filter.kind === "all" || branch.kind === filter.kind) &&
    (words === "" || branch.name.toLowerCase().includes(words))
  );
}

/**
 * The last entry of the branch after or before the one stood on, or the active leaf between the last
 * and the first of them; null where there is no other branch.
 */
export function stepped(
  branches: readonly SessionBranch[],
  leaf: string | null,
  at: string | null,
  by: 1 | -1,
): string | null {
  if (branches.length === 0) return null;
  const ring = [...(leaf === null ? [] : [leaf]), ...branches.map((branch) => branch.tip_id)];
  const here = ring.indexOf(at ?? "");
  if (here < 0) return by > 0 ? branches[0]!.tip_id : branches.at(-1)!.tip_id;
  return ring[(here + by + ring.length) % ring.length]!;
}
