//! Ranks palette lines against what is typed.

/** What a line is found by. */
export interface Findable {
  title: string;
  /** What it belongs to. */
  group: string;
  /** Other words for what it does. */
  also?: readonly string[];
}

/** Points for where a typed word stands, best first. */
const WHOLE_WORD = 12;
const WORD_START = 9;
const INITIALS = 7;
const INSIDE = 3;
/** What a place other than the title counts for. */
const ALSO_SHARE = 0.6;
const GROUP_SHARE = 0.3;
/** Shorter words are not looked for inside others: they are in most. */
const INSIDE_CHARS = 3;

/**
 * How well a line fits `typed`, higher is better; null when it does not. Every typed word has to
 * be a word, the beginning of a word or a longer part of one, in the title, in other words for
 * it, or in the group. Letters are never scattered.
 */
export function score(line: Findable, typed: string): number | null {
  const wanted = words(typed);
  if (wanted.length === 0) return 0;
  const title = words(line.title);
  let total = 0;
  let next = 0;
  for (const word of wanted) {
    const own = best(title, word);
    const also = Math.max(0, ...(line.also ?? []).map((text) => best(words(text), word).points));
    const group = best(words(line.group), word).points;
    const points = Math.max(own.points, also * ALSO_SHARE, group * GROUP_SHARE);
    if (points === 0) {
      const initials = wanted.length === 1 && startsOf(title).startsWith(word) ? INITIALS : 0;
      return initials > 0 && word.length > 1 ? initials - title.length * 0.1 : null;
    }
    total += points;
    // Words in the order of the title, the first of them at its beginning.
    if (own.at === next) total += 2;
    next = own.at + 1;
  }
  return total / wanted.length - title.length * 0.1;
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function startsOf(title: readonly string[]): string {
  return title.map((word) => word[0]).join("");
}

function best(list: readonly string[], wanted: string): { points: number; at: number } {
  let found = { points: 0, at: -1 };
  for (const [at, word] of list.entries()) {
    const points =
      word === wanted
        ? WHOLE_WORD
        : word.startsWith(wanted)
          ? WORD_START
          : wanted.length >= INSIDE_CHARS && word.includes(wanted)
            ? INSIDE
            : 0;
    if (points > found.points) found = { points, at };
  }
  return found;
}
