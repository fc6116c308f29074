//! A group of buttons as one tab stop: the arrow keys move inside it (the WAI-ARIA toolbar).

/** Buttons of the group; those inside a panel that a button opened are left to the panel. */
const MEMBERS = "button:not([data-roving-apart] *)";

/** Makes the buttons below `group` one tab stop. For `use:roving`. */
export function roving(group: HTMLElement): { destroy: () => void } {
  let current: HTMLElement | null = null;
  const members = (): HTMLElement[] => [...group.querySelectorAll<HTMLElement>(MEMBERS)];

  function settle(): void {
    const all = members();
    if (current === null || !all.includes(current)) current = all[0] ?? null;
    for (const own of all) {
      const index = own === current ? 0 : -1;
      if (own.tabIndex !== index) own.tabIndex = index;
    }
  }
  function entered(event: FocusEvent): void {
    const target = event.target;
    if (!(target instanceof HTMLElement) || !members().includes(target)) return;
    current = target;
    settle();
  }
  function pressed(event: KeyboardEvent): void {
    const all = members();
    const at = event.target instanceof HTMLElement ? all.indexOf(event.target) : -1;
    if (at < 0) return;
    const to: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[(next + all.length) % all.length]?.focus();
  }

  settle();
  // Buttons come and go with what the group shows.
  const watch = new MutationObserver(settle);
  watch.observe(group, { childList: true, subtree: true });
  group.addEventListener("focusin", entered);
  group.addEventListener("keydown", pressed);
  return {
    destroy() {
      watch.disconnect();
      group.removeEventListener("focusin", entered);
      group.removeEventListener("keydown", pressed);
    },
  };
}
