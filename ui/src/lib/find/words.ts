//! What of a search over all sessions can be searched in one. Pure.

/** Filters of entries; the others choose sessions. */
const OF_ENTRIES: ReadonlySet<string> = new Set(["tool", "file", "cmd", "kind"]);

/** The words, phrases and filters of entries in a search; filters of sessions are left out. */
export function wordsOf(query: string): string {
  const parts = query.match(/-?(?:[a-z]+:)?(?:"[^"]*"?|\S+)/gi) ?? [];
  return parts
    .filter((part) => {
      const name = /^-?([a-z]+):/i.exec(part)?.[1];
      return name === undefined || OF_ENTRIES.has(name.toLowerCase());
    })
    .join(" ");
}
