//! Where the branches of a session part. Pure.

import type { BranchesView } from "../../wire/wire";

export interface Parting {
  /** The entry that several entries follow. */
  entry: string;
  /** The branches that begin behind it, with the one it is on itself. */
  branches: number;
}

/** The entries at which branches part, in the order of the file. */
export function partings({ fork_ids, branches }: BranchesView): Parting[] {
  return fork_ids.map((entry) => ({
    entry,
    branches: 1 + branches.filter((one) => one.from_id === entry).length,
  }));
}
