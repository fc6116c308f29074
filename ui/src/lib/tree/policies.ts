//! Policies on the timeline: shapes, words, and marks that lie too close together. Pure.

import type { Counting, PolicyCourse, PolicyFire, PolicyReport } from "../../wire/wire";
import { count, short, tokens } from "../text/format";
import { BELOW_RECORDED } from "../text/sizes";

/** Shapes by the order in which policies are shown, so that colour is not needed to tell them apart. */
export const SHAPES = ["triangle", "diamond", "square", "circle", "cross"] as const;
export type Shape = (typeof SHAPES)[number];
export function shapeOf(n: number): Shape {
  return SHAPES[n % SHAPES.length]!;
}
/** Outlines in a box of 10 by 10. */
/** The second round of shapes is hollow. */
export function isHollow(n: number): boolean {
  return n % (2 * SHAPES.length) >= SHAPES.length;
}

export const OUTLINES: Record<Shape, string> = {
  triangle: "M5 1 9.5 9H.5Z",
  diamond: "M5 .5 9.5 5 5 9.5.5 5Z",
  square: "M1.2 1.2h7.6v7.6H1.2Z",
  circle: "M5 .8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 1 0 0-8.4Z",
  cross: "M2.5.8 5 3.3 7.5.8 9.2 2.5 6.7 5l2.5 2.5-1.7 1.7L5 6.7 2.5 9.2.8 7.5 3.3 5 .8 2.5Z",
};

/** The threshold of a policy, in words: `167k`, `above 184k`, `above 240 messages`, `any size`. */
export function lineText(course: PolicyCourse): string {
  // A threshold of zero is none: such a policy fires whatever the size.
  if (course.threshold_tokens === 0) return "any size";
  const above = course.inclusive ? "" : "above ";
  if (course.threshold_tokens !== null) return `${above}${short(course.threshold_tokens)}`;
  if (course.threshold_messages !== null)
    return `${above}${count(course.threshold_messages, "message")}`;
  return "–";
}

/** What a firing would have done, in one sentence. */
export function fireText(name: string, fire: PolicyFire): string {
  const what = `${short(fire.tokens_before)} → ${short(fire.tokens_after)} tokens`;
  return `${name} would have compacted here: ${what}, ${count(fire.summarized, "entry", "entries")} summarized, about ${short(fire.lost_tokens)} tokens removed from the context`;
}

/** Recorded compactions that are named one by one; the rest are counted. */
const MOST_NAMED = 4;

/**
 * What the session recorded, in sentences: each compaction with its distance from the threshold of
 * the session's agent, where one is known.
 */
export function recordedText(
  actual: PolicyReport["actual"],
  own: PolicyCourse | undefined,
): string[] {
  const threshold = own?.threshold_tokens ?? null;
  const isBelow = ({ tokens_before }: (typeof actual)[number]): boolean =>
    threshold !== null && tokens_before < threshold;
  const why = actual.some(isBelow) ? [BELOW_RECORDED] : [];
  const lines = actual.slice(0, MOST_NAMED).map(({ tokens_before, tokens_after }, n) => {
    const gap = threshold === null ? null : tokens_before - threshold;
    const where =
      gap === null
        ? ""
        : gap === 0
          ? ", exactly at the threshold"
          : `, ${tokens(Math.abs(gap))} ${gap < 0 ? "below" : "above"} the threshold of ${own!.name}`;
    return `Compaction ${n + 1}: ${short(tokens_before)} → ${short(tokens_after)} tokens${where}.`;
  });
  const rest = actual.length - lines.length;
  return [...lines, ...(rest > 0 ? [`${count(rest, "further compaction")}.`] : []), ...why];
}

export interface FireMark {
  /** Left edge in percent of the width. */
  left: number;
  fire: PolicyFire;
  /** Further firings at the same place. */
  more: number;
}

/** One mark for each place that has room for one, `room` pixels wide. */
export function fireMarks(
  fires: readonly PolicyFire[],
  length: number,
  width: number,
  room = 9,
): FireMark[] {
  const last = Math.max(1, length - 1);
  const marks: FireMark[] = [];
  for (const fire of fires) {
    const left = (fire.position / last) * 100;
    const before = marks.at(-1);
    if (before && ((left - before.left) / 100) * width < room) before.more += 1;
    else marks.push({ left, fire, more: 0 });
  }
  return marks;
}

/** Says behind the name of a policy that the agent of the session has it: its own one, or one of its others. */
export function ownNote(row: Readonly<Pick<PolicyCourse, "name" | "agent" | "is_own">>): string {
  if (!row.is_own) return "";
  return row.name === row.agent
    ? " · this session's agent"
    : " · another rule of this session's agent";
}

/** What a policy compares with its threshold; policies with one threshold differ by it. */
const COUNTED: Record<Counting, string> = {
  usage_and_trailing: "the size that the provider reported, and an estimate of what came after",
  last_usage: "the size that the provider reported for the last request and its reply",
  last_request: "the size that the provider reported for the last request, without its reply",
  estimate: "an estimate of the messages, without the system prompt and the tools",
  request_estimate: "an estimate of the whole request",
};

/** Where the rule of a policy comes from, what it counts, and which strategy it starts. */
export function aboutPolicy(
  row: Readonly<Pick<PolicyCourse, "source" | "preset" | "counting" | "threshold_messages">>,
): string {
  const counted = row.threshold_messages === null ? ` Counts ${COUNTED[row.counting]}.` : "";
  return `${row.source}.${counted} Strategy: ${row.preset}.`;
}
