import { cleanup, fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { pack, type DraftedPreset } from "../../src/lib/state/drafted";
import { parse } from "../../src/lib/state/place";
import { all, find, openWindow, screen, waitFor, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;
const HERE = `s=s1&e=${newest.id}&tab=rerun`;

/** Draws the window anew, as a reload does, with what was stored by then. */
async function reload({ app }: Opened): Promise<Opened> {
  app.drafts.write();
  const hash = window.location.hash;
  const settings = { ui: { drafts: app.prefs.drafts } };
  cleanup();
  app.stop();
  return openWindow(hash, { settings });
}
const bare = (strategy: string): DraftedPreset => ({
  strategy,
  set: {},
  kinds: {},
  steps: null,
  cut: null,
  instructions: "",
  replace: false,
  runsOn: null,
  repeats: 1,
});

describe("the draft of Re-run", () => {
  test("survives a reload: presets, settings, kinds, steps, cut, instructions", async () => {
    const opened = await openWindow(`#${HERE}`);
    const { app } = opened;
    await find("plan", { "data-fresh": "true" });
    expect(parse(window.location.hash).plan).toBeNull();
    app.draft.tick("gemini-cli");
    app.draft.tick("extract");
    app.draft.current.param("select.keep_recent_tokens", 9_000);
    app.draft.candidates[1]!.switch("select", "last_messages");
    app.draft.candidates[1]!.param("select.count", 4);
    app.draft.candidates[2]!.reduce([{ kind: "cap_tool_results", set: { max_chars: 500 } }]);
    app.draft.edit(app.draft.candidates[1]!.id);
    await fireEvent.input(await find("instructions"), {
      target: { value: "Keep the account numbers." },
    });
    await waitFor(() => expect(app.cut.points.length).toBeGreaterThan(2));
    app.draft.candidates[0]!.cut = app.cut.points[1]!.entry_id;
    const before = app.draft.drafted();
    const again = await reload(opened);
    expect(again.app.draft.drafted()).toEqual(before);
    await waitFor(() =>
      expect(all("tray-row").map((row) => row.dataset.strategy)).toEqual([
        "pi",
        "gemini-cli",
        "extract",
      ]),
    );
    expect(((await find("instructions")) as HTMLTextAreaElement).value).toBe(
      "Keep the account numbers.",
    );
    expect(all("param-count")).toHaveLength(1);
    await waitFor(() =>
      expect(all("tray-row").every((row) => row.dataset.fresh === "true")).toBe(true),
    );
    expect(again.app.draft.drafted()).toEqual(before);
  });

  test("is in the address while it is edited, and gone from it when nothing is left of it", async () => {
    const { app } = await openWindow(`#${HERE}`);
    await find("plan", { "data-fresh": "true" });
    app.draft.tick("extract");
    await waitFor(() => expect(parse(window.location.hash).plan).not.toBeNull());
    app.draft.tick("extract");
    await waitFor(() => expect(parse(window.location.hash).plan).toBeNull());
  });

  test("loses what is not there with a notice, and works", async () => {
    const plan = pack({
      presets: [
        bare("gone"),
        { ...bare("pi"), set: { "select.nothing": 1, "select.keep_recent_tokens": 7_000 } },
      ],
      edited: 0,
      taken: null,
    });
    const { app } = await openWindow(`#${HERE}&plan=${plan}`);
    await find("plan", { "data-fresh": "true" });
    expect(app.draft.candidates.map((own) => [own.strategy, own.set])).toEqual([
      ["pi", { "select.keep_recent_tokens": 7_000 }],
    ]);
    expect(app.toasts.list.map((toast) => toast.text)).toEqual([
      "Skipped parts of the draft that do not exist here: the strategy gone, select.nothing of pi.",
    ]);
    await waitFor(() => expect(parse(window.location.hash).plan).toBe(pack(app.draft.drafted()!)));
  });

  test.each(["1nonsense", "9abc", "@unheard"])(
    "is as usual where the link's cannot be read: %s",
    async (plan) => {
      const { app } = await openWindow(`#${HERE}&plan=${plan}`);
      await find("plan", { "data-fresh": "true" });
      expect(app.draft.drafted()).toBeNull();
      expect(app.toasts.list).toHaveLength(1);
    },
  );

  test("gives a cut up that lies on no path here", async () => {
    const plan = pack({
      presets: [{ ...bare("pi"), cut: "elsewhere" }],
      edited: 0,
      taken: null,
    });
    const { app } = await openWindow(`#${HERE}&plan=${plan}`);
    await waitFor(() => expect(app.draft.current.cut).toBeNull());
    expect(app.toasts.list[0]!.text).toContain("not on this path");
    await find("plan", { "data-fresh": "true" });
  });

  test("too long for an address is kept with the settings", async () => {
    const opened = await openWindow(`#${HERE}`);
    await find("plan", { "data-fresh": "true" });
    const long = Array.from({ length: 900 }, (_, n) => `line ${n}`).join("\n");
    await fireEvent.input(await find("instructions"), { target: { value: long } });
    const again = await reload(opened);
    expect(window.location.hash.length).toBeLessThan(200);
    expect(again.app.draft.instructions).toBe(long);
    expect(again.app.toasts.list).toEqual([]);
  });

  test("follows a link that is opened, and stays when going back", async () => {
    const { app } = await openWindow(`#${HERE}`);
    await find("plan", { "data-fresh": "true" });
    app.go({ tab: "entry" });
    app.draft.instructions = "written later";
    await waitFor(() => expect(parse(window.location.hash).plan).not.toBeNull());
    window.history.back();
    await waitFor(() => expect(app.place.tab).toBe("rerun"));
    expect(app.draft.instructions).toBe("written later");
    expect(parse(window.location.hash).plan).toBe(pack(app.draft.drafted()!));

    const plan = pack({
      presets: [{ ...bare("extract"), instructions: "from a link", replace: true }],
      edited: 0,
      taken: null,
    });
    window.location.hash = `#${HERE}&plan=${plan}`;
    await waitFor(() => expect(app.draft.strategy).toBe("extract"));
    expect([app.draft.instructions, app.draft.replace]).toEqual(["from a link", true]);
  });
});

test("the draft of Switch branch survives a reload with its places", async () => {
  const to = entries.find((e) => e.role === "assistant")!;
  const from = entries.findLast((e) => e.role === "assistant")!;
  const opened = await openWindow(`#s=s1&e=${to.id}&tab=navigate&from=${from.id}`);
  const { app } = opened;
  await fireEvent.click(await find("take-own"));
  await fireEvent.input(await find("instructions"), { target: { value: "Only the broker." } });
  app.leaving.draft.current.param("select.budget_tokens", 4_000);
  const again = await reload(opened);
  expect([
    again.app.leaving.taken,
    again.app.leaving.draft.instructions,
    again.app.leaving.draft.current.set,
  ]).toEqual(["own", "Only the broker.", { "select.budget_tokens": 4_000 }]);
  expect([again.app.place.entry, again.app.place.from]).toEqual([to.id, from.id]);
  expect(again.app.draft.drafted()).toBeNull();
  expect(((await find("take-own")) as HTMLInputElement).checked).toBe(true);
  again.app.leaving.taken = "none";
  const last = await reload(again);
  expect(last.app.leaving.taken).toBe("none");
  expect(screen.queryAllByTestId("toast")).toHaveLength(0);
});
