//! The commands that open a screen, a panel or a dialog. The palette lists them first.

import { SORT_NAMES, sortsFor } from "../sessions/sorts";
import { TABS, toTab, type Tab } from "../state/place";
import type { SessionView } from "../../wire/wire";
import type { App } from "../state/app.svelte";
import type { SettingsPart } from "../ui/steps";
import type { Command } from "./keys";

const TAB_TITLES: Record<Tab, string> = {
  entry: "Show the entry",
  context: "Show the context",
  summary: "Show the facts of the summary (ledger)",
  rerun: "Re-run the compaction with a strategy",
  runs: "Show the runs and compare summaries",
  navigate: "Switch branch: summarize what is left behind",
};

/** What else the palette finds a tab by. */
const TAB_WORDS: Partial<Record<Tab, string[]>> = {
  summary: ["retained", "dropped", "claims"],
  rerun: ["run a strategy", "compact", "plan", "model"],
  runs: ["comparison", "difference"],
  navigate: ["branch summary", "navigate", "rewind", "continue at another entry", "fork"],
};

/** The open session, once it was read. */
function opened(app: App): SessionView | undefined {
  const { session, lab } = app.place;
  // The lab lies over the panes.
  return session === null || lab !== null ? undefined : app.cache.known("open", { session });
}

/** Opens what a button of the window opens; leaves it open where it is. */
function openBy(selector: string): void {
  setTimeout(() => {
    const button = document.querySelector<HTMLButtonElement>(selector);
    if (button?.getAttribute("aria-expanded") !== "true") button?.click();
  });
}

/** Leads to the session list and shows its sessions in another order. */
function sorts(app: App): Command[] {
  const lead: Command = {
    id: "sort",
    title: "Sort sessions by…",
    group: "Window",
    keys: [],
    listed: "untyped",
    run: () => app.openPalette("Sort sessions "),
  };
  const orders = sortsFor(app.prefs.settings?.embeddings, app.prefs.sort).map((sort): Command => ({
    id: `sort-${sort}`,
    title: `Sort sessions: ${SORT_NAMES[sort].toLowerCase()}`,
    group: "Window",
    also: ["order the session list"],
    keys: [],
    listed: "typed",
    run: () => {
      app.pane = "sessions";
      app.go({ lab: null });
      app.prefs.remember({ sort });
    },
  }));
  return [lead, ...orders];
}

/** What a session is looked at by. */
function ofSession(app: App): Command[] {
  const has = (fits: (view: SessionView) => boolean) => (): boolean => {
    const view = opened(app);
    return view !== undefined && fits(view);
  };
  const inTree = (selector: string) => (): void => {
    app.pane = "tree";
    openBy(selector);
  };
  const branched = ({ row }: SessionView): boolean =>
    (app.cache.known("branches", { session: row.id })?.branches.length ?? 0) > 0;
  const compactions = (view: SessionView): number =>
    view.summaries.filter((own) => own.kind === "compaction").length;
  return [
    ...TABS.map((tab, n): Command => ({
      id: `tab-${tab}`,
      title: TAB_TITLES[tab],
      also: TAB_WORDS[tab] ?? [],
      group: "Inspector",
      keys: [String(n + 1)],
      possible: () => app.place.session !== null && app.place.lab === null,
      run: () => app.go(toTab(app.place, tab)),
    })),
    {
      id: "chain",
      title: "Show the life of each fact over all compactions (chain)",
      group: "Inspector",
      also: ["history of facts"],
      keys: [],
      possible: has((view) => compactions(view) > 1),
      run: () => app.go({ tab: "summary", ledger: "chain" }),
    },
    {
      id: "write",
      title: "Write a new session from the summary…",
      group: "Inspector",
      also: ["continue", "resume", "undo the compaction"],
      keys: [],
      possible: has((view) => view.can_write && view.summaries.length > 0),
      run: () => {
        app.toWrite = true;
        app.go({ tab: "summary", ...(app.place.ledger === "chain" ? { ledger: null } : {}) });
      },
    },
    {
      id: "policies",
      title: "Show auto-compaction policies on the timeline",
      group: "Tree",
      also: ["threshold", "when agents compact", "simulate"],
      keys: [],
      possible: has(() => true),
      run: inTree("[data-testid=policies-button]"),
    },
    {
      id: "cost",
      title: "Show the cost by model",
      group: "Tree",
      also: ["price", "spending", "usage", "tokens"],
      keys: [],
      possible: has((view) => view.row.cost_usd !== null && view.spending.length > 0),
      run: inTree("[data-testid=cost-chip]"),
    },
    {
      id: "branches",
      title: "List the places where branches part",
      group: "Tree",
      also: ["forks"],
      keys: [],
      possible: has(branched),
      run: inTree("[data-testid=branches-chip]"),
    },
    {
      id: "compare-branches",
      title: "Compare branches",
      group: "Inspector",
      also: ["active path", "difference", "fork"],
      keys: [],
      possible: has(branched),
      run: () => app.compareBranches(),
    },
    {
      id: "export",
      title: "Export the session…",
      group: "Tree",
      also: ["save", "markdown", "html", "json", "download"],
      keys: [],
      possible: has(() => true),
      run: inTree("[data-testid=session-header] [data-testid=export]"),
    },
  ];
}

function ofLab(app: App): Command[] {
  const part = (
    id: string,
    title: string,
    lab: string,
    keys: string[],
    also: string[],
  ): Command => ({
    id,
    title,
    group: "Lab",
    also,
    keys,
    run: () => app.go({ lab }),
  });
  return [
    part(
      "lab",
      "Lab: experiments over several cuts",
      "experiments",
      ["g e"],
      ["compare prompts", "statistics"],
    ),
    part("new-experiment", "Lab: new experiment", "new", [], ["compare strategies"]),
    part("cut-sets", "Lab: sets of cuts", "sets", [], ["experiment"]),
  ];
}

function ofSettings(app: App): Command[] {
  const part = (id: SettingsPart, title: string, also: string[]): Command => ({
    id,
    title,
    group: "Settings",
    also,
    keys: [],
    run: () => app.openSettings(id),
  });
  return [
    part("prompts", "Prompts: saved ones and those of installed agents", [
      "summary prompt",
      "import a prompt",
      "custom instructions",
    ]),
    part("providers", "Providers and API keys", ["model", "local server", "keyring"]),
    part("folders", "Session folders", ["add a folder", "roots"]),
    {
      id: "settings",
      title: "Settings",
      group: "Window",
      also: ["preferences", "options", "embeddings", "cost limit"],
      keys: ["Mod+,"],
      whileTyping: true,
      run: () => (app.overlay = "settings"),
    },
  ];
}

export function screenCommands(app: App): Command[] {
  return [...ofSession(app), ...sorts(app), ...ofLab(app), ...ofSettings(app)];
}
