//! Numbers and times for people. Rounded forms have their exact form beside them for the hover.

/** `847`, `12.4k`, `1.20M`: at most four signs before the unit, so that columns stay narrow. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1_000) return String(Math.round(value));
  if (size < 99_950) return `${(value / 1_000).toFixed(1)}k`;
  if (size < 999_500) return `${Math.round(value / 1_000)}k`;
  if (size < 99_950_000) return `${(value / 1_000_000).toFixed(2)}M`;
  return `${Math.round(value / 1_000_000)}M`;
}

/** `51k`: a size that is only to be compared with others by eye. */
export function roughly(value: number): string {
  return value < 1_000 || value >= 999_500 ? short(value) : `${Math.round(value / 1_000)}k`;
}

/** `51,240`. */
export function exact(value: number): string {
  return value.toLocaleString("en-US");
}

/** `51,240 tokens`, for a hover. */
export function tokens(value: number): string {
  return `${exact(value)} ${value === 1 ? "token" : "tokens"}`;
}

/** Dollars: cents from a dollar up, tenths of a cent below. */
export function dollars(value: number): string {
  if (value === 0) return "$0";
  if (value < 0.001) return "< $0.001";
  return value < 1 ? `$${value.toFixed(3)}` : `$${value.toFixed(2)}`;
}

/** An estimate in dollars: `about $0.12`, `less than $0.001`. */
export function about(value: number): string {
  return value > 0 && value < 0.001 ? "less than $0.001" : `about ${dollars(value)}`;
}

/** Dollars and cents, for a column of sums. */
export function cents(value: number): string {
  return value > 0 && value < 0.005 ? "< $0.01" : `$${value.toFixed(2)}`;
}

/** A cost in one sign: `$0.39`, `≈ $0.39` where it is computed, `> $0.39` where a part has no price. */
export function costText(value: number, computed: boolean, partial = false): string {
  // A lower bound has no bound of its own.
  if (partial) return `> ${value < 0.001 ? "$0" : value < 0.005 ? dollars(value) : cents(value)}`;
  const text = cents(value);
  // A bound is no estimate.
  return computed && text.startsWith("$") ? `≈ ${text}` : text;
}

/** What the sign of a session's cost says: who gave the cost, and whether a part of it is unknown. */
export function costMeaning(computed: boolean, partial: boolean): string {
  const known = computed ? "Cost computed from the catalog's prices" : "Cost recorded by the agent";
  return partial
    ? `${known}, at least this much (>): models without a price are left out, so a part of the cost is unknown`
    : known;
}

/** Characters and lines of a text that a tooltip has room for, beside words of its own. */
const TIP_CHARACTERS = 400;
const TIP_LINES = 8;

/** The first lines of a text of a session, for a tooltip. */
export function tip(text: string): string {
  const lines = text.split("\n");
  const first = lines.slice(0, TIP_LINES).join("\n");
  const most = [...first].slice(0, TIP_CHARACTERS).join("").trimEnd();
  return most.length < text.trimEnd().length ? `${most}…` : text;
}

/** The beginning of a sentence about all of several: `All 7`, and `The 2`. */
export const allOf = (n: number): string => `${n === 2 ? "The" : "All"} ${exact(n)}`;

/** A share as whole percent; never 0 % or 100 % when it is not quite that. */
export function percent(share: number): string {
  const whole = Math.round(share * 100);
  if (whole === 0 && share > 0) return "< 1 %";
  if (whole === 100 && share < 1) return "> 99 %";
  return `${whole} %`;
}

/** `340 ms`, `4.2 s`, `3 min 05 s`, `2 h 3 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  if (ms >= 3_599_500) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** `812 B`, `371 kB`, `54.2 MB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

const DAY_MS = 86_400_000;

/** When something happened, as short as it stays clear: `14:05`, `Tue 14:05`, `12 Nov`, `12 Nov 2025`. */
export function when(time: number, now: number): string {
  const date = new Date(time);
  const clock = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clock;
  if (now - time < 6 * DAY_MS && now > time)
    return `${date.toLocaleDateString("en-GB", { weekday: "short" })} ${clock}`;
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return date.getFullYear() === today.getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** `14:05`, or `14:05:09` in a list where the minute does not tell its lines apart. */
export function clock(time: number, seconds = false): string {
  return new Date(time).toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
  });
}

/** True where two lines of a list were written in the same minute. */
export function minutesShared(times: readonly (number | null)[]): boolean {
  const known = times.filter((time) => time !== null);
  return new Set(known.map((time) => Math.floor(time / 60_000))).size < known.length;
}

/**
 * The day of a time, where it is another than that of the time before: `12 Nov`, with the year where
 * it is not this one. Empty on the same day.
 */
export function dayChange(time: number, before: number | null, now: number): string {
  const date = new Date(time);
  if (before !== null && new Date(before).toDateString() === date.toDateString()) return "";
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

/** The day and the time of day: `12 Nov, 14:05`, or with seconds. */
export function dayAndClock(time: number, now: number, seconds = false): string {
  return `${dayChange(time, null, now)}, ${clock(time, seconds)}`;
}

/** The exact time, for a hover. */
export function stamp(time: number): string {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** `1 entry`, `12 entries`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${exact(n)} ${n === 1 ? one : many}`;
}

/** `not_recorded` as `not recorded`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
/** Without the full stop it ends in, to be put before one. */
export function unended(text: string): string {
  return text.replace(/(?<!\.)\.$/, "");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const STOPS: Record<string, string> = {
  stop: "end of turn",
  end_turn: "end of turn",
  tool_use: "tool call",
  tool_calls: "tool call",
  length: "output limit",
  max_tokens: "output limit",
  stop_sequence: "stop sequence",
  aborted: "interrupted",
  error: "error",
  refusal: "refused by the model",
};
/** Why a model stopped, in words; agents spell the providers' reasons in their own ways. */
export function stopped(reason: string): string {
  const key = reason.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("-", "_");
  return STOPS[key] ?? words(key);
}

/**
 * Entry ids are long; this much of one is enough to tell it from its neighbours: the beginning of
 * a random one, the end of one that begins with a word or the time.
 */
export function shortId(id: string): string {
  // Made of the place of a record without an id, from 0; what is shown beside it counts from 1.
  const place = /^(line|ordinal):(\d+)(\.\d+)?$/.exec(id);
  if (place !== null)
    return `${place[1] === "line" ? "line" : "record"} ${Number(place[2]) + 1}${place[3] ?? ""}`;
  if (id.length <= 12) return id;
  return /^[0-9a-f]{8}/.test(id) ? id.slice(0, 8) : `…${id.slice(-8)}`;
}

/** A model without its provider and without the date of its version, which its name has after a dash. */
export function modelName(model: string): string {
  return (model.split("/").at(-1) ?? model).replace(/-20\d{6}$/, "");
}
