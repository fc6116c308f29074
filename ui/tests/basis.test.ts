import { expect, it } from "vitest";
import { reportedPart } from "../src/lib/inspector/context/basis";

const context = (size: number, estimated_since: number) => ({
  tokens: { estimated: 0, counted: null, reported: size, size },
  estimated_since,
});

it("says how much of a size was reported and how much was estimated since", () => {
  expect(reportedPart(context(196_942, 46_731))).toBe(
    "150k reported by the provider, ≈46.7k estimated since",
  );
});

it("takes a reply's own blocks for a part of the report", () => {
  expect(reportedPart(context(150_249, 38))).toBe("reported by the provider");
});
