import { describe, expect, test } from "vitest";
import { commands } from "../src/lib/commands/commands";
import { Keys, name, LIST_KEYS, shown, type Command } from "../src/lib/commands/keys";
import { score, type Findable } from "../src/lib/commands/match";
import type { App } from "../src/lib/state/app.svelte";

describe("keys", () => {
  const pressed = (key: string, more: Partial<KeyboardEvent> = {}): KeyboardEvent =>
    new KeyboardEvent("keydown", { key, cancelable: true, ...more } as KeyboardEventInit);
  function record(): { keys: Keys; ran: string[] } {
    const ran: string[] = [];
    const command = (id: string, keys: string[], more: Partial<Command> = {}): Command => ({
      id,
      title: id,
      group: "",
      keys,
      run: () => ran.push(id),
      ...more,
    });
    const list = [
      command("sessions", ["g s"]),
      command("search", ["/"]),
      command("palette", ["Mod+k"], { whileTyping: true }),
      command("never", ["x"], { possible: () => false }),
    ];
    return { keys: new Keys(() => list), ran };
  }
  test("a sequence runs when it is typed in time, and not later", () => {
    const { keys, ran } = record();
    keys.press(pressed("g"), 0);
    keys.press(pressed("s"), 500);
    keys.press(pressed("g"), 10_000);
    keys.press(pressed("s"), 20_000);
    expect(ran).toEqual(["sessions"]);
  });
  test("fields keep their letters but not the chords meant for everywhere", () => {
    const { keys, ran } = record();
    const field = document.body.appendChild(document.createElement("input"));
    field.addEventListener("keydown", (event) => keys.press(event));
    field.dispatchEvent(pressed("/", { bubbles: true }));
    field.dispatchEvent(pressed("k", { bubbles: true, ctrlKey: true }));
    field.remove();
    expect(ran).toEqual(["palette"]);
  });
  test("what is not possible does not run", () => {
    const { keys, ran } = record();
    expect(keys.press(pressed("x"))).toBe(false);
    expect(ran).toEqual([]);
  });
  test("are named and shown", () => {
    expect(name({ key: "K", ctrlKey: true, metaKey: false, altKey: false, shiftKey: false })).toBe(
      "Mod+k",
    );
    expect(name({ key: "?", ctrlKey: false, metaKey: false, altKey: false, shiftKey: true })).toBe(
      "?",
    );
    const chord = { ctrlKey: true, metaKey: false, altKey: false, shiftKey: true };
    expect(name({ ...chord, key: "L" })).toBe("Mod+Shift+l");
    expect(name({ ...chord, key: "K", shiftKey: false })).toBe("Mod+k");
    expect(shown("Mod+k", false)).toEqual(["Ctrl", "K"]);
    expect(shown("g s", true)).toEqual(["g", "s"]);
  });
  const written = commands({ prefs: { settings: null, sort: "updated" } } as App).flatMap(
    (command) => command.keys.flatMap((keys) => keys.split(" ")),
  );
  test.each(written)("%s of a command can be pressed", (keys) => {
    const parts = keys.split("+");
    const key = parts.at(-1)!;
    const shiftKey = parts.includes("Shift");
    const press = {
      key: shiftKey ? key.toUpperCase() : key,
      ctrlKey: parts.includes("Mod"),
      metaKey: false,
      altKey: parts.includes("Alt"),
      shiftKey: shiftKey || key !== key.toLowerCase(),
    };
    expect(name(key.length > 1 ? { ...press, key, shiftKey } : press)).toBe(keys);
  });
  test("of the help have no empty cap", () => {
    for (const [keys] of LIST_KEYS.flatMap(([, own]) => own))
      expect(shown(keys, false)).not.toContain("");
    expect(shown("Shift+letter", false)).toEqual(["Shift", "letter"]);
  });
});

test("the palette finds words and their beginnings, never scattered letters", () => {
  const lines: Findable[] = [
    { title: "Re-run the compaction", group: "Inspector" },
    { title: "Show the runs", group: "Inspector" },
    { title: "Go to the tree", group: "Window" },
    { title: "Settings", group: "Window", also: ["preferences"] },
    { title: "Fix the retry queue after a restart", group: "Session, courier" },
  ];
  const rank = (typed: string): string[] =>
    lines
      .filter((line) => score(line, typed) !== null)
      .sort((a, b) => score(b, typed)! - score(a, typed)!)
      .map((line) => line.title);
  expect(rank("runs")).toEqual(["Show the runs"]);
  expect(rank("run")).toEqual(["Re-run the compaction", "Show the runs"]);
  expect(rank("gt")).toEqual(["Go to the tree"]);
  expect(rank("prefer")).toEqual(["Settings"]);
  expect(rank("set")).toEqual(["Settings"]);
  expect(rank("courier queue")).toEqual(["Fix the retry queue after a restart"]);
  expect(rank("stg")).toEqual([]);
  expect(rank("zzz")).toEqual([]);
});
