//! Where the branches of a session part. Pure.

import type { BranchesView, SessionBranch } from "../../wire/wire";

export interface Parting {
  /** The entry that several entries follow. */
  entry: string;
  /** The branches that begin behind it, with the one it is on itself. */
  branches: number;
  /** Those that leave the path the entry is on, in the order of the file, then the active one. */
  leaving: SessionBranch[];
}

/** The entries at which branches part, in the order of the file. */
export function partings({ fork_ids, branches, active }: BranchesView): Parting[] {
  return fork_ids.map((entry) => {
    const others = branches.filter((one) => one.from_id === entry);
    const own = active?.from_id === entry ? [active] : [];
    return { entry, branches: 1 + others.length, leaving: [...others, ...own] };
  });
}
