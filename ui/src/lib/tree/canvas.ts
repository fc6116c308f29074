//! The WebAssembly canvas: loading it, its colours, its events.

/** The handle that `wasm-bindgen` makes of the canvas. */
export interface TreeCanvas {
  start(canvas: HTMLCanvasElement, heard: (json: string) => void): Promise<void>;
  /** Receives a picture, or the difference to the one it has. */
  set_graph(bytes: Uint8Array): void;
  /** Names the picture it has; empty before the first. */
  known(): string;
  /** Where entries are in the session, by position; {@link NOWHERE} for those it does not know. */
  positions(entries: string[]): Uint32Array;
  set_selection(position?: number): void;
  set_highlight(json: string): void;
  /** The entries with notes and with labels of the user, by position. */
  set_user_marks(noted: Uint32Array, labelled: Uint32Array): void;
  /** The entries before which the cut may stand, by position; one that is not shown is skipped. */
  set_cut_places(places: Uint32Array): void;
  /** `{at, by_hand, words}` as JSON; empty when there is no cut. */
  set_cut(json: string): void;
  let_go_of_cut(): void;
  set_theme(json: string): void;
  fit(): void;
  center_on(position: number): void;
  reveal(position: number): void;
  zoom(factor: number): void;
  look_from(distance: Distance): void;
  /** Moves by so many screens, down where positive. */
  page(screens: number): void;
  /** The texts of entries, by position. */
  set_texts(positions: Uint32Array, texts: string[]): void;
  /** Distance of the local time from UTC, in seconds. */
  set_utc_offset(seconds: number): void;
  /** Frames since the start, and how many of them were redrawn. */
  frames(): Uint32Array;
  destroy(): void;
  free(): void;
  has_panicked(): boolean;
  panic_message(): string | undefined;
}

/** The position of an entry that the canvas does not know. */
export const NOWHERE = 0xffff_ffff;

interface Glue {
  default: (options?: unknown) => Promise<unknown>;
  TreeCanvas: new (options: string) => TreeCanvas;
}

/** The three ways to look at a session. */
export type Distance = "far" | "middle" | "near";

export interface RowRef {
  row: number;
  position: number;
  entry: string;
}

/** What the canvas tells of the row under the pointer. */
export interface RowFacts extends RowRef {
  name: string;
  words: string;
  /** Unix seconds; 0 where that is not known. */
  at_s: number;
  tokens: number;
  size: number;
  /** Tokens of the context by part, in the order of {@link PARTS}. */
  parts: number[];
  lane: "active" | "branch" | "root" | "subagent";
  lane_name: string;
  phase: number;
  phases: number;
  subagents: number;
  is_error: boolean;
}

export type CanvasEvent =
  | ({ type: "row_selected" } & RowRef)
  | ({ type: "row_activated" } & RowRef)
  | { type: "hover"; facts: RowFacts | null; x: number; y: number }
  | { type: "texts_wanted"; entries: number[] }
  | { type: "cut_held" }
  | { type: "cut_moved"; place: number }
  | { type: "cut_released" }
  | { type: "cut_shown"; x: number; y: number }
  | {
      type: "viewport_changed";
      scale: number;
      distance: Distance;
      first: number;
      last: number;
      rows: number;
    };

/** The parts of the band, from its base: their names, and the variables of their colours. */
export const PARTS = [
  { name: "System prompt, tools", color: "cat-unknown", key: "part_fixed" },
  { name: "Summaries", color: "cat-summary", key: "part_summaries" },
  { name: "User", color: "cat-user", key: "part_user" },
  { name: "Assistant", color: "cat-assistant", key: "part_assistant" },
  { name: "Thinking", color: "cat-thinking", key: "part_thinking" },
  { name: "Tool calls", color: "cat-call", key: "part_calls" },
  { name: "Tool results", color: "cat-result", key: "part_results" },
  { name: "Images, other", color: "cat-image", key: "part_other" },
] as const;

let glue: Promise<Glue> | undefined;

/** Loads the module once per window. */
async function load(): Promise<Glue> {
  // Built by its own tool and not part of this bundle, hence an address instead of a name.
  const address = new URL("graph/palimpsest_graph.js", document.baseURI).href;
  const module = (await import(/* @vite-ignore */ address)) as Glue;
  await module.default();
  return module;
}

/** Makes a canvas handle. Rejects where WebAssembly or WebGL is missing. */
export async function makeCanvas(palette: string): Promise<TreeCanvas> {
  if (!document.createElement("canvas").getContext("webgl2"))
    throw new Error("WebGL is not available.");
  glue ??= load();
  try {
    const module = await glue;
    return new module.TreeCanvas(JSON.stringify({ palette: JSON.parse(palette) as unknown }));
  } catch (thrown) {
    glue = undefined;
    throw thrown;
  }
}

/** The canvas's names for colours, and the variables of the palette file they are taken from. */
const COLORS: Record<string, string> = {
  background: "surface",
  surface: "raised",
  surface_hover: "hover",
  border: "line-strong",
  text: "ink",
  text_quiet: "ink-3",
  line: "line-strong",
  line_active: "accent-line",
  accent: "accent",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  error: "error",
  compaction: "compaction",
  branch_summary: "bridge",
  label: "label",
  system: "system",
  custom: "ink-3",
  summarized: "compaction",
  kept: "kept",
  dropped: "dropped",
  cleared: "clearing",
  ...Object.fromEntries(PARTS.map(({ key, color }) => [key, color])),
};

/** The page's colours as the canvas takes them. */
export function palette(style: CSSStyleDeclaration, dark: boolean): string {
  const colors = Object.entries(COLORS).map(([name, variable]) => [
    name,
    style.getPropertyValue(`--${variable}`).trim(),
  ]);
  return JSON.stringify({
    dark,
    ...Object.fromEntries(colors.filter(([, value]) => value !== "")),
  });
}
