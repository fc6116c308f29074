// Strings and docstrings of Rust sources.
import { readFileSync } from "node:fs";

/** Every string literal with words in it, outside tests, as `{ line, text }`. */
export function ofRust(file) {
  const source = withoutTests(readFileSync(file, "utf8"));
  const found = [];
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^\\'\n])'|b?r(#*)"([\s\S]*?)"\1|b?"((?:\\[\s\S]|[^"\\])*)"/g;
  let line = 1;
  let from = 0;
  for (const match of source.matchAll(token)) {
    for (; from < match.index; from++) if (source[from] === "\n") line++;
    const raw = match[2] ?? match[3];
    if (raw === undefined) continue;
    const text = raw
      .replace(/\\\n\s*/g, "")
      .replace(/\\"/g, '"')
      .replace(/\s+/g, " ")
      .trim();
    if (sentence(text)) found.push({ line, text });
  }
  return found;
}

/** Every docstring and comment, also of TypeScript, as `{ line, text }`, joined over its lines. */
export function docsOfRust(file) {
  const found = [];
  let open = null;
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((content, i) => {
      const doc = /^\s*(?:\/\/[/!]?|\/\*\*|\*)(?=\s|$) ?(.*)$/.exec(content);
      if (!doc) open = null;
      else if (open) open.text += ` ${doc[1]}`;
      else found.push((open = { line: i + 1, text: doc[1] }));
    });
  return found;
}

/** A test module at the end of a file is no text for users. */
function withoutTests(source) {
  const at = source.search(/^#\[cfg\(test\)\]\s*\n(pub )?mod \w+ \{/m);
  return at < 0 ? source : source.slice(0, at);
}

function sentence(text) {
  return (
    /[A-Za-z]{2,} \S*[A-Za-z]{2,}|[A-Za-z]{2} \{|\} [A-Za-z]{2}/.test(text) &&
    !/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|ATTACH|BEGIN)\b/.test(text)
  );
}
