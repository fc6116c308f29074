//! The browser, talking to `palimpsest serve` on loopback. The only file that may use `fetch`.

import type { Event } from "../wire/wire";
import { serveCommand } from "./serve";
import {
  HostError,
  type Answer,
  type Command,
  type Connection,
  type Host,
  type Params,
} from "./types";

const TOKEN_KEY = "palimpsest-token";

/**
 * Takes the token out of the address bar, so that it is not copied along with a link, and keeps
 * it for this browser: `palimpsest serve` keeps its token, so bookmarks and links go on working.
 */
export function takeToken(location: Location, storage: Storage, history: History): string {
  const query = new URLSearchParams(location.search);
  const given = query.get("token");
  if (given === null) return storage.getItem(TOKEN_KEY) ?? "";
  storage.setItem(TOKEN_KEY, given);
  query.delete("token");
  const rest = query.size > 0 ? `?${query}` : "";
  history.replaceState(null, "", `${location.pathname}${rest}${location.hash}`);
  return given;
}

/** The token in what a user pasted: the token alone, or the address that contains it. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  return /[?&]token=([^&#\s]+)/.exec(text)?.[1] ?? text;
}

export function httpHost(token: string, storage: Storage): Host {
  let state: Connection = "connected";
  const listeners = new Set<(state: Connection) => void>();
  function tell(next: Connection): void {
    if (next === state) return;
    state = next;
    for (const heard of listeners) heard(state);
  }
  async function post(command: string, params: unknown): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`/rpc/${command}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-palimpsest-token": token },
        body: JSON.stringify(params),
      });
    } catch {
      tell("lost");
      throw new HostError({
        code: "user_fixable",
        message: "The server does not respond.",
        hint: `Start it again with ${serveCommand(location.port)}. This page then reconnects by itself.`,
      });
    }
    tell(response.status === 401 ? "refused" : "connected");
    if (response.ok) return response;
    throw new HostError(await refusal(response));
  }
  return {
    name: "browser",
    hasToken: token !== "",
    async rpc<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>> {
      const response = await post(command, params);
      return (await response.json()) as Answer<C>;
    },
    async graph(params) {
      const response = await post("graph", params);
      return new Uint8Array(await response.arrayBuffer());
    },
    listen(heard) {
      const source = new EventSource(`/events?token=${encodeURIComponent(token)}`);
      source.onmessage = (message: MessageEvent<string>) =>
        heard(JSON.parse(message.data) as Event);
      let opened = false;
      source.onopen = () => {
        tell("connected");
        // Events between the two streams are lost.
        if (opened) heard({ type: "missed", events: 1 });
        opened = true;
      };
      // The browser tries again by itself, unless the server answered with a refusal.
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) tell("lost");
      };
      return () => source.close();
    },
    connection(heard) {
      listeners.add(heard);
      heard(state);
      return () => listeners.delete(heard);
    },
    unlock(tokenOrAddress) {
      storage.setItem(TOKEN_KEY, tokenIn(tokenOrAddress));
    },
    async openUrl(url) {
      window.open(url, "_blank", "noopener,noreferrer");
    },
    async copy(text) {
      await navigator.clipboard.writeText(text);
    },
  };
}

async function refusal(response: Response): Promise<HostError["wire"]> {
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "code" in body)
      return body as HostError["wire"];
  } catch {
    // Not our JSON: a proxy or an older server answered. The status line is all there is.
  }
  const refused = response.status === 401 || response.status === 403;
  return {
    code: refused ? "user_fixable" : "internal",
    message: refused
      ? "The access token is missing or invalid."
      : `The server responded with ${response.status}.`,
    hint: refused
      ? "Open the full address that `palimpsest serve` printed, including the token."
      : null,
  };
}
