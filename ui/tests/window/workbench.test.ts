import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import type { FakeOptions } from "../../src/host/fake";
import { all, find, openWindow, press, waitFor, within, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;

async function open(options: FakeOptions = {}): Promise<Opened> {
  const opened = await openWindow(`#s=s1&e=${newest.id}&tab=rerun`, options);
  await find("plan", { "data-fresh": "true" });
  await find("stages");
  return opened;
}
async function tickThree(app: Opened["app"]): Promise<void> {
  app.draft.tick("gemini-cli");
  app.draft.tick("extract");
  await waitFor(() =>
    expect(all("tray-row").filter((row) => row.dataset.fresh === "true")).toHaveLength(3),
  );
}
const row = (id: string, strategy: string): HTMLElement =>
  all(id).find((one) => one.dataset.strategy === strategy)!;
const sent = (host: Opened["host"], command: string): Record<string, unknown>[] =>
  host.calls.filter((c) => c.command === command).map((c) => c.params as Record<string, unknown>);

describe("who summarizes", () => {
  const choose = async (name: string): Promise<void> =>
    void (await fireEvent.change(await find("provider"), { target: { value: name } }));
  const model = async (): Promise<HTMLInputElement> => (await find("model")) as HTMLInputElement;

  test("a model that no list names can be typed, letter by letter", async () => {
    const { app } = await open();
    await choose("anthropic");
    await waitFor(async () => expect((await model()).value).toBe("claude-haiku-4-5"));
    for (const text of ["", "o", "ow", "own"]) {
      await fireEvent.input(await model(), { target: { value: text } });
      expect((await model()).value).toBe(text);
    }
    await waitFor(() => expect(app.draft.current.plan.fresh).toBe(true));
    expect(app.draft.model).toBe("own");
    await choose("openai");
    await waitFor(async () => expect((await model()).value).toBe("gpt-5-mini"));
  });

  test("must have a key, and the reason beside the button leads to where it is entered", async () => {
    const { app } = await open();
    await choose("openai");
    await waitFor(async () =>
      expect((await find("run-blocked")).textContent).toBe("Add an API key for openai"),
    );
    expect((await find("run-button")).hasAttribute("disabled")).toBe(true);
    await fireEvent.click(await find("run-fix"));
    expect(app.overlay).toBe("settings");
  });

  test("is who did the last time", async () => {
    const { app } = await open({ settings: { provider: "anthropic", model: "own" } });
    expect([app.draft.provider, app.draft.model]).toEqual(["anthropic", "own"]);
    expect((await model()).value).toBe("own");
  });
});

describe("several strategies", () => {
  test("have a tray, in which one is edited and each keeps its own settings", async () => {
    const { app, host } = await open();
    expect(all("tray")).toHaveLength(0);
    await tickThree(app);
    await fireEvent.click(within(row("tray-row", "gemini-cli")).getByTestId("tray-edit"));
    await find("strategy", { "data-value": "gemini-cli" });
    await fireEvent.input(await find("param-keep_share"), { target: { value: "0.6" } });
    await waitFor(() =>
      expect(row("tray-row", "gemini-cli").textContent).toContain("Keep share 0.6"),
    );
    await fireEvent.click(within(row("tray-row", "pi")).getByTestId("tray-edit"));
    expect(app.draft.current.set).toEqual({});
    expect((await find("run-button")).textContent).toContain("Run 3");
    // Plans are asked for without the texts of their prompts.
    expect(sent(host, "plan").every((request) => request.brief === true)).toBe(true);
  });

  test("can have one preset twice, differently set; the last one stays", async () => {
    const { app } = await open();
    await tickThree(app);
    await fireEvent.click(within(row("tray-row", "pi")).getByTestId("tray-copy"));
    await waitFor(() =>
      expect(all("tray-edit").map((b) => b.textContent)).toEqual([
        "pi (1)",
        "pi (2)",
        "gemini-cli",
        "extract",
      ]),
    );
    expect(app.draft.candidates.indexOf(app.draft.current)).toBe(1);
    for (const name of ["gemini-cli", "extract"])
      await fireEvent.click(within(row("tray-row", name)).getByTestId("tray-remove"));
    await fireEvent.click(all("tray-remove")[1]!);
    await waitFor(() => expect(all("tray")).toHaveLength(0));
    app.draft.tick("pi");
    expect(app.draft.candidates.map((c) => c.strategy)).toEqual(["pi"]);
  });

  test("are rows of their own: instructions, model and repeats of a copy are its own", async () => {
    const { app, host } = await open();
    await fireEvent.click(await find("row-add"));
    await waitFor(() => expect(all("tray-row")).toHaveLength(2));
    await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
    await fireEvent.input(await find("instructions"), { target: { value: "Keep ports." } });
    await fireEvent.change(await find("repeats"), { target: { value: "3" } });
    await waitFor(() =>
      expect(all("tray-runs-on").map((one) => one.textContent)).toEqual([
        "offline summarizer",
        "anthropic claude-haiku-4-5, 3 times",
      ]),
    );
    expect(all("tray-instructions").map((one) => one.textContent)).toEqual([
      "instructions “Keep ports.”",
    ]);
    await waitFor(() => expect(all("run-button")[0]!.textContent).toContain("Run 4"));
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
    await fireEvent.click(await find("run-button"));
    await waitFor(() => expect(sent(host, "compact")).toHaveLength(4));
    expect(
      sent(host, "compact").map(({ provider, model, instructions }) => [
        provider,
        model,
        instructions,
      ]),
    ).toEqual([
      ["offline", null, null],
      ...Array(3).fill(["anthropic", "claude-haiku-4-5", "Keep ports."]),
    ]);
    expect(app.runner.runs.map((run) => run.name)).toEqual([
      "pi (1)",
      "pi (2), run 1",
      "pi (2), run 2",
      "pi (2), run 3",
    ]);
  });

  test("take over what one of them has when asked", async () => {
    const { app } = await open();
    await tickThree(app);
    await fireEvent.input(await find("instructions"), { target: { value: "Keep ports." } });
    expect(app.draft.candidates.map((own) => own.instructions)).toEqual(["Keep ports.", "", ""]);
    await fireEvent.click(await find("share-instructions"));
    expect(app.draft.candidates.map((own) => own.instructions)).toEqual(
      Array(3).fill("Keep ports."),
    );
    await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
    await waitFor(() => expect(app.draft.model).toBe("claude-haiku-4-5"));
    await fireEvent.click(await find("share-runs-on"));
    expect(app.draft.candidates.map((own) => own.model)).toEqual(Array(3).fill("claude-haiku-4-5"));
  });

  test("offline read no instructions, and do not offer to replace the prompt", async () => {
    const { app } = await open();
    await fireEvent.input(await find("instructions"), { target: { value: "In French." } });
    expect((await find("instructions-unused")).textContent).toContain("Not used offline");
    expect(all("instructions-replace")).toHaveLength(0);
    await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
    await find("instructions-replace");
    expect(all("instructions-unused")).toHaveLength(0);
    await fireEvent.click(await find("row-add"));
    app.draft.candidates[0]!.runOn({ provider: "offline", model: null });
    await waitFor(() =>
      expect(all("tray-instructions").map((one) => one.textContent)).toEqual([
        "instructions not used",
        "instructions “In French.”",
      ]),
    );
  });

  test("begin with the strategy of the session's agent, until one is chosen", async () => {
    const { app } = await open();
    app.draft.beginWith("extract");
    await find("strategy", { "data-value": "extract" });
    expect(app.draft.drafted()).toBeNull();
    app.draft.choose("gemini-cli");
    app.draft.beginWith("pi");
    expect(app.draft.strategy).toBe("gemini-cli");
  });

  test("run side by side, one cancelled, the others compared", async () => {
    const { app, host } = await open({ pace: 12 });
    await tickThree(app);
    await fireEvent.click(await find("run-button"));
    await waitFor(() => expect(row("run-result", "gemini-cli").textContent).toContain("Goal"));
    await fireEvent.click(within(row("side-row", "gemini-cli")).getByTestId("cancel-one"));
    await find("side-row", { "data-status": "cancelled" });
    expect(sent(host, "cancel")).toHaveLength(1);
    await waitFor(() =>
      expect(all("side-row").filter((one) => one.dataset.status === "done")).toHaveLength(2),
    );
    expect(row("run-result", "gemini-cli").textContent).toContain("Goal");
    const button = await find("compare-done");
    expect(button.textContent).toContain("Compare 2");
    await fireEvent.click(await find("compare-own"));
    await find("compare-totals");
    expect(app.place.compare).toHaveLength(3);
    expect(
      [...all("compare-totals")[0]!.querySelectorAll("thead th")].map((th) => th.textContent),
    ).toEqual([
      expect.stringMatching(/^1Compaction \d+recorded by the agent$/),
      expect.stringMatching(/^2pi *offline/),
      expect.stringMatching(/^3extract *offline/),
    ]);
    await fireEvent.click(await find("compare-texts"));
    await fireEvent.change(await find("compare-right"), { target: { value: "2" } });
    await waitFor(() =>
      expect(sent(host, "compare").at(-1)).toMatchObject({
        left: app.place.compare![0],
        right: app.place.compare![2],
      }),
    );
  });

  test("wait for their turn when they are more than can run at once, and are cancelled together", async () => {
    const { app, host } = await open({ pace: 12 });
    await tickThree(app);
    app.draft.tick("pi-0.87");
    await waitFor(() => expect(all("run-button")[0]!.textContent).toContain("Run 4"));
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
    // Runs begin at the top of the pane; the plan is found again where it was left.
    const pane = all("rerun-tab")[0]!.querySelector<HTMLElement>(".body")!;
    pane.scrollTop = 240;
    await fireEvent.click(await find("run-button"));
    await find("side-row", { "data-status": "waiting" });
    expect(pane.scrollTop).toBe(0);
    await fireEvent.click(await find("cancel-button"));
    await waitFor(() =>
      expect(all("side-row").map((one) => one.dataset.status)).toEqual(Array(4).fill("cancelled")),
    );
    expect(sent(host, "compact")).toHaveLength(3);
    await fireEvent.click(await find("back-to-plan"));
    await find("tray");
    await waitFor(() => expect(pane.scrollTop).toBe(240));
  });

  test("tell of a wait for another try, and count it down", async () => {
    const { app, host } = await open({ pace: 12 });
    await fireEvent.click(await find("run-button"));
    await waitFor(() => expect(app.runner.runs).toHaveLength(1));
    host.emit({
      type: "run_retry",
      stream: app.runner.runs[0]!.stream,
      attempt: 2,
      of: 4,
      wait_ms: 90_000,
      reason: "429: too many requests",
    });
    expect((await find("retry-note")).textContent).toContain(
      "429: too many requests. Attempt 2 of 4",
    );
    const seconds = Number(/in (\d+) s/.exec((await find("retry-wait")).textContent)![1]);
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(90);
    host.emit({
      type: "run_retry",
      stream: app.runner.runs[0]!.stream,
      attempt: 3,
      of: 4,
      wait_ms: 0,
      reason: "429: too many requests",
    });
    await waitFor(() => expect(all("retry-wait")[0]!.textContent).toContain("started"));
  });

  test("say which of them keeps the button from running", async () => {
    const { app } = await open();
    expect(all("run-sizes")).toHaveLength(1);
    await tickThree(app);
    // The bar speaks of all of them: the size after one would be read as that of all.
    expect(all("run-sizes")).toHaveLength(0);
    expect(all("run-blocked")).toHaveLength(0);
    await fireEvent.click(within(row("tray-row", "gemini-cli")).getByTestId("tray-edit"));
    await fireEvent.input(await find("param-keep_share"), { target: { value: "half" } });
    expect((await find("run-blocked")).textContent).toMatch(
      /^Correct the value of Keep share: [A-Z].*: gemini-cli$/,
    );
    expect(all("estimate")).toHaveLength(0);
    // The words lead to the field, also out of a folded stage of another strategy.
    await fireEvent.click(within(row("tray-row", "pi")).getByTestId("tray-edit"));
    await fireEvent.click(await find("run-fix"));
    await waitFor(() => expect(document.activeElement).toBe(all("param-keep_share")[0]));
    await fireEvent.input(await find("param-keep_share"), { target: { value: "0.5" } });
    await find("estimate");
    expect(all("run-blocked")).toHaveLength(0);
  });
});

describe("the stages", () => {
  test("are switched to another kind, whose parameters take the place of the old", async () => {
    const { app, host } = await open();
    await fireEvent.input(await find("param-keep_recent_tokens"), { target: { value: "9k" } });
    await fireEvent.change(await find("kind-select"), { target: { value: "last_messages" } });
    await fireEvent.input(await find("param-count"), { target: { value: "4" } });
    expect(all("param-keep_recent_tokens")).toHaveLength(0);
    expect(app.draft.current.settings()).toEqual({
      "select.kind": "last_messages",
      "select.count": 4,
    });
    await waitFor(() =>
      expect(sent(host, "plan").at(-1)).toMatchObject({
        set: { "select.kind": "last_messages", "select.count": 4 },
      }),
    );
    await fireEvent.change(await find("kind-select"), { target: { value: "keep_recent" } });
    expect(app.draft.current.settings()).toEqual({});
    await find("param-keep_recent_tokens");
  });

  test("reduce has steps that are added, moved, set and taken out", async () => {
    const { app } = await open();
    await fireEvent.click(await find("stage-reduce-toggle"));
    const add = async (kind: string): Promise<void> =>
      void (await fireEvent.change(await find("step-add"), { target: { value: kind } }));
    await add("clear_tool_results");
    await add("cap_tool_results");
    await fireEvent.input(await find("param-max_chars"), { target: { value: "500" } });
    await fireEvent.click(within(all("step")[1]!).getByTestId("step-up"));
    expect(app.draft.current.settings()).toEqual({
      reduce: [{ kind: "cap_tool_results", max_chars: 500 }, { kind: "clear_tool_results" }],
    });
    await find("cleared");
    await waitFor(() =>
      expect([...app.cleared.values()].map((one) => one.by)).toContain("cap_tool_results"),
    );
    await fireEvent.click(within(all("step")[0]!).getByTestId("step-remove"));
    expect(app.draft.current.settings()).toEqual({ reduce: [{ kind: "clear_tool_results" }] });
    await fireEvent.click(await find("steps-reset"));
    expect(app.draft.current.settings()).toEqual({});
  });

  test("a value that the backend refuses is told at its field, and the plan before stays", async () => {
    await open();
    const spans = all("plan-kept")[0]!.textContent;
    await fireEvent.input(await find("param-reserve_tokens"), { target: { value: "13" } });
    expect((await find("flaw-reserve_tokens")).textContent).toContain("bad luck");
    expect(all("param-reserve_tokens")[0]!.getAttribute("aria-invalid")).toBe("true");
    expect(all("error-note")).toHaveLength(0);
    expect(all("plan-kept")[0]!.textContent).toBe(spans);
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(true));
    await fireEvent.input(await find("param-reserve_tokens"), { target: { value: "14" } });
    await waitFor(() => expect(all("flaw-reserve_tokens")).toHaveLength(0));
  });
});

describe("prompts that another preset lends", () => {
  const slices = async (app: Opened["app"]): Promise<void> => {
    await fireEvent.change(await find("kind-summarize.method"), { target: { value: "slices" } });
    await waitFor(() => expect(app.draft.current.lent).toHaveLength(2));
    app.draft.opened = ["summarize"];
  };

  test("are shown with lender and text, and can be written anew", async () => {
    const { app, host } = await open();
    expect(all("param-prompts.slice")).toHaveLength(0);
    await slices(app);
    const field = (await find("param-prompts.slice")) as HTMLTextAreaElement;
    expect(field.value).toContain("Summarize this segment");
    expect((await find("lent-prompts.slice")).textContent).toBe("from strategy parallel-stitch");
    expect(all("lent-prompts.first")).toHaveLength(0);
    await fireEvent.input(field, { target: { value: "Shorter: {{conversation}}" } });
    await waitFor(() =>
      expect(sent(host, "plan").at(-1)).toMatchObject({
        set: { "summarize.method.kind": "slices", "prompts.slice": "Shorter: {{conversation}}" },
      }),
    );
    await fireEvent.click(await find("reset-prompts.slice"));
    expect(field.value).toContain("Summarize this segment");
  });

  test("go with the kind that asked for them", async () => {
    const { app, host } = await open();
    await slices(app);
    await fireEvent.input(await find("param-prompts.slice"), {
      target: { value: "Shorter: {{conversation}}" },
    });
    app.draft.current.switch("select", "last_messages");
    expect(app.draft.current.set["prompts.slice"]).toBe("Shorter: {{conversation}}");
    app.draft.current.switch("summarize.method", null);
    await waitFor(() =>
      expect(sent(host, "plan").at(-1)).toMatchObject({ set: { "select.kind": "last_messages" } }),
    );
    expect(app.draft.current.settings()).toEqual({ "select.kind": "last_messages" });
    await waitFor(() => expect(all("param-prompts.slice")).toHaveLength(0));
  });

  test("can be taken back when nothing asks for them", async () => {
    const { app } = await open();
    app.draft.opened = ["summarize"];
    app.draft.current.param("prompts.stray", "Left over.");
    expect((await find("flaw-prompts.stray")).textContent).toContain("there is no");
    expect(((await find("param-prompts.stray")) as HTMLTextAreaElement).value).toBe("Left over.");
    await fireEvent.click(await find("reset-prompts.stray"));
    await waitFor(() => expect(all("param-prompts.stray")).toHaveLength(0));
    await find("plan", { "data-fresh": "true" });
  });
});

describe("the plan", () => {
  test("of the offline summarizer has no model call, and prompts only on request", async () => {
    await open();
    expect((await find("estimate")).textContent).toBe("no model call");
    expect(all("planned-call")).toHaveLength(0);
    expect((await find("plan")).textContent).not.toContain("input tokens");
    await fireEvent.change(await find("provider"), { target: { value: "anthropic" } });
    await find("planned-call");
    await waitFor(async () =>
      expect((await find("estimate")).textContent).toMatch(/^2 calls, ≈.* input tokens, about \$/),
    );
  });

  test("tells which call waits for which, and where replies come in", async () => {
    await open();
    await fireEvent.change(await find("kind-summarize.method"), { target: { value: "slices" } });
    await fireEvent.click(await find("offline-prompts"));
    await waitFor(() =>
      expect(all("planned-call").map((c) => c.dataset.after)).toEqual(["", "", "0 1"]),
    );
    expect(all("call-wave").map((w) => w.textContent)).toEqual(["First, at the same time", "Then"]);
    await fireEvent.click(all("show-prompt")[2]!);
    await waitFor(() =>
      expect(all("prompt-slot").map((slot) => slot.textContent)).toEqual([
        "[reply of call 1]",
        "[reply of call 2]",
      ]),
    );
  });

  test("has the texts of the one call that is read, and no other's in its place", async () => {
    const { host } = await open();
    await fireEvent.change(await find("kind-summarize.method"), { target: { value: "slices" } });
    await fireEvent.click(await find("offline-prompts"));
    await waitFor(() => expect(all("planned-call")).toHaveLength(3));
    await fireEvent.click(all("show-prompt")[2]!);
    await waitFor(() => expect(all("prompt-text")[0]?.textContent).toContain("Put these together"));
    await fireEvent.click(all("show-prompt")[0]!);
    expect(all("prompt-text")).toHaveLength(0);
    await waitFor(() => expect(all("prompt-text")[0]?.textContent).toContain("[user]"));
    expect(sent(host, "planned_call").map((request) => request.call)).toEqual([2, 0]);
    expect(sent(host, "plan").every((request) => request.brief === true)).toBe(true);
  });

  test("lists what the next request would hold", async () => {
    await open();
    expect(all("next-part").map((part) => part.dataset.kind)).toEqual([
      "system",
      "summary",
      "kept",
    ]);
  });
});

describe("the cut", () => {
  const entryOf = (): string | undefined => all("cut-handle")[0]!.dataset.entry;

  test("is moved with keys on the timeline; the plan follows, and it goes back", async () => {
    const { app, host } = await open();
    const from = entryOf()!;
    const handle = await find("cut-handle");
    handle.focus();
    await press("ArrowLeft", handle);
    expect(entryOf()).not.toBe(from);
    await find("cut-by-hand");
    await waitFor(() =>
      expect(sent(host, "plan").at(-1)).toMatchObject({
        set: { "select.kind": "cut_at", "select.first_kept": entryOf() },
      }),
    );
    await waitFor(() => expect(app.spans.get(entryOf()!)).toBe("kept"));
    expect(all("param-keep_recent_tokens")[0]!.hasAttribute("disabled")).toBe(true);
    await press("ArrowLeft", handle, { shiftKey: true });
    expect(handle.getAttribute("aria-valuetext")).toContain("at a turn boundary");
    await press("Escape", handle);
    await waitFor(() => expect(entryOf()).toBe(from));
    expect(all("cut-by-hand")).toHaveLength(0);
  });

  test("is given back to the preset by its chip, and by standing elsewhere", async () => {
    const { app } = await open();
    const handle = await find("cut-handle");
    await press("Home", handle);
    await fireEvent.click(await find("cut-reset"));
    expect(app.draft.current.cut).toBeNull();
    await press("Home", handle);
    expect(app.draft.current.cut).not.toBeNull();
    app.go({ entry: entries.find((e) => e.kind === "compaction")!.id });
    await waitFor(() => expect(app.draft.current.cut).toBeNull());
  });

  test("stands in the outline as well, and marks go when the tab is left", async () => {
    const { app } = await open();
    const line = await find("cut-line");
    const from = line.dataset.entry;
    await press("ArrowUp", line);
    await waitFor(() => expect(line.dataset.entry).not.toBe(from));
    expect(new Set(all("timeline-span").map((span) => span.dataset.span))).toEqual(
      new Set(["carried", "summarized", "prefix", "kept"]),
    );
    app.go({ tab: "entry" });
    await waitFor(() =>
      expect(all("cut-line").length + all("cut-handle").length + all("timeline-span").length).toBe(
        0,
      ),
    );
    expect(app.spans.size).toBe(0);
  });
});

test("the workbench with everything open can be read by everybody", async () => {
  const { app } = await open();
  await tickThree(app);
  app.draft.choose("gemini-cli");
  await find("strategy", { "data-value": "gemini-cli" });
  for (const stage of ["select", "reduce", "summarize"])
    await fireEvent.click(await find(`stage-${stage}-toggle`));
  await fireEvent.change(await find("step-add"), { target: { value: "clear_tool_results" } });
  await find("cleared");
  await find("cut-line");
  const result = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    resultTypes: ["violations"],
  });
  expect(
    result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`).join("\n"),
  ).toBe("");
});

test("an open list of warnings leaves nothing behind in a session without any", async () => {
  // Answers are at hand for a session seen before: its header follows without a pause.
  const { app } = await openWindow("#s=s2");
  await find("session-title");
  app.go({ session: "s1" });
  await fireEvent.click(await find("warnings-chip"));
  await find("warnings");
  app.go({ session: "s2" });
  await waitFor(() => expect(all("warnings-chip")).toHaveLength(0));
  expect(all("warnings")).toHaveLength(0);
});
