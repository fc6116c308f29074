import { expect, it } from "vitest";
import { spanSize, spanTitle, summarySize, summaryTitle } from "../src/lib/inspector/summary/span";

it("takes the size of a span from what the provider reported", () => {
  const ledger = { span_size: 130_123, span_tokens: 54_800 };
  expect(spanSize(ledger)).toBe(130_123);
  expect(spanTitle(ledger)).toBe(
    "130,123 tokens, its share of what the provider reported; 54,800 by the agent's estimate",
  );
});

it("estimates a span of which nothing was reported", () => {
  const ledger = { span_tokens: 54_800 };
  expect(spanSize(ledger)).toBe(54_800);
  expect(spanTitle(ledger)).toContain("estimated: the provider reported no size");
});

it("takes the size of a stored summary from what the provider reported", () => {
  expect(summarySize({ summary_size: 4_800, summary_tokens: 4_200 })).toBe(4_800);
  expect(summarySize({ summary_tokens: 4_200 })).toBe(4_200);
  expect(summaryTitle({ summary_tokens: 4_200 })).toBe("4,200 tokens, estimated");
});
