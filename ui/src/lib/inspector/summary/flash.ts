//! Draws the eye to a mark.

/** Scrolls the first mark of a fact inside `box` into view and lets it flash. */
export function flash(box: HTMLElement | undefined, fact: string): boolean {
  const marks = box?.querySelectorAll<HTMLElement>(`[data-fact="${CSS.escape(fact)}"]`);
  const first = marks?.[0];
  if (!marks || !first) return false;
  first.scrollIntoView?.({ block: "center" });
  for (const mark of marks) {
    mark.classList.remove("flash");
    // Reading a size restarts the animation.
    void mark.offsetWidth;
    mark.classList.add("flash");
  }
  return true;
}

function firstMark(box: HTMLElement | undefined, fact: string): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-fact="${CSS.escape(fact)}"]`) ?? null;
}

/** Scrolls the first mark of a fact into view, without a flash. */
export function reveal(box: HTMLElement | undefined, fact: string): void {
  firstMark(box, fact)?.scrollIntoView?.({ block: "center" });
}

/** Whether the first mark of a fact is inside the visible part of `box`. */
export function isShown(box: HTMLElement | undefined, fact: string): boolean {
  const mark = firstMark(box, fact)?.getBoundingClientRect();
  const around = box?.getBoundingClientRect();
  return (
    mark !== undefined &&
    around !== undefined &&
    mark.top >= around.top &&
    mark.bottom <= around.bottom
  );
}
