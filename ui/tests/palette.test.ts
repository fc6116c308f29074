//! Text has to be readable on the surfaces it stands on.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../src/styles/palette.css"), "utf8");

function variables(block: string): Record<string, string> {
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1]!, m[2]!]),
  );
}
const [light, dark] = css.split(':root[data-theme="dark"]').map(variables) as [
  Record<string, string>,
  Record<string, string>,
];

function luminance(hex: string): number {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}
function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TEXT = [
  "ink",
  "ink-2",
  "ink-3",
  "accent",
  "user",
  "assistant",
  "tool",
  "error",
  "compaction",
  "clearing",
  "bridge",
  "label",
  "kept",
  "partial",
  "dropped",
  "introduced",
];
describe.each([
  ["light", light],
  ["dark", dark],
])("the %s palette", (_name, palette) => {
  test.each(TEXT)("%s is readable (4.5 : 1)", (name) => {
    for (const ground of ["ground", "surface", "raised", "hover"]) {
      expect(
        contrast(palette[name]!, palette[ground]!),
        `${name} on ${ground}`,
      ).toBeGreaterThanOrEqual(4.5);
    }
  });
  test("has every colour of the other", () => {
    expect(Object.keys(palette).sort()).toEqual(Object.keys(light).sort());
  });
});
