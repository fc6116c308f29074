//! The words of the ledger and of plans that a newcomer meets, each with one sentence that says
//! what it is.

export interface TermWords {
  name: string;
  meaning: string;
}

export const TERMS = {
  kept: {
    name: "Retained",
    meaning:
      "Share of the facts that the summary retains, by weight: verbatim and reworded facts count fully, partly kept and changed ones half.",
  },
  needed: {
    name: "Needed later",
    meaning: "Dropped facts that the agent used, fetched or was told again after the compaction.",
  },
  introduced: {
    name: "Introduced",
    meaning: "Statements of the summary that the summarized span does not contain.",
  },
  copied: {
    name: "Copied",
    meaning: "Share of the summary's words that are copied from the summarized span.",
  },
  facts: {
    name: "Facts",
    meaning:
      "What is worth keeping in the summarized span: requests, decisions, paths, commands, errors.",
  },
  size: { name: "Summary tokens", meaning: "Size of the summary in tokens, estimated." },
  span: {
    name: "Summarized",
    meaning: "Size of the entries that the summary replaces, in tokens, estimated.",
  },
  used: {
    name: "Tokens used",
    meaning: "Input and output of all calls, as the provider reported.",
  },
  baseline: {
    name: "Recorded by the agent",
    meaning: "The summary that the agent stored in the session. Runs are compared with it.",
  },
  cost: { name: "Cost", meaning: "What the calls of the run cost." },
  time: { name: "Time", meaning: "How long the run took." },
  leftBehind: {
    name: "Left behind",
    meaning: "Entries that only the branch of the start entry has.",
  },
  lost: {
    name: "Tokens removed",
    meaning: "Tokens that the simulated compactions would have taken out of the context.",
  },
} as const satisfies Record<string, TermWords>;
