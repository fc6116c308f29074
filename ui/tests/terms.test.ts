import { describe, expect, test } from "vitest";
import { matchesIn, soughtIn, together } from "../src/lib/text/terms";
import { bring, rangesIn, shownText } from "../src/lib/text/highlight";

const MOST = 100;
const found = (text: string, query: string): string[] =>
  matchesIn(text, soughtIn(query), MOST).map(({ start, end }) => text.slice(start, end));

test.each([
  ["gh pr create", [["gh"], ["pr"], ["create"]]],
  ['"date parser" -draft -"old one"', [["date", "parser"]]],
  ["tool:bash cmd:pytest file:src/a.rs has:compaction", [["pytest"], ["src", "a", "rs"]]],
  [
    "read_file std::fs https://x.org",
    [
      ["read", "file"],
      ["std", "fs"],
      ["https", "x", "org"],
    ],
  ],
  ["kind:error -kind:user", []],
])("a search for %j looks for %j", (query, terms) => {
  expect(soughtIn(query).map((one) => one.terms)).toEqual(terms);
});

test.each([
  ["The parser parses; PARSER.", "parser", ["parser", "PARSER"]],
  ["parsers parse", "pars*", ["parsers", "parse"]],
  ["read_file, read the file, read-file", "read_file", ["read_file", "read-file"]],
  ["Größe cafe\u0301 日本語", "größe cafe 本", ["Größe", "cafe\u0301", "本"]],
  ["a a a b", '"a a b"', ["a a b"]],
  ["nothing", "", []],
])("in %j a search for %j finds %j", (text, query, matches) => {
  expect(found(text, query)).toEqual(matches);
});

test("looks first at where most of the words stand together", () => {
  const text = "Create it. gh is here. Later: run gh pr create, then create more.";
  const first = together(matchesIn(text, soughtIn("gh pr create"), MOST))!;
  expect(text.slice(first.start)).toMatch(/^gh pr create, then/);
  expect(together([])).toBeNull();
});

describe("the text of an element", () => {
  const made = (html: string): HTMLElement => {
    const root = document.createElement("div");
    root.innerHTML = html;
    return root;
  };
  test("has words across the marks inside a line, and none across blocks", () => {
    expect(shownText(made("<p>a <b>bo</b>ld</p><p>x</p><li>1</li><li>2</li>")).text).toBe(
      "a bold\nx\n1\n2",
    );
    const { all } = rangesIn(made("<pre>gh <span>pr cre</span>ate</pre>"), soughtIn('"pr create"'));
    expect(all.map(String)).toEqual(["pr create"]);
  });
  test("is looked at where it is in sight rather than folded", () => {
    const folded = "<details><summary>Arguments</summary><pre>queue</pre></details>";
    const first = (html: string): Element | null | undefined =>
      rangesIn(made(html), soughtIn("queue")).first?.startContainer.parentElement;
    expect(first(`${folded}<p>the queue</p>`)?.tagName).toBe("P");
    expect(first(folded)?.tagName).toBe("PRE");
  });
});

test("the match is brought into the middle of what scrolls, and what folds it opens", () => {
  const root = document.createElement("div");
  root.style.overflowY = "auto";
  root.innerHTML = "<details><summary>Thinking</summary><p>the queue</p></details>";
  Object.defineProperties(root, { scrollHeight: { value: 1_000 }, clientHeight: { value: 100 } });
  document.body.append(root);
  const { first } = rangesIn(root, soughtIn("queue"));
  Object.assign(first!, { getBoundingClientRect: () => new DOMRect(0, 500, 40, 10) });
  bring(first!);
  expect(root.querySelector("details")!.open).toBe(true);
  expect(root.scrollTop).toBe(500 + 5 - 50);
  root.remove();
});
