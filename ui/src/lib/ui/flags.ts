//! The flags of compactions and branch summaries in words.

import type { Flag } from "../../wire/wire";

export const FLAGS: Record<Flag, string> = {
  loop: "Compaction loop",
  grown: "Context grown",
  empty: "Empty summary",
  "split-turn": "Cut inside a turn",
  "parted-call": "Call parted from its result",
  "leaked-request": "Request for the summary repeated",
  reread: "Files read again",
  "file-list": "File list contradicted",
  "broken-constraint": "Constraint broken",
  opaque: "Opaque summary",
  incomplete: "Source incomplete",
};
