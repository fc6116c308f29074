//! Which saved prompts fit a place, and what they are called.

import type { PlaceholderInfo, PromptRow, PromptUseView } from "../../wire/wire";

/** A version's whole name. */
export function versionName(row: Pick<PromptRow, "name" | "version">): string {
  return `${row.name}@${row.version}`;
}

/** The same with its label. */
export function versionTitle(
  row: Pick<PromptRow, "name" | "version"> & { label?: string | null },
): string {
  const label = row.label ?? "";
  return label === "" ? versionName(row) : `${versionName(row)} (${label})`;
}

/** The versions that fit a place: written for it, else for no place; those of the strategy first. */
export function fitting(rows: readonly PromptRow[], strategy: string, place: string): PromptRow[] {
  const family = (name: string): string => name.split("-")[0]!;
  const fits = (row: PromptRow): boolean =>
    row.place === null ||
    row.place === place ||
    (isInstructions(row.place) && isInstructions(place));
  const rank = (row: PromptRow): number =>
    row.strategy === strategy
      ? 0
      : row.strategy !== null && family(row.strategy) === family(strategy)
        ? 1
        : 2;
  return rows
    .filter(fits)
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || b.version - a.version);
}

/** Instructions can be added or replace the request; a saved one serves both. */
export function isInstructions(place: string): boolean {
  return place === "instructions" || place === "request";
}

/** The user's prompts of a plan in words: `system terse@2`. */
export function usedWords(prompts: readonly PromptUseView[]): string {
  const own = prompts.filter((used) => used.own);
  if (own.length === 0) return "strategy default";
  return own
    .map(
      (used) =>
        `${used.place} ${used.name === null ? "unsaved" : versionTitle({ name: used.name, version: used.version ?? 1, label: used.label })}`,
    )
    .join(", ");
}

/** The placeholders and sections that a text has, in their order, with what they are. */
export function placeholdersIn(
  text: string,
  known: readonly PlaceholderInfo[],
): { name: string; meaning: string }[] {
  const names = new Set([...text.matchAll(/\{\{([#^/]?)([a-z_]+)\}\}/g)].map((found) => found[2]!));
  return [...names].map((name) => ({
    name,
    meaning: known.find((own) => own.name === name)?.meaning ?? "unknown placeholder",
  }));
}

/** Saved prompts by name, each with its versions, newest first. */
export function byName(rows: readonly PromptRow[]): { name: string; versions: PromptRow[] }[] {
  const names = [...new Set(rows.map((row) => row.name))].sort((a, b) => a.localeCompare(b));
  return names.map((name) => ({
    name,
    versions: rows.filter((row) => row.name === name).sort((a, b) => b.version - a.version),
  }));
}
