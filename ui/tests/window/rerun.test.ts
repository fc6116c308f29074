import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, within, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;

async function openForm(strategy = "gemini-cli"): Promise<Opened> {
  const opened = await openWindow(`#s=s1&e=${newest.id}&tab=rerun`);
  await find("stages");
  opened.app.draft.choose(strategy);
  await find("strategy", { "data-value": strategy });
  return opened;
}
const unfold = async (stage: string): Promise<void> =>
  void (await fireEvent.click(await find(`stage-${stage}-toggle`)));
const type = async (name: string, value: string): Promise<HTMLElement> => {
  const field = await find(`param-${name}`);
  await fireEvent.input(field, { target: { value } });
  return field;
};
const summary = (stage: string): string => all(`stage-${stage}-summary`)[0]!.textContent ?? "";

describe("the preset picker", () => {
  test("lists every preset by family, with its meaning and its needs", async () => {
    await openForm("pi");
    expect(all("strategy-list")).toHaveLength(0);
    await fireEvent.click(await find("strategy"));
    await find("strategy-list");
    expect(all("strategy-family").map((f) => f.getAttribute("aria-label"))).toEqual([
      "pi",
      "Other",
    ]);
    expect(all("strategy-option").map((o) => o.dataset.strategy)).toEqual([
      "pi",
      "pi-0.87",
      "gemini-cli",
      "extract",
      "reflect",
    ]);
    const extract = await find("strategy-option", { "data-strategy": "extract" });
    expect(extract.textContent).toContain("weightiest sentences");
    expect(extract.textContent).toContain("no model");
  });

  test("a preset that needs a model cannot be chosen offline, and says so", async () => {
    const { app } = await openForm("pi");
    app.draft.provider = "offline";
    await fireEvent.click(await find("strategy"));
    const row = await find("strategy-option", { "data-strategy": "reflect" });
    const choose = within(row).getByTestId("strategy-choose");
    expect(choose.getAttribute("aria-disabled")).toBe("true");
    expect(within(row).getByTestId("strategy-refused").textContent).toContain("cannot run offline");
    expect((within(row).getByTestId("strategy-tick") as HTMLInputElement).disabled).toBe(true);
    await fireEvent.click(choose);
    expect(app.draft.current.strategy).toBe("pi");
    const other = await find("strategy-option", { "data-strategy": "extract" });
    expect(within(other).queryAllByTestId("strategy-refused")).toHaveLength(0);
    app.draft.provider = "anthropic";
    await waitFor(() => expect(all("strategy-refused")).toHaveLength(0));
    await fireEvent.click(choose);
    expect(app.draft.current.strategy).toBe("reflect");
  });

  test("a click chooses, closes the list and forgets the parameters of the other", async () => {
    const { app } = await openForm("pi");
    await type("keep_recent_tokens", "8k");
    await fireEvent.click(await find("strategy"));
    const row = await find("strategy-option", { "data-strategy": "extract" });
    await fireEvent.click(within(row).getByTestId("strategy-choose"));
    await find("strategy", { "data-value": "extract" });
    expect(all("strategy-list")).toHaveLength(0);
    expect(app.draft.current.set).toEqual({});
    expect((await find("strategy-needs")).textContent).toBe("Runs without a model.");
  });

  test("tells what the chosen one leaves out of its agent, where it does", async () => {
    const { app } = await openForm("gemini-cli");
    const told = await find("strategy-assumed");
    expect(told.querySelector("summary")!.textContent).toBe("Assumptions and omissions: 1");
    expect(told.querySelector("li")!.textContent).toContain("A plan of the user");
    app.draft.choose("pi");
    await waitFor(() => expect(all("strategy-assumed")).toHaveLength(0));
  });

  test("finds by words; arrows walk, Space ticks, Enter edits, Escape closes", async () => {
    const { app } = await openForm("pi");
    await fireEvent.click(await find("strategy"));
    const search = await find("strategy-search");
    await waitFor(() => expect(document.activeElement).toBe(search));
    await fireEvent.input(search, { target: { value: "snapshot" } });
    await waitFor(() =>
      expect(all("strategy-option").map((o) => o.dataset.strategy)).toEqual(["gemini-cli"]),
    );
    await press("ArrowDown", search);
    await waitFor(() =>
      expect((document.activeElement as HTMLElement).dataset.row).toBe("gemini-cli"),
    );
    await press(" ", document.activeElement!);
    expect(app.draft.candidates.map((c) => c.strategy)).toEqual(["pi", "gemini-cli"]);
    expect(app.draft.strategy).toBe("pi");
    await press("Escape", document.activeElement!);
    expect(all("strategy-list")).toHaveLength(0);
    expect(document.activeElement).toBe(all("strategy")[0]);
  });
});

describe("the stages", () => {
  test("are folded, but for the parameters everybody sets", async () => {
    await openForm();
    expect(
      ["select", "reduce", "summarize", "assemble"].map((s) => all(`stage-${s}`).length),
    ).toEqual([1, 1, 1, 1]);
    expect(all("param-keep_share")).toHaveLength(1);
    expect(all("param-reserve_tokens")).toHaveLength(1);
    expect(all("param-self_check")).toHaveLength(0);
    expect(summary("reduce")).toBe("What is cleared or truncated without a model");
    const toggle = await find("stage-summarize-toggle");
    // A button opens with Enter and Space by itself.
    expect([toggle.tagName, toggle.getAttribute("aria-expanded")]).toEqual(["BUTTON", "false"]);
    await unfold("summarize");
    expect(toggle.getAttribute("aria-expanded")).toBe("true");
    expect(all("param-prompts.acknowledgement")).toHaveLength(1);
    await unfold("summarize");
    expect(all("param-self_check")).toHaveLength(0);
  });

  test("tell folded what differs from the preset, and each change goes back by itself", async () => {
    const { app } = await openForm();
    await unfold("reduce");
    await type("tools", "bash\ngrep\n");
    await type("placeholder", "");
    await unfold("reduce");
    expect(all("param-tools")).toHaveLength(0);
    expect(summary("reduce")).toBe("Tools bash, grep, Placeholder empty");
    expect(all("stage-reduce")[0]!.dataset.changed).toBe("true");
    await unfold("reduce");
    await fireEvent.click(await find("reset-tools"));
    expect(all("reset-tools")).toHaveLength(0);
    expect(app.draft.current.set).toEqual({ "reduce.0.placeholder": "" });
    expect(((await find("param-tools")) as HTMLTextAreaElement).value).toBe("read_file\ngrep");
  });
});

describe("each kind of parameter", () => {
  test("goes into the plan as what it is", async () => {
    const { app, host } = await openForm();
    for (const stage of ["select", "reduce", "summarize"]) await unfold(stage);
    await type("keep_share", "0.5");
    await fireEvent.change(await find("param-cut_at"), { target: { value: "message" } });
    await type("tools", "bash\n");
    await type("transcript.user", "Person: ");
    await type("reserve_tokens", "8k");
    await fireEvent.click(await find("param-self_check"));
    const set = {
      "select.keep_share": 0.5,
      "select.cut_at": "message",
      "reduce.0.tools": ["bash"],
      "summarize.method.user": "Person: ",
      "summarize.method.reserve_tokens": 8_000,
      "summarize.method.self_check": false,
    };
    expect(app.draft.current.set).toEqual(set);
    await waitFor(() =>
      expect(host.calls.findLast((c) => c.command === "plan")!.params).toMatchObject({
        strategy: "gemini-cli",
        set,
      }),
    );
  });

  test("takes a word or a number", async () => {
    const { app } = await openForm("pi");
    await unfold("summarize");
    await type("max_output_tokens", "reserve");
    expect(app.draft.current.set).toEqual({ "summarize.method.max_output_tokens": "reserve" });
    await type("max_output_tokens", "4096");
    expect(app.draft.current.set).toEqual({ "summarize.method.max_output_tokens": 4_096 });
    await type("max_output_tokens", "model");
    expect(app.draft.current.set).toEqual({});
  });

  test("keeps what is no value in sight, says why, and nothing runs until it is one", async () => {
    const { app } = await openForm();
    await unfold("select");
    const field = await type("keep_share", "half");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect((await find("flaw-keep_share")).textContent).toContain("such as 0.5");
    // The plan that is shown is not of what stands in the field.
    await find("plan", { "data-fresh": "false" });
    expect((await find("run-button")).hasAttribute("disabled")).toBe(true);
    await fireEvent.blur(field);
    expect((field as HTMLInputElement).value).toBe("half");
    await type("keep_share", "0.4");
    expect(all("flaw-keep_share")).toHaveLength(0);
    expect(app.draft.current.set).toEqual({ "select.keep_share": 0.4 });
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
  });

  test("a flaw in a folded stage is named on its card", async () => {
    await openForm("pi");
    await unfold("summarize");
    await type("tool_result_max_chars", "-1");
    await unfold("summarize");
    expect((await find("stage-summarize-toggle")).textContent).toContain("1 invalid value");
  });

  test("is tidied up once the field is left", async () => {
    await openForm("pi");
    const field = (await type("keep_recent_tokens", "12.5k")) as HTMLInputElement;
    expect(field.value).toBe("12.5k");
    await fireEvent.blur(field);
    expect(field.value).toBe("12500");
  });
});

test("the form with everything open can be read by everybody", async () => {
  await openForm();
  for (const stage of ["select", "reduce", "summarize"]) await unfold(stage);
  await type("keep_share", "half");
  await fireEvent.click(await find("strategy"));
  await find("strategy-list");
  const result = await axe.run(all("rerun-form")[0]!, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    resultTypes: ["violations"],
  });
  expect(
    result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`).join("\n"),
  ).toBe("");
});
