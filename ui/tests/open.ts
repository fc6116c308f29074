//! Opens the whole window on made-up data.

import { render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import Window from "../src/Window.svelte";
import { fakeHost, type FakeHost, type FakeOptions } from "../src/host/fake";
import { App } from "../src/lib/state/app.svelte";

export interface Opened {
  app: App;
  host: FakeHost;
}

export async function openWindow(hash = "", options: FakeOptions = {}): Promise<Opened> {
  window.history.replaceState(null, "", `/${hash}`);
  const host = fakeHost({ pace: 0, ...options });
  const app = new App(host, window);
  render(Window, { app });
  await waitFor(() => {
    if (screen.getByTestId("window").dataset.ready !== "true")
      throw new Error("the window is not ready");
  });
  return { app, host };
}

/** The elements with a test id, found or not. */
export function all(id: string): HTMLElement[] {
  return screen.queryAllByTestId(id);
}

/** Waits for an element whose attributes fit. */
export async function find(
  id: string,
  attributes: Record<string, string> = {},
): Promise<HTMLElement> {
  return waitFor(
    () => {
      const hit = all(id).find((e) =>
        Object.entries(attributes).every(([name, value]) => e.getAttribute(name) === value),
      );
      if (!hit) throw new Error(`no ${id} with ${JSON.stringify(attributes)}`);
      return hit;
    },
    { timeout: 15_000 },
  );
}

/** Presses a key on an element, or on the page. */
export async function press(
  key: string,
  on: Element | Document = document.body,
  more: KeyboardEventInit = {},
): Promise<void> {
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  await tick();
}

export { screen, waitFor, within };
