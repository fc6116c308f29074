//! Whether a search that was stored finds anything.

import type { Host } from "../../host/types";
import { searchAsk, sessionsAsk, type Order } from "../sessions/lines";

/** False for a search without a result. One that fails is kept, so that the list says why. */
export async function findsAnything(host: Host, query: string, sort: Order): Promise<boolean> {
  const ask = searchAsk(query, sort, 1);
  if (ask === null) return true;
  try {
    const sessions = await host.rpc("sessions", sessionsAsk(query, sort));
    if (sessions.sessions.length + sessions.hidden > 0) return true;
    const found = await host.rpc("search", ask);
    return found.hits.length + found.marks.length + found.named.length > 0;
  } catch {
    return true;
  }
}
