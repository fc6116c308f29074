//! Parameters as typed by a person, and shown to one.

import type { ParamInfo, ParamKind } from "../../../wire/wire";
import { exact, words } from "../../text/format";

export type ParamValue = number | boolean | string | readonly string[];
type Typed = Pick<ParamInfo, "kind" | "words" | "default" | "min" | "max">;

/** A value, null for the default, or what is wrong with the text. */
export function parseParam(
  param: Typed,
  text: string,
): { value: ParamValue | null } | { error: string } {
  const read = READINGS[param.kind](param, text);
  return "value" in read && same(read.value, param.default) ? { value: null } : read;
}

type Read = { value: ParamValue | null } | { error: string };

const whole = (param: Typed, text: string): Read =>
  param.words.includes(text.trim())
    ? { value: text.trim() }
    : within(integer(text, param.words), param, "Enter a whole number");

const READINGS: Record<ParamKind, (param: Typed, text: string) => Read> = {
  text: (param, text) => ({ value: text === "" && param.default === null ? null : text }),
  texts: (_, text) => ({ value: lines(text) }),
  word: (param, text) => {
    if (param.words.includes(text)) return { value: text };
    return text === "" ? { value: null } : { error: `Enter one of ${param.words.join(", ")}.` };
  },
  number: (param, text) => within(number(text), param, "Enter a number"),
  integer: whole,
  integer_or_word: whole,
  // A switch is set, not typed.
  boolean: whole,
};

function integer(
  text: string,
  allowed: readonly string[],
): { value: number | null } | { error: string } {
  const scaled = /^(-?\d+(?:\.\d+)?)([km])?$/i.exec(text.replace(/[\s_,]/g, ""));
  if (text.trim() === "") return { value: null };
  if (!scaled)
    return {
      error: allowed.length > 0 ? `Enter a number, or ${allowed.join(", ")}.` : "Enter a number.",
    };
  const unit = scaled[2]?.toLowerCase();
  const value =
    Math.round(Number(scaled[1]) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1) * 1_000) /
    1_000;
  if (!Number.isInteger(value)) return { error: "Enter a whole number." };
  if (!Number.isSafeInteger(value)) return { error: "Enter a smaller number." };
  return { value };
}

/** The numbers a parameter may be, in words. */
export function rangeOf({ min, max }: Pick<ParamInfo, "min" | "max">): string | null {
  if (min === undefined) return null;
  return max === undefined ? `${exact(min)} or more` : `${exact(min)} to ${exact(max)}`;
}

function within(
  read: { value: number | null } | { error: string },
  { min, max }: Typed,
  what: string,
): { value: number | null } | { error: string } {
  if ("error" in read || read.value === null) return read;
  const out = (min !== undefined && read.value < min) || (max !== undefined && read.value > max);
  return out ? { error: `${what}, ${rangeOf({ min, max })}.` } : read;
}

function number(text: string): { value: number | null } | { error: string } {
  const bare = text.trim();
  if (bare === "") return { value: null };
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(bare)) return { error: "Enter a number, such as 0.5." };
  return { value: Number(bare) };
}

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Whether a value is the default; an absent list is an empty one. */
export function same(value: ParamValue | null, standard: ParamInfo["default"]): boolean {
  if (Array.isArray(value)) return JSON.stringify(value) === JSON.stringify(standard ?? []);
  return value === standard;
}

/** A value in the field where it is edited. */
export function fieldText(value: ParamInfo["default"] | ParamValue): string {
  if (value === null) return "";
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** A value in a line of text: `20,000`, `on`, `"USER: "`, `2 lines`. */
export function shownValue(value: ParamInfo["default"] | ParamValue, kind: ParamKind): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (kind === "text")
    return value === "" ? "empty" : `“${String(value).replace(/\s+/g, " ").trim()}”`;
  return typeof value === "number" ? exact(value) : words(String(value));
}

/** A message of the backend with its long numbers grouped: `at most 1,000,000`. */
export function grouped(message: string): string {
  return message.replace(/(?<![\w.,-])\d{5,15}(?![\w.,]*\d)/g, (digits) => exact(Number(digits)));
}

/** A message of the backend with the label of a parameter in place of its key. */
export const labelled = (
  message: string,
  { label, path, name }: Pick<ParamInfo, "label" | "path" | "name">,
): string => message.replaceAll(`'${path}'`, label).replaceAll(`'${name}'`, label);

/** The unit where the label does not say it already, and the range where it is more than "no negative ones". */
export function unitOf(param: Pick<ParamInfo, "label" | "unit" | "min" | "max">): string | null {
  const says = param.unit !== null && param.label.toLowerCase().includes(param.unit);
  const unit = says ? null : param.unit;
  const range = param.min === 0 && param.max === undefined ? null : rangeOf(param);
  return [unit, range].filter((part) => part !== null).join(", ") || null;
}
