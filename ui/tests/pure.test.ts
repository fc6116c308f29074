import { describe, expect, test } from "vitest";
import { Keys, name, shown, type Command } from "../src/lib/commands/keys";
import { score, type Findable } from "../src/lib/commands/match";
import { folded } from "../src/lib/diff/fold";
import { parts } from "../src/lib/inspector/context/categories";
import {
  flatLines,
  foldedLines,
  foundWords,
  hitLines,
  searchAsk,
  sessionLines,
  sessionsAsk,
  tellApart,
} from "../src/lib/sessions/lines";
import { format, NOWHERE, parse, type Place } from "../src/lib/state/place";
import {
  bytes,
  clock,
  dayChange,
  dollars,
  duration,
  percent,
  short,
  shortId,
  stopped,
  when,
} from "../src/lib/text/format";
import { folderFlaw, folderNote } from "../src/lib/settings/folders";
import { around, pieces, shortPaths } from "../src/lib/text/ranges";
import { nearestCompaction } from "../src/lib/inspector/summary/nearest";
import { curve, nearest, scale } from "../src/lib/tree/timeline";
import { look } from "../src/lib/ui/kinds";
import { LEFT_DEFAULT, widths } from "../src/lib/ui/panes";
import { takeToken, tokenIn } from "../src/host/http";
import { sessionRows } from "../src/host/fake/rows";
import { courier, harbour } from "../src/host/fake/tree";
import { fileName, rowText } from "../src/lib/tree/rowtext";
import { emptySections, isMissed, ordered } from "../src/lib/inspector/summary/facts";
import type {
  Category,
  DiffRow,
  FactView,
  SearchHit,
  SessionRow,
  SummaryNode,
  Timeline,
} from "../src/wire/wire";

describe("the place in the address", () => {
  const places: Place[] = [
    NOWHERE,
    { ...NOWHERE, session: "a b/ü#", entry: "3fb1" },
    {
      session: "s",
      entry: "e",
      tab: "rerun",
      filter: "no_tools",
      view: "canvas",
      query: 'path:src/ "x y"',
      find: "kind:user x",
      ledger: "entry:9",
      fact: "f12",
      against: "7",
      from: "8",
      compare: ["entry:1", "run2"],
      policies: ["codex", "gemini-cli"],
      plan: "1eyJj",
      leave: "@x",
      lab: "sets",
    },
  ];
  test.each(places)("comes back as it was: %o", (place) => {
    expect(parse(format(place))).toEqual(place);
  });
  test("nonsense becomes the default", () => {
    expect(parse("#tab=nope&show=1&view=x&compare=a")).toEqual(NOWHERE);
  });
});

describe("numbers", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1.0k"],
    [12_437, "12.4k"],
    [99_950, "100k"],
    [183_411, "183k"],
    [999_500, "1.00M"],
    [1_204_000, "1.20M"],
  ])("%d is %s", (value, text) => {
    expect(short(value)).toBe(text);
  });
  test("shares are never rounded to none or all", () => {
    expect([percent(0), percent(0.001), percent(0.5), percent(0.999), percent(1)]).toEqual([
      "0 %",
      "< 1 %",
      "50 %",
      "> 99 %",
      "100 %",
    ]);
  });
  test("money, time and sizes have their units", () => {
    expect([dollars(0), dollars(0.0004), dollars(0.0412), dollars(6.03)]).toEqual([
      "$0",
      "< $0.001",
      "$0.041",
      "$6.03",
    ]);
    expect([duration(340), duration(4_210), duration(185_000)]).toEqual([
      "340 ms",
      "4.2 s",
      "3 min 05 s",
    ]);
    expect([bytes(812), bytes(371_000), bytes(54_200_000)]).toEqual(["812 B", "371 kB", "54.2 MB"]);
  });
  test("a day stands only where it changes", () => {
    const at = (day: number, hour: number, year = 2026): number =>
      new Date(year, 10, day, hour, 5).getTime();
    expect(clock(at(21, 14))).toBe("14:05");
    expect(dayChange(at(21, 14), null, at(22, 9))).toBe("21 Nov");
    expect(dayChange(at(21, 15), at(21, 14), at(22, 9))).toBe("");
    expect(dayChange(at(22, 0), at(21, 23), at(22, 9))).toBe("22 Nov");
    expect(dayChange(at(21, 14, 2025), null, at(22, 9))).toBe("21 Nov 2025");
  });

  test("times are as short as they stay clear", () => {
    const now = new Date(2026, 10, 21, 16, 0).getTime();
    expect(when(new Date(2026, 10, 21, 14, 5).getTime(), now)).toBe("14:05");
    expect(when(new Date(2026, 10, 19, 14, 5).getTime(), now)).toBe("Thu 14:05");
    expect(when(new Date(2026, 9, 2).getTime(), now)).toBe("2 Oct");
    expect(when(new Date(2025, 9, 2).getTime(), now)).toBe("2 Oct 2025");
  });
});

describe("marked ranges", () => {
  test("overlapping marks share a piece and the text stays whole", () => {
    const cut = pieces("abcdefgh", [
      { start: 1, end: 5 },
      { start: 3, end: 7 },
      { start: 6, end: 99 },
    ]);
    expect(cut.map((p) => p.text).join("")).toBe("abcdefgh");
    expect(cut.map((p) => [p.text, p.marks.length])).toEqual([
      ["a", 0],
      ["bc", 1],
      ["de", 2],
      ["f", 1],
      ["g", 2],
      ["h", 1],
    ]);
  });
  test("empty and outside marks change nothing", () => {
    expect(
      pieces("ab", [
        { start: 1, end: 1 },
        { start: 5, end: 9 },
      ]),
    ).toEqual([{ text: "ab", start: 0, marks: [] }]);
  });
});

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
    expect(shown("Mod+k", false)).toEqual(["Ctrl", "K"]);
    expect(shown("g s", true)).toEqual(["g", "s"]);
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

test("equal lines are folded and come back", () => {
  const row = (kind: DiffRow["kind"], n: number): DiffRow => ({
    kind,
    left: { number: n, text: "", ranges: [] },
    right: null,
  });
  const rows = [
    ...Array.from({ length: 10 }, (_, n) => row("equal", n)),
    row("delete", 10),
    ...Array.from({ length: 20 }, (_, n) => row("equal", n)),
    row("insert", 31),
  ];
  const shut = folded(rows, new Set());
  expect(shut.filter((s) => s.type === "fold")).toEqual([
    { type: "fold", from: 0, to: 7 },
    { type: "fold", from: 14, to: 28 },
  ]);
  expect(shut.filter((s) => s.type === "row")).toHaveLength(3 + 1 + 3 + 3 + 1);
  expect(folded(rows, new Set([0, 14])).filter((s) => s.type === "row")).toHaveLength(rows.length);
});

test("the gauge keeps its order and loses no category", () => {
  const list = parts({ tool_results: 5, user: 2, not_recorded: 3, images: 0 });
  expect(list.map((p) => p.key)).toEqual(["not_recorded", "user", "tool_results"]);
  expect(list[0]!.hatched).toBe(true);
  const all: Record<Category, number> = {
    assistant_text: 1,
    images: 1,
    injected: 1,
    not_recorded: 1,
    given_again: 1,
    summaries: 1,
    system: 1,
    thinking: 1,
    tool_calls: 1,
    tool_results: 1,
    user: 1,
  };
  expect(parts(all).map((p) => p.key)).toHaveLength(Object.keys(all).length);
});

describe("the session list", () => {
  test("folded projects keep their heading and their number", () => {
    const rows = sessionRows();
    const lines = sessionLines(rows, ["/home/ada/code/courier"]);
    expect(lines[0]).toMatchObject({ type: "project", name: "courier", count: 3, folded: true });
    expect(lines.filter((l) => l.type === "session")).toHaveLength(rows.length - 3);
  });
  test("worktrees stand under their project, and projects of one name apart", () => {
    const [row] = sessionRows();
    const at = (id: string, root: string, worktree: string | null): SessionRow => ({
      ...row!,
      id,
      project: "cli",
      project_root: root,
      worktree,
    });
    const rows = [
      at("a", "/home/ada/cli", "fix"),
      at("b", "/home/bob/cli", null),
      at("c", "/home/ada/cli", null),
      at("d", "/home/ada/cli", "fix"),
    ];
    const projects = ["ada", "bob"].map((who) => ({
      project: "cli",
      root: `/home/${who}/cli`,
      label: `${who}/cli`,
      sessions: 1,
    }));
    const told = sessionLines(rows, [], projects).map((line) =>
      line.type === "project"
        ? `${line.name} ${line.count}`
        : line.type === "worktree"
          ? `${line.worktree} ${line.count}`
          : line.type === "session"
            ? line.row.id
            : line.type,
    );
    expect(told).toEqual(["ada/cli 3", "c", "fix 2", "a", "d", "bob/cli 1", "b"]);
    expect(flatLines(rows)).toHaveLength(4);
  });
});

test("a match stands at the beginning of what is shown of a long text", () => {
  const text = `${"hay ".repeat(20)}needle and straw`;
  const at = text.indexOf("needle");
  const cut = around(text, [{ start: at, end: at + 6 }], 10);
  const [range] = cut.ranges;
  expect(cut.text).toBe("…hay hay needle and straw");
  expect(cut.text.slice(range!.start, range!.end)).toBe("needle");
  expect(around("a needle", [{ start: 2, end: 8 }], 10).text).toBe("a needle");
  expect(around("no match", [], 3).text).toBe("no match");
});

describe("the timeline", () => {
  const line = courier.timeline(null);
  const to = scale(line, 400, 80);
  test("stays inside its box", () => {
    for (const point of line.points) {
      expect(to.x(point.position)).toBeGreaterThanOrEqual(0);
      expect(to.x(point.position)).toBeLessThanOrEqual(400);
      expect(to.y(point.tokens)).toBeGreaterThanOrEqual(0);
      expect(to.y(point.tokens)).toBeLessThanOrEqual(80);
    }
    expect(curve(line.points, to).startsWith("M0.0")).toBe(true);
  });
  test("a window far above the curve does not press it flat", () => {
    expect(scale({ ...line, window: 10_000_000, threshold: 9_000_000 }, 400, 80).top).toBeLessThan(
      line.max * 2,
    );
  });
  test("finds the nearest point", () => {
    const points = [0, 10, 20].map((position) => ({
      position,
      entry_id: "",
      tokens: 0,
      reported: false,
    }));
    expect([-5, 4, 6, 14, 99].map((at) => nearest(points, at))).toEqual([0, 0, 1, 1, 2]);
  });
});

test("panes fit any window and keep their least widths", () => {
  for (const width of [900, 1280, 1920, 3840]) {
    const panes = widths(width, 5_000, 0.99);
    expect(panes.left + panes.right + 2).toBeLessThanOrEqual(width - 278);
    expect(panes.right).toBeGreaterThanOrEqual(320);
  }
});

test("the list is wider in a wide window until the user chooses", () => {
  // A small window takes its room from the list, so that the tree is not cut off.
  expect(widths(900, LEFT_DEFAULT, 0.52).left).toBe(224);
  expect(widths(1100, LEFT_DEFAULT, 0.52).left).toBeLessThan(LEFT_DEFAULT);
  expect(widths(1280, LEFT_DEFAULT, 0.5).left).toBe(LEFT_DEFAULT);
  expect(widths(1920, LEFT_DEFAULT, 0.5).left).toBeGreaterThan(LEFT_DEFAULT);
  expect(widths(3840, LEFT_DEFAULT, 0.5).left).toBe(372);
  expect(widths(1920, 300, 0.5).left).toBe(300);
});

test.each([
  ["stop", "end of turn"],
  ["end_turn", "end of turn"],
  ["toolUse", "tool call"],
  ["tool-calls", "tool call"],
  ["something_new", "something new"],
])("a model that stopped with %s did so %s", (reason, said) => {
  expect(stopped(reason)).toBe(said);
});

test.each([
  ["3fabe66c", "3fabe66c"],
  ["ordinal:135", "ordinal:135"],
  ["974e29e3-99ff-42e0-a495-1e24930eb650", "974e29e3"],
  ["msg_1fc146b36001OEcEeba4t4LLoH", "…a4t4LLoH"],
])("the id %s is told as %s", (id, told) => {
  expect(shortId(id)).toBe(told);
});

describe("a row of the outline", () => {
  const row = harbour.outline({
    session: "s9",
    filter: "all",
    folded: [],
    unfolded: [],
    offset: 0,
    limit: 1,
    around: null,
  }).rows[0]!;
  test("tells a summary by what it says, not by its headings", () => {
    expect(
      rowText({
        ...row,
        kind: "compaction",
        preview: "## Goal Stop the loss. ## Progress ### Done",
      }),
    ).toEqual({ name: "Compaction", text: "Stop the loss. Progress Done" });
  });
  test("tells a refused call as the user's decision, and what waits as queued", () => {
    const refused = {
      ...row,
      kind: "tool_result" as const,
      role: "tool" as const,
      tools: ["Bash"],
    };
    expect(rowText({ ...refused, rejected: true, preview: "use the other file" })).toEqual({
      name: "Rejected",
      text: "use the other file",
    });
    expect(look({ ...refused, rejected: true, is_error: false }).name).toBe("Rejected");
    const queued = {
      ...row,
      kind: "custom" as const,
      preview: "queue-operation: enqueue and then",
    };
    expect(rowText(queued)).toEqual({ name: "Queued message", text: "and then" });
    for (const [told, words] of [
      [{ fate: "sent", entry_id: "u2" }, "sent as entry u2"],
      [{ fate: "passed", entry_id: null }, "sent with the next result"],
      [{ fate: "taken_back", entry_id: null }, "taken back"],
      [{ fate: "never_sent", entry_id: null }, "never sent"],
    ] as const)
      expect(rowText({ ...queued, queued: told })).toEqual({
        name: `Queued message, ${words}`,
        text: "and then",
      });
  });
  test("a reply that the user stopped is no failure", () => {
    const stopped = { ...row, kind: "message" as const, role: "assistant" as const };
    expect(look({ ...stopped, aborted: true, is_error: false })).toEqual({
      glyph: "stop",
      color: "user",
      name: "Stopped by the user",
    });
    expect(look({ ...stopped, is_error: true }).name).toBe("Failed message");
  });
  test("does not name a tool twice", () => {
    expect(rowText({ ...row, kind: "message", tools: ["Read"], preview: "Read src/a.rs" })).toEqual(
      { name: "Read", text: "src/a.rs" },
    );
    expect(rowText({ ...row, kind: "message", tools: ["exec"], preview: "exec: ls" })).toEqual({
      name: "exec",
      text: "ls",
    });
    expect(rowText({ ...row, kind: "message", tools: ["Read"], preview: "Reading on" }).text).toBe(
      "Reading on",
    );
  });
});

test("only sections that hold nothing at all are empty", () => {
  const section = (start: number, level: number, empty: boolean) => ({
    title: "",
    level,
    start,
    empty,
  });
  const list = [
    section(0, 2, true),
    section(9, 3, false),
    section(20, 3, true),
    section(30, 2, true),
  ];
  expect([...emptySections(list)]).toEqual([20, 30]);
});

test("a pasted address or token gives the token", () => {
  expect(tokenIn(" http://127.0.0.1:7411/?token=0a1b#s=x ")).toBe("0a1b");
  expect(tokenIn("http://localhost:7411/?a=1&token=0a1b&b=2")).toBe("0a1b");
  expect(tokenIn("0a1b\n")).toBe("0a1b");
});

test("the token leaves the address bar and stays for this tab", () => {
  window.history.replaceState(null, "", "/?token=abc#s=1");
  expect(takeToken(window.location, window.sessionStorage, window.history)).toBe("abc");
  expect(window.location.href).not.toContain("abc");
  expect(window.location.hash).toBe("#s=1");
  expect(takeToken(window.location, window.sessionStorage, window.history)).toBe("abc");
});

test("a fact that was kept is not missed, however often it is used again", () => {
  const fact: FactView = {
    id: "",
    kind: "path",
    text: "",
    entry_ids: [],
    status: "verbatim",
    evidence: [],
    needed_later: ["e"],
    count: 1,
    weight: 9,
    in_kept_tail: false,
    concern: "rest",
    first_item: 0,
    file_role: null,
    task: null,
    generation: 0,
    answers: null,
    missing: [],
    difference: null,
  };
  const dropped: FactView = { ...fact, id: "d", status: "dropped", weight: 1 };
  expect([isMissed(fact), isMissed(dropped)]).toEqual([false, true]);
  const all = { kinds: new Set<never>(), fates: new Set<never>() };
  expect(ordered([fact, dropped], all)[0]).toBe(dropped);
  // What the user asked for comes before what was needed, unless an earlier summary lost it already.
  const own: FactView = { ...dropped, id: "o", kind: "constraint", needed_later: [] };
  const older: FactView = { ...own, id: "p", generation: 1 };
  const order = ordered([fact, older, dropped, own], all).map((each) => each.id);
  expect(order).toEqual(["o", "d", "p", ""]);
});

describe("a query", () => {
  test("goes to the backend as it is written", () => {
    expect(sessionsAsk(" tide is:x ").query).toBe("tide is:x");
    expect(sessionsAsk("").hide_subagents).toBe(true);
    expect(sessionsAsk("tide", "relevance").sort).toBe("updated");
    expect(searchAsk("has:error", "cost")).toMatchObject({ query: "has:error", sort: "newest" });
    expect(searchAsk("tide", "relevance")?.sort).toBe("relevance");
    expect(searchAsk("  ", "updated")).toBeNull();
  });
});

test("file names are the last part of a path of either system", () => {
  expect(fileName("/a/b/c.jsonl")).toBe("c.jsonl");
  expect(fileName("C:\\a\\c.jsonl")).toBe("c.jsonl");
  expect(fileName("c.jsonl")).toBe("c.jsonl");
});

describe("what a search found", () => {
  const hit = (session: string, entry_id: string): SearchHit => ({
    session,
    title: "Courier",
    project: "courier",
    agent: "pi",
    entry_id,
    ix: 0,
    line: 0,
    kind: "message",
    role: "user",
    tools: [],
    is_error: false,
    aborted: false,
    rejected: false,
    record: null,
    change: null,
    call: null,
    queued: null,
    timestamp: null,
    tokens: null,
    snippet: "",
    ranges: [],
    prompt: null,
  });
  const hits = [hit("a", "1"), hit("a", "2"), hit("b", "3")];

  test("is said with the sessions in which the entries are", () => {
    expect(foundWords(0, { hits: hits.slice(0, 2), more: false, total: 2 }).text).toBe(
      "2 entries in 1 session",
    );
    expect(foundWords(1, { hits, more: true, total: null }).text).toBe(
      "1 session matches; first 3 entries in 2 sessions",
    );
    expect(foundWords(0, { hits, more: true, total: 1234 }).text).toBe(
      "First 3 of 1,234 entries in 2 sessions",
    );
    expect(foundWords(4, undefined).text).toBe("4 sessions");
    expect(foundWords(0, { hits: [], more: false, total: 0 }).text).toBe("No session and no entry");
  });
  test("ends with a line for more, and the last session counts so far", () => {
    const lines = hitLines(hits, true, "updated");
    expect(lines.at(-1)).toEqual({ type: "more" });
    expect(lines.filter((line) => line.type === "hit-session").map((line) => line.more)).toEqual([
      false,
      true,
    ]);
    expect(hitLines(hits, false, "updated").at(-1)!.type).toBe("hit");
    const [first] = hitLines(hits, true, "updated", 70);
    expect(first).toMatchObject({ title: "Found in the text: first 3 of 70 entries" });
  });
  test("has the newest first within a session, unless the order is that of the answer", () => {
    const shown = (sort: Parameters<typeof hitLines>[2]): string[] =>
      hitLines(hits, false, sort).flatMap((line) =>
        line.type === "hits" ? [line.order] : line.type === "hit" ? [line.hit.entry_id] : [],
      );
    expect(shown("updated")).toEqual(["Newest first", "2", "1", "3"]);
    expect(shown("cost")).toEqual(["Newest first", "2", "1", "3"]);
    expect(shown("relevance")).toEqual([
      "Best session first, its oldest entry first",
      "1",
      "2",
      "3",
    ]);
  });
  test("has the first three sessions above the hits, and a line for all", () => {
    const [one] = sessionRows();
    const list = (n: number): ReturnType<typeof sessionLines> =>
      sessionLines(
        Array.from({ length: n }, (_, at) => ({ ...one!, id: `${at}` })),
        [],
      );
    expect(foldedLines(list(4))).toEqual(list(4));
    const folded = foldedLines(list(77));
    expect(folded.filter((line) => line.type === "session")).toHaveLength(3);
    expect(folded[0]).toMatchObject({ type: "project", count: 77 });
    expect(folded.at(-1)).toEqual({ type: "all", count: 77 });
  });
  test("has long paths cut where a filter found it", () => {
    expect(
      shortPaths("Edit /home/ada/courier/src/queue.ts see https://a.b/c/d/e and src/a/b.ts"),
    ).toBe("Edit …/src/queue.ts see https://a.b/c/d/e and src/a/b.ts");
  });
});

test("sessions that look the same are told apart by their files", () => {
  const [one] = sessionRows();
  const named = (id: string, path: string, title = "Tally"): SessionRow => ({
    ...one!,
    id,
    path,
    title,
  });
  const rows = [
    named("a", "/s/019c2f1e-1111-7000-8000-000000000001.jsonl"),
    named("b", "/s/019c2f1e-1111-7000-8000-0000000000ff.jsonl"),
    named("c", "/s/x.jsonl", "Another"),
    named("d", "/s/rollout.db#4"),
    named("e", "/s/rollout.db#4", "Twice"),
    named("f", "/t/rollout.db#4", "Twice"),
  ];
  const apart = tellApart(
    rows,
    (row) => row.title,
    () => "14:05",
  );
  expect([...apart]).toEqual([
    ["a", "…00000001"],
    ["b", "…000000ff"],
    ["d", "4"],
    ["e", "e"],
    ["f", "f"],
  ]);
  const byTime = tellApart(
    rows.slice(0, 2),
    (row) => row.title,
    (row) => `14:0${row.id === "a" ? 1 : 2}`,
  );
  expect([...byTime.values()]).toEqual(["14:01", "14:02"]);
});

test("a folder is checked as typed and described as found", () => {
  expect(folderFlaw("", [])).toBeNull();
  expect(folderFlaw("/home/ada/sessions", [])).toBeNull();
  expect(folderFlaw("D:\\sessions", [])).toBeNull();
  expect(folderFlaw("sessions", [])).toContain("full path");
  expect(folderFlaw("~/sessions", [])).toContain("~");
  expect(folderFlaw(" /a ", ["/a"])).toContain("in the list");
  const rows = [{ path: "/a/x.jsonl" }, { path: "/ab/y.jsonl" }];
  expect(folderNote("/a/", [], rows, [])).toEqual({ text: "1 session", warns: false });
  expect(folderNote("/c", [], rows, [])!.warns).toBe(true);
  expect(folderNote("/c", [], undefined, [])).toBeNull();
  expect(folderNote("/c", [], rows, [{ path: "/c/z", reason: "no access" }])!.text).toBe(
    "no access",
  );
  expect(
    folderNote("/c", [{ agent: "pi", path: "/c", exists: false, sessions: 0 }], rows, [])!.text,
  ).toBe("not found");
});

describe("the compaction an entry belongs to", () => {
  const summary = (entry_id: string, on_active_path = true): SummaryNode =>
    ({ entry_id, kind: "compaction", on_active_path }) as SummaryNode;
  const path = (...passed: string[]): Timeline =>
    ({ marks: passed.map((entry_id) => ({ entry_id, kind: "compaction" })) }) as Timeline;
  const all = [summary("c1"), summary("c2"), summary("aside", false)];
  test("is itself, the last one before it, or the first after it", () => {
    expect(nearestCompaction(all, "c1", path("c1"))).toBe("c1");
    expect(nearestCompaction(all, "late", path("c1", "c2"))).toBe("c2");
    expect(nearestCompaction(all, "between", path("c1"))).toBe("c1");
    expect(nearestCompaction(all, "early", path())).toBe("c1");
  });
  test("is the newest on the active path until its path is known", () => {
    expect(nearestCompaction(all, "early", undefined)).toBe("c2");
    expect(nearestCompaction([], "early", undefined)).toBeNull();
  });
});
