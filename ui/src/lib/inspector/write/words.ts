//! The words for what was written.

import type { WrittenStanding } from "../../../wire/wire";

/** What a written session continues with. */
export const CHANGES: Readonly<Record<string, string>> = {
  history: "True history",
  branch_summary: "Branch summary",
  compaction: "Compaction",
  edited_summary: "Edited summary",
  message: "Message",
};

/** What a written file is now. */
export const STANDINGS: Record<WrittenStanding, string> = {
  as_written: "unchanged since",
  continued: "the agent has continued in it",
  missing: "the file is missing",
  undone: "undone",
};
