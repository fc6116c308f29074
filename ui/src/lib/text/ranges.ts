//! Cuts a text at marked ranges, so that a component can draw each piece.

export interface Piece<M> {
  text: string;
  start: number;
  marks: M[];
}

interface Range {
  start: number;
  end: number;
}

/** The pieces of `text` in order. Marks may overlap: a piece has all that cover it. */
export function pieces<M extends Range>(text: string, marks: readonly M[]): Piece<M>[] {
  const inside = marks.filter((m) => m.start < m.end && m.start < text.length);
  if (inside.length === 0) return text === "" ? [] : [{ text, start: 0, marks: [] }];
  const cuts = new Set([0, text.length]);
  for (const mark of inside) {
    cuts.add(Math.max(0, mark.start));
    cuts.add(Math.min(text.length, mark.end));
  }
  const at = [...cuts].sort((a, b) => a - b);
  const out: Piece<M>[] = [];
  for (let i = 0; i + 1 < at.length; i++) {
    const start = at[i]!;
    const end = at[i + 1]!;
    out.push({
      text: text.slice(start, end),
      start,
      marks: inside.filter((m) => m.start <= start && m.end >= end),
    });
  }
  return out;
}

/**
 * The text from at most `lead` characters before the first range on, at the beginning of a word
 * where there is one, with the ranges moved along.
 */
export function around<M extends Range>(
  text: string,
  ranges: readonly M[],
  lead: number,
): { text: string; ranges: M[] } {
  const first = Math.min(...ranges.map((range) => range.start));
  if (!Number.isFinite(first) || first <= lead) return { text, ranges: [...ranges] };
  const earliest = first - lead;
  const space = text.indexOf(" ", earliest);
  const from = space >= 0 && space < first ? space + 1 : earliest;
  const moved = from - 1;
  return {
    text: `…${text.slice(from)}`,
    ranges: ranges.map((range) => ({
      ...range,
      start: range.start - moved,
      end: range.end - moved,
    })),
  };
}

/** Absolute paths by their last two parts: `/home/ada/courier/src/queue.ts` as `…/src/queue.ts`. */
export function shortPaths(text: string): string {
  return text.replace(
    /(?<![\w.:/~-])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){3,}/g,
    (path) => `…/${path.split(/[/\\]/).slice(-2).join("/")}`,
  );
}
