//! The current place, kept in step with the address.

import { untrack } from "svelte";
import { format, NOWHERE, parse, type Place } from "./place";

/** Moves that the Back button should undo; the others replace the address in place. */
const STEPS: readonly (keyof Place)[] = [
  "session",
  "entry",
  "tab",
  "compare",
  "ledger",
  "from",
  "lab",
];

/** Marks the entries of the history that were made here, not by a link or by hand. */
const OWN = "palimpsest";

export class Location {
  /** Watched field by field: whoever reads the filter does not run again for another entry. */
  readonly place: Place = $state({ ...NOWHERE });

  constructor(
    private readonly window: Window,
    private readonly changed: (hash: string) => void = () => {},
  ) {
    this.take(parse(window.location.hash));
    this.adopt();
    window.addEventListener("popstate", this.read);
    window.addEventListener("hashchange", this.read);
  }

  private readonly read = (event: Event): void => {
    const next = parse(this.window.location.hash);
    // Going back undoes moves, not what was drafted since; a link that is opened brings its own.
    if (event.type === "popstate" && (event as PopStateEvent).state === OWN) {
      const { plan, leave } = this.place;
      const hash = format(next);
      Object.assign(next, { plan, leave });
      if (format(next) !== hash) this.window.history.replaceState(OWN, "", this.url(format(next)));
    } else this.adopt();
    this.take(next);
  };

  /** Marks the present entry of the history as one that was made here. */
  private adopt(): void {
    this.window.history.replaceState(OWN, "", this.url(this.window.location.hash));
  }

  /** Writes only what differs, so that nothing else is notified of a change. */
  private take(next: Place): void {
    const place = this.place as Record<keyof Place, unknown>;
    for (const key of Object.keys(next) as (keyof Place)[]) {
      if (JSON.stringify(place[key]) !== JSON.stringify(next[key])) place[key] = next[key];
    }
  }

  /** Changes parts of the place. */
  go(change: Partial<Place>): void {
    untrack(() => this.move(change));
  }

  private move(change: Partial<Place>): void {
    const before = $state.snapshot(this.place) as Place;
    const next = { ...before, ...change };
    if (next.session !== before.session) {
      // What belongs to the old session would point at nothing in the new one.
      if (change.entry === undefined) next.entry = null;
      if (change.ledger === undefined) next.ledger = null;
      if (change.compare === undefined) next.compare = null;
      if (change.against === undefined) next.against = null;
      if (change.from === undefined) next.from = null;
      if (change.find === undefined) next.find = null;
      if (change.policies === undefined) next.policies = [];
    }
    // Ids of facts are those of one ledger.
    const sameLedger = next.session === before.session && next.ledger === before.ledger;
    if (!sameLedger && change.fact === undefined) next.fact = null;
    const hash = format(next);
    if (hash === format(before)) return;
    this.take(next);
    const step = STEPS.some((key) => JSON.stringify(next[key]) !== JSON.stringify(before[key]));
    if (step) this.window.history.pushState(OWN, "", this.url(hash));
    else this.window.history.replaceState(OWN, "", this.url(hash));
    this.changed(hash);
  }

  /** Takes over a stored address, unless the page was opened with one. Returns whether it did. */
  restore(hash: string): boolean {
    if (this.window.location.hash.length > 1) return false;
    this.take(parse(hash));
    this.window.history.replaceState(OWN, "", this.url(format(this.place)));
    return true;
  }

  private url(hash: string): string {
    return `${this.window.location.pathname}${this.window.location.search}${hash}`;
  }

  stop(): void {
    this.window.removeEventListener("popstate", this.read);
    this.window.removeEventListener("hashchange", this.read);
  }
}
