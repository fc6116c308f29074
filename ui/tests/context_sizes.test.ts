//! What is said of the sizes of one context that stand beside each other.

import { render, screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { basisWords, sizeSign } from "../src/lib/inspector/context/basis";
import { signsOf } from "../src/lib/sessions/signs";
import { madeOf, thresholdWords, triggerWords } from "../src/lib/text/sizes";
import CanvasLegend from "../src/lib/tree/CanvasLegend.svelte";
import { isFork, sharedCost, sharedWords } from "../src/lib/tree/turns";
import { GLYPHS } from "../src/lib/ui/glyphs";
import { look } from "../src/lib/ui/kinds";
import { sessionRows } from "../src/host/fake/rows";
import type { SessionLinkView, TurnRow } from "../src/wire/wire";

describe("the size at an entry", () => {
  const at = (size: number, estimated_since: number): Parameters<typeof sizeSign>[0] => ({
    tokens: { size, estimated: size, counted: null, reported: null },
    basis: "reported",
    estimated_since,
  });
  test("has a sign where not all of it was reported", () => {
    expect(sizeSign(at(94_400, 1_100))).toBe("≈");
    expect(basisWords(at(94_400, 1_100))).toBe(
      "93.3k reported by the provider, ≈1.1k estimated since",
    );
    expect(sizeSign(at(94_400, 3))).toBe("");
    expect(sizeSign({ ...at(94_400, 0), basis: "forecast" })).toBe("≈");
  });
});

describe("the context after a compaction", () => {
  const change = { tokens_after: 51_978, after_is_forecast: false, summary_tokens: 31 };
  test("is told with its parts, because the summary is a small one", () => {
    expect(madeOf(change)).toContain("about 31 are the summary. The other 51,947 are the system");
  });
  test("is not divided where it has nothing besides the summary", () => {
    expect(madeOf({ ...change, tokens_after: 31 })).toBe("");
  });
});

describe("an automatic compaction below the threshold", () => {
  const view = {
    threshold: 19_200,
    summaries: [{ trigger: "auto" as const, tokens_before: 17_192 }],
  };
  test("is said to be right, as the threshold is", () => {
    const said = triggerWords(view.summaries[0]!, view);
    expect(said).toContain("at 17,192 tokens, below the auto-compaction threshold of 19,200");
    expect(said).toContain("Both are right");
    expect(thresholdWords(view)).toContain(
      "1 automatic compaction of this session started below it",
    );
  });
  test("is not mentioned where none was", () => {
    const above = [{ trigger: "auto" as const, tokens_before: 20_000 }];
    expect(triggerWords(above[0]!, view)).toBe("Started automatically by the agent");
    expect(thresholdWords({ ...view, summaries: above })).not.toContain("below");
  });
});

describe("the cost of a fork", () => {
  const turn = (entry_id: string, cost_usd: number | null): TurnRow => ({
    entry_id,
    line: null,
    timestamp: null,
    preview: "",
    cost_usd,
    cost_computed: true,
    duration_ms: null,
    costs_most: false,
  });
  test("says what part of it is in the other session too", () => {
    const shared = sharedCost([turn("a", 0.25), turn("b", 1)], "b");
    expect(sharedWords(shared)).toContain("Includes ≈ $0.25");
    expect(sharedWords(sharedCost([turn("a", null), turn("b", 1)], "b"))).toContain("not included");
    expect(sharedCost([turn("a", 1)], null)).toBeNull();
  });
  test("belongs to the session that was made from another one", () => {
    const link = { kind: "forked_from", reversed: false } as SessionLinkView;
    expect(isFork({ links: [link] })).toBe(true);
    expect(isFork({ links: [{ ...link, reversed: true }] })).toBe(false);
  });
});

describe("what failed", () => {
  const failed = look({ kind: "tool_result", role: "tool", is_error: true });
  test("has another sign than a warning, in the outline and in the list", () => {
    const warned = signsOf(sessionRows().map((row) => ({ ...row, warnings: 2 }))).find((sign) =>
      sign.name.endsWith("warnings"),
    );
    expect(warned?.glyph).toBe("warning");
    expect(failed.glyph).toBe("failed");
    expect(GLYPHS.failed).not.toEqual(GLYPHS.warning);
  });
  test("has the same sign in the legend of the canvas", () => {
    render(CanvasLegend, { onclose: () => {} });
    const paths = [...screen.getByTestId("canvas-legend").querySelectorAll("path")];
    expect(paths.some((path) => path.getAttribute("d") === GLYPHS.failed[1])).toBe(true);
    expect(paths.some((path) => path.getAttribute("d") === GLYPHS.warning[0])).toBe(false);
  });
});
