//! The browser, talking to `palimpsest serve` on loopback. The only file that may use `fetch`.

import type { Event } from "../wire/wire";
import { HostError, type Answer, type Command, type Host, type Params } from "./types";

const TOKEN_KEY = "palimpsest-token";

/**
 * Takes the token out of the address bar, so that it is not copied along with a link, and keeps
 * it for this browser tab.
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

export function httpHost(token: string): Host {
  async function post(command: string, params: unknown): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`/rpc/${command}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-palimpsest-token": token },
        body: JSON.stringify(params),
      });
    } catch {
      throw new HostError({
        code: "io",
        message: "Palimpsest does not respond.",
        hint: "Start `palimpsest serve` again, then open the address it prints.",
      });
    }
    if (response.ok) return response;
    throw new HostError(await refusal(response));
  }
  return {
    name: "browser",
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
      return () => source.close();
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
