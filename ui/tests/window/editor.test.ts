import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import type { FakeHost } from "../../src/host/fake";
import type { LedgerRequest } from "../../src/wire/wire";
import { all, find, openWindow, press, waitFor } from "../open";

describe("a summary that is edited", () => {
  test("takes up a fact, and the list follows", async () => {
    const { host } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("edit-this"));
    const lost = await find("lost-fact");
    const id = lost.dataset.fact!;
    await fireEvent.click(lost.querySelector('[data-testid="insert-fact"]')!);
    await waitFor(() =>
      expect(all("lost-fact").some((line) => line.dataset.fact === id)).toBe(false),
    );
    expect(host.calls.some((c) => c.command === "summary_draft")).toBe(true);
    await fireEvent.click(await find("edit-keep"));
    await waitFor(() => expect(host.calls.some((c) => c.command === "summary_keep")).toBe(true));
  });

  test("lends its lost facts to the instructions of the next run", async () => {
    const { app } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("edit-this"));
    await fireEvent.click(await find("choose-fact"));
    await fireEvent.click(await find("instruct-facts"));
    await waitFor(() => expect(app.place.tab).toBe("rerun"));
    expect(app.draft.instructions).toMatch(/^The summary must contain these facts:\n- /);
  });
});

describe("the editor of another summary", () => {
  /** Holds back the ledgers of runs until they are let go; `asked` counts them. */
  function holdRuns(host: FakeHost): { letGo: () => void; asked: () => number } {
    let held = 0;
    let open!: () => void;
    const gate = new Promise<void>((done) => (open = done));
    const rpc = host.rpc.bind(host);
    host.rpc = async (command, params) => {
      if (command === "ledger" && (params as LedgerRequest).run !== null) {
        held += 1;
        await gate;
      }
      return rpc(command, params);
    };
    return { letGo: open, asked: () => held };
  }
  /** An edited summary of the newest compaction, which is a run. */
  async function edited(host: FakeHost): Promise<string> {
    const of = `entry:${entries.findLast((own) => own.kind === "compaction")!.id}`;
    const kept = await host.rpc("summary_keep", { session: "s1", of, text: "Use port 5433." });
    return kept.run_id;
  }

  test("waits for the ledger of that summary, also where the previous one is still shown", async () => {
    const { app, host } = await openWindow("#s=s1&tab=summary");
    const run = await edited(host);
    await find("fact");
    const { letGo, asked } = holdRuns(host);
    app.toEdit = run;
    app.go({ ledger: run });
    // The facts of the compaction stand there until those of the run arrive.
    await waitFor(() => expect(asked()).toBeGreaterThan(0));
    await new Promise((done) => setTimeout(done, 20));
    expect(all("summary-editor")).toHaveLength(0);
    expect(all("edit-this")).toHaveLength(0);
    expect(app.toEdit).toBe(run);
    letGo();
    const field = (await find("summary-editor")).querySelector("textarea")!;
    expect(field.value).toBe((await host.rpc("run", { run })).summary);
    expect(app.toEdit).toBeNull();
  });

  test("closes where another summary is chosen meanwhile", async () => {
    const { app, host } = await openWindow("#s=s1&tab=summary");
    const run = await edited(host);
    await fireEvent.click(await find("edit-this"));
    await find("summary-editor");
    const { letGo, asked } = holdRuns(host);
    app.go({ ledger: run });
    await waitFor(() => expect(asked()).toBeGreaterThan(0));
    await waitFor(() => expect(all("summary-editor")).toHaveLength(0));
    letGo();
    await find("edit-this");
    expect(all("summary-editor")).toHaveLength(0);
  });
});

describe("the figures of a summary", () => {
  test("open with their definition, and a line leads to its fact", async () => {
    const { app } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("figures-view"));
    const heads = await waitFor(() => {
      const found = all("figure-head");
      expect(found.length).toBeGreaterThan(2);
      return found;
    });
    expect(all("figure-reading").map((own) => own.textContent)).toContain("↓ lower is better");
    expect(all("figure-definition")).toHaveLength(0);
    await fireEvent.click(heads[1]!);
    expect((await find("figure-definition")).textContent).toMatch(/^Of the paths/);
    const fact = all("figure-fact")[0]!;
    const text = fact.textContent!.trim();
    await fireEvent.click(fact);
    await waitFor(() => expect(app.place.fact).not.toBeNull());
    const row = document.querySelector(`[data-fact-row="${app.place.fact}"]`)!;
    expect(row.textContent).toContain(text);
    expect(all("figures")).toHaveLength(0);
  });

  test("what is not measured says why, and leads on", async () => {
    const { app } = await openWindow("#s=s1&tab=summary");
    await fireEvent.click(await find("figures-view"));
    await find("figures");
    const preference = all("figure-absent").find((own) => own.dataset["code"] === "M5");
    expect(preference?.textContent).toContain("A model is needed");
    if (all("figure-chain").length > 0) {
      await fireEvent.click(all("figure-chain")[0]!);
      await waitFor(() => expect(app.place.ledger).toBe("chain"));
    }
  });
});

describe("the cost of what was dropped", () => {
  test("is a link for each number, which shows its facts alone", async () => {
    await openWindow("#s=s1&tab=summary");
    await find("first-words");
    const links = [
      ...all("first-words")[0]!.querySelectorAll<HTMLElement>('[data-testid^="cost-"]'),
    ].filter((link) => /^\d+ (?!tokens)/.test(link.textContent!.trim()));
    expect(links.map((link) => link.dataset.testid)).toContain("cost-needed");
    expect(links.length).toBeGreaterThanOrEqual(2);
    for (const link of links) {
      await fireEvent.click(link);
      const shown = (await find("filter-only")).textContent!;
      if (link.dataset.testid !== "cost-needed") expect(shown).toContain(link.textContent!.trim());
      expect(all("fact")).toHaveLength(Number(/\d+/.exec(link.textContent!)![0]));
      await fireEvent.click(await find("filter-only"));
      await waitFor(() => expect(all("filter-only")).toHaveLength(0));
    }
  });

  test("and so is the number of names that the summary adds", async () => {
    await openWindow("#s=s1&tab=summary");
    const link = await find("show-introduced");
    await fireEvent.click(link);
    expect((await find("filter-only")).textContent).toContain(
      "Names and figures not in the source",
    );
    expect(all("introduced")).toHaveLength(Number(/\d+/.exec(link.textContent!)![0]));
    expect(all("fact")).toHaveLength(0);
    await fireEvent.click(await find("filter-only"));
    await waitFor(() => expect(all("fact").length).toBeGreaterThan(0));
  });

  test("an incomplete source is said before anything that it makes doubtful", async () => {
    await openWindow("#s=s1&tab=summary", {
      changed: {
        ledger: (view) => ({
          ...view,
          incomplete: 150_000,
          totals: { ...view.totals, retention: null },
        }),
      },
    });
    const note = await find("source-incomplete");
    expect(note.textContent).toContain("150k tokens");
    const words = await find("first-words");
    expect(note.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  test("says where the summarized entries are not in the file", async () => {
    await openWindow("#s=s1&tab=summary", {
      changed: {
        ledger: (view) => ({ ...view, totals: { ...view.totals, retention: null } }),
      },
    });
    const note = await find("source-missing");
    expect(note.textContent).toContain("The summarized entries are not in the file.");
    expect((await find("first-words")).textContent).not.toContain("No later need");
  });
});

describe("all compactions together", () => {
  test("show the life of a fact", async () => {
    await openWindow("#s=s1&tab=summary&of=chain");
    expect((await find("chain-head")).textContent).toMatch(/^Compaction 1: \d+ %$/);
    await fireEvent.click((await find("chain-fact")).querySelector("button")!);
    expect((await find("chain-life")).textContent).toMatch(/Compaction \d/);
    expect((await find("chain-legend")).textContent).toContain("by number");
    // The keys lead on, and the focus goes with them.
    const [first, second] = all("chain-fact").map((row) => row.querySelector("button")!);
    first!.focus();
    await press("j", first);
    await waitFor(() => expect(second!.getAttribute("aria-pressed")).toBe("true"));
    expect(document.activeElement).toBe(second);
    await press("k", second);
    await waitFor(() => expect(first!.getAttribute("aria-pressed")).toBe("true"));
  });
});

describe("an export", () => {
  test("asks for what is chosen", async () => {
    const { host } = await openWindow("#s=s1&tab=summary");
    await find("ledger-totals");
    await fireEvent.click(all("export").at(-1)!);
    await fireEvent.click(await find("export-html"));
    await fireEvent.click(await find("export-mask"));
    await fireEvent.click(await find("export-copy"));
    await waitFor(() => {
      const asked = host.calls.find((c) => c.command === "export");
      expect(asked?.params).toMatchObject({ what: "ledger", form: "html", mask: true });
    });
  });
});
