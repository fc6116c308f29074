//! The three classes of failure, which the user must be able to tell apart at a glance.

import type { ErrorCode } from "../../wire/wire";
import type { GlyphName } from "./glyphs";

export interface ErrorLook {
  /** The user can fix it, it is simply not so, or something broke. */
  kind: "fixable" | "neutral" | "broken";
  title: string;
  glyph: GlyphName;
}

export function errorClass(code: ErrorCode): ErrorLook {
  switch (code) {
    case "user_fixable":
    case "usage":
      return { kind: "fixable", title: "Something needs you", glyph: "info" };
    case "provider":
      return { kind: "fixable", title: "The provider failed", glyph: "info" };
    case "bad_request":
      return { kind: "neutral", title: "That cannot be done here", glyph: "minus" };
    case "not_found":
      return { kind: "neutral", title: "Not there", glyph: "minus" };
    case "cancelled":
      return { kind: "neutral", title: "Cancelled", glyph: "minus" };
    case "io":
      return { kind: "broken", title: "Reading or writing failed", glyph: "error" };
    case "internal":
      return { kind: "broken", title: "Palimpsest made a mistake", glyph: "error" };
  }
}
