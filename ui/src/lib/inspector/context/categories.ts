//! The parts of a context: names, order and colours of the gauge.

/** In the order of the gauge: what the user cannot change first, then the talk, then tools. */
const ORDER: [string, string, string][] = [
  ["system", "System prompt", "cat-system"],
  ["not_recorded", "Not recorded", "cat-unknown"],
  ["summaries", "Summaries", "cat-summary"],
  ["summary", "Summaries", "cat-summary"],
  ["injected", "Added by the agent", "cat-system"],
  ["user", "User", "cat-user"],
  ["assistant_text", "Assistant", "cat-assistant"],
  ["assistant", "Assistant", "cat-assistant"],
  ["thinking", "Thinking", "cat-thinking"],
  ["tool_calls", "Tool calls", "cat-call"],
  ["tool_call", "Tool calls", "cat-call"],
  ["tool_results", "Tool results", "cat-result"],
  ["tool_result", "Tool results", "cat-result"],
  ["images", "Images", "cat-image"],
  ["image", "Images", "cat-image"],
];

export interface Part {
  key: string;
  name: string;
  /** CSS variable without the dashes. */
  color: string;
  tokens: number;
  hatched: boolean;
}

/** The parts that have any tokens, in a fixed order; unknown categories come last. */
export function parts(by_category: Readonly<Record<string, number | undefined>>): Part[] {
  const known = ORDER.flatMap(([key, name, color]): Part[] => {
    const tokens = by_category[key] ?? 0;
    return tokens > 0 ? [{ key, name, color, tokens, hatched: key === "not_recorded" }] : [];
  });
  const names = new Set(ORDER.map(([key]) => key));
  const rest = Object.entries(by_category).flatMap(([key, tokens]): Part[] =>
    !names.has(key) && tokens !== undefined && tokens > 0
      ? [{ key, name: key.replaceAll("_", " "), color: "cat-system", tokens, hatched: false }]
      : [],
  );
  return [...known, ...rest];
}

export function categoryColor(key: string): string {
  return ORDER.find(([name]) => name === key)?.[2] ?? "cat-system";
}
