import { describe, expect, test } from "vitest";
import { findHit } from "../src/host/fake/hit";
import { columnWidths } from "../src/lib/find/columns";
import { Finds } from "../src/lib/find/opening";
import { foundPieces } from "../src/lib/text/ranges";
import { nameWithTools } from "../src/lib/ui/kinds";
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

test("a column with hits has the room that empty ones leave", () => {
  const wide = "minmax(0, 1fr)";
  expect(columnWidths([3, 0, 0])).toBe(`${wide} 90px 90px`);
  expect(columnWidths([3, 1])).toBe(`${wide} ${wide}`);
  expect(columnWidths([0, 0])).toBe(`${wide} ${wide}`);
});

test("the search in a session begins with what was last typed there", () => {
  const finds = new Finds();
  expect(finds.begin("a", "lint has:compaction")).toBe("lint");
  finds.note("a", "explain.go", "lint has:compaction");
  expect(finds.begin("a", "lint has:compaction")).toBe("explain.go");
  expect(finds.begin("a", "")).toBe("explain.go");
  expect(finds.begin("b", "lint")).toBe("lint");
  // Other words for all sessions are the newer question.
  expect(finds.begin("a", "retry")).toBe("retry");
  finds.note("a", "", "");
  expect(finds.begin("a", "lint")).toBe("lint");
});

describe("lines of hits", () => {
  const broken = (text: string): string =>
    foundPieces(text, [{ start: text.indexOf("explain"), end: text.indexOf("explain") + 7 }])
      .map((one) => `${one.breaks ? "|" : ""}${one.parts.join("|")}`)
      .join("");
  test("break between the parts of a path, not in a name", () => {
    expect(broken("see /home/ada/internal/explain.go now")).toBe(
      "see /home/|ada/|internal/|explain.go now",
    );
    expect(broken("in explain.go of a/b")).toBe("in explain.go of a/b");
  });
  test("lose nothing of the text", () => {
    const text = "a long_name-of:things /x/explain/y";
    expect(broken(text).replaceAll("|", "")).toBe(text);
  });
});

test("a hit names its tool", () => {
  const hit = findHit({ role: "assistant", tools: ["Bash", "Bash", "Read"] });
  expect(nameWithTools(hit)).toBe("Tool call: Bash, Read");
  expect(nameWithTools(findHit({}))).toBe("User");
});
