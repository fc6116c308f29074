//! The outline's rows, loaded as they come into view and kept while the file grows.

import { untrack } from "svelte";
import type {
  OutlinePage,
  OutlineRequest,
  OutlineRow,
  TreeFilter,
  WireError,
} from "../../wire/wire";
import { wireError } from "../../host/types";
import { minutesShared } from "../text/format";
import type { GlyphName } from "../ui/glyphs";
import { rareSigns } from "./legend";

/** Rows asked for at once: three screens of a tall window. */
export const PAGE_ROWS = 200;

type Ask = (request: OutlineRequest) => Promise<OutlinePage>;

export class OutlineModel {
  total = $state(0);
  /** Counts up whenever rows changed; the rows themselves are too many to watch one by one. */
  version = $state(0);
  error = $state.raw<WireError | null>(null);
  loaded = $state(false);
  /** True where rows of the session were written in the same minute: their times have seconds. */
  seconds = $state(false);
  /** The rare signs of the rows loaded so far, which the legend names then. */
  rare = $state.raw<ReadonlySet<GlyphName>>(new Set());
  private rows = new Map<number, OutlineRow>();
  private places = new Map<string, number>();
  private pending = new Set<number>();
  private folded = new Set<string>();
  /** First entries of subagents' conversations shown whole: without being asked they are folded. */
  private unfolded = new Set<string>();
  /** The session whose rows these are. */
  session = $state("");
  private filter: TreeFilter = "default";
  private generation = 0;

  constructor(private readonly ask: Ask) {}

  /** Starts over with another session or another choice of entries. */
  show(session: string, filter: TreeFilter): void {
    if (session !== this.session) {
      this.folded.clear();
      this.unfolded.clear();
      this.seconds = false;
      this.rare = new Set();
    }
    this.session = session;
    this.filter = filter;
    this.generation += 1;
    this.rows.clear();
    this.places.clear();
    this.pending.clear();
    this.total = 0;
    this.loaded = false;
    this.error = null;
    this.version += 1;
  }

  row(index: number): OutlineRow | undefined {
    void this.version;
    return this.rows.get(index);
  }
  /** Where a loaded entry stands; undefined when it is not loaded or not shown. */
  indexOf(entry: string): number | undefined {
    void this.version;
    return this.places.get(entry);
  }
  loadedRows(): [number, OutlineRow][] {
    return [...this.rows].sort((a, b) => a[0] - b[0]);
  }

  /** Loads what is missing between two rows. */
  want(first: number, last: number): void {
    untrack(() => {
      for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS <= last; page++) {
        const from = page * PAGE_ROWS;
        const to = Math.min(this.total, from + PAGE_ROWS);
        if (from >= to || this.pending.has(page)) continue;
        let whole = true;
        for (let i = Math.max(first, from); i <= Math.min(last, to - 1) && whole; i++)
          whole = this.rows.has(i);
        if (whole) continue;
        this.pending.add(page);
        void this.load({ offset: from, around: null }).finally(() => this.pending.delete(page));
      }
    });
  }

  /**
   * Loads the rows around an entry, unfolding what it is folded away in. Returns its place, that of
   * the nearest one above it where the choice hides it, or null.
   */
  async reveal(entry: string | null): Promise<number | null> {
    const known = entry === null ? undefined : this.places.get(entry);
    if (known !== undefined) return known;
    for (
      let page = await this.load({ offset: 0, around: entry });
      page !== null;
      page = await this.load({ offset: 0, around: entry })
    ) {
      const nearest = page.focus === null ? undefined : this.rows.get(page.focus);
      if (nearest === undefined || nearest.entry_id === entry || !nearest.folded) return page.focus;
      this.setFolded(nearest.entry_id, false);
      this.rows.clear();
      this.places.clear();
    }
    return null;
  }

  /**
   * Reads again after the file changed or a branch was folded. Returns how many rows the anchor
   * moved down, so that the view can follow it.
   */
  async refresh(anchor: string | null): Promise<number> {
    const before = anchor === null ? undefined : this.places.get(anchor);
    const generation = ++this.generation;
    const page = await this.askFor({ offset: 0, around: anchor });
    if (page === null || generation !== this.generation) return 0;
    this.rows.clear();
    this.places.clear();
    this.take(page);
    const after = anchor === null ? undefined : this.places.get(anchor);
    return before === undefined || after === undefined ? 0 : after - before;
  }

  setFolded(entry: string, folded: boolean): void {
    // What was not folded here is a subagent's conversation, which comes folded.
    if (folded) {
      if (!this.unfolded.delete(entry)) this.folded.add(entry);
    } else if (!this.folded.delete(entry)) this.unfolded.add(entry);
  }

  private async load(at: Pick<OutlineRequest, "offset" | "around">): Promise<OutlinePage | null> {
    const generation = this.generation;
    const page = await this.askFor(at);
    if (page === null || generation !== this.generation) return null;
    this.take(page);
    return page;
  }
  private async askFor(at: Pick<OutlineRequest, "offset" | "around">): Promise<OutlinePage | null> {
    const generation = this.generation;
    try {
      return await this.ask({
        session: this.session,
        filter: this.filter,
        folded: [...this.folded],
        unfolded: [...this.unfolded],
        limit: PAGE_ROWS,
        ...at,
      });
    } catch (thrown) {
      if (generation === this.generation) this.error = wireError(thrown);
      return null;
    }
  }
  private take(page: OutlinePage): void {
    page.rows.forEach((row, n) => {
      this.rows.set(page.offset + n, row);
      this.places.set(row.entry_id, page.offset + n);
    });
    this.total = page.total;
    this.seconds ||= minutesShared(page.rows.map((row) => row.timestamp));
    const rare = rareSigns(page.rows).filter((sign) => !this.rare.has(sign));
    if (rare.length > 0) this.rare = new Set([...this.rare, ...rare]);
    this.loaded = true;
    this.error = null;
    this.version += 1;
  }
}
