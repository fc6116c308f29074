//! Sentences about a summary whose grammar depends on a number. Pure.

import type { ReorientationFigures } from "../../../wire/wire";
import { count, exact } from "../../text/format";

/** That none of the user's requests and constraints is left. */
export function allLost(all: number): string {
  return all === 1
    ? "1 request or constraint of the user is lost or changed"
    : `All ${exact(all)} requests and constraints of the user are lost or changed`;
}

/** How long the agent took to its first edit after the compaction. */
export function nextEdit({ calls, looks, usual }: ReorientationFigures): string {
  const next =
    calls === 0
      ? "The next edit was its first call"
      : `The next edit came after ${count(calls, "call")}${lookingOf(calls, looks)}`;
  return usual === null ? next : `${next}; before the compaction there ${usually(usual)}`;
}

function lookingOf(calls: number, looks: number): string {
  if (calls === 1) return looks === 1 ? ", which only looks" : "";
  if (looks === 0) return ", none of which only looks";
  if (looks === calls) return ", all of which only look";
  return `, ${exact(looks)} of which only ${looks === 1 ? "looks" : "look"}`;
}

function usually(calls: number): string {
  if (calls === 0) return "was usually no call between two edits";
  return `${calls === 1 ? "was" : "were"} usually ${count(calls, "call")} between two edits`;
}
