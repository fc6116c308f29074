import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, press, waitFor, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;

async function openForm(strategy = "gemini-cli"): Promise<Opened> {
  const opened = await openWindow(`#s=s1&e=${newest.id}&tab=rerun`);
  await find("stages");
  opened.app.draft.choose(strategy);
  await find("strategy", { "data-value": strategy });
  return opened;
}
const unfold = async (stage: string): Promise<void> => void (await fireEvent.click(await find(`stage-${stage}-toggle`)));
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
    expect(all("strategy-family").map((f) => f.getAttribute("aria-label"))).toEqual(["pi", "Others"]);
    expect(all("strategy-option").map((o) => o.dataset.strategy)).toEqual(["pi", "pi-0.87", "gemini-cli", "extract"]);
    const extract = await find("strategy-option", { "data-strategy": "extract" });
    expect(extract.textContent).toContain("weightiest sentences");
    expect(extract.textContent).toContain("no model");
  });

  test("a click chooses, closes the list and forgets the parameters of the other", async () => {
    const { app } = await openForm("pi");
    await type("keep_recent_tokens", "8k");
    await fireEvent.click(await find("strategy"));
    const row = await find("strategy-option", { "data-strategy": "extract" });
    await fireEvent.click(row.querySelector("span")!, { detail: 1 });
    await find("strategy", { "data-value": "extract" });
    expect(all("strategy-list")).toHaveLength(0);
    expect(app.draft.set).toEqual({});
    expect((await find("strategy-needs")).textContent).toBe("Needs no model.");
  });

  test("arrow keys choose and leave it open; Enter closes it", async () => {
    const { app } = await openForm("pi");
    await fireEvent.click(await find("strategy"));
    await waitFor(() => expect((document.activeElement as HTMLInputElement).value).toBe("pi"));
    // What a browser does with an arrow key in a group of radio buttons.
    await fireEvent.click((await find("strategy-option", { "data-strategy": "pi-0.87" })).querySelector("input")!);
    expect(app.draft.strategy).toBe("pi-0.87");
    await press("Enter", await find("strategy-list"));
    expect(all("strategy-list")).toHaveLength(0);
    expect(document.activeElement).toBe(all("strategy")[0]);
  });
});

describe("the stages", () => {
  test("are folded, but for the parameters everybody sets", async () => {
    await openForm();
    expect(["select", "reduce", "summarize", "assemble"].map((s) => all(`stage-${s}`).length)).toEqual([1, 1, 1, 1]);
    expect(all("param-keep_share")).toHaveLength(1);
    expect(all("param-reserve_tokens")).toHaveLength(1);
    expect(all("param-self_check")).toHaveLength(0);
    expect(summary("reduce")).toBe("what is cleared or cut without a summary");
    const toggle = await find("stage-summarize-toggle");
    // A button opens with Enter and Space by itself.
    expect([toggle.tagName, toggle.getAttribute("aria-expanded")]).toEqual(["BUTTON", "false"]);
    await unfold("summarize");
    expect(toggle.getAttribute("aria-expanded")).toBe("true");
    expect(all("param-prompts.acknowledgement")).toHaveLength(1);
    await unfold("summarize");
    expect(all("param-self_check")).toHaveLength(0);
  });

  test("without parameters, there is nothing to unfold", async () => {
    await openForm("pi");
    expect(all("stage-reduce-toggle")).toHaveLength(0);
    expect(summary("reduce")).toBe("nothing to set");
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
    expect(app.draft.set).toEqual({ placeholder: "" });
    expect((await find("param-tools") as HTMLTextAreaElement).value).toBe("read_file\ngrep");
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
    const set = { keep_share: 0.5, cut_at: "message", tools: ["bash"], "transcript.user": "Person: ", reserve_tokens: 8_000, self_check: false };
    expect(app.draft.set).toEqual(set);
    await waitFor(() => expect(host.calls.findLast((c) => c.command === "plan")!.params).toMatchObject({ strategy: "gemini-cli", set }));
  });

  test("takes a word or a number", async () => {
    const { app } = await openForm("pi");
    await unfold("summarize");
    await type("max_output_tokens", "reserve");
    expect(app.draft.set).toEqual({ max_output_tokens: "reserve" });
    await type("max_output_tokens", "4096");
    expect(app.draft.set).toEqual({ max_output_tokens: 4_096 });
    await type("max_output_tokens", "model");
    expect(app.draft.set).toEqual({});
  });

  test("keeps what is no value in sight, says why, and nothing runs until it is one", async () => {
    const { app } = await openForm();
    await unfold("select");
    const field = await type("keep_share", "half");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect((await find("flaw-keep_share")).textContent).toContain("such as 0.5");
    await find("plan", { "data-fresh": "true" });
    expect((await find("run-button")).hasAttribute("disabled")).toBe(true);
    await fireEvent.blur(field);
    expect((field as HTMLInputElement).value).toBe("half");
    await type("keep_share", "0.4");
    expect(all("flaw-keep_share")).toHaveLength(0);
    expect(app.draft.set).toEqual({ keep_share: 0.4 });
    await waitFor(() => expect(all("run-button")[0]!.hasAttribute("disabled")).toBe(false));
  });

  test("a flaw in a folded stage is named on its card", async () => {
    await openForm("pi");
    await unfold("summarize");
    await type("tool_result_max_chars", "-1");
    await unfold("summarize");
    expect((await find("stage-summarize-toggle")).textContent).toContain("1 value not valid");
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
  const result = await axe.run(all("rerun-form")[0]!, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } }, resultTypes: ["violations"] });
  expect(result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 160)}`).join("\n")).toBe("");
});
