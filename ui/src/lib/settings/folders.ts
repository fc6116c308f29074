//! Folders that the user adds, as typed and as found. Pure.

import type { AgentPlace, FailedSource, SessionRow } from "../../wire/wire";
import { count } from "../text/format";

/** A path from the root: of a Unix disk, a Windows drive or a share. */
const ABSOLUTE = /^(\/|[A-Za-z]:[\\/]|\\\\)/;

/** What is wrong with a folder as it is typed; null where nothing is, or nothing is typed. */
export function folderFlaw(typed: string, known: readonly string[]): string | null {
  const path = typed.trim();
  if (path === "") return null;
  if (path.startsWith("~")) return "Enter the full path. ~ is not replaced by the home folder.";
  if (!ABSOLUTE.test(path)) return "Enter the full path, such as /home/ada/sessions.";
  return known.includes(path) ? "This folder is in the list." : null;
}

export interface FolderNote {
  text: string;
  /** True where the folder brings nothing. */
  warns: boolean;
}

const inside = (path: string, folder: string): boolean => {
  const root = folder.replace(/[\\/]+$/, "");
  return path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
};

/** What is known of an added folder; null until the sessions are known. */
export function folderNote(
  folder: string,
  places: readonly AgentPlace[],
  sessions: readonly Pick<SessionRow, "path">[] | undefined,
  failed: readonly FailedSource[],
): FolderNote | null {
  if (!ABSOLUTE.test(folder)) return { text: "not a full path; add the full path", warns: true };
  const failure = failed.find((one) => inside(one.path, folder));
  if (failure !== undefined) return { text: failure.reason, warns: true };
  const place = places.find((one) => one.path === folder);
  if (place && !place.exists) return { text: "not found", warns: true };
  if (sessions === undefined) return null;
  const found = sessions.filter((row) => inside(row.path, folder)).length;
  if (found > 0) return { text: count(found, "session"), warns: false };
  return { text: "no session of a known agent found", warns: true };
}
