//! The host layer is the only door out of the window.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../src");
const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(ts|svelte)$/.test(file))
  .map((file) => ({
    file: relative(ROOT, join(ROOT, file)),
    text: readFileSync(join(ROOT, file), "utf8"),
  }));

const holding = (what: RegExp): string[] =>
  files.filter(({ text }) => what.test(text)).map(({ file }) => file);

test("only host/tauri.ts imports from Tauri", () => {
  expect(holding(/from "@tauri-apps/)).toEqual(["host/tauri.ts"]);
});
test("only host/http.ts talks over the network", () => {
  expect(holding(/\bfetch\(|new EventSource|XMLHttpRequest|new WebSocket|sendBeacon/)).toEqual([
    "host/http.ts",
  ]);
});
test("nothing becomes markup by itself", () => {
  expect(holding(/\{@html|innerHTML|insertAdjacentHTML|document\.write\(/)).toEqual([]);
});
test("colours are decided in the palette file", () => {
  expect(holding(/#[0-9a-fA-F]{6}\b/)).toEqual([]);
});
