import { expect, test } from "vitest";
import { wordsOf } from "../src/lib/find/words";

test.each([
  ["review has:compaction", "review"],
  ['agent:pi "date parser" -draft', '"date parser" -draft'],
  ["tool:bash cmd:pytest project:courier", "tool:bash cmd:pytest"],
  ['file:"my notes.md" -kind:user model:"opus 5"', 'file:"my notes.md" -kind:user'],
  ["has:compaction compactions:>1", ""],
  ["", ""],
])("a search for %j searches an open session for %j", (query, words) => {
  expect(wordsOf(query)).toBe(words);
});
