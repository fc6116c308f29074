//! The parts of a context: names, order and colours of the gauge.

import type { Category, ContextView } from "../../../wire/wire";

/** In the order of the gauge: what the user cannot change first, then the talk, then tools. */
const LOOKS: Record<Category, { name: string; color: string; meaning?: string }> = {
  system: { name: "System prompt", color: "cat-system" },
  not_recorded: {
    name: "System prompt and tools (not in the file)",
    color: "cat-unknown",
    meaning:
      "The system prompt and the tool definitions, which the session file does not contain. Their size is what the provider reported beyond the session's content.",
  },
  summaries: { name: "Summaries", color: "cat-summary" },
  given_again: {
    name: "Sent again after compaction (not in the file)",
    color: "cat-unknown",
    meaning:
      "Files and reminders that the agent sends again after a compaction. The session file does not contain them.",
  },
  injected: { name: "Added by the agent", color: "cat-system" },
  user: { name: "User", color: "cat-user" },
  assistant_text: { name: "Assistant", color: "cat-assistant" },
  thinking: { name: "Thinking", color: "cat-thinking" },
  tool_calls: { name: "Tool calls", color: "cat-call" },
  tool_results: { name: "Tool results", color: "cat-result" },
  images: { name: "Images", color: "cat-image" },
};
const ORDER = Object.keys(LOOKS) as Category[];
/** What the session file does not hold. */
const UNRECORDED: ReadonlySet<Category> = new Set(["not_recorded", "given_again"]);

export interface Part {
  key: Category;
  name: string;
  /** CSS variable without the dashes. */
  color: string;
  tokens: number;
  hatched: boolean;
  /** What it is, where its name does not say it. */
  meaning?: string | undefined;
}

/** The parts that have any tokens, in a fixed order. */
export function parts(by_category: Readonly<ContextView["by_category"]>): Part[] {
  const both = (by_category.not_recorded ?? 0) > 0;
  return ORDER.flatMap((key): Part[] => {
    const tokens = by_category[key] ?? 0;
    if (tokens === 0) return [];
    const look = LOOKS[key];
    // Two lines would both be called the system prompt.
    const name = key === "system" && both ? "System messages in the file" : look.name;
    return [{ key, ...look, name, tokens, hatched: UNRECORDED.has(key) }];
  });
}

/** Tools beyond these have few tokens, and stand in one line. */
const MOST_TOOLS = 7;

/** The tools whose results take the most tokens, and in a last line the others together. */
export function largestTools(
  by_tool: Readonly<ContextView["by_tool"]>,
): (readonly [name: string, tokens: number])[] {
  const all = Object.entries(by_tool)
    .flatMap(([name, n]) => (n ? [[name, n] as const] : []))
    .sort((a, b) => b[1] - a[1]);
  if (all.length <= MOST_TOOLS + 1) return all;
  const others = all.slice(MOST_TOOLS);
  const rest = others.reduce((n, [, tokens]) => n + tokens, 0);
  return [...all.slice(0, MOST_TOOLS), [`${others.length} other tools`, rest]];
}

export const categoryColor = (key: Category): string => LOOKS[key].color;
