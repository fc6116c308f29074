//! What the window remembers between starts: sizes, theme, the last place, the search history.

import type { Order } from "../sessions/lines";
import { LEFT_DEFAULT } from "../ui/panes";
import type { Host } from "../../host/types";
import type { Settings, Theme } from "../../wire/wire";

interface StoredUi {
  hash?: string;
  left?: number;
  right?: number;
  foldedProjects?: string[];
  sort?: Order;
  drafts?: Record<string, string>;
}

const SORTS: readonly Order[] = [
  "updated",
  "relevance",
  "meaning",
  "oldest",
  "created",
  "compactions",
  "errors",
  "rejections",
  "context",
  "cost",
  "size",
  "entries",
  "title",
];
/** Writing is put off this long, so that dragging a splitter is one write. */
const SAVE_AFTER_MS = 400;
/** So many drafts are kept that are too long for an address, the newest. */
const KEPT_DRAFTS = 8;

export class Prefs {
  settings = $state.raw<Settings | null>(null);
  theme = $state<Theme>("system");
  /** Width of the left pane in CSS pixels. */
  left = $state(LEFT_DEFAULT);
  /** Share of the rest that the right pane takes, 0 to 1. */
  right = $state(0.52);
  foldedProjects = $state.raw<readonly string[]>([]);
  /** The order of the session list. */
  sort = $state<Order>("updated");
  /** Drafts too long for an address, by name, the newest last. */
  drafts = $state.raw<Readonly<Record<string, string>>>({});
  private hash = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: Host) {}

  /** Loads what is stored and returns the place the window was at. */
  async load(): Promise<string> {
    this.settings = await this.host.rpc("settings", {});
    const ui = stored(this.settings.ui);
    this.theme = this.settings.theme;
    if (ui.left !== undefined) this.left = ui.left;
    if (ui.right !== undefined) this.right = ui.right;
    if (ui.foldedProjects) this.foldedProjects = ui.foldedProjects;
    if (ui.sort) this.sort = ui.sort;
    if (ui.drafts) this.drafts = ui.drafts;
    this.hash = ui.hash ?? "";
    return this.hash;
  }

  async change(change: Partial<Settings>): Promise<void> {
    const none = {
      roots: null,
      theme: null,
      ui: null,
      provider: null,
      model: null,
      embeddings: null,
      ask_above_usd: null,
    };
    this.settings = await this.host.rpc("settings_set", { ...none, ...change });
    this.theme = this.settings.theme;
  }

  keepDraft(name: string, text: string): void {
    if (this.drafts[name] === text) return;
    const others = Object.entries(this.drafts).filter(([other]) => other !== name);
    this.drafts = Object.fromEntries([...others, [name, text]].slice(-KEPT_DRAFTS));
    this.remember({});
  }

  remember(change: {
    hash?: string;
    left?: number;
    right?: number;
    foldedProjects?: readonly string[];
    sort?: Order;
  }): void {
    if (change.hash !== undefined) this.hash = change.hash;
    if (change.left !== undefined) this.left = change.left;
    if (change.right !== undefined) this.right = change.right;
    if (change.foldedProjects !== undefined) this.foldedProjects = change.foldedProjects;
    if (change.sort !== undefined) this.sort = change.sort;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const ui = {
        hash: this.hash,
        left: this.left,
        right: this.right,
        foldedProjects: [...this.foldedProjects],
        sort: this.sort,
        drafts: this.drafts,
      };
      // Losing a splitter position is not worth a message.
      this.change({ ui }).catch(() => {});
    }, SAVE_AFTER_MS);
  }
}

function stored(ui: unknown): StoredUi {
  if (typeof ui !== "object" || ui === null) return {};
  const { hash, left, right, foldedProjects, sort, drafts } = ui as Record<string, unknown>;
  return {
    hash: typeof hash === "string" ? hash : undefined,
    left: typeof left === "number" ? left : undefined,
    right: typeof right === "number" ? right : undefined,
    foldedProjects: texts(foldedProjects),
    sort: SORTS.find((known) => known === sort),
    drafts:
      typeof drafts === "object" && drafts !== null
        ? Object.fromEntries(
            Object.entries(drafts).filter(
              (own): own is [string, string] => typeof own[1] === "string",
            ),
          )
        : undefined,
  };
}

function texts(list: unknown): string[] | undefined {
  return Array.isArray(list) ? list.filter((own) => typeof own === "string") : undefined;
}
