//! From key presses to commands: single keys, chords, and sequences like `g s`.

export interface Command {
  id: string;
  title: string;
  group: string;
  /** Other words for what it does, by which the palette finds it. */
  also?: readonly string[];
  /** Alternatives; `Mod` is Ctrl, on a Mac Cmd. A blank separates the keys of a sequence. */
  keys: readonly string[];
  /** Absent: always possible. */
  possible?: () => boolean;
  run: () => void;
  /** When the palette lists it: only while something is typed, or only while nothing is; absent: always. */
  listed?: "typed" | "untyped";
  /** Works while typing in a field as well. */
  whileTyping?: boolean;
}

/** The second key of a sequence has to follow within this time. */
const SEQUENCE_MS = 1_200;

interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** A press as it is written in a command's keys: `Mod+k`, `Mod+Shift+l`, `Alt+ArrowLeft`, `?`. */
export function name(press: Press): string {
  const parts: string[] = [];
  if (press.ctrlKey || press.metaKey) parts.push("Mod");
  if (press.altKey) parts.push("Alt");
  const chord = parts.length > 0;
  // Shift shows in the character itself, except for keys that have none. In a chord letters are
  // small, whatever Caps Lock says: there Shift has to be named.
  const letter = /^\p{L}$/u.test(press.key);
  if (press.shiftKey && (press.key.length > 1 || (chord && letter))) parts.push("Shift");
  parts.push(chord && letter ? press.key.toLowerCase() : press.key);
  return parts.join("+");
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button"].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    target.isContentEditable
  );
}

export class Keys {
  private begun = "";
  private begunAt = 0;

  constructor(private readonly commands: () => readonly Command[]) {}

  /** Runs the command the press completes. Returns whether there was one. */
  press(event: KeyboardEvent, now: number = event.timeStamp): boolean {
    if (event.defaultPrevented || event.isComposing) return false;
    const key = name(event);
    const sequence =
      this.begun !== "" && now - this.begunAt < SEQUENCE_MS ? `${this.begun} ${key}` : key;
    const typing = isTyping(event.target);
    const all = this.commands();
    const open = all.filter((c) => (!typing || c.whileTyping === true) && (c.possible?.() ?? true));
    const hit =
      open.find((c) => c.keys.includes(sequence)) ?? open.find((c) => c.keys.includes(key));
    // The second key of a sequence that is not possible here must not do what it does alone.
    const elsewhere = !typing && sequence !== key && all.some((c) => c.keys.includes(sequence));
    this.begun = "";
    if (elsewhere && !hit?.keys.includes(sequence)) {
      event.preventDefault();
      return false;
    }
    if (hit) {
      event.preventDefault();
      hit.run();
      return true;
    }
    if (!typing && all.some((c) => c.keys.some((k) => k.startsWith(`${key} `)))) {
      this.begun = key;
      this.begunAt = now;
    }
    return false;
  }
}

/** The keys of lists, which know them themselves, and what they do: by the list that has the focus. */
export const LIST_KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "In the list of sessions",
    [
      ["ArrowUp ArrowDown k j", "Previous or next line"],
      ["Home End", "First or last line"],
      ["Enter", "Open the line"],
      ["ArrowLeft ArrowRight", "Fold or unfold a project"],
      ["s", "Star the session, or remove the star"],
    ],
  ],
  [
    "In the outline",
    [
      ["ArrowUp ArrowDown", "Previous or next row"],
      ["ArrowLeft", "Collapse, or go to the parent"],
      ["ArrowRight", "Expand, or go to the first child"],
      ["Home End", "First or last entry"],
      ["Enter", "Open the entry in the inspector"],
      ["Shift+letter", "Next entry that starts with the letter"],
    ],
  ],
  [
    "In the lists of facts",
    [["ArrowUp ArrowDown k j", "Previous or next fact, shown in its texts"]],
  ],
];

/** Keys as the user sees them: `Ctrl K`, `⌘ K`, `g then s`. */
export function shown(keys: string, mac: boolean): string[] {
  const names: Record<string, string> = {
    Mod: mac ? "⌘" : "Ctrl",
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
  };
  return keys
    .split(/[ +]/)
    .map(
      (part) =>
        names[part] ?? (part.length === 1 && keys.includes("+") ? part.toUpperCase() : part),
    );
}
