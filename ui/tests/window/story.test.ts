import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { FakeOptions } from "../../src/host/fake";
import type { Answer } from "../../src/host/types";
import { leaf, entries } from "../../src/host/fake/tree";
import { paletteLines } from "../../src/lib/commands/palette";
import type { SessionRow } from "../../src/wire/wire";
import { all, find, openWindow, press, screen, waitFor } from "../open";

const compactions = entries.filter((e) => e.kind === "compaction");
const newest = compactions.at(-1)!;

describe("sessions", () => {
  test("are grouped by project, and one opens at its active leaf", async () => {
    const { app } = await openWindow();
    await find("session-row", { "data-session": "s4" });
    expect(all("project-row").map((row) => row.dataset.project)).toEqual([
      "courier",
      "tidewatch",
      "Samples",
    ]);
    await fireEvent.click(await find("session-row", { "data-session": "s1" }));
    const row = await find("outline-row", { "aria-selected": "true" });
    expect(row.dataset.entry).toBe(leaf);
    expect(app.place.session).toBe("s1");
  });

  test("typing finds texts, and a hit opens its entry", async () => {
    const { app } = await openWindow("#s=s1");
    await fireEvent.input(await find("search"), { target: { value: "write-ahead" } });
    const hit = await find("search-hit");
    const entry = hit.dataset.entry!;
    await fireEvent.click(hit);
    await waitFor(() => expect(app.place.entry).toBe(entry));
    expect((await find("entry-tab")).dataset.entry).toBe(entry);
  });

  test("words that are not understood are named", async () => {
    await openWindow("#q=color%3Ared");
    expect((await find("search-ignored")).textContent).toContain("color:red");
  });

  test("a machine without sessions gets a first step", async () => {
    const { host } = await openWindow("", { firstRun: true });
    await fireEvent.click(await find("first-index"));
    await find("session-row");
    expect(host.calls.some((c) => c.command === "index")).toBe(true);
  });

  test("folders that were found come first, the others are folded away", async () => {
    await openWindow("", { firstRun: true });
    const first = await find("agent-place");
    expect(first.dataset.found).toBe("true");
    const missing = await find("places-missing");
    expect(missing.hasAttribute("open")).toBe(false);
    expect(missing.querySelector("summary")!.textContent).toBe("1 usual folder was not found");
    const button = await find("first-index");
    expect(button.compareDocumentPosition(missing)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await waitFor(async () =>
      expect((await find("no-session")).textContent).toContain("Index your session folders"),
    );
  });

  test("a session that a rescan took out of the list is left, and the page says so", async () => {
    const { app, host } = await openWindow("#s=s1");
    await find("outline-row", { "aria-selected": "true" });
    const rpc = host.rpc.bind(host);
    let scanned = false;
    host.rpc = async (command, params) => {
      const answer = await rpc(command, params);
      if (command === "index") scanned = true;
      if (command !== "sessions" || !scanned) return answer;
      const list = answer as Answer<"sessions">;
      return { ...list, sessions: list.sessions.filter((row) => row.id !== "s1") } as typeof answer;
    };
    await app.index();
    expect(app.place.session).toBeNull();
    expect((await find("session-removed")).textContent).toContain("removed from the list");
    expect(all("error-note")).toHaveLength(0);
    app.go({ session: "s2" });
    expect(app.removed).toBe(false);
  });

  test("a session that is gone says so and what to do", async () => {
    await openWindow("#s=gone");
    const note = await find("error-note");
    expect(note.dataset.kind).toBe("neutral");
    expect(note.textContent).toContain("Index its folder");
    // Nothing else would come of asking again.
    expect(note.textContent).not.toContain("Try again");
  });
});

describe("the outline", () => {
  test("moves with the arrows, Home and End", async () => {
    const { app } = await openWindow("#s=s1");
    const tree = await find("outline");
    await find("outline-row", { "aria-selected": "true" });
    await press("ArrowUp", tree);
    await waitFor(() => expect(app.place.entry).not.toBeNull());
    const above = app.place.entry;
    expect(above).toBe(entries.find((e) => e.id === leaf)!.parent);
    await press("Home", tree);
    await waitFor(() => expect(app.place.entry).toBe(entries.find((e) => e.role === "user")!.id));
    await press("End", tree);
    await waitFor(() => expect(app.place.entry).toBe(leaf));
  });

  test("folds a branch point with the left arrow and unfolds it with the right", async () => {
    const fork = entries.find((e) => entries.filter((c) => c.parent === e.id).length > 1)!;
    const { host } = await openWindow(`#s=s1&e=${fork.id}`);
    const tree = await find("outline");
    await find("outline-row", { "data-entry": fork.id, "aria-expanded": "true" });
    await press("ArrowLeft", tree);
    await find("outline-row", { "data-entry": fork.id, "aria-expanded": "false" });
    expect(
      host.calls.some(
        (c) =>
          c.command === "outline" && (c.params as { folded: string[] }).folded.includes(fork.id),
      ),
    ).toBe(true);
    await press("ArrowRight", tree);
    await find("outline-row", { "data-entry": fork.id, "aria-expanded": "true" });
  });

  test("brackets lead from compaction to compaction", async () => {
    const { app } = await openWindow("#s=s1");
    await find("outline-row", { "aria-selected": "true" });
    await press("[");
    await waitFor(() => expect(app.place.entry).toBe(newest.id));
    const row = await find("outline-row", { "aria-selected": "true" });
    expect(row.dataset.kind).toBe("compaction");
    expect(row.textContent).toMatch(/\d.*→.*\d/);
  });

  test("a growing session is read again without moving the selection", async () => {
    const { host, app } = await openWindow(`#s=s1&e=${newest.id}`);
    await find("outline-row", { "aria-selected": "true" });
    const asked = host.calls.filter((c) => c.command === "outline").length;
    host.emit({ type: "session_changed", session: "s1", change: "appended", entries: 131 });
    await waitFor(() =>
      expect(host.calls.filter((c) => c.command === "outline").length).toBeGreaterThan(asked),
    );
    expect(app.place.entry).toBe(newest.id);
  });

  test("lost events make the window load again what it shows", async () => {
    const { host } = await openWindow(`#s=s1&e=${newest.id}`);
    await find("outline-row", { "aria-selected": "true" });
    const asked = (command: string): number =>
      host.calls.filter((c) => c.command === command).length;
    const before = ["sessions", "outline", "timeline"].map(asked);
    host.emit({ type: "missed", events: 3 });
    await waitFor(() => {
      const after = ["sessions", "outline", "timeline"].map(asked);
      expect(after.every((count, n) => count > before[n]!)).toBe(true);
    });
  });

  test("no window asks for the list of all entries", async () => {
    const { host } = await openWindow(`#s=s9`);
    await find("outline-row", { "aria-selected": "true" });
    host.emit({ type: "session_changed", session: "s9", change: "appended", entries: 131 });
    await waitFor(() =>
      expect(host.calls.filter((c) => c.command === "outline").length).toBeGreaterThan(1),
    );
    expect(host.calls.some((c) => c.command === "tree")).toBe(false);
  });
});

describe("the inspector", () => {
  test("shows an entry rendered and raw, links only after showing their target", async () => {
    const talk = entries.find((e) => e.text.includes("example.org"))!;
    await openWindow(`#s=s1&e=${talk.id}`);
    await find("entry-tab", { "data-entry": talk.id });
    expect(all("link-target")).toHaveLength(0);
    await fireEvent.click(await find("md-link"));
    expect((await find("link-target")).textContent).toContain("https://example.org/queue");
    await fireEvent.click(await find("entry-raw"));
    await waitFor(() =>
      expect(screen.getByTestId("text-pages").textContent).toContain(`"id": "${talk.id}"`),
    );
  });

  test("shows the context with what the file does not hold", async () => {
    await openWindow("#s=s1&tab=context");
    await find("gauge-legend");
    const unknown = await find("context-item", { "data-origin": "not_recorded" });
    expect(unknown.textContent).toContain("not in the file");
    const items = all("context-item");
    await fireEvent.click(items[1]!.querySelector("button")!);
    await find("entry-link");
  });

  test("shows how two contexts differ", async () => {
    await openWindow(`#s=s1&tab=context&against=${newest.parent}`);
    expect((await find("context-diff")).textContent).toContain("removed");
  });

  test("shows the ledger of a compaction; a fact leads to both sides", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=summary`);
    const facts = await waitFor(() => {
      const list = all("fact");
      if (list.length < 3) throw new Error("no facts yet");
      return list;
    });
    expect(facts[0]!.dataset.status).toBe("dropped");
    await fireEvent.click(facts[0]!);
    expect((await find("no-match")).textContent).toContain("No match in the summary.");
    expect(facts[0]!.parentElement!.querySelector("[data-testid=needed-later]")).not.toBeNull();
    // What is not lost stands below the three questions, folded.
    expect(facts.some((f) => f.dataset.status === "verbatim")).toBe(false);
    await fireEvent.click(await find("facts-rest"));
    const kept = all("fact").find((f) => f.dataset.status === "verbatim")!;
    await fireEvent.click(kept);
    expect(kept.getAttribute("aria-pressed")).toBe("true");
    const id = kept.dataset.factRow!;
    await waitFor(() => {
      const sides = all("mark")
        .filter((m) => m.dataset.fact === id && m.classList.contains("flash"))
        .map((m) => m.dataset.side);
      expect(new Set(sides)).toEqual(new Set(["source", "summary"]));
    });
    expect(all("no-match")).toHaveLength(0);
  });

  test("says in words what is lost, and each number leads to its facts", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=summary`);
    const words = (await find("first-words")).textContent;
    expect(words).toMatch(/requests? (and|or) constraints? found in the user's messages/);
    for (const concern of ["own", "missed", "risk"]) {
      const link = all(`concern-${concern}`)[0];
      if (!link) continue;
      const group = document.querySelector<HTMLElement>(`[data-group=${concern}]`)!;
      // What may still matter is counted by kind.
      const counted = [...link.textContent.matchAll(/\d+/g)].map(Number);
      expect(Number(group.querySelector(".num")!.textContent)).toBe(
        counted.reduce((sum, own) => sum + own, 0),
      );
      await fireEvent.click(link);
      const first = group.nextElementSibling!.querySelector("[data-fact-row]");
      await waitFor(() => expect(document.activeElement).toBe(first));
    }
    expect(all("concern-own").length + all("concern-missed").length).toBeGreaterThan(0);
  });

  test("counts the user's requests in one total, settled ones too, and shows them", async () => {
    let settled = "";
    await openWindow(`#s=s1&e=${newest.id}&tab=summary`, {
      changed: {
        ledger: (view) => {
          const facts = view.facts.map((fact) =>
            fact.concern === "own" && fact.status === "dropped" && settled === ""
              ? { ...fact, id: (settled = fact.id), concern: "rest" as const }
              : fact,
          );
          const own = facts.filter((fact) => fact.concern === "own").length;
          return { ...view, facts, concerns: { ...view.concerns, own } };
        },
      },
    });
    const words = (await find("first-words")).textContent.replace(/\s+/g, " ");
    expect(words).toMatch(/the one that is dropped looks settled\.|1 more is dropped, but looks/);
    const [, still, total] = /(\d+) of (\d+) /.exec(words)!.map(Number);
    const lost = all("concern-own")[0]?.textContent.match(/\d+/g)?.map(Number) ?? [];
    expect(still! + lost.reduce((sum, own) => sum + own, 0) + 1).toBe(total);
    for (const [link, number] of [
      ["cost-asked", total],
      ["cost-still", still],
    ] as const) {
      if (number === 0) continue;
      await fireEvent.click(await find(link));
      await waitFor(() => expect(all("fact")).toHaveLength(number!));
    }
    await fireEvent.click(await find("cost-settled"));
    await waitFor(() => expect(all("fact").map((row) => row.dataset.factRow)).toEqual([settled]));
  });

  test("a file read again although the summary names it has a sentence and a list of its own", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=summary`);
    const words = (await find("first-words")).textContent.replace(/\s+/g, " ");
    expect(words).toContain("1 file that the summary names was read again: 1 call, 900 tokens.");
    await fireEvent.click(await find("cost-named"));
    await find("filter-only");
    await waitFor(() => expect(all("fact")).toHaveLength(1));
    expect(all("fact")[0]!.dataset.status).not.toBe("dropped");
  });

  test("a fate filters the facts", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=summary`);
    await fireEvent.click(await find("fate-dropped"));
    await waitFor(() =>
      expect(new Set(all("fact").map((f) => f.dataset.status))).toEqual(new Set(["dropped"])),
    );
  });
});

describe("running a compaction again", () => {
  test("plans with instructions, runs, and compares", async () => {
    const { app, host } = await openWindow(`#s=s1&e=${newest.id}&tab=rerun`, { planPace: 40 });
    await find("plan", { "data-fresh": "true" });
    expect(app.spans.get(newest.kept!)).toBeDefined();
    await fireEvent.input(await find("instructions"), { target: { value: "Name every file." } });
    await find("plan", { "data-fresh": "false" });
    await find("plan", { "data-fresh": "true" });
    await fireEvent.click(await find("offline-prompts"));
    await fireEvent.click(all("show-prompt")[0]!);
    await waitFor(() => expect(all("prompt-text")[0]!.textContent).toContain("Name every file."));
    expect((await find("destination")).textContent).toContain("Nothing leaves this machine");
    await fireEvent.click(await find("run-button"));
    await find("run-result", { "data-status": "done" });
    const sent = host.calls.find((c) => c.command === "compact")!.params as {
      redo: boolean;
      instructions: string;
    };
    expect(sent).toMatchObject({
      redo: true,
      instructions: "Name every file.",
      replace_prompt: false,
      // The plan on screen is the one that runs.
      plan_hash: "plan of pi",
    });
    await fireEvent.click(await find("compare-own"));
    await find("compare-totals");
    expect(app.place.compare?.[0]).toBe(`entry:${newest.id}`);
    await fireEvent.click(await find("compare-texts"));
    await find("diff-row");
  });

  test("can be cancelled, and says so", async () => {
    const { host } = await openWindow(`#s=s1&e=${newest.id}&tab=rerun`, { pace: 5 });
    await find("plan", { "data-fresh": "true" });
    await fireEvent.click(await find("run-button"));
    await fireEvent.click(await find("cancel-button"));
    await find("run-result", { "data-status": "cancelled" });
    expect(host.calls.some((c) => c.command === "cancel")).toBe(true);
  });

  test("a refusal is shown with its next step", async () => {
    const failing = {
      compact: {
        code: "provider" as const,
        message: "The key is not accepted.",
        hint: "Store another one in the settings.",
      },
    };
    await openWindow(`#s=s1&e=${newest.id}&tab=rerun`, { failing });
    await find("plan", { "data-fresh": "true" });
    await fireEvent.click(await find("run-button"));
    const note = await find("error-note", { "data-kind": "fixable" });
    expect(note.textContent).toContain("Store another one");
    expect(note.textContent).toContain("The run failed");
  });

  test("a failed run shows what had come of it", async () => {
    await openWindow("#s=s1&tab=runs");
    const row = await find("run-row", { "data-status": "failed" });
    const fold = row.querySelector<HTMLElement>("[data-testid=unfold-run]")!;
    expect(fold.getAttribute("aria-expanded")).toBe("false");
    await fireEvent.click(fold);
    const remains = await find("run-remains");
    await waitFor(() => expect(remains.textContent).toContain("Stop the"));
    expect(remains.textContent).toContain("529");
    await fireEvent.click(fold);
    await waitFor(() => expect(all("run-remains")).toEqual([]));
  });

  test("two runs are picked and compared", async () => {
    const { app } = await openWindow("#s=s1&tab=runs");
    await find("run-row");
    expect((await find("compare-button")).hasAttribute("disabled")).toBe(true);
    await fireEvent.click(all("pick-own")[0]!);
    await fireEvent.click(all("pick-run").find((p) => !p.hasAttribute("disabled"))!);
    await fireEvent.click(await find("compare-button"));
    await find("compared-facts");
    expect(app.place.compare).not.toBeNull();
  });
});

describe("the window", () => {
  test("comes back to the place in the address", async () => {
    await openWindow(`#s=s1&e=${newest.id}&tab=context`);
    expect((await find("context-tab")).dataset.entry).toBe(newest.id);
    expect((await find("tab-context")).getAttribute("aria-selected")).toBe("true");
  });

  test("commands come before sessions that have the word, and lead to the prompts", async () => {
    const { app } = await openWindow();
    const row = { id: "x", title: "Settings", project: "prompts" } as SessionRow;
    const lines = paletteLines(app, [row], "prompts", false);
    expect(lines.map((line) => line.id)).toEqual(["prompts", "lab", "session-x", "search-all"]);
    lines[0]!.run();
    await waitFor(() => expect(document.activeElement?.getAttribute("data-part")).toBe("prompts"));
  });

  test("the palette sorts the sessions, and searches the text for what no command is", async () => {
    const { app } = await openWindow();
    await press("k", document.body, { ctrlKey: true });
    await fireEvent.input(await find("palette-input"), { target: { value: "cost" } });
    await waitFor(() => expect(all("palette-line")[0]!.textContent).toContain("highest cost"));
    await press("Enter", await find("palette-input"));
    await waitFor(() => expect(app.prefs.sort).toBe("cost"));
    await press("k", document.body, { ctrlKey: true });
    await fireEvent.input(await find("palette-input"), { target: { value: "retry zebra" } });
    await waitFor(() => expect(all("palette-line")).toHaveLength(1));
    expect(all("palette-line")[0]!.textContent).toContain("“retry zebra”");
    await press("Enter", await find("palette-input"));
    await waitFor(() => expect(app.place.query).toBe("retry zebra"));
    expect(app.overlay).toBeNull();
  });

  test("numbers choose tabs, the palette finds commands, ? lists the keys", async () => {
    const { app } = await openWindow("#s=s1");
    await find("outline-row");
    await press("5");
    await waitFor(() => expect(app.place.tab).toBe("runs"));
    await press("k", document.body, { ctrlKey: true });
    await fireEvent.input(await find("palette-input"), { target: { value: "settings" } });
    await press("Enter", await find("palette-input"));
    await find("settings");
    // Also where no button has the keyboard any more.
    (document.activeElement as HTMLElement).blur();
    await press("Escape", document.body);
    await waitFor(() => expect(all("settings")).toHaveLength(0));
    await press("?");
    const keys = await find("shortcuts");
    for (const list of ["In the list of sessions", "In the outline", "In the lists of facts"])
      expect(keys.textContent).toContain(list);
  });

  test("deletes a run, and offers to take that back", async () => {
    const { host } = await openWindow("#s=s1&tab=runs");
    await find("run-row");
    const before = all("run-row").length;
    await fireEvent.click(all("delete-run")[0]!);
    await waitFor(() => expect(all("run-row")).toHaveLength(before - 1));
    expect(host.calls.some((c) => c.command === "run_delete")).toBe(false);
    expect((await find("toast-action")).textContent).toContain("Undo");
  });

  test("stores a key through the host only", async () => {
    const { host } = await openWindow();
    await fireEvent.click(await find("open-settings"));
    const row = await find("provider-row", { "data-provider": "openai" });
    await fireEvent.click(row.querySelector("[data-testid=key-button]")!);
    const input = await find("key-input");
    await fireEvent.input(input, { target: { value: "sk-test" } });
    await fireEvent.submit(input.closest("form")!);
    await find("provider-row", { "data-provider": "openai", "data-key": "keyring" });
    expect(host.calls.find((c) => c.command === "provider_key")?.params).toEqual({
      name: "openai",
      key: "sk-test",
    });
    expect(document.body.innerHTML).not.toContain("sk-test");
  });

  test("adds no provider under a name that another has", async () => {
    const { host } = await openWindow();
    await fireEvent.click(await find("open-settings"));
    await fireEvent.click(await find("provider-add"));
    const form = await find("provider-form");
    const type = (id: string, value: string): Promise<boolean> =>
      fireEvent.input(form.querySelector(id)!, { target: { value } });
    await type("#p-name", "anthropic");
    await type("#p-url", "http://127.0.0.1:9/v1");
    expect((await find("provider-flaw")).textContent).toContain(
      "A provider named anthropic exists",
    );
    await fireEvent.submit(form);
    await type("#p-url", "127.0.0.1:9");
    await type("#p-name", "mine");
    expect((await find("provider-flaw")).textContent).toContain("http://");
    await fireEvent.submit(form);
    expect(host.calls.some((c) => c.command === "provider_save")).toBe(false);
    await type("#p-url", "http://127.0.0.1:9/v1");
    await fireEvent.submit(form);
    await waitFor(() =>
      expect(host.calls.filter((c) => c.command === "provider_save")).toHaveLength(1),
    );
  });

  test("keeps what was typed of a provider that is refused", async () => {
    const refusal = {
      code: "bad_request",
      message: "the variable MY_KEY is not set up as the key for this address",
      hint: null,
      next: { kind: "set_up_key_at_machine" },
    } as const;
    const failing: FakeOptions["failing"] = { provider_save: refusal };
    const { host } = await openWindow("", { failing });
    await fireEvent.click(await find("open-settings"));
    await fireEvent.click(await find("provider-add"));
    const form = await find("provider-form");
    const type = (id: string, value: string): Promise<boolean> =>
      fireEvent.input(form.querySelector(id)!, { target: { value } });
    await type("#p-name", "mine");
    await type("#p-url", "https://mine.example/v1");
    await type("#p-env", "MY_KEY");
    await fireEvent.submit(form);
    const refused = await find("provider-refused");
    expect(refused.textContent).toContain("The variable MY_KEY is not set up");
    expect(refused.textContent).toContain("on the machine on which the server runs");
    expect(form.querySelector<HTMLInputElement>("#p-url")!.value).toBe("https://mine.example/v1");
    delete failing.provider_save;
    await fireEvent.submit(form);
    await waitFor(() => expect(all("provider-form")).toHaveLength(0));
    expect(host.calls.filter((c) => c.command === "provider_save")).toHaveLength(2);
  });

  test("shows notices until they are dismissed", async () => {
    const { host } = await openWindow();
    host.emit({ type: "notice", level: "warning", text: "The index was rebuilt." });
    const toast = await find("toast");
    expect(toast.textContent).toContain("The index was rebuilt.");
    await fireEvent.click(toast.querySelector("button")!);
    await waitFor(() => expect(all("toast")).toHaveLength(0));
  });

  test("splitters move with the keys and are remembered", async () => {
    const { app } = await openWindow();
    const splitter = await find("splitter-left");
    const shown = Number(splitter.getAttribute("aria-valuenow"));
    await press("ArrowRight", splitter);
    expect(app.prefs.left).toBe(shown + 16);
  });
});
