//! The words of the ledger and of plans that a newcomer meets, each with one sentence that says
//! what it is.

export interface TermWords {
  name: string;
  meaning: string;
}

export const TERMS = {
  overall: {
    name: "Overall score",
    meaning:
      "What the summary is worth to somebody who goes on from it: the mean of “State at the end” and “Facts in the next request”, of which copied passages lower what the summary adds to the kept tail, and wrong statements the whole. State at the end: whether the next request tells what the session was about last. Facts in the next request: the share of the facts, by weight, that summary and kept tail hold. The copying factor is lower the more words are copied in passages, the correctness factor the more statements are wrong. The score orders summaries of one span and is no grade.",
  },
  kept: {
    name: "Facts retained",
    meaning:
      "Which share of the facts the summary retains: verbatim and reworded facts count fully, partly kept and changed ones half; weighted, important facts count more. “Facts in the next request”, a part of “Overall score”, also counts what the kept tail holds.",
  },
  weighted: {
    name: "Retained, weighted",
    meaning:
      "The share of the facts that the summary retains, important facts counting more: verbatim and reworded facts count fully, partly kept and changed ones half. The Summary tab shows it behind the number of facts.",
  },
  said: {
    name: "Requests and constraints of the user",
    meaning:
      "What the user asked for or ruled out in the summarized span. The context is the summary with the kept tail; a part of one counts as there. The figure “Constraints kept” counts only constraints, and only what the summary has verbatim or reworded.",
  },
  needed: {
    name: "Dropped and needed later",
    meaning: "Dropped facts that the agent used, fetched or was told again after the summary.",
  },
  neededHeld: {
    name: "Needed later, still held",
    meaning:
      "Of the facts that the session really used again after this point, the share that the next request still holds: in the summary or in the kept tail.",
  },
  changed: {
    name: "Facts changed in meaning",
    meaning: "Facts that the summary states with another meaning.",
  },
  contradicted: {
    name: "Sentences the session contradicts",
    meaning: "Sentences of the summary of which the entries say the opposite.",
  },
  unsupported: {
    name: "Sentences without source",
    meaning: "Sentences of the summary that no entry supports.",
  },
  modelSupported: {
    name: "Supported, by model",
    meaning:
      "Of the statements that a model checked in the summarized span, those that it supports.",
  },
  modelKept: {
    name: "Facts kept, by model",
    meaning:
      "Of the facts that a model looked for in the summary and the kept tail, those that are there. Partly kept and changed ones count half.",
  },
  next: {
    name: "Next request, tokens",
    meaning: "Tokens of the whole next request: the summary with everything that is kept.",
  },
  calls: { name: "Calls to a model", meaning: "Requests that the run sent." },
  introduced: {
    name: "Names and figures not in the source",
    meaning:
      "Names and figures of the summary that neither the summarized entries nor the kept tail contain. Sentences are checked under Claims.",
  },
  facts: {
    name: "Facts in the span",
    meaning:
      "What is worth keeping in the summarized span: requests, decisions, paths, commands, errors.",
  },
  size: { name: "Summary, tokens", meaning: "Size of the summary in tokens." },
  estimated: {
    name: "Summary, tokens",
    meaning:
      "Size of the summary in tokens, estimated from its text, so that all summaries are measured alike. The Summary tab shows the provider's count where there is one.",
  },
  after: {
    name: "Context after",
    meaning:
      "Size of the first context after the compaction. The summary is a part of it; the others are the system prompt and the tools, the kept tail, and what the agent sends or reads again, such as files.",
  },
  span: {
    name: "Summarized",
    meaning:
      "Size of the entries that the summary summarizes, in tokens: their share of what the provider reported, else estimated.",
  },
  used: {
    name: "Tokens of all calls",
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
