//! Chooses the host this page runs in.

import { httpHost, takeToken } from "./http";
import type { Host } from "./types";

export * from "./types";

export async function chooseHost(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) return (await import("./tauri")).tauriHost;
  // The condition is known at build time: a release holds no made-up data.
  if (import.meta.env.VITE_HOST === "fake") return (await import("./fake")).fakeHost();
  const storage = window.localStorage;
  return httpHost(takeToken(window.location, storage, window.history), storage);
}
