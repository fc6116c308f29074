//! What jsdom lacks and the window uses.

import { afterEach } from "vitest";
import { cleanup } from "@testing-library/svelte";

class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
if (!globalThis.CSS?.escape) globalThis.CSS = { escape: (text: string) => text.replace(/["\\:.]/g, "\\$&") } as typeof CSS;

afterEach(() => {
  cleanup();
  window.history.replaceState(null, "", "/");
});
