//! What lies over the window goes away with Escape, wherever the keyboard is, and with a press
//! beside it.

import { enter, isTop } from "./layers";

interface Options {
  onclose: () => void;
  /** What a press may hit without closing it, besides itself: the button that opens it. */
  keep?: () => Node | undefined;
  /** True where a press beside it leaves it open. */
  stays?: boolean;
}

/** For `use:dismiss` on the panel, which exists only while it is open. */
export function dismiss(
  panel: HTMLElement,
  options: Options,
): { update: (next: Options) => void; destroy: () => void } {
  let own = options;
  function pressed(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented || !isTop(panel)) return;
    event.preventDefault();
    event.stopPropagation();
    own.onclose();
  }
  function pointed(event: PointerEvent): void {
    const target = event.target;
    if (own.stays === true || !(target instanceof Node)) return;
    if (!panel.contains(target) && own.keep?.()?.contains(target) !== true) own.onclose();
  }
  const leave = enter(panel);
  // After the fields inside, which may take the key to leave themselves.
  window.addEventListener("keydown", pressed);
  window.addEventListener("pointerdown", pointed);
  return {
    update(next) {
      own = next;
    },
    destroy() {
      leave();
      window.removeEventListener("keydown", pressed);
      window.removeEventListener("pointerdown", pointed);
    },
  };
}
