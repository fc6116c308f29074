import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { Span } from "../src/lib/state/app.svelte";
import CanvasLegend from "../src/lib/tree/CanvasLegend.svelte";
import PlanKey from "../src/lib/tree/PlanKey.svelte";

const marks = (): (string | undefined)[] =>
  screen.queryAllByTestId("plan-mark").map((own) => own.dataset.span);

test("the key names what is on the canvas, and nothing else", () => {
  const spans = new Map<string, Span>([
    ["a", "summarized"],
    ["b", "prefix"],
    ["c", "kept"],
  ]);
  const cleared = new Map([["a", { by: "clear_thinking", before: 9, after: 1 }]]);
  const shown = render(PlanKey, { spans, cleared, hasCut: true });
  expect(marks()).toEqual(["summarized", "prefix", "kept", "cleared", "cut"]);
  shown.unmount();
  render(PlanKey, {
    spans: new Map<string, Span>([["a", "dropped"]]),
    cleared: new Map(),
    hasCut: false,
  });
  expect(marks()).toEqual(["dropped"]);
});

test("the key of the outline has one sign for each span, and no pale cards", () => {
  const spans = new Map<string, Span>([
    ["a", "summarized"],
    ["b", "kept"],
  ]);
  const { container } = render(PlanKey, {
    spans,
    cleared: new Map(),
    hasCut: false,
    outline: true,
  });
  expect(marks()).toEqual(["summarized", "kept"]);
  expect(container.querySelectorAll(".key")).toHaveLength(2);
  expect(container.querySelectorAll("svg")).toHaveLength(0);
  expect(container.textContent).not.toContain("pale");
});

test("the legend names every mark of a plan", () => {
  render(CanvasLegend, { onclose: () => {} });
  const words = screen.getByTestId("canvas-legend").textContent!;
  for (const name of ["summarized", "start of a split turn", "dropped", "kept", "cleared"])
    expect(words).toContain(name);
  expect(words).toContain("cut point");
  expect(words).toContain("Phases 2, 4");
});
