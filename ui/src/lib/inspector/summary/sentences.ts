//! Sentences about a summary whose grammar depends on a number. Pure.

import type { ReorientationFigures } from "../../../wire/wire";
import { count, exact } from "../../text/format";

/** That none of the user's requests and constraints is left. */
export function allLost(all: number): string {
  return all === 1
    ? "1 request or constraint of the user is lost or changed"
    : `All ${exact(all)} requests and constraints of the user are lost or changed`;
}

/** That no request and no constraint of the user is lost; `settled` where some are dropped. */
export function noneLost(all: number, settled: boolean): string {
  if (settled)
    return all === 1
      ? "The one open request or constraint of the user is still in the context."
      : `All ${exact(all)} open requests and constraints of the user are still in the context.`;
  return all === 1
    ? "The one request of the user is still in the context."
    : `All ${exact(all)} requests and constraints of the user are still in the context.`;
}

/**
 * What became of dropped requests that are not counted as lost: a link, and what follows it.
 * `further` where a sentence before it counts other requests.
 */
export function settledWords(count: number, further: boolean): { link: string; rest: string } {
  const more = further ? "further " : "";
  return count === 1
    ? {
        link: `1 ${more}request is dropped but settled`,
        rest: "(answered before, or the summary has its outcome).",
      }
    : {
        link: `${exact(count)} ${more}requests are dropped but settled`,
        rest: "(answered before, or the summary has their outcome).",
      };
}

/** What became of the requests and constraints that an earlier summary told: a link, and the rest. */
export function carriedWords(lost: number, all: number): { link: string; rest: string } {
  const which = all === 1 ? "The one request or constraint" : "requests and constraints";
  return {
    link: all === 1 ? which : `${exact(lost)} of ${exact(all)} ${which}`,
    rest: `from the previous summary ${lost === 1 ? "is" : "are"} dropped.`,
  };
}

/** How long the agent took to its first edit after the compaction. */
export function nextEdit({ calls, looks, usual }: ReorientationFigures): string {
  const next =
    calls === 0
      ? "The agent's first call after the compaction edited a file"
      : `The agent made ${count(calls, "call")} before its first edit of a file${lookingOf(calls, looks)}`;
  return usual === null ? `${next}.` : `${next}. ${usually(usual)}.`;
}

function lookingOf(calls: number, looks: number): string {
  if (looks === 0) return "";
  if (calls === 1) return ", to read, search or list";
  if (looks === calls) return ", all to read, search or list";
  return `, ${exact(looks)} of them to read, search or list`;
}

function usually(calls: number): string {
  return calls === 0
    ? "Before the compaction, one edit usually followed the other directly"
    : `Before the compaction, it usually made ${count(calls, "call")} between two edits`;
}
