//! The only door out of the window: what the page may ask of whatever runs it.

import type { Commands } from "../wire/commands";
import type * as W from "../wire/wire";

/** Every command but the tree's geometry, which has a door of its own. */
export type Command = Exclude<keyof Commands, "graph">;
export type Params<C extends Command> = Commands[C]["request"];
export type Answer<C extends Command> = Commands[C]["answer"];

/** What runs the page: the desktop shell, `palimpsest serve`, or made-up data. */
export interface Host {
  /** Which of them it is; the page shows it in the settings only. */
  readonly name: "desktop" | "browser" | "fake";
  /** Runs a command. Rejects with a {@link HostError}. */
  rpc<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>>;
  /** The geometry of the tree as the bytes the canvas takes; never parsed on the page. */
  graph(params: W.GraphRequest): Promise<Uint8Array>;
  /** Hears every event until the returned function is called. */
  listen(heard: (event: W.Event) => void): () => void;
  /** Hears whether the program answers, where it may stop without the page; the state is told at once. */
  connection?(heard: (state: Connection) => void): () => void;
  /** Whether an access token was given, where one is needed. */
  readonly hasToken?: boolean;
  /** Uses another access token, or the address that contains one, from the next load of the page on. */
  unlock?(tokenOrAddress: string): void;
  /** Opens a web address outside the window. The caller has shown the target before. */
  openUrl(url: string): Promise<void>;
  /** Lets the user pick a folder; absent where there is no dialog for it. */
  pickFolder?(): Promise<string | null>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
}

/** Whether the program answers: it does, it does not, or it refuses this page's access token. */
export type Connection = "connected" | "lost" | "refused";

/** A refused command, as an Error so that it has a stack while it travels. */
export class HostError extends Error {
  constructor(readonly wire: W.WireError) {
    super(wire.message);
    this.name = "HostError";
  }
}

/** Turns whatever was thrown into the wire's form of an error. */
export function wireError(thrown: unknown): W.WireError {
  if (thrown instanceof HostError) return thrown.wire;
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const wire = thrown as W.WireError;
    return {
      code: wire.code,
      message: String(wire.message),
      hint: wire.hint ?? null,
      ...(wire.next === undefined ? {} : { next: wire.next }),
      ...(wire.field === undefined ? {} : { field: wire.field }),
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: null };
}
