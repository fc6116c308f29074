import { expect, test } from "vitest";
import { lineOf, wordsOf } from "../src/lib/settings/command";

test("a command line is cut into words without a shell", () => {
  expect(wordsOf(`claude -p --model {model} "two words" 'a "b" \\c' $(x) a\\ b ""`)).toEqual([
    "claude",
    "-p",
    "--model",
    "{model}",
    "two words",
    'a "b" \\c',
    "$(x)",
    "a b",
    "",
  ]);
  expect(wordsOf("  ")).toEqual([]);
});

test("words written as a line are read back", () => {
  for (const words of [["a"], ["a b", 'say "x"', "back\\slash", "", "it's"], []])
    expect(wordsOf(lineOf(words))).toEqual(words);
});
