//! The only door out of the window: what the page may ask of whatever runs it.

import type * as W from "../wire/wire";

/** Every command of the wire: what is sent and what comes back. */
export interface Commands {
  app_info: [Record<string, never>, W.AppInfo];
  index: [W.IndexRequest, W.IndexReport];
  sessions: [W.SessionsRequest, W.SessionPage];
  open: [W.SessionRequest, W.SessionView];
  outline: [W.OutlineRequest, W.OutlinePage];
  entry: [W.EntryRequest, W.EntryView];
  entry_raw: [W.RawRequest, W.TextPage];
  entry_text: [W.RawRequest, W.TextPage];
  context: [W.ContextRequest, W.ContextView];
  context_diff: [W.ContextDiffRequest, W.ContextDiff];
  timeline: [W.TimelineRequest, W.Timeline];
  strategies: [Record<string, never>, W.StrategyInfo[]];
  plan: [W.PlanRequest, W.PlanView];
  compact: [W.CompactRequest, W.RunView];
  cancel: [W.CancelRequest, Record<string, never>];
  runs: [W.RunsRequest, W.RunRow[]];
  run: [W.RunRequest, W.RunView];
  run_delete: [W.RunRequest, Record<string, never>];
  compare: [W.CompareRequest, W.CompareView];
  ledger: [W.LedgerRequest, W.LedgerView];
  ledger_source: [W.LedgerSourceRequest, W.LedgerSourcePage];
  search: [W.SearchRequest, W.SearchPage];
  models: [Record<string, never>, W.ModelRow[]];
  providers: [Record<string, never>, W.ProviderRow[]];
  provider_save: [W.ProviderSaveRequest, Record<string, never>];
  provider_remove: [W.ProviderRequest, Record<string, never>];
  provider_key: [W.ProviderKeyRequest, Record<string, never>];
  provider_models: [W.ProviderRequest, W.ProviderModels];
  settings: [Record<string, never>, W.Settings];
  settings_set: [W.SettingsChange, W.Settings];
}

export type Command = keyof Commands;
export type Params<C extends Command> = Commands[C][0];
export type Answer<C extends Command> = Commands[C][1];

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
  /** Opens a web address outside the window. The caller has shown the target before. */
  openUrl(url: string): Promise<void>;
  /** Lets the user pick a folder; absent where there is no dialog for it. */
  pickFolder?(): Promise<string | null>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
}

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
    return { code: wire.code, message: String(wire.message), hint: wire.hint ?? null };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: null };
}
