//! The current place, kept in step with the address.

import { format, NOWHERE, parse, type Place } from "./place";

/** Moves that the Back button should undo; the others replace the address in place. */
const STEPS: readonly (keyof Place)[] = ["session", "entry", "tab", "compare", "ledger"];

export class Location {
  place = $state.raw<Place>(NOWHERE);

  constructor(
    private readonly window: Window,
    private readonly changed: (hash: string) => void = () => {},
  ) {
    this.place = parse(window.location.hash);
    window.addEventListener("popstate", this.read);
    window.addEventListener("hashchange", this.read);
  }

  private readonly read = (): void => {
    const next = parse(this.window.location.hash);
    if (format(next) !== format(this.place)) this.place = next;
  };

  /** Changes parts of the place. */
  go(change: Partial<Place>): void {
    const before = this.place;
    const next = { ...before, ...change };
    if (next.session !== before.session) {
      // What belongs to the old session would point at nothing in the new one.
      if (change.entry === undefined) next.entry = null;
      if (change.ledger === undefined) next.ledger = null;
      if (change.compare === undefined) next.compare = null;
      if (change.against === undefined) next.against = null;
    }
    const hash = format(next);
    if (hash === format(before)) return;
    this.place = next;
    const step = STEPS.some((key) => next[key] !== before[key]);
    const url = `${this.window.location.pathname}${this.window.location.search}${hash}`;
    if (step) this.window.history.pushState(null, "", url);
    else this.window.history.replaceState(null, "", url);
    this.changed(hash);
  }

  /** Takes over a stored address, unless the page was opened with one. */
  restore(hash: string): void {
    if (this.window.location.hash.length > 1) return;
    this.place = parse(hash);
    this.window.history.replaceState(null, "", `${this.window.location.pathname}${this.window.location.search}${format(this.place)}`);
  }

  stop(): void {
    this.window.removeEventListener("popstate", this.read);
    this.window.removeEventListener("hashchange", this.read);
  }
}
