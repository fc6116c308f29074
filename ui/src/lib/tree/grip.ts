//! What makes an element something that the cut is held by: pointer, keys and focus.

import type { Cutting } from "../state/cut.svelte";

/**
 * Handlers for an element with the role of a slider. `place` is the place in `cut.points` under a
 * pointer; `moved` is told when keys moved the cut.
 */
export function grip(
  cut: Cutting,
  place: (event: PointerEvent) => number | null,
  moved: () => void = () => {},
) {
  return {
    onpointerdown(event: PointerEvent): void {
      if (event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      const handle = event.currentTarget as HTMLElement;
      handle.setPointerCapture?.(event.pointerId);
      handle.focus();
      cut.hold();
    },
    onpointermove(event: PointerEvent): void {
      const at = cut.dragging ? place(event) : null;
      if (at !== null) cut.to(at);
    },
    onpointerup(): void {
      if (cut.dragging) cut.release();
      // From here on, keys can be taken back to this place.
      cut.grab();
    },
    onpointercancel(): void {
      cut.putBack();
    },
    onkeydown(event: KeyboardEvent): void {
      if (!cut.key(event)) return;
      event.preventDefault();
      event.stopPropagation();
      moved();
    },
    onfocus(): void {
      cut.grab();
    },
    onblur(): void {
      cut.release();
    },
  };
}

/** The cut as a slider tells it to those who cannot see it. */
export function slider(cut: Cutting) {
  return {
    role: "slider",
    tabindex: 0,
    "aria-valuemin": 1,
    "aria-valuemax": cut.points.length + 1,
    "aria-valuenow": cut.index + 1,
    "aria-valuetext": cut.spoken,
    "data-entry": cut.point?.entry_id,
    "data-by-hand": cut.byHand,
  } as const;
}
