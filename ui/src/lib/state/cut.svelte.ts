//! The cut of the drafted plan as something that can be taken hold of, on the timeline and in the
//! outline alike.

import type { CutPoint, PlanBand, PlanView } from "../../wire/wire";
import { inUnit } from "../inspector/rerun/sums";
import { exact, short } from "../text/format";
import type { PlanDraft } from "./plan.svelte";

/** Where the plan cuts when nothing stays: behind the last place. */
const NOTHING_KEPT = -1;

export class Cutting {
  /** The places where the cut may be, oldest first. */
  points = $state.raw<readonly CutPoint[]>([]);
  /** The plan on screen; absent while none is shown. */
  plan = $state.raw<PlanView | undefined>(undefined);
  /** True while the handle is held with the pointer. */
  dragging = $state(false);
  private before: string | null | undefined = undefined;

  constructor(private readonly draft: PlanDraft) {}

  /** Whether there is a cut to be moved: entries that are chosen one by one have none. */
  get active(): boolean {
    const { kinds, cut } = this.draft.current;
    return (
      this.plan !== undefined &&
      this.points.length > 0 &&
      (cut !== null || kinds["select"] !== "entries")
    );
  }
  get byHand(): boolean {
    return this.draft.current.cut !== null;
  }
  get bands(): readonly PlanBand[] {
    return this.plan?.bands ?? [];
  }

  /** The place in `points` where the cut is; one more than the last when nothing stays. */
  readonly index: number = $derived.by(() => {
    // Where there is nothing to do, everything stays.
    if (this.draft.current.cut === null && (this.plan?.reason ?? null) !== null) return 0;
    const wanted = this.draft.current.cut ?? this.plan?.first_kept_id ?? null;
    const exact =
      wanted === null ? NOTHING_KEPT : this.points.findIndex((point) => point.entry_id === wanted);
    if (exact >= 0) return exact;
    // The first that stays may be one without a message: the handle stands at the next place.
    const tail = this.bands.at(-1);
    if (tail?.fate !== "kept") return this.points.length;
    const next = this.points.findIndex((point) => point.position >= tail.first);
    return next < 0 ? this.points.length : next;
  });
  readonly point: CutPoint | undefined = $derived(this.points[this.index]);

  /** Added where messages before the cut point are kept too: those after it are then not all. */
  private get where(): string {
    const at = this.point?.position ?? 0;
    return this.bands.some((band) => band.fate === "kept" && band.first < at) ? " after it" : "";
  }

  /** Tokens after the cut point, in the unit of the plan's sizes. */
  private get kept(): number {
    const tokens = this.point?.tokens ?? 0;
    return this.plan ? inUnit(this.plan, tokens) : tokens;
  }

  /** What is kept, in a few words. */
  get says(): string {
    return this.point
      ? `keeps ${short(this.kept)}${this.where}${this.point.starts_turn ? "" : ", within a turn"}`
      : "keeps nothing";
  }
  /** The same for screen readers. */
  get spoken(): string {
    return this.point
      ? `cut point before entry ${exact(this.point.position + 1)}, keeps ${exact(this.kept)} tokens${this.where}${this.point.starts_turn ? ", at a turn boundary" : ", within a turn"}`
      : "keeps nothing";
  }

  /** Takes hold of it with the pointer. */
  hold(): void {
    this.release();
    this.grab();
    this.dragging = true;
  }
  /** Remembers where the cut is, to be able to put it back. */
  grab(): void {
    if (this.before === undefined) this.before = this.draft.current.cut;
  }
  /** Moves the cut to a place in `points`. */
  to(index: number): void {
    const point = this.points[Math.max(0, Math.min(this.points.length - 1, index))];
    if (point && point.entry_id !== this.draft.current.cut) this.draft.current.cut = point.entry_id;
  }
  /** The place in `points` nearest to a place on the path. */
  nearest(position: number): number {
    let low = 0;
    let high = this.points.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.points[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    const before = this.points[low - 1];
    return before && position - before.position < this.points[low]!.position - position
      ? low - 1
      : low;
  }
  /** The nearest place where a turn begins, in a direction. */
  turn(from: number, step: 1 | -1): number {
    for (let at = from + step; at >= 0 && at < this.points.length; at += step)
      if (this.points[at]!.starts_turn) return at;
    return from;
  }
  /** Lets go of the handle where it is. */
  release(): void {
    this.before = undefined;
    this.dragging = false;
  }
  /** Puts the cut back to where it was taken from. */
  putBack(): void {
    if (this.before !== undefined) this.draft.current.cut = this.before;
    this.release();
  }
  /** Gives the cut back to the preset. */
  reset(): void {
    this.draft.current.cut = null;
    this.release();
  }

  /** What a key on the handle does; false when it means nothing there. */
  key(event: KeyboardEvent): boolean {
    const at = this.index;
    const goes: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: this.points.length - 1,
    };
    if (event.key === "Escape" && this.before !== undefined) {
      this.putBack();
      // The next keys start over from here.
      this.grab();
      return true;
    }
    const next = goes[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
    this.grab();
    this.to(
      event.shiftKey && event.key.startsWith("Arrow") ? this.turn(at, next < at ? -1 : 1) : next,
    );
    return true;
  }
}
