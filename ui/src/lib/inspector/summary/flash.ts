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
