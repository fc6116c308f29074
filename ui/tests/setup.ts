//! What jsdom lacks and the window uses.

import { afterEach } from "vitest";
import { cleanup, configure } from "@testing-library/svelte";

// The default of one second is too short for a window drawn beside a compiler.
configure({ asyncUtilTimeout: 15_000 });

class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
if (!globalThis.CSS?.escape)
  globalThis.CSS = { escape: (text: string) => text.replace(/["\\:.]/g, "\\$&") } as typeof CSS;

// Layout, as far as lists need it: a list is 700 pixels high and its rows 28.
const LIST_HEIGHT = 700;
const ROW_HEIGHT = 28;
const isList = (element: Element): boolean => element.classList.contains("virtual");
Object.defineProperties(HTMLElement.prototype, {
  offsetHeight: {
    configurable: true,
    get(this: HTMLElement) {
      return isList(this) ? LIST_HEIGHT : ROW_HEIGHT;
    },
  },
  offsetWidth: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 600 },
  clientHeight: {
    configurable: true,
    get(this: HTMLElement) {
      return isList(this) ? LIST_HEIGHT : 0;
    },
  },
  scrollHeight: {
    configurable: true,
    get(this: HTMLElement) {
      return isList(this)
        ? Number.parseFloat((this.firstElementChild as HTMLElement | null)?.style.height ?? "0")
        : 0;
    },
  },
});
Element.prototype.scrollTo = function (this: Element, options?: ScrollToOptions | number): void {
  if (typeof options !== "object") return;
  this.scrollTop = options.top ?? 0;
  this.dispatchEvent(new Event("scroll"));
} as typeof Element.prototype.scrollTo;

afterEach(() => {
  cleanup();
  window.history.replaceState(null, "", "/");
});
