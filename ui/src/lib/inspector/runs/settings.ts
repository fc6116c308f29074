//! The settings in which compared runs differ, as the cells of rows. Pure.

import type { DifferingSetting } from "../../../wire/wire";
import { count } from "../../text/format";

/** So many rows are shown open below the results. */
const FEW = 3;

/** True where the rows are shown without a click. */
export function isOpen(settings: readonly DifferingSetting[]): boolean {
  return settings.length <= FEW;
}

/** `42 settings differ`. */
export function differWords(settings: readonly DifferingSetting[]): string {
  return `${count(settings.length, "setting")} ${settings.length === 1 ? "differs" : "differ"}`;
}

/** A part of a value: words, or an entry by its whole id. */
export type Piece = { text: string } | { entry: string };

export interface Cell {
  /** `absent` where the column does not have the setting, `empty` where its value is. */
  look: "absent" | "empty" | "prompt" | "plain";
  pieces: readonly Piece[];
  /** The whole value, or the text of the prompt. */
  title: string | undefined;
}

const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;
const EMPTY = new Set(["", "[]", "{}", '""']);
/** A prompt without a name: `of the strategy (6aba1234)`, `unsaved (6aba1234)`. */
const NAMELESS = /^(of the strategy|unsaved) \(([0-9a-f]+)\)$/;

/** The cells of a row, one for each column. */
export function cellsOf(own: DifferingSetting): Cell[] {
  return own.values.map((value, n) => {
    if (value === null) return { look: "absent", pieces: [{ text: "–" }], title: undefined };
    const title = own.texts[n] ?? value;
    if (EMPTY.has(value.trim()))
      return { look: "empty", pieces: [{ text: "empty" }], title: undefined };
    if (own.key.startsWith("prompts."))
      return { look: "prompt", pieces: [{ text: promptWords(value, own.values) }], title };
    return { look: "plain", pieces: piecesOf(own.key, value), title };
  });
}

/** A prompt in words; its hash only where the row has several that have the same words. */
function promptWords(value: string, row: readonly (string | null)[]): string {
  const match = NAMELESS.exec(value);
  if (match === null) return value;
  const [, by, hash] = match;
  const alike = new Set(row.filter((other) => NAMELESS.exec(other ?? "")?.[1] === by));
  const name = by === "unsaved" ? "own prompt" : "the strategy's prompt";
  return alike.size > 1 ? `${name} ${hash!.slice(0, 4)}` : name;
}

/** The entries in a value stand apart from its words. */
function piecesOf(key: string, value: string): Piece[] {
  if (key === "cut") return value === "none" ? [{ text: value }] : [{ entry: value }];
  const parts = value.split(UUID).map((part, n) => (n % 2 ? { entry: part } : { text: part }));
  return parts.filter((part) => !("text" in part) || part.text !== "");
}
