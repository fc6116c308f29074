//! Every command of the window, once: the keys, the palette and the shortcut help come from here.

import { wireError } from "../../host/types";
import { openFind } from "../find/opening";
import { stepped } from "../inspector/navigate/branches";
import type { Wanted } from "../marks/keeping.svelte";
import type { App } from "../state/app.svelte";
import type { Command } from "./keys";
import { screenCommands } from "./screens";

/** Moves focus to the first of these that is there. */
function focus(...selectors: string[]): void {
  for (const selector of selectors) {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) return element.focus();
  }
}

export const TREE_EVENT = "palimpsest-tree";
/** Asks the header of the open session for the field of its title. */
export const RENAME_EVENT = "palimpsest-rename";

/** Asks the tree to do something; it listens, because it alone knows its rows. */
export function tellTree(what: string): void {
  window.dispatchEvent(new CustomEvent(TREE_EVENT, { detail: what }));
}

/** Copies the address, with what is drafted as far as a link holds it. */
async function copyLink(app: App): Promise<void> {
  const whole = app.drafts.write();
  try {
    await app.host.copy(window.location.href);
  } catch {
    return app.toasts.say("Copying to the clipboard failed.", "warning");
  }
  app.toasts.say(
    "Link copied.",
    "info",
    whole ? null : "The draft is too long for the link. The link restores it on this machine only.",
  );
}

/** Opens the field for a note or label of the entry stood on. */
function write(app: App, what: Wanted): void {
  app.go({ tab: "entry" });
  app.marks.wanted = what;
}

/** Goes to the last entry of the next branch. */
async function step(app: App, by: 1 | -1): Promise<void> {
  const session = app.place.session;
  if (session === null) return;
  try {
    const { branches, leaf_id: leaf } = await app.host.rpc("branches", { session });
    const tip = stepped(branches, leaf, app.place.entry, by);
    if (tip === null) return app.toasts.say("This session has one branch.");
    app.go({ entry: tip });
    const name = branches.find((branch) => branch.tip_id === tip)?.name;
    app.toasts.say(name === undefined ? "Active path" : `Branch: ${name}`);
  } catch (thrown) {
    app.toasts.fail(wireError(thrown));
  }
}

export function commands(app: App): Command[] {
  // The lab lies over the panes.
  const open = (): boolean => app.place.session !== null && app.place.lab === null;
  const tree = (id: string, title: string, keys: string[], also: string[] = []): Command => ({
    id,
    title,
    keys,
    also,
    group: "Tree",
    possible: open,
    run: () => tellTree(id),
  });
  return [
    {
      id: "palette",
      title: "Find a command or session",
      group: "Window",
      keys: ["Mod+k"],
      whileTyping: true,
      run: () => (app.overlay = app.overlay === "palette" ? null : "palette"),
    },
    {
      id: "search",
      title: "Search sessions and text",
      group: "Window",
      also: ["find", "look for", "query"],
      keys: ["/"],
      run: () => {
        app.pane = "sessions";
        app.go({ lab: null });
        setTimeout(() => {
          focus("[data-testid=search]");
          // What is typed stands for the last query.
          const box = document.activeElement;
          if (box instanceof HTMLInputElement) box.select();
        });
      },
    },
    {
      id: "find",
      title: "Search this session",
      group: "Tree",
      also: ["find text before and after the compaction"],
      keys: ["Mod+f"],
      whileTyping: true,
      possible: open,
      run: () => openFind(app),
    },
    ...screenCommands(app),
    {
      id: "rename",
      title: "Rename the session",
      group: "Tree",
      also: ["title", "name"],
      keys: [],
      possible: open,
      run: () => {
        app.pane = "tree";
        window.dispatchEvent(new CustomEvent(RENAME_EVENT));
      },
    },
    {
      id: "focus-sessions",
      title: "Go to the session list",
      group: "Window",
      keys: ["g s"],
      run: () => {
        app.pane = "sessions";
        app.go({ lab: null });
        setTimeout(() => focus("[data-testid=session-list]"));
      },
    },
    {
      id: "focus-tree",
      title: "Go to the tree",
      group: "Window",
      keys: ["g t"],
      possible: open,
      run: () => {
        app.pane = "tree";
        setTimeout(() => focus("[data-testid=outline]", "[data-testid=canvas]"));
      },
    },
    {
      id: "focus-inspector",
      title: "Go to the inspector",
      group: "Window",
      keys: ["g i"],
      possible: open,
      run: () => {
        app.pane = "inspector";
        setTimeout(() => focus("[role=tabpanel]"));
      },
    },
    tree("next", "Next entry", ["j"]),
    tree("previous", "Previous entry", ["k"]),
    tree("next-summary", "Next compaction or branch summary", ["]"]),
    tree("previous-summary", "Previous compaction or branch summary", ["["]),
    tree("leaf", "Go to the active leaf", ["g l"]),
    tree("parent", "Go to the parent entry", ["p"]),
    ...([1, -1] as const).map((by): Command => ({
      id: by > 0 ? "next-branch" : "previous-branch",
      title: by > 0 ? "Next branch" : "Previous branch",
      also: ["fork", "root"],
      // Shift shows in the letter.
      keys: [by > 0 ? "b" : "B"],
      group: "Tree",
      possible: open,
      run: () => void step(app, by),
    })),
    ...(["far", "middle", "near"] as const).map((distance): Command => ({
      id: distance,
      title: { far: "Canvas: whole session", middle: "Canvas: turns", near: "Canvas: entries" }[
        distance
      ],
      keys: [`z ${distance[0]}`],
      group: "Tree",
      possible: () => open() && app.place.view === "canvas",
      run: () => tellTree(distance),
    })),
    tree("summarize-from", "Summarize from this entry", [], ["here", "compact"]),
    tree("summarize-up-to", "Summarize up to this entry", [], ["here", "compact"]),
    tree("mark", "Mark or unmark the entry for the summary", ["m"]),
    {
      id: "star",
      title: "Star the session, or remove the star",
      group: "Tree",
      also: ["favorite", "bookmark"],
      keys: ["s"],
      possible: open,
      run: () => document.querySelector<HTMLButtonElement>("[data-testid=star]")?.click(),
    },
    {
      id: "note",
      title: "Write a note on the entry",
      group: "Tree",
      also: ["comment", "remark"],
      keys: ["n"],
      possible: open,
      run: () => write(app, "note"),
    },
    {
      id: "label",
      title: "Label the entry",
      group: "Tree",
      also: ["tag"],
      keys: ["l"],
      possible: open,
      run: () => write(app, "label"),
    },
    {
      id: "notes",
      title: "Show the notes and labels of the session",
      group: "Tree",
      keys: ["g n"],
      possible: open,
      run: () => {
        app.pane = "tree";
        app.marks.listed = !app.marks.listed;
        if (app.marks.listed) setTimeout(() => focus("[data-testid=marks] button"));
      },
    },
    {
      id: "undo",
      title: "Take back the last deleted note or label",
      group: "Tree",
      also: ["restore"],
      keys: ["u"],
      possible: () => app.marks.canUndo,
      run: () => void app.marks.undo(),
    },
    {
      id: "starred",
      title: "List the starred sessions",
      group: "Window",
      keys: ["g f"],
      run: () => {
        app.pane = "sessions";
        app.go({ query: "is:starred", lab: null });
        setTimeout(() => focus("[data-testid=session-list]"));
      },
    },
    {
      id: "view",
      title: "Switch between canvas and outline",
      group: "Tree",
      keys: ["v"],
      possible: open,
      run: () => app.go({ view: app.place.view === "canvas" ? "outline" : "canvas" }),
    },
    {
      id: "filter",
      title: "Switch to the next entry filter",
      group: "Tree",
      keys: ["f"],
      possible: open,
      run: () => tellTree("filter"),
    },
    {
      id: "run",
      title: "Run the plan",
      group: "Inspector",
      keys: ["Mod+Enter"],
      whileTyping: true,
      possible: () =>
        open() &&
        ((app.place.tab === "rerun" && !app.runner.busy) ||
          (app.place.tab === "navigate" && !app.leaving.runner.busy)),
      run: () => document.querySelector<HTMLButtonElement>("[data-testid=run-button]")?.click(),
    },
    {
      id: "cancel",
      title: "Cancel the run",
      group: "Inspector",
      keys: ["Mod+."],
      whileTyping: true,
      possible: () => app.runner.busy || app.leaving.runner.busy,
      run: () => {
        void app.runner.cancel();
        void app.leaving.runner.cancel();
      },
    },
    {
      id: "add-cut",
      title: "Add the entry to a set of cuts",
      group: "Tree",
      also: ["lab", "experiment", "compaction", "mark"],
      keys: [],
      possible: () => open() && app.place.entry !== null,
      run: () => app.addCut(app.place.entry),
    },
    {
      id: "copy-link",
      title: "Copy a link to this view",
      group: "Window",
      also: ["share", "address", "url"],
      keys: ["y"],
      possible: () => open() || app.place.lab !== null,
      run: () => void copyLink(app),
    },
    {
      id: "back",
      title: "Back",
      group: "Window",
      keys: ["Alt+ArrowLeft"],
      run: () => window.history.back(),
    },
    {
      id: "forward",
      title: "Forward",
      group: "Window",
      keys: ["Alt+ArrowRight"],
      run: () => window.history.forward(),
    },
    {
      id: "index",
      title: "Rescan the session folders",
      group: "Window",
      also: ["reload", "refresh", "update the index"],
      keys: [],
      run: () => void app.index(),
    },
    {
      id: "theme",
      title: "Switch between light and dark theme",
      group: "Window",
      also: ["appearance", "dark mode", "colors"],
      keys: ["Mod+Shift+l"],
      whileTyping: true,
      run: () =>
        void app.prefs.change({
          theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark",
        }),
    },
    {
      id: "shortcuts",
      title: "Keyboard shortcuts",
      group: "Window",
      also: ["help", "keys", "hotkeys"],
      keys: ["?"],
      run: () => (app.overlay = "shortcuts"),
    },
  ];
}
