//! The words of a search in a text, found as the index finds them. Pure.

/** Scripts written without spaces: each character is a word. */
const ALONE =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff";
/** Accents and joiners inside a word do not count. */
const MARK = "[\\u0300-\\u036f]|[\\u200b-\\u200d]|[\\ufe00-\\ufe0f]";
const LETTER = `(?![${ALONE}])[\\p{L}\\p{N}]`;
const TERM = new RegExp(`[${ALONE}]|${LETTER}(?:${LETTER}|${MARK})*`, "gu");
const MARKS = new RegExp(MARK, "g");

interface Term {
  text: string;
  start: number;
  end: number;
}

function* termsOf(text: string): Generator<Term> {
  for (const { 0: word, index } of text.matchAll(TERM))
    yield {
      text: word.toLowerCase().replace(MARKS, ""),
      start: index,
      end: index + word.length,
    };
}

/** Words that follow each other; of an open one the last is the beginning of a word. */
export interface Sought {
  terms: readonly string[];
  open: boolean;
}

/** Filters whose values are in the text of an entry. */
const TEXT_FILTERS: ReadonlySet<string> = new Set(["cmd", "file"]);

/** What a search looks for in texts: words, phrases, commands and files; not what it excludes. */
export function soughtIn(query: string): Sought[] {
  const pieces = query.match(/-?(?:[a-z]+:)?(?:"[^"]*"?|[^\s"]+)/gi) ?? [];
  return pieces.flatMap((piece): Sought[] => {
    if (piece.startsWith("-")) return [];
    const [, name, value] = /^([a-z]+):(?![:/\\])(.+)$/i.exec(piece) ?? [null, null, piece];
    if (name && !TEXT_FILTERS.has(name.toLowerCase())) return [];
    const terms = [...termsOf(value!)].map((term) => term.text);
    return terms.length === 0 ? [] : [{ terms, open: value!.endsWith("*") }];
  });
}

export interface Match {
  start: number;
  end: number;
  /** Which of what is sought it is. */
  of: number;
}

/** The matches in a text in the order of their ends, at most so many. */
export function matchesIn(text: string, sought: readonly Sought[], most: number): Match[] {
  const found: Match[] = [];
  if (sought.length === 0) return found;
  /** For each of what is sought the matches under way. */
  const begun: { start: number; matched: number }[][] = sought.map(() => []);
  for (const term of termsOf(text)) {
    sought.forEach(({ terms, open }, of) => {
      const under = begun[of]!;
      under.push({ start: term.start, matched: 0 });
      const left = under.filter((one) => {
        const wanted = terms[one.matched]!;
        one.matched += 1;
        const last = one.matched === terms.length;
        return last && open ? term.text.startsWith(wanted) : term.text === wanted;
      });
      const done = left[0]?.matched === terms.length ? left.shift() : undefined;
      if (done) found.push({ start: done.start, end: term.end, of });
      begun[of] = left;
    });
    if (found.length >= most) break;
  }
  return found;
}

/** The first match of where most of what is sought stands together. */
export function together(found: readonly Match[]): Match | null {
  const kinds = new Set(found.map((match) => match.of)).size;
  const within = new Map<number, number>();
  let best: { from: number; width: number } | null = null;
  let from = 0;
  for (const match of found) {
    within.set(match.of, (within.get(match.of) ?? 0) + 1);
    while (within.size === kinds) {
      const first = found[from]!;
      const width = match.end - first.start;
      if (best === null || width < best.width) best = { from, width };
      const left = within.get(first.of)! - 1;
      if (left === 0) within.delete(first.of);
      else within.set(first.of, left);
      from += 1;
    }
  }
  return best === null ? null : found[best.from]!;
}
