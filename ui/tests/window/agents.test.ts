//! What other agents' sessions have: subagents inside and beside them, files, cleared results.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { HARBOUR_FILES } from "../../src/host/fake/harbour";
import { harbour } from "../../src/host/fake/tree";
import { all, find, openWindow, press, screen, waitFor } from "../open";

const { entries } = harbour;
const inside = entries.filter((e) => e.sidechain);
const first = inside[0]!;
const compactions = entries.filter((e) => e.kind === "compaction");
const row = (id: string): HTMLElement | undefined =>
  all("outline-row").find((r) => r.dataset.entry === id);

describe("the session list", () => {
  test("leaves subagents' sessions out and tells how to get to them", async () => {
    const { app, host } = await openWindow();
    await find("session-row", { "data-session": "s9" });
    expect(all("session-row").map((r) => r.dataset.session)).not.toContain("s10");
    const hidden = await find("hidden-sessions");
    expect(hidden.textContent).toContain("1 subagent session");
    await fireEvent.click(hidden);
    await find("session-row", { "data-session": "s10" });
    expect(all("session-row").map((r) => r.dataset.session)).toEqual(["s10"]);
    expect(all("hidden-sessions")).toHaveLength(0);
    expect(app.place.query).toBe("is:subagent");
    const asked = host.calls
      .filter((c) => c.command === "sessions")
      .map((c) => c.params as { query: string; hide_subagents: boolean });
    expect(asked).toContainEqual(expect.objectContaining({ query: "", hide_subagents: true }));
    expect(asked.map(({ query }) => query)).not.toContain("is:subagent -is:subagent");
  });

  test("the way to them is reached with the keys", async () => {
    const { app } = await openWindow();
    await find("hidden-sessions");
    const list = await find("session-list");
    await press("End", list);
    await press("Enter", list);
    await waitFor(() => expect(app.place.query).toBe("is:subagent"));
  });

  test("names the agent with its version and marks forks", async () => {
    await openWindow();
    const line = await find("session-row", { "data-session": "s9" });
    expect(line.querySelector("[data-testid=agent-chip]")!.textContent).toBe("claude-code 2.1.63");
    expect(line.querySelector("[data-testid=parent-kind]")!.getAttribute("data-kind")).toBe(
      "forked_from",
    );
    expect(
      (await find("session-row", { "data-session": "s1" })).querySelector(
        "[data-testid=parent-kind]",
      ),
    ).toBeNull();
  });
});

describe("the header", () => {
  test("leads to the parent and to subagents; what is not in the index is no link", async () => {
    const { app } = await openWindow("#s=s9");
    const parent = await find("session-link", { "data-kind": "forked_from" });
    await waitFor(() => expect(parent.textContent).toContain("Parser for the tide tables"));
    expect(all("session-link")).toHaveLength(1);
    await fireEvent.click(await find("belongs-subagents"));
    const missing = all("session-link").find(
      (l) => l.dataset.kind === "subagent" && l.dataset.session === undefined,
    )!;
    expect(missing.querySelector("button")).toBeNull();
    await fireEvent.click(
      (await find("session-link", { "data-session": "s10" })).querySelector("button")!,
    );
    await waitFor(() => expect(app.place.session).toBe("s10"));
    await find("session-link", { "data-kind": "subagent_of", "data-session": "s9" });
  });

  test("names the session in which this one is continued, and leads to it", async () => {
    const { app } = await openWindow("#s=s9", {
      changed: {
        open: (view) => {
          const link = view.links.find((own) => own.kind === "forked_from");
          if (!link) return view;
          return {
            ...view,
            links: [{ ...link, kind: "continues", reversed: true, session: "s10", label: null }],
          };
        },
      },
    });
    const link = await find("session-link", { "data-kind": "continues" });
    expect(link.textContent).toContain("Continued in");
    await fireEvent.click(link.querySelector("button")!);
    await waitFor(() => expect(app.place.session).toBe("s10"));
  });

  test("lists the files; one leads to its first entry", async () => {
    const { app } = await openWindow("#s=s9");
    await fireEvent.click(await find("belongs-files"));
    const files = all("file");
    expect(files.map((f) => f.title)).toEqual([...HARBOUR_FILES]);
    await fireEvent.click(files[1]!);
    await waitFor(() => expect(app.place.entry).toBe(harbour.told.files[1]!.first));
  });

  test("says nothing where a session stands alone", async () => {
    await openWindow("#s=s1");
    await find("session-title");
    expect(all("belongs")).toHaveLength(0);
  });
});

describe("the outline", () => {
  test("folds a subagent's conversation with its size, and opens it by mouse and keys", async () => {
    const { app } = await openWindow(`#s=s9&e=${inside[1]!.id}`);
    const tree = await find("outline");
    await find("outline-row", { "data-entry": inside[1]!.id });
    await press("ArrowLeft", tree);
    await waitFor(() => expect(app.place.entry).toBe(first.id));
    await press("ArrowLeft", tree);
    await waitFor(() => expect(row(inside[1]!.id)).toBeUndefined());
    expect(row(first.id)!.getAttribute("aria-expanded")).toBe("false");
    await waitFor(() => expect(row(first.id)!.textContent).toContain(`${inside.length} entries`));
    expect(row(first.id)!.textContent).toContain("Subagent");
    await press("ArrowRight", tree);
    await find("outline-row", { "data-entry": inside[1]!.id });
    await fireEvent.click(row(first.id)!.querySelector("[data-testid=fold]")!);
    await waitFor(() => expect(row(inside[1]!.id)).toBeUndefined());
  });

  test("comes with it folded", async () => {
    const { host } = await openWindow("#s=s9");
    await find("outline-row", { "data-entry": first.id, "aria-expanded": "false" });
    expect(row(inside[1]!.id)).toBeUndefined();
    expect(
      host.calls
        .filter((c) => c.command === "outline")
        .every((c) => (c.params as { unfolded: string[] }).unfolded.length === 0),
    ).toBe(true);
  });

  test("an entry deep in it unfolds it, so that a link never leads nowhere", async () => {
    await openWindow(`#s=s9&e=${inside.at(-1)!.id}`);
    const shown = await find("outline-row", {
      "data-entry": inside.at(-1)!.id,
      "aria-selected": "true",
    });
    expect(shown.dataset.sidechain).toBe("true");
  });

  test("names the file where one begins", async () => {
    await openWindow("#s=s9");
    await find("outline-row", { "data-entry": first.id });
    const names = all("begins-file").map((f) => f.textContent);
    expect(names).toEqual(["5d0c7a52.jsonl", "8e41b0f3.jsonl"]);
  });

  test("tells cleared results, triggers, checkpoints and lists of things to do", async () => {
    await openWindow("#s=s9&show=all");
    const text = async (kind: string, n = 0): Promise<string> => {
      await find("outline-row", { "data-kind": kind });
      const row = all("outline-row").filter((r) => r.dataset.kind === kind)[n]!;
      return row.querySelector(".text")!.textContent.replace(/\s+/g, " ").trim();
    };
    expect(await text("clearing")).toBe("Cleared 3 tool results");
    expect(await text("compaction")).toMatch(/^Compaction ?auto/);
    expect(await text("compaction", 1)).toMatch(/^Compaction ?manual/);
    expect(await text("custom")).toBe("Checkpoint of 3 files");
    expect(await text("custom", 1)).toBe("To-do list 3 to do, 2 open");
  });
});

describe("the inspector", () => {
  test("opens the subagent an entry started, and names file and line", async () => {
    const started = entries.find((e) => e.link)!;
    const { app } = await openWindow(`#s=s9&e=${started.id}`);
    await find("entry-tab", { "data-entry": started.id });
    expect(screen.getByTestId("entry-file").textContent).toBe("8e41b0f3.jsonl");
    expect(screen.getByTestId("entry-record").textContent).toMatch(/line \d+, byte/);
    await fireEvent.click(screen.getByTestId("entry-links").querySelector("button")!);
    await waitFor(() => expect(app.place.session).toBe("s10"));
  });

  test("shows the agent's own categories beside ours, only where there are any", async () => {
    await openWindow("#s=s9&tab=context");
    const own = await find("gauge-own");
    expect([...own.querySelectorAll("th")].map((th) => th.textContent)).toEqual([
      "System prompt",
      "System tools",
      "Custom agents",
      "Messages",
    ]);
    expect(own.querySelector("caption")!.textContent).toContain("/context");
  });

  test("has no such table for an agent without one", async () => {
    await openWindow("#s=s1&tab=context");
    await find("gauge-legend");
    expect(all("gauge-own")).toHaveLength(0);
  });

  test("tells in the list of summaries what started each", async () => {
    await openWindow(`#s=s9&e=${compactions[0]!.id}&tab=summary`);
    const choice = await find("ledger-of");
    await waitFor(() =>
      expect([...choice.querySelectorAll("option")].map((o) => o.textContent)).toEqual(
        expect.arrayContaining(["Compaction 1 (auto)", "Compaction 2 (manual)"]),
      ),
    );
  });
});
