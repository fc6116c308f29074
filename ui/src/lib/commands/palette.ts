//! The lines of the palette: commands, sessions, and the search of the text for what was typed.

import type { SessionRow } from "../../wire/wire";
import type { App } from "../state/app.svelte";
import { commands } from "./commands";
import { shown } from "./keys";
import { score } from "./match";

export interface PaletteLine {
  id: string;
  title: string;
  group: string;
  also: readonly string[];
  /** Key caps. */
  keys: string[];
  /** One of many alike, which others go before. */
  alike: boolean;
  run: () => void;
}

/** More lines than this nobody reads. */
const MOST = 40;

const SESSION = "session-";
const isSession = (line: PaletteLine): boolean => line.id.startsWith(SESSION);
/** What one of many alike loses, so that others with the same word go before. */
const ALIKE_LOSS = 4;

/** Searches the text of all sessions, and gives the focus to the search box. */
function searchAll(app: App, query: string): void {
  app.pane = "sessions";
  app.go({ query, lab: null });
  setTimeout(() => document.querySelector<HTMLElement>("[data-testid=search]")?.focus());
}

/** What fits `typed`, best first; the last line searches the text for it. */
export function paletteLines(
  app: App,
  sessions: readonly SessionRow[],
  typed: string,
  mac: boolean,
): PaletteLine[] {
  const query = typed.trim();
  const apart = query === "" ? "typed" : "untyped";
  const all: PaletteLine[] = commands(app)
    .filter(
      (command) =>
        command.id !== "palette" && command.listed !== apart && (command.possible?.() ?? true),
    )
    .map((command) => ({
      id: command.id,
      title: command.title,
      group: command.group,
      also: command.also ?? [],
      keys: command.keys[0] ? shown(command.keys[0], mac) : [],
      alike: command.listed === "typed",
      run: command.run,
    }));
  for (const row of sessions) {
    all.push({
      id: `${SESSION}${row.id}`,
      title: row.title,
      group: `Session, ${row.project}`,
      also: [],
      keys: [],
      alike: false,
      run: () => app.go({ session: row.id }),
    });
  }
  const fitting = all
    .flatMap((line) => {
      const fit = score(line, typed);
      return fit === null ? [] : [{ line, fit: fit - (line.alike ? ALIKE_LOSS : 0) }];
    })
    // Enter runs what was typed as a command, also where a session has the word in its title.
    .sort((a, b) => Number(isSession(a.line)) - Number(isSession(b.line)) || b.fit - a.fit)
    .slice(0, MOST)
    .map((ranked) => ranked.line);
  if (query === "") return fitting;
  return [
    ...fitting,
    {
      id: "search-all",
      title: `Search the text of all sessions for “${query}”`,
      group: "Window",
      also: [],
      keys: [],
      alike: false,
      run: () => searchAll(app, query),
    },
  ];
}
