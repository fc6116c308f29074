import { expect, test } from "vitest";
import { rareSigns, signsOf } from "../src/lib/tree/legend";
import type { OutlineRow } from "../src/wire/wire";

const row = (kind: OutlineRow["kind"], preview = ""): OutlineRow =>
  ({ kind, role: null, preview }) as OutlineRow;

test("the legend names rare signs only where rows have them", () => {
  expect(signsOf(new Set()).map((sign) => sign.name)).not.toContain("record");
  const rare = rareSigns([row("custom", "nav-done"), row("opaque"), row("compaction")]);
  expect(rare).toEqual(["custom", "opaque"]);
  const named = signsOf(new Set(rare)).map((sign) => sign.name);
  expect(named.slice(-2)).toEqual(["record", "unknown record"]);
});
