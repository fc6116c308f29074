//! The window's parts, made once and handed down by context.

import { getContext, setContext } from "svelte";
import { wireError, type Connection, type Host } from "../../host/types";
import type { AppInfo, Event, FailedSource, SessionRow } from "../../wire/wire";
import { capital, count, unended } from "../text/format";
import { Finds } from "../find/opening";
import { sessionsAsk } from "../sessions/lines";
import { Cache } from "./cache.svelte";
import { Cutting } from "./cut.svelte";
import { Drafts } from "./drafts.svelte";
import { Marks } from "../marks/keeping.svelte";
import { LabDesk } from "./lab.svelte";
import { Leaving } from "./leaving.svelte";
import { Location } from "./location.svelte";
import { format, parse, type Place, type Tab } from "./place";
import { PlanDraft } from "./plan.svelte";
import { CostGate } from "./cost.svelte";
import { Prefs } from "./prefs.svelte";
import { findsAnything } from "./restored";
import { Runner } from "./runner.svelte";
import { Toasts } from "./toasts.svelte";
import type { SettingsPart, StepAction } from "../ui/steps";

/** What a plan makes of an entry. */
export type Span = "summarized" | "prefix" | "kept" | "dropped";
/** What a plan makes smaller without a model. */
export interface Cleared {
  by: string;
  before: number;
  after: number;
}

/** Where the page notes that the user entered an access token. */
const TRIED = "palimpsest-token-tried";

/** Why the file of a session cannot be opened. */
export type Loss = "deleted" | "unreadable";

/** What lies over the panes. */
export type Overlay = "palette" | "shortcuts" | "settings" | "add-cut" | null;

/** An entry that was opened from the hits of a search. */
export interface Hit {
  session: string;
  entry: string;
  /** The field with the search. */
  by: "query" | "find";
  /** What was in it. */
  text: string;
}

export class App {
  readonly cache: Cache;
  readonly prefs: Prefs;
  readonly location: Location;
  readonly toasts = new Toasts();
  /** The user's stars, notes and labels. */
  readonly marks: Marks;
  readonly cost: CostGate;
  readonly runner: Runner;
  readonly draft: PlanDraft;
  /** What is drafted and run in Switch branch. */
  readonly leaving: Leaving;
  /** Experiments over several cuts. */
  readonly lab: LabDesk;
  readonly cut: Cutting;
  readonly drafts: Drafts;
  /** What was searched in each session. */
  readonly finds = new Finds();
  overlay = $state<Overlay>(null);
  /** The part of the settings that is scrolled to when they open. */
  settingsPart = $state<SettingsPart | null>(null);
  /** The pane shown when the window is too narrow for three. */
  pane = $state<"sessions" | "tree" | "inspector">("sessions");
  info = $state.raw<AppInfo | null>(null);
  /** Entries to mark in the tree: what a plan summarizes, splits off, keeps, leaves out. */
  spans = $state.raw<ReadonlyMap<string, Span>>(new Map());
  /** Entries it makes smaller. */
  cleared = $state.raw<ReadonlyMap<string, Cleared>>(new Map());
  /** Counts up when the open session's file changed. */
  changes = $state(0);
  indexing = $state.raw<{ done: number; total: number } | null>(null);
  /** How far the chain of a session is. */
  chaining = $state.raw<{ session: string; done: number; total: number } | null>(null);
  /** A summary whose editor opens as soon as its facts are there: a run. */
  toEdit = $state.raw<string | null>(null);
  /** Writing from the summary opens as soon as the Summary tab shows one. */
  toWrite = $state(false);
  /** What the last scan could not read. */
  failed = $state.raw<readonly FailedSource[]>([]);
  now = $state(Date.now());
  /** Sessions in the list whose file could not be opened. */
  lost = $state.raw<ReadonlyMap<string, Loss>>(new Map());
  /** Sessions that the server removed because their file was deleted. */
  deleted = $state.raw<ReadonlySet<string>>(new Set());
  /** Sessions that were open in this window. */
  private readonly met = new Set<string>();
  /** True once a rescan took the open session out of the list, until another is opened. */
  removed = $state(false);
  /** Whether the program behind the page answers. */
  connection = $state<Connection>("connected");
  private readonly stops: (() => void)[] = [];

  constructor(
    readonly host: Host,
    private readonly window: Window,
  ) {
    this.cache = new Cache(host);
    this.prefs = new Prefs(host);
    this.cost = new CostGate(() => this.prefs.settings?.ask_above_usd ?? null);
    this.location = new Location(window, () => this.remember());
    this.marks = new Marks(host, this.toasts);
    this.runner = new Runner(host, (event) => this.cache.hear(event));
    this.draft = new PlanDraft((request) => host.rpc("plan", { ...request, brief: true }));
    this.leaving = new Leaving(host, (event) => this.cache.hear(event));
    this.lab = new LabDesk(host, this.toasts, this.cache, this.cost);
    this.cut = new Cutting(this.draft);
    this.drafts = new Drafts(
      this.location,
      this.prefs,
      this.toasts,
      { plan: this.draft, leave: this.leaving },
      () => Promise.all([host.rpc("strategies", {}), host.rpc("stage_kinds", {})]),
    );
    this.stops.push(host.listen((event) => this.hear(event)));
    const stop = host.connection?.((state) => (this.connection = state));
    if (stop) this.stops.push(stop);
    this.stops.push(() => this.drafts.stop());
    this.stops.push(() => this.location.stop());
  }

  /** Every draft of rows: their plans name the saved versions of prompts. */
  get rowDrafts(): readonly PlanDraft[] {
    return [this.draft, this.leaving.draft, this.lab.draft];
  }

  get place(): Place {
    return this.location.place;
  }
  go(change: Partial<Place>): void {
    if (change.session !== undefined && change.session !== this.place.session) {
      this.draft.forgetEntries();
      this.toasts.leaveErrors();
      const { was } = this.place;
      if (was !== null && change.filter === undefined) change = { ...change, filter: was };
      change = { was: null, ...change };
    } else if (change.filter !== undefined) change = { was: null, ...change };
    // The lab lies over the panes: what is opened in them is seen only without it.
    const inPanes = [change.session, change.entry, change.tab, change.ledger, change.compare];
    if (change.lab === undefined && inPanes.some((own) => own !== undefined))
      change = { ...change, lab: null };
    if (change.session) {
      this.pane = "tree";
      this.removed = false;
    }
    if (change.tab || change.ledger) this.pane = "inspector";
    const leaves = change.session !== undefined && change.session !== this.place.session;
    if (this.visiting !== null && leaves) change = { tab: this.visiting, ...change };
    if (change.tab !== undefined) this.visiting = null;
    this.location.go(change);
  }

  /** Shows all entries of the open session, until another session or filter is chosen. */
  widen(): void {
    const { filter, was } = this.place;
    this.go({ filter: "all", was: was ?? filter });
  }
  /** The tab that another session is shown with, where a button of this one opened its own. */
  private visiting: Tab | null = null;
  /** Shows a tab for the open session; another session is shown with the tab before it. */
  visit(tab: Tab): void {
    const before = this.visiting ?? this.place.tab;
    this.go({ tab });
    this.visiting = before;
    this.remember();
  }
  /** The branches of Switch branch come into view as soon as they are listed. */
  toCompare = $state(false);
  /** Leads to the other branches of the open session, which can be compared with the active path. */
  compareBranches(): void {
    this.toCompare = true;
    this.visit("navigate");
  }
  /** Stores the place for the next start, without the filter and tab that only this visit needs. */
  private remember(): void {
    const { place, visiting } = this;
    const filter = place.was ?? place.filter;
    const kept = { ...place, filter, was: null, tab: visiting ?? place.tab };
    this.prefs.remember({ hash: format(kept) });
  }

  /** The entry of a hit that was opened, until its row is shown: the filter must not hide it. */
  sought = $state<string | null>(null);
  /** The hit that was opened last. */
  private hit = $state.raw<Hit | null>(null);
  /** The opened hit, while its entry and its search are the present ones. */
  get shownHit(): Hit | null {
    const { hit, place } = this;
    const shown =
      hit?.session === place.session && hit.entry === place.entry && hit.text === place[hit.by];
    return shown ? hit : null;
  }
  /** Opens an entry that a search found: that over all sessions, or that in the open one. */
  seek(session: string, entry: string, by: Hit["by"] = "query"): void {
    this.sought = entry;
    this.hit = { session, entry, by, text: this.place[by] ?? "" };
    this.go({ session, entry, tab: "entry" });
  }

  /** The next moment at which a session stops to count as live. */
  private wakes: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;
  /** Whether an agent writes the session now. Sets the one timer that ends it on screen. */
  isLive(row: { live_until: number | null }): boolean {
    const until = row.live_until;
    if (until === null || until <= this.now) return false;
    if (this.wakes === null || until < this.wakes.at) {
      if (this.wakes) clearTimeout(this.wakes.timer);
      const timer = setTimeout(
        () => {
          this.wakes = null;
          this.now = Date.now();
        },
        Math.max(0, until - Date.now()) + 50,
      );
      this.wakes = { at: until, timer };
    }
    return true;
  }

  async start(): Promise<void> {
    try {
      const hash = await this.prefs.load();
      const { query } = parse(hash);
      // A list that is empty for a search of days ago looks like a fault: it is shown once it finds something.
      const restored = this.location.restore(format({ ...parse(hash), query: "" }));
      if (restored && query !== "") void this.restoreSearch(query);
      const { provider, model } = this.prefs.settings ?? { provider: null, model: null };
      for (const draft of this.rowDrafts) draft.runOn(provider, model);
    } catch (thrown) {
      // The page asks for another token instead of its panes.
      if (this.connection === "refused") return;
      this.toasts.fail(wireError(thrown));
    }
    await this.drafts.start(this.window);
    await this.findRuns();
    await this.refreshInfo();
    for (const notice of this.info?.notices ?? [])
      this.toasts.say(`${capital(unended(notice))}.`, "warning");
  }
  private async restoreSearch(query: string): Promise<void> {
    if (!(await findsAnything(this.host, query, this.prefs.sort))) return;
    // Another one may have been typed meanwhile.
    if (this.place.query === "") this.go({ query });
  }
  /** Takes up runs that an earlier page began and that are still under way. */
  private async findRuns(): Promise<void> {
    try {
      const all = await this.host.rpc("running", {});
      this.runner.takeUp(
        all.filter((run) => run.kind !== "branch_summary"),
        this.place.session,
      );
      this.leaving.runner.takeUp(
        all.filter((run) => run.kind === "branch_summary"),
        this.place.session,
      );
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
  }
  async refreshInfo(): Promise<void> {
    try {
      this.info = await this.host.rpc("app_info", {});
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
  }

  /** Whether a token was refused that the user entered or that the address contained. */
  get tokenWasRefused(): boolean {
    const tried = this.window.sessionStorage.getItem(TRIED) !== null;
    return this.connection === "refused" && (tried || this.host.hasToken === true);
  }
  /** Loads the page again with another access token. */
  unlock(tokenOrAddress: string): void {
    this.host.unlock?.(tokenOrAddress);
    // After the reload the form says that this one was refused.
    this.window.sessionStorage.setItem(TRIED, "yes");
    this.window.location.reload();
  }

  /** Leads to where the compactions of the sessions that fit are saved as a set of cuts. */
  makeSet(query: string): void {
    this.lab.query = query;
    this.go({ lab: "sets" });
  }
  /** Asks for the set of cuts that an entry of the open session is added to. */
  addCut(entry: string | null): void {
    const { session } = this.place;
    if (session === null || entry === null) return;
    this.lab.adding = { session, entry, to: null };
    this.overlay = "add-cut";
  }

  /** What the palette begins with the next time it opens. */
  private paletteText = "";
  /** Opens the palette with text in it. */
  openPalette(text: string): void {
    this.paletteText = text;
    this.overlay = "palette";
  }
  /** The text that the palette begins with, once. */
  takePaletteText(): string {
    const text = this.paletteText;
    this.paletteText = "";
    return text;
  }

  /** Opens the settings at a part. */
  openSettings(part: SettingsPart): void {
    this.settingsPart = part;
    this.overlay = "settings";
  }
  /** Does what the button of a next step promises. */
  doStep(action: StepAction): void {
    switch (action.does) {
      case "settings":
        this.openSettings(action.part);
        break;
      case "index":
        void this.index(action.roots);
        break;
      case "reload":
        this.window.location.reload();
        break;
    }
  }

  /** Notes why the file of a session cannot be opened; null where it can. */
  lose(session: string, why: Loss | null): void {
    if (why === null) this.met.add(session);
    if ((this.lost.get(session) ?? null) === why) return;
    const next = new Map(this.lost);
    if (why === null) next.delete(session);
    else next.set(session, why);
    this.lost = next;
  }

  private noteDeleted(session: string, gone: boolean): void {
    if (this.deleted.has(session) === gone) return;
    const next = new Set(this.deleted);
    if (gone) next.add(session);
    else next.delete(session);
    this.deleted = next;
  }

  /** Takes the open session, whose file is gone, out of the list. */
  async rescanLost(): Promise<void> {
    const id = this.place.session;
    if (id === null) return;
    try {
      const path = (await this.listed(id))?.path.replace(/#[^/\\]*$/, "");
      // A folder that was indexed once by name is not among those that are always scanned.
      await this.index(path === undefined ? [] : [path]);
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
  }

  /** The row of a session in the list of all; undefined where it is not listed. */
  private async listed(id: string): Promise<SessionRow | undefined> {
    const ask = { ...sessionsAsk(""), hide_subagents: false };
    return (await this.host.rpc("sessions", ask)).sessions.find((row) => row.id === id);
  }
  /** Leaves the open session where a rescan took it out of the list; else tries a lost one again. */
  private async leaveRemoved(open: string): Promise<void> {
    if (this.place.session !== open) return;
    if (await this.listed(open)) {
      if (this.lost.has(open)) this.cache.invalidate((s) => s.command === "open");
    } else {
      this.go({ session: null });
      this.removed = true;
    }
  }

  /** Rescans the session folders. */
  async index(roots: string[] = []): Promise<void> {
    this.indexing = { done: 0, total: 0 };
    try {
      const open = this.place.session;
      const known =
        open !== null && (this.met.has(open) || (await this.listed(open)) !== undefined);
      const report = await this.host.rpc("index", { roots });
      this.failed = report.failed;
      const failed = report.failed[0];
      if (failed)
        this.toasts.say(
          `${failed.path}: ${failed.reason}`,
          "warning",
          report.failed.length > 1 ? `${report.failed.length - 1} more files failed.` : null,
        );
      else
        this.toasts.say(
          `Scanned ${count(report.sessions, "session")} with ${count(report.entries, "entry", "entries")}.`,
        );
      await this.refreshInfo();
      this.cache.invalidate((s) => s.command === "sessions");
      if (open !== null && known) await this.leaveRemoved(open);
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    } finally {
      this.indexing = null;
    }
  }

  private hear(event: Event): void {
    this.cache.hear(event);
    this.runner.hear(event);
    this.leaving.runner.hear(event);
    this.lab.hear(event);
    this.now = Date.now();
    switch (event.type) {
      case "notice":
        this.toasts.say(event.text, event.level);
        break;
      case "session_changed":
        this.noteDeleted(event.session, event.change === "removed");
        if (event.session !== this.place.session) break;
        this.changes += 1;
        if (event.change === "rewritten")
          this.toasts.say("The session file was rewritten. It is shown as it is now.", "warning");
        break;
      case "missed":
        // A lost event may be about the session on screen.
        this.changes += 1;
        break;
      case "index_progress":
        this.indexing = event.done < event.total ? { done: event.done, total: event.total } : null;
        break;
      case "chain_progress":
        this.chaining =
          event.done < event.total
            ? { session: event.session, done: event.done, total: event.total }
            : null;
        break;
      case "marks_changed":
        // What the tree shows of "labeled only" depends on them.
        if (event.session === this.place.session && this.place.filter === "labeled_only")
          this.changes += 1;
        break;
      case "sessions_changed":
      case "run_delta":
      case "run_retry":
      case "run_finished":
      case "lab_progress":
        break;
    }
  }

  stop(): void {
    for (const stop of this.stops) stop();
    if (this.wakes) clearTimeout(this.wakes.timer);
  }
}

const KEY = Symbol("app");
export function provideApp(app: App): void {
  setContext(KEY, app);
}
export function useApp(): App {
  return getContext<App>(KEY);
}

const DRAFT = Symbol("draft");
/** Gives the row editor below another draft than that of Re-run. */
export function provideDraft(draft: PlanDraft): void {
  setContext(DRAFT, draft);
}
/** The draft whose rows are edited here. */
export function useDraft(): PlanDraft {
  return getContext<PlanDraft | undefined>(DRAFT) ?? useApp().draft;
}
