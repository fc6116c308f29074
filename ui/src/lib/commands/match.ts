//! Ranks palette lines against what is typed.

/**
 * How well `text` fits `typed`, higher is better; null when it does not. Letters must come in
 * order; starts of words and unbroken stretches count for more.
 */
export function score(text: string, typed: string): number | null {
  if (typed === "") return 0;
  const hay = text.toLowerCase();
  const needle = typed.toLowerCase().replace(/\s+/g, "");
  let total = 0;
  let from = 0;
  let before = -2;
  for (const letter of needle) {
    const at = bestIndex(hay, letter, from, before);
    if (at < 0) return null;
    if (at === before + 1) total += 3;
    if (at === 0 || /[\s\-_/:.]/.test(hay[at - 1]!)) total += 4;
    total -= Math.min(3, (at - from) * 0.1);
    before = at;
    from = at + 1;
  }
  return total - hay.length * 0.01;
}

/** The next place of a letter, preferring the one right after the last and starts of words. */
function bestIndex(hay: string, letter: string, from: number, before: number): number {
  if (hay[before + 1] === letter && before >= 0) return before + 1;
  for (let at = hay.indexOf(letter, from); at >= 0; at = hay.indexOf(letter, at + 1)) {
    if (at === 0 || /[\s\-_/:.]/.test(hay[at - 1]!)) return at;
  }
  return hay.indexOf(letter, from);
}
