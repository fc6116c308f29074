//! The three classes of failure, which the user must be able to tell apart at a glance.

import type { ErrorCode, WireError } from "../../wire/wire";
import type { GlyphName } from "./glyphs";
import { wordsOfStep, type StepWords } from "./steps";

export interface ErrorLook {
  /** The user can fix it, it is simply not so, or something broke. */
  kind: "fixable" | "neutral" | "broken";
  title: string;
  glyph: GlyphName;
}

/** What to do about an error, in the window's words; null where nothing can be done. */
export function stepOf(error: Pick<WireError, "hint" | "next">): StepWords | null {
  if (error.next) return wordsOfStep(error.next, error.hint ?? "");
  return error.hint === null || error.hint === undefined ? null : { hint: error.hint };
}

/** The error, where none of those shown before it says the same; a sentence is shown once. */
export function unsaid(
  error: WireError | undefined,
  shown: readonly (WireError | undefined)[],
): WireError | undefined {
  return shown.some((before) => before?.message === error?.message) ? undefined : error;
}

/**
 * Why a session in the list cannot be opened: its file is gone, or cannot be read; null for other
 * failures. The wire has one code for both, so the message decides.
 */
export function lossOf(error: WireError | undefined): "deleted" | "unreadable" | null {
  if (error?.code !== "io" && error?.code !== "not_found") return null;
  return /no such file|deleted/i.test(error.message) ? "deleted" : "unreadable";
}

/**
 * The error of a deleted session below a title that says so: its path alone, and no step, because
 * the page offers the rescan itself.
 */
export function lossNote(error: WireError): WireError {
  const path = /deleted or moved[^:]*: (.+)$/is.exec(error.message)?.[1];
  const { next: _, ...rest } = error;
  return { ...rest, message: path ?? error.message, hint: null };
}

export function errorClass(code: ErrorCode): ErrorLook {
  switch (code) {
    case "user_fixable":
    case "usage":
    case "above_limit":
      return { kind: "fixable", title: "Action required", glyph: "info" };
    case "provider":
      return { kind: "fixable", title: "Provider error", glyph: "info" };
    case "bad_request":
      return { kind: "neutral", title: "Not possible here", glyph: "minus" };
    case "not_found":
      return { kind: "neutral", title: "Not found", glyph: "minus" };
    case "cancelled":
      return { kind: "neutral", title: "Cancelled", glyph: "minus" };
    case "io":
      return { kind: "broken", title: "File error", glyph: "failed" };
    case "internal":
      return { kind: "broken", title: "Internal error", glyph: "failed" };
  }
}
