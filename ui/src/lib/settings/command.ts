/** A command line as its words: blanks part them, quotes of either kind keep blanks, a backslash keeps the next character. Nothing else has a meaning, because no shell reads it. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (c === "\\" && quote !== "'" && i + 1 < line.length) word = (word ?? "") + line[++i]!;
    else if (quote !== "") {
      if (c === quote) quote = "";
      else word = (word ?? "") + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (word !== null) words.push(word);
  return words;
}

/** Words as a line that `wordsOf` reads back. */
export function lineOf(words: string[]): string {
  return words
    .map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`))
    .join(" ");
}
