import { cleanup, fireEvent, render } from "@testing-library/svelte";
import { flushSync } from "svelte";
import { describe, expect, test, vi } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { findHit, searchHit } from "../../src/host/fake/hit";
import HitLine from "../../src/lib/sessions/HitLine.svelte";
import { NOWHERE } from "../../src/lib/state/place";
import { look } from "../../src/lib/ui/kinds";
import type { FindHit, SearchHit } from "../../src/wire/wire";
import { all, find, openWindow, press, screen, waitFor, within } from "../open";

const rows = (): string[] => all("session-row").map((row) => row.dataset.session!);

const hitOf = (own: Partial<SearchHit>): SearchHit =>
  searchHit({ role: "tool", tools: ["bash"], snippet: "Exit code 2", ...own });
const LINE = { id: "x", prompt: null, dated: false, chosen: false, now: 0, onopen: () => {} };
const hitText = (): string => all("search-hit")[0]!.textContent.replace(/\s+/g, " ").trim();

describe("the session list", () => {
  test("is sorted as chosen, without headings where projects would break the order", async () => {
    const { app } = await openWindow();
    await find("project-row");
    await fireEvent.change(await find("sort"), { target: { value: "cost" } });
    await waitFor(() => expect(rows()[0]).toBe("s3"));
    expect(all("project-row")).toHaveLength(0);
    expect(app.prefs.sort).toBe("cost");
    await fireEvent.change(await find("sort"), { target: { value: "updated" } });
    await find("project-row");
  });

  test("hits are counted by what they are of, and a count leads to its hits", async () => {
    const { app } = await openWindow("#q=queue");
    await find("search-hit");
    const select = (await find("count-by")) as HTMLSelectElement;
    await fireEvent.change(select, { target: { value: "project" } });
    const [first] = await waitFor(() => {
      const found = all("count-row");
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    expect(all("search-hit")).toHaveLength(0);
    expect((await find("hits-heading")).textContent).toContain("hits by project");
    await fireEvent.click(first!);
    expect(app.place.query).toBe(`queue project:${first!.dataset.name}`);
    // Another search lists its hits again.
    await waitFor(() => expect(select.value).toBe(""));
  });

  test("a search that finds nothing names the word or filter to leave out", async () => {
    const { app } = await openWindow("#q=queue%20zebra");
    const nothing = await find("nothing-found");
    await waitFor(() => expect(nothing.textContent).toContain("without zebra"));
    expect(nothing.textContent).not.toContain("without queue");
    await fireEvent.click(screen.getByTitle("queue"));
    expect(app.place.query).toBe("queue");
    await find("search-hit");
  });

  test("a reply that is thinking alone says thinking, not assistant", () => {
    const said: Partial<FindHit> = {
      role: "assistant",
      tools: [],
      snippet: "The parser fails.",
    };
    const { unmount } = render(HitLine, { ...LINE, hit: hitOf({ ...said, thinking: true }) });
    // The sign before the text has a name of its own.
    expect(hitText()).toBe("Thinking thinking: The parser fails.");
    unmount();
    render(HitLine, { ...LINE, hit: hitOf({ ...said, thinking: false }) });
    expect(hitText()).toBe("Assistant The parser fails.");
    const found: Partial<FindHit> = { ...said, kind: "message", thinking: true };
    expect(look(findHit(found)).name).toBe("Thinking");
    expect(look(findHit({ ...found, in_subagent: true })).name).toBe("Thinking in a subagent");
    // The summary of a compaction may hold thinking as well.
    expect(look(findHit({ ...found, kind: "compaction" })).name).toBe("Compaction");
  });

  test("a hit has its date and its time together, once", () => {
    const timestamp = new Date(2026, 1, 8, 14, 5).getTime();
    const now = new Date(2026, 2, 1).getTime();
    const { rerender } = render(HitLine, {
      ...{ ...LINE, now, prompt: "fix the queue", dated: true },
      hit: hitOf({ timestamp }),
    });
    expect(hitText()).toMatch(/ 8 Feb, 14:05 ?after prompt: fix the queue bash Exit code 2$/);
    void rerender({ dated: false, prompt: null });
    flushSync();
    expect(hitText()).toMatch(/bash 14:05 bash Exit code 2$/);
  });

  test("the agent stands in the heading of a session's hits", async () => {
    await openWindow("#q=queue");
    const heading = await find("hit-heading");
    expect(within(heading).getByTestId("agent-chip").textContent).toBe("pi");
  });

  test("a hit without a heading has the agent of its session", () => {
    const hit = hitOf({ role: "tool", agent: "codex" });
    render(HitLine, { ...LINE, of: "The queue", hit });
    expect(all("agent-chip").map((own) => own.textContent)).toEqual(["codex"]);
  });

  test("a hit names its tools where its text does not", () => {
    const { unmount } = render(HitLine, { ...LINE, hit: hitOf({ role: "tool" }) });
    expect(all("hit-tools").map((own) => own.textContent)).toEqual(["bash"]);
    unmount();
    const call = hitOf({ role: "assistant", snippet: "Looking. bash ls src" });
    render(HitLine, { ...LINE, hit: call });
    expect(all("hit-tools")).toHaveLength(0);
  });

  test("the signs of summaries have their own place in a row, which no other fact takes", async () => {
    await openWindow();
    await find("session-row");
    const signs = all("session-row").flatMap((row) => [
      ...row.querySelectorAll<HTMLElement>(".fold, .bridge, [data-testid=row-apart]"),
    ]);
    expect(signs.length).toBeGreaterThan(0);
    for (const sign of signs) expect(sign.parentElement!.dataset.testid).toBe("row-kept");
  });

  test("a hit that reads a file again says after which compaction", () => {
    const after_compaction = { entry_id: "c1", timestamp: null };
    render(HitLine, { ...LINE, hit: hitOf({ role: "assistant", after_compaction }) });
    expect(hitText()).toContain("read again after the compaction: Exit code 2");
  });

  test("a reply that holds a failed or rejected call is told from a failed message", () => {
    const reply = { kind: "message", role: "assistant", tools: ["bash"] } as const;
    expect(look({ ...reply, is_error: true }).name).toBe("Failed call or message");
    expect(look({ ...reply, tools: [], is_error: true }).name).toBe("Failed message");
    expect(look({ ...reply, role: "tool", is_error: true }).name).toBe("Failed tool");
    expect(look({ ...reply, rejected: true }).name).toBe("Holds a rejected call");
  });

  test("the menu lists what the backend has and adds it to the query", async () => {
    const { app } = await openWindow();
    await fireEvent.click(await find("search-help"));
    const menu = await find("search-filters");
    await waitFor(() => expect(menu.textContent).toContain("calls and results of a tool"));
    await fireEvent.click(screen.getByText("tool:bash"));
    expect(app.place.query).toBe("tool:");
    expect(all("search-filters")).toHaveLength(0);
  });

  test("the menu goes with Escape wherever the keyboard is, and with a press beside it", async () => {
    const { app } = await openWindow("#q=queue");
    const button = await find("search-help");
    await fireEvent.click(button);
    await find("search-filters");
    await press("Escape", button);
    expect(all("search-filters")).toHaveLength(0);
    expect(document.activeElement).toBe(await find("search"));
    await fireEvent.click(button);
    await press("Escape", await find("search"));
    // The query is emptied by the next Escape.
    expect(all("search-filters")).toHaveLength(0);
    expect(app.place.query).toBe("queue");
    await fireEvent.click(button);
    await fireEvent.pointerDown(document.body);
    expect(all("search-filters")).toHaveLength(0);
  });

  test("a filter that was widened for a hit goes back with another session", async () => {
    const { app } = await openWindow("#s=s1");
    await find("outline-row");
    const remember = vi.spyOn(app.prefs, "remember");
    const kept = (): string => remember.mock.lastCall?.[0].hash ?? "";
    app.go({ filter: "labeled_only" });
    const hidden = entries.find((e) => e.kind === "message" && e.role === "assistant")!;
    app.seek("s1", hidden.id);
    await waitFor(() => expect(app.place.filter).toBe("all"));
    await find("outline-row", { "data-entry": hidden.id });
    app.go({ session: "s2", entry: null });
    expect(app.place.filter).toBe("labeled_only");
    // The next start does not need it either.
    app.seek("s1", hidden.id);
    await waitFor(() => expect(app.place.filter).toBe("all"));
    await waitFor(() => expect(kept()).toContain("show=labeled_only"));
    app.go({ session: "s2", entry: null });
    // What the user chose stays.
    app.go({ filter: "all" });
    app.go({ session: "s1", entry: null });
    expect(app.place.filter).toBe("all");
    expect(kept()).toContain("show=all");
  });

  test("the key of the search chooses the last query, which is typed over", async () => {
    await openWindow("#q=queue");
    await press("/");
    const box = (await find("search")) as HTMLInputElement;
    await waitFor(() => expect(document.activeElement).toBe(box));
    expect([box.selectionStart, box.selectionEnd]).toEqual([0, 5]);
  });

  test("a hit says which call failed, and how the model changed", () => {
    const hit = hitOf({ is_error: true, call: { entry_id: "e0", headline: "make two" } });
    const { rerender } = render(HitLine, { ...LINE, hit });
    expect(hitText()).toContain("make two Exit code 2");
    const change = { ...hit, kind: "model_change" as const, call: null, change: "a \u2192 b" };
    return rerender({ hit: { ...change, snippet: "" } }).then(() => {
      expect(hitText()).toContain("a \u2192 b");
      expect(hitText()).not.toContain("without text");
    });
  });

  test("a rejected hit begins with what the user said, and the path behind it is short", () => {
    const hit = hitOf({
      rejected: true,
      call: { entry_id: "e0", headline: "/home/ada/courier/src/queue.ts" },
      snippet: "do not touch the queue",
    });
    render(HitLine, { ...LINE, hit });
    expect(hitText()).toContain("do not touch the queue …/src/queue.ts");
    expect(all("hit-call")[0]!.title).toBe("/home/ada/courier/src/queue.ts");
  });

  test("a hit says that a subagent did it", () => {
    const hit = hitOf({ kind: "custom", record: "agent_progress", in_subagent: true });
    render(HitLine, { ...LINE, hit });
    expect(hitText()).toContain("in a subagent: Exit code 2");
    expect(look(hit).name).toBe("Tool result in a subagent");
    expect(look({ ...hit, is_error: true }).name).toBe("Failed tool in a subagent");
  });

  test("a session says the number that the list is filtered by, whatever the width", async () => {
    const { app } = await openWindow();
    app.go({ query: "tokens:>1" });
    await waitFor(() => expect(all("row-sorted")[0]?.textContent).toMatch(/^\d.* tokens$/));
    // Right behind the agent, where a narrow pane has room.
    const [shown] = all("row-sorted");
    expect(shown!.previousElementSibling!.getAttribute("data-testid")).toBe("agent-chip");
  });

  test("the id of a run leads to its ledger, that of a failed run to the runs", async () => {
    const { app, host } = await openWindow();
    const runs = await host.rpc("runs", { session: "s1" });
    for (const status of ["done", "failed"] as const) {
      const run = runs.find((row) => row.status === status)!;
      app.go({ ...NOWHERE, query: run.run_id });
      // The line of the search before stays until the new one is answered.
      await waitFor(() => expect(all("named-hit")[0]?.textContent).toContain(run.run_id));
      await fireEvent.click(await find("named-hit", { "data-kind": "run" }));
      await waitFor(() => expect(app.place.session).toBe("s1"));
      expect([app.place.tab, app.place.ledger]).toEqual(
        status === "done" ? ["summary", run.run_id] : ["runs", null],
      );
    }
    app.go({ query: "queue" });
    await waitFor(() => expect(all("named-hit")).toHaveLength(0));
  });

  test("filters of sessions alone say that no entry was searched, and offer entries", async () => {
    const { app } = await openWindow("#q=agent:pi");
    expect((await find("only-filters")).textContent).toContain("These filters choose sessions");
    await fireEvent.click(await find("places-kind:summary"));
    expect(app.place.query).toBe("agent:pi kind:summary");
    app.go({ query: "queue" });
    await waitFor(() => expect(all("only-filters")).toHaveLength(0));
  });

  test("a filter without its value chooses nothing: no experiment is offered", async () => {
    const told = "flag: has no value and was ignored: the flags are loop, grown and any";
    let isLeft = false;
    const { app } = await openWindow("#q=has:compaction", {
      changed: {
        search: (page) => (isLeft ? page : { ...page, only_filters: false, ignored: [told] }),
        sessions: (list) => (isLeft ? list : { ...list, ignored: [told] }),
      },
    });
    expect((await find("search-ignored")).textContent).toContain("the flags are loop");
    await find("session-row");
    await waitFor(() => expect(all("use-as-cuts")).toHaveLength(0));
    expect(all("only-filters")).toHaveLength(0);
    isLeft = true;
    app.go({ query: "agent:pi" });
    await find("use-as-cuts");
    await find("only-filters");
  });

  test("a stored search comes back with the window only where it finds something", async () => {
    const stored = (query: string) =>
      openWindow("", {
        changed: {
          settings: (own) => ({ ...own, ui: { hash: `#s=s1&q=${encodeURIComponent(query)}` } }),
        },
      });
    const finding = await stored("queue");
    await waitFor(() => expect(finding.app.place.query).toBe("queue"));
    cleanup();
    const empty = await stored("zzzznothing");
    await waitFor(() => expect(empty.host.calls.some((c) => c.command === "search")).toBe(true));
    await find("session-row");
    expect(empty.app.place).toMatchObject({ session: "s1", query: "" });
  });

  test("begins at the top for another query", async () => {
    const { app } = await openWindow("#q=queue");
    await find("search-hit");
    const list = await find("session-list");
    list.scrollTop = 300;
    list.dispatchEvent(new Event("scroll"));
    app.go({ query: "broker" });
    await waitFor(() => expect(list.scrollTop).toBe(0));
  });

  test("a session is renamed in its header, and an empty title gives the own one back", async () => {
    const { host } = await openWindow("#s=s1");
    const own = (await find("session-title")).textContent;
    const rename = async (title: string): Promise<void> => {
      await fireEvent.click(await find("rename"));
      const input = await find("rename-input");
      await fireEvent.input(input, { target: { value: title } });
      await press("Enter", input);
    };
    await rename("The lost messages");
    await waitFor(async () =>
      expect((await find("session-title")).textContent).toContain("The lost messages"),
    );
    await rename("");
    await waitFor(async () => expect((await find("session-title")).textContent).toBe(own));
    const asked = host.calls.filter((call) => call.command === "rename");
    expect(asked.map((call) => (call.params as { title: string }).title)).toEqual([
      "The lost messages",
      "",
    ]);
  });
});

describe("a hit that the entry filter hides", () => {
  test("is shown in the tree, and the change of the filter is said", async () => {
    const { app } = await openWindow("#s=s1&show=user_only&q=queue");
    await find("outline-row");
    const hit = await waitFor(() => {
      const found = all("search-hit").find((one) => one.textContent?.includes("after prompt:"));
      if (!found) throw new Error("no reply among the hits");
      return found;
    });
    await fireEvent.click(hit);
    await waitFor(() => expect(app.place.filter).toBe("all"));
    await find("outline-row", { "data-entry": hit.dataset.entry! });
    expect((await find("toast")).textContent).toContain("User only");
    expect(app.sought).toBeNull();
  });

  test("leaves the filter alone where the entry is in sight", async () => {
    const { app } = await openWindow("#s=s1&q=queue");
    await find("outline-row");
    const hit = (await find("search-hit"))!;
    await fireEvent.click(hit);
    await waitFor(() => expect(app.sought).toBeNull());
    expect(app.place.filter).toBe("default");
    expect(all("toast")).toHaveLength(0);
  });
});

describe("the search inside a session", () => {
  test("has a column before the compaction, in summaries and after it", async () => {
    const { app } = await openWindow("#s=s1");
    await find("outline");
    await press("f", document.body, { ctrlKey: true });
    await fireEvent.input(await find("find-input"), { target: { value: "queue" } });
    const before = await find("find-before");
    await waitFor(() => expect(Number(before.dataset.total)).toBeGreaterThan(0));
    expect(Number((await find("find-summaries")).dataset.total)).toBeGreaterThan(0);
    await find("find-after");
    const hit = all("find-hit")[0]!;
    await fireEvent.click(hit);
    expect(app.place.entry).toBe(hit.dataset.entry);
    expect(app.place.find).toBe("queue");
    await press("Escape", await find("find-input"));
    await find("outline");
    expect(app.place.find).toBeNull();
  });

  test("begins with the words searched for in all sessions, at the compaction nearest", async () => {
    const { app, host } = await openWindow("#s=s1&q=queue has:compaction");
    await find("outline");
    await press("f", document.body, { ctrlKey: true });
    const input = (await find("find-input")) as HTMLInputElement;
    expect(input.value).toBe("queue");
    // Typing replaces what the field begins with, also when the keys are pressed again.
    const marked = (): string => input.value.slice(input.selectionStart!, input.selectionEnd!);
    expect(marked()).toBe("queue");
    input.setSelectionRange(5, 5);
    await press("f", input, { ctrlKey: true });
    expect(marked()).toBe("queue");
    expect(app.place.find).toBe("queue");
    await find("find-before");
    const asked = host.calls.findLast((call) => call.command === "find")!;
    const chosen = ((await find("find-compaction")) as HTMLSelectElement).value;
    expect(chosen).not.toBe("");
    expect(asked.params).toMatchObject({ query: "queue", compaction: chosen });
  });

  test("keeps its words, and only Escape or its button closes it", async () => {
    const { app } = await openWindow("#s=s1");
    await fireEvent.click(await find("find-open"));
    await fireEvent.input(await find("find-input"), { target: { value: "queue" } });
    const input = await find("find-input");
    input.blur();
    await fireEvent.click(await find("find-open"));
    expect(app.place.find).toBe("queue");
    expect(document.activeElement).toBe(input);
    await fireEvent.click(await find("find-close"));
    expect(app.place.find).toBeNull();
    await fireEvent.click(await find("find-open"));
    expect(((await find("find-input")) as HTMLInputElement).value).toBe("queue");
  });

  test("asks again for another compaction", async () => {
    const { host } = await openWindow("#s=s1&find=queue");
    const choice = (await find("find-compaction")) as HTMLSelectElement;
    const first = [...choice.options].find((option) => option.value !== "")!.value;
    await fireEvent.change(choice, { target: { value: first } });
    await waitFor(() => {
      const asked = host.calls.filter((call) => call.command === "find");
      expect(asked.at(-1)!.params).toMatchObject({ compaction: first, query: "queue" });
    });
  });

  test("parts at the compaction that is selected while it is open", async () => {
    const { app } = await openWindow("#s=s1&find=queue");
    const choice = (await find("find-compaction")) as HTMLSelectElement;
    const other = [...choice.options].map((one) => one.value).find((id) => id !== choice.value)!;
    app.go({ entry: other });
    await waitFor(() => expect(choice.value).toBe(other));
  });
});

test("a hit in a session has a space behind what it is, and seconds where minutes are shared", async () => {
  const found = (snippet: string, second: number): FindHit => ({
    ...findHit({ entry_id: "u1", kind: "custom", snippet }),
    timestamp: new Date(2026, 1, 8, 5, 53, second).getTime(),
    queued: { fate: "passed", entry_id: null },
  });
  await openWindow("#s=s1&find=discuss", {
    changed: {
      find: (view) => ({
        ...view,
        before: { total: 2, hits: [found("let's discuss", 4), found("discuss", 9)] },
      }),
    },
  });
  const [hit] = await waitFor(() => {
    const hits = all("find-hit");
    expect(hits.length).toBeGreaterThan(1);
    return hits;
  });
  expect(hit!.textContent).toContain("sent with the next result: let's discuss");
  expect(hit!.querySelector("time")!.textContent).toMatch(/05:53:04$/);
});

test("the orders of sessions, of subagents and of hits are chosen in one way", async () => {
  await openWindow("#s=s9&q=queue");
  await fireEvent.click(await find("belongs-subagents"));
  const [sort, hits] = [await find("sort"), await find("count-by")];
  for (const own of [sort, hits, ...all("subagents-sort")]) {
    expect(own.className).toBe(sort.className);
    expect(own.closest("label")!.className).toBe(sort.closest("label")!.className);
  }
});
