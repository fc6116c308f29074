//! The desktop shell. The only file that may import from `@tauri-apps`.

import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { open } from "@tauri-apps/plugin-dialog";
import { openUrl } from "@tauri-apps/plugin-opener";
import type { Event, GraphRequest } from "../wire/wire";
import { HostError, wireError, type Answer, type Command, type Host, type Params } from "./types";

async function rpc<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>> {
  return call(command, params);
}

async function call<T>(command: string, params: unknown): Promise<T> {
  try {
    return await invoke<T>("rpc", { command, params });
  } catch (thrown) {
    throw new HostError(wireError(thrown));
  }
}

export const tauriHost: Host = {
  name: "desktop",
  rpc,
  async graph(params: GraphRequest) {
    return new Uint8Array(await call<ArrayBuffer>("graph", params));
  },
  listen(heard) {
    // Unlistening has to work even before the shell has answered that it listens.
    const stop = listen<Event>("palimpsest", (event) => heard(event.payload));
    return () => void stop.then((unlisten) => unlisten());
  },
  async openUrl(url) {
    await openUrl(url);
  },
  async pickFolder() {
    const picked = await open({ directory: true, multiple: false, title: "Session folder" });
    return typeof picked === "string" ? picked : null;
  },
  async copy(text) {
    await navigator.clipboard.writeText(text);
  },
};
