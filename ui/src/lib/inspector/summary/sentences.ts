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
      ? "After the compaction, the agent's first call edited a file"
      : `After the compaction, the agent made ${count(calls, "call")} before it edited a file${lookingOf(calls, looks)}`;
  return usual === null ? `${next}.` : `${next}. ${usually(usual)}.`;
}

function lookingOf(calls: number, looks: number): string {
  if (looks === 0) return "";
  if (calls === 1) return ": it read, searched or listed";
  if (looks === calls) return ": all of them read, searched or listed";
  return `: ${exact(looks)} of them read, searched or listed`;
}

function usually(calls: number): string {
  return calls === 0
    ? "Before it, usually no call came between two edits"
    : `Before it, usually ${count(calls, "call")} came between two edits`;
}
