//! Where a pane is scrolled to when its content is exchanged.

import { tick, untrack } from "svelte";

/**
 * Each screen of a pane keeps its own place: a new one begins at its top, and one that is come
 * back to is found where it was left. `screen` names what is shown.
 */
export function ownPlaces(box: () => HTMLElement | undefined, screen: () => string): void {
  const places = new Map<string, number>();
  let shown: string | null = null;
  $effect.pre(() => {
    const next = screen();
    untrack(() => {
      const pane = box();
      if (shown === next) return;
      if (pane && shown !== null) places.set(shown, pane.scrollTop);
      const first = shown === null;
      shown = next;
      if (first) return;
      void tick().then(() => {
        const now = box();
        if (now) now.scrollTop = places.get(next) ?? 0;
      });
    });
  });
}
