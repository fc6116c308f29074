import { describe, expect, test } from "vitest";
import {
  costOf,
  flatLines,
  hitLines,
  searchAsk,
  sessionLines,
  sessionsAsk,
  tellApart,
} from "../src/lib/sessions/lines";
import { folderFlaw, folderNote } from "../src/lib/settings/folders";
import { kinLook, kinName } from "../src/lib/ui/kinds";
import { sessionRows } from "../src/host/fake/rows";
import { searchHits } from "../src/host/fake/search";
import type { SessionRow } from "../src/wire/wire";

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

test("a cost without a part of it has the sign of the header", () => {
  const [row] = sessionRows();
  const cost = { ...row!, cost_usd: 0.0528, cost_computed: true };
  expect(costOf({ ...cost, cost_partial: true })?.text).toBe(">$0.05");
  expect(costOf({ ...cost, cost_partial: true })?.meaning).toContain("at least this much");
  expect(costOf({ ...cost, cost_partial: false })?.text).toBe("≈$0.05");
});

describe("hits", () => {
  const order = (together: number): string => {
    const rows = sessionRows();
    const { hits } = searchHits(searchAsk("the", "updated")!, rows);
    const head = hitLines(hits, false, "updated", null, together)[0];
    return head?.type === "hits" ? head.order : "";
  };
  test("say that those with the words in a row come first", () => {
    expect(order(0)).toBe("Newest first");
    expect(order(1)).toBe("In each session words in a row first, then newest first");
  });
});

describe("relations of sessions", () => {
  test("name the parent by its id and time", () => {
    const parent = { session: "s1", shown_id: "70d782f7…", title: "x", timestamp: 0 };
    expect(kinName("forked_from", parent, 0)).toMatch(/^Forked from 70d782f7…, /);
    expect(kinName("continues", null, 0)).toBe(
      "Continues another session, which is not in the index",
    );
  });
  test("have their own signs", () => {
    const kinds = ["forked_from", "shares_beginning", "continues", "subagent_of"] as const;
    expect(new Set(kinds.map((kind) => kinLook(kind).glyph)).size).toBe(kinds.length);
  });
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

test("sessions that look the same are told apart by their files", () => {
  const [one] = sessionRows();
  const named = (id: string, path: string, title = "Tally"): SessionRow => ({
    ...one!,
    id,
    shown_id: id,
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
