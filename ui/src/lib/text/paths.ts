//! Paths in little room: what tells one from its neighbours is its end. Pure.

/** Paths inside the folder without it. */
export function nearPaths(text: string, folder: string | null): string {
  const base = folder?.replace(/[/\\]+$/, "") ?? "";
  if (base === "") return text;
  // Not in the middle of a longer path, and not a folder whose name only begins alike.
  const inside = new RegExp(`(?<![\\w./\\\\~-])${escaped(base)}[/\\\\](?=[^\\s/\\\\])`, "g");
  return text.replace(inside, "");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** True for a text that is one path with a folder in it. */
export function isPath(text: string): boolean {
  if (/\s|:\/\//.test(text)) return false;
  const at = Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\"));
  return at >= 1 && at < text.length - 1;
}
