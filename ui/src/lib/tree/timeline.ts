//! Geometry of the context timeline. Pure: tokens and positions in, pixels out.

import type { Timeline, TimelineMark, TimelinePoint } from "../../wire/wire";
import { short } from "../text/format";

export interface Scale {
  x: (position: number) => number;
  y: (tokens: number) => number;
  /** Tokens at the top edge. */
  top: number;
}

/** Room for the marks above the curve, in pixels. */
export const HEADROOM = 16;

/**
 * Scales so that the curve fills the height. A window far above the highest point would press
 * the curve flat: it is then left out of the picture and named at the edge.
 */
export function scale(timeline: Timeline, width: number, height: number): Scale {
  const max = Math.max(1, timeline.max);
  const near = (line: number | null): number => (line !== null && line < max * 1.8 ? line : 0);
  const top = Math.max(max * 1.04, near(timeline.threshold) * 1.04, near(timeline.window) * 1.02);
  const last = Math.max(1, timeline.length - 1);
  return {
    x: (position) => (position / last) * width,
    y: (tokens) => HEADROOM + (1 - Math.min(1, tokens / top)) * (height - HEADROOM),
    top,
  };
}

/** The curve: steps, because the context has one size until the next entry. */
export function curve(points: readonly TimelinePoint[], to: Scale): string {
  let path = "";
  for (const [n, point] of points.entries()) {
    const x = to.x(point.position).toFixed(1);
    const y = to.y(point.tokens).toFixed(1);
    path += n === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  }
  return path;
}

/** Index of the point nearest to a place on the path. */
export function nearest(points: readonly TimelinePoint[], position: number): number {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.position < position) low = middle + 1;
    else high = middle;
  }
  const before = points[low - 1];
  return before && position - before.position < points[low]!.position - position ? low - 1 : low;
}

/** Pixels from one end of the picture to the other. */
export interface Stretch {
  from: number;
  to: number;
}

/** A name over the curve, with where it stands. */
export interface PlacedName extends Stretch {
  name: string;
}

/** Pixels that a character of a name takes at most, that its line takes before it, and the room on either side. */
const NAME_CHARACTER = 5.3;
export const NAME_LINE = 16;
const NAME_ROOM = 6;

/**
 * The first of `names`, longest first, that finds room where none of `taken` crosses it: next to the
 * given end, else as near to it as there is room. Null without any.
 */
export function placeName(
  width: number,
  names: readonly string[],
  taken: readonly Stretch[],
  end: "left" | "right",
): PlacedName | null {
  for (const name of names) {
    const place = freePlace(width, name.length * NAME_CHARACTER + NAME_LINE, taken, end);
    if (place !== null) return { name, ...place };
  }
  return null;
}

/** A line across the curve. */
export interface NamedLine {
  kind: "window" | "threshold";
  name: string;
  /** Where the name stands above the curve; null where only the legend has room for it. */
  at: PlacedName | null;
}

/** Half the width of the sign of a compaction, with some room. */
const SIGN_ROOM = 8;

/** The lines in the picture with the places of their names: above the curve, between the signs. */
export function namedLines(timeline: Timeline, to: Scale, width: number): NamedLine[] {
  const taken: Stretch[] = timeline.marks.map((mark) => ({
    from: to.x(mark.position) - SIGN_ROOM,
    to: to.x(mark.position) + SIGN_ROOM,
  }));
  const lines: NamedLine[] = [];
  const add = (
    kind: NamedLine["kind"],
    tokens: number | null,
    names: readonly string[],
    end: "left" | "right",
  ): void => {
    if (tokens === null || tokens > to.top) return;
    const at = placeName(width, names, taken, end);
    if (at !== null) taken.push(at);
    lines.push({ kind, name: names[0]!, at });
  };
  const own = (tokens: number | null): string => short(tokens ?? 0);
  add(
    "threshold",
    timeline.threshold,
    [`auto-compaction at ${own(timeline.threshold)}`, `auto at ${own(timeline.threshold)}`],
    "left",
  );
  add(
    "window",
    timeline.window,
    [`context window ${own(timeline.window)}`, `window ${own(timeline.window)}`],
    "right",
  );
  return lines;
}

/** So near to a sign above the curve, or to its line, a press means its compaction, in pixels. */
const NEAR_SIGN = 9;
const NEAR_LINE = 3;

/** The entry of the compaction or branch summary that a press means, if any. */
export function markNear(
  marks: readonly TimelineMark[],
  to: Scale,
  x: number,
  y: number,
): string | null {
  const reach = y < HEADROOM ? NEAR_SIGN : NEAR_LINE;
  const off = (mark: TimelineMark): number => Math.abs(to.x(mark.position) - x);
  const [nearest] = marks.toSorted((a, b) => off(a) - off(b));
  return nearest && off(nearest) <= reach ? nearest.entry_id : null;
}

function freePlace(
  width: number,
  need: number,
  taken: readonly Stretch[],
  end: "left" | "right",
): Stretch | null {
  const whole = need + 2 * NAME_ROOM;
  const sorted = [...taken, { from: width, to: width }].sort((a, b) => a.from - b.from);
  const places: Stretch[] = [];
  let from = 0;
  for (const own of sorted) {
    if (own.from - from >= whole) {
      const at = end === "left" ? from : own.from - whole;
      places.push({ from: at + NAME_ROOM, to: at + NAME_ROOM + need });
    }
    from = Math.max(from, own.to);
  }
  return (end === "left" ? places[0] : places.at(-1)) ?? null;
}
