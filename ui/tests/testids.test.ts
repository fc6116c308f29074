//! TESTIDS.md names every test id of the components, and no other.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const UI = join(import.meta.dirname, "..");

/** What is variable in an id has one name here, whatever expression it is in the component. */
const plain = (id: string): string => id.replace(/\$?\{[^{}]*\}/g, "{}");

const sources = readdirSync(join(UI, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(svelte|ts)$/.test(file))
  .map((file) => readFileSync(join(UI, "src", file), "utf8"));
/** An id of an element, of a component that passes it on, or of an object from which it is taken. */
const ID = /(?:testid="|testid: "|testid=\{`|"data-testid": `)([^"`]+)["`]/g;
const used = new Set(
  sources
    .flatMap((text) => [...text.matchAll(ID)].map(([, id]) => plain(id!)))
    .filter((id) => id !== "{}"),
);
/** What a variable id may be. */
const patterns = [...used]
  .filter((id) => id.includes("{}"))
  .map((id) => new RegExp(`^${id.replaceAll("{}", "[a-z]+")}$`));

/** The ids of a line stand before its colon. */
const listed = readFileSync(join(UI, "TESTIDS.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("- "))
  .flatMap((line) => [...line.split(":")[0]!.matchAll(/`([^`]+)`/g)])
  .map(([, id]) => plain(id!));

test("every test id is in the list", () => {
  expect([...used].filter((id) => !listed.includes(id)).sort()).toEqual([]);
});

test("the list has no other and none twice", () => {
  const isUsed = (id: string): boolean =>
    used.has(id) ||
    patterns.some((one) => one.test(id)) ||
    sources.some((text) => text.includes(`"${id}"`));
  expect(listed.filter((id, at) => !isUsed(id) || listed.indexOf(id) !== at)).toEqual([]);
});
