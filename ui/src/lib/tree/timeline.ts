//! Geometry of the context timeline. Pure: tokens and positions in, pixels out.

import type { Timeline, TimelinePoint } from "../../wire/wire";

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

/** Pixels that a character of a name over the curve takes at most, and the room on either side. */
const NAME_CHARACTER = 5.3;
const NAME_ROOM = 6;

/**
 * The first of `names`, longest first, that finds room where none of `taken` crosses it: next to the
 * given end, else as near to it as there is room. Without any, the last of them stands at the end.
 */
export function placeName(
  width: number,
  names: readonly string[],
  taken: readonly Stretch[],
  end: "left" | "right",
): PlacedName {
  const wide = (name: string): number => name.length * NAME_CHARACTER;
  for (const name of names) {
    const place = freePlace(width, wide(name), taken, end);
    if (place !== null) return { name, ...place };
  }
  const name = names.at(-1) ?? "";
  const from = end === "left" ? NAME_ROOM : width - NAME_ROOM - wide(name);
  return { name, from, to: from + wide(name) };
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
