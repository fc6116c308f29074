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

/** A stretch of Markdown that is drawn in another way than it is written. */
export interface Drawn extends Range {
  /** `sign`: stars and backticks, which are not drawn. */
  drawn: "strong" | "code" | "sign";
}

/** Words in `**bold**` and in backticks, with their signs; each within a line. */
export function emphasis(text: string): Drawn[] {
  return [...text.matchAll(/\*\*(?=\S)([^*\n]*[^*\s])\*\*|(?<!`)`([^`\n]+)`(?!`)/g)].flatMap(
    ({ 0: whole, 1: bold, index }): Drawn[] => {
      const sign = bold === undefined ? 1 : 2;
      const end = index + whole.length;
      return [
        { start: index, end: index + sign, drawn: "sign" },
        { start: index + sign, end: end - sign, drawn: bold === undefined ? "code" : "strong" },
        { start: end - sign, end, drawn: "sign" },
      ];
    },
  );
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

/** Shorter words are not broken: they find room in a line of their own. */
const LONG_WORD_CHARS = 12;

/**
 * Where a line may break besides at blanks: in a long word, behind what joins its parts, as a
 * path's slashes do.
 */
export function breaksIn(text: string): number[] {
  return [...text.matchAll(/\S+/g)]
    .filter(([word]) => word.length >= LONG_WORD_CHARS)
    .flatMap(({ 0: word, index }) =>
      [...word.matchAll(/(?!^)[/\\_:=&?,;|-](?=[\p{L}\p{N}.])/gu)].map(
        (joint) => index + joint.index + joint[0].length,
      ),
    );
}

/** A piece of a text, marked or not, in the parts between which a line may break. */
export interface FoundPiece {
  marked: boolean;
  /** True where a line may break before the piece. */
  breaks: boolean;
  start: number;
  parts: string[];
}

/** A text with what was found marked, and with the places where its lines may break. */
export function foundPieces(text: string, ranges: readonly Range[]): FoundPiece[] {
  const breaks = breaksIn(text);
  return pieces(text, ranges).map((piece) => {
    const end = piece.start + piece.text.length;
    const at = [piece.start, ...breaks.filter((own) => own > piece.start && own < end)];
    return {
      marked: piece.marks.length > 0,
      breaks: breaks.includes(piece.start),
      start: piece.start,
      parts: at.map((from, n) => text.slice(from, at[n + 1] ?? end)),
    };
  });
}

/** Absolute paths by their last two parts: `/home/ada/courier/src/queue.ts` as `…/src/queue.ts`. */
export function shortPaths(text: string): string {
  return text.replace(
    /(?<![\w.:/~-])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){3,}/g,
    (path) => `…/${path.split(/[/\\]/).slice(-2).join("/")}`,
  );
}
